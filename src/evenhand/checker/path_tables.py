"""The tables of effects along paths, and products of their shares: exact, over what occurs.

A table has the codes of its people's values, which are their places in the recorded lists.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import reduce
from itertools import combinations
from typing import NamedTuple

from .group_comparisons import Table
from .record_fields import Record


class Shares(NamedTuple):
    """Shares by the values of some names; assignments that are not there have none."""

    names: tuple[str, ...]
    cells: dict[tuple[int, ...], Fraction]

    def times(self, other: "Shares") -> "Shares":
        """The product, over the names of both."""
        new = [at for at, name in enumerate(other.names) if name not in self.names]
        both = [(self.names.index(n), at) for at, n in enumerate(other.names) if at not in new]
        mine, theirs = [at for at, _ in both], [at for _, at in both]
        lines = defaultdict(list)
        for values, share in other.cells.items():
            rest = tuple(values[at] for at in new)
            lines[tuple(values[at] for at in theirs)].append((rest, share))
        cells = {
            values + rest: share * more
            for values, share in self.cells.items()
            for rest, more in lines.get(tuple(values[at] for at in mine), ())
        }
        return Shares((*self.names, *(other.names[at] for at in new)), cells)

    def over(self, keep: Iterable[str]) -> "Shares":
        """The sum over all names but those to keep, in the order of these."""
        names = tuple(name for name in keep if name in self.names)
        places = [*map(self.names.index, names)]
        cells = defaultdict[tuple[int, ...], Fraction](Fraction)
        for values, share in self.cells.items():
            cells[tuple(values[at] for at in places)] += share
        return Shares(names, dict(cells))

    def fixed(self, name: str, value: int) -> "Shares":
        """The shares at one value of a name."""
        if name not in self.names:
            return self
        at = self.names.index(name)
        cells = {v[:at] + v[at + 1 :]: s for v, s in self.cells.items() if v[at] == value}
        return Shares(self.names[:at] + self.names[at + 1 :], cells)

    def at(self, values: dict[str, int]) -> Fraction:
        """The share at values of the names, among others perhaps."""
        return self.cells.get(tuple(values[name] for name in self.names), Fraction(0))


def eliminate(factors: Iterable[Shares], keep: Iterable[str]) -> Shares:
    """The product of factors, summed over all names but those to keep.

    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> eliminate([Shares(("a",), {(0,): half}), Shares(("a", "b"), {(0, 1): third})], ["b"])
    Shares(names=('b',), cells={(1,): Fraction(1, 6)})
    """
    left, keep = [*factors], [*keep]
    while gone := {name for factor in left for name in factor.names} - {*keep}:
        own = {name: [f for f in left if name in f.names] for name in sorted(gone)}
        name = min(own, key=lambda name: len({n for f in own[name] for n in f.names}))
        whole = reduce(Shares.times, sorted(own[name], key=lambda f: len(f.cells)))
        left = [factor for factor in left if name not in factor.names]
        left.append(whole.over(n for n in whole.names if n != name))
    return reduce(Shares.times, left, Shares((), {(): Fraction(1)})).over(keep)


Names = tuple[str, ...]
Cells = Counter[tuple[int, ...]]
Values = dict[str, list[str]]


def read_tables(written: Record, ends: Values) -> tuple[Values, dict[Names, Cells]]:
    """The values of each attribute, and the tables by their names.

    Groups and decisions have the values of the question, ``ends``; of others each one occurs.
    """
    values: Values = written["values"]
    for name, labels in values.items():
        is_list = type(labels) is list and {*map(type, labels)} == {str}
        if not is_list or len({*labels}) < len(labels) or labels != ends.get(name, labels):
            raise ValueError(f"indirect.values: {labels} cannot be those of {name!r}")
    tables = {}
    for table in written["tables"]:
        names, cells = (*table["names"],), Cells()
        bounds = [range(len(values[name])) for name in names]
        for *codes, many in table["counts"]:
            known = len(codes) == len(names) and all(map(range.__contains__, bounds, codes))
            if not known or {*map(type, (*codes, many))} != {int} or many < 1:
                raise ValueError(f"indirect.tables: {[*codes, many]} is no cell of {names}")
            cells[*codes,] = many
        for at, name in enumerate(names):
            if name not in ends and len({codes[at] for codes in cells}) < len(values[name]):
                raise ValueError(f"indirect.values: nobody has one of those of {name!r}")
        tables[names] = cells
    return values, tables


def encode(
    names: Iterable[str], table: Table, values: Values, ends: Values
) -> tuple[Names, Cells]:
    """The people of a table of labels, by the names that have values and by the ends."""
    places = [(at, name) for at, name in enumerate(names) if name in values]
    codes = {name: {label: at for at, label in enumerate(values[name])} for _, name in places}
    cells: Cells = Counter()
    for labels, counts in table.items():
        line = tuple(codes[name].get(labels[at], -1) for at, name in places)
        for group, kinds in enumerate(counts):
            for kind, people in enumerate(kinds):
                cells[*line, group, kind] += people
    return (*(name for _, name in places), *ends), cells


def counts_by(names: Names, cells: Cells, keep: Iterable[str]) -> Cells:
    """The people of a table by some of its names."""
    places, people = [*map(names.index, keep)], Cells()
    for codes, many in cells.items():
        people[tuple(codes[at] for at in places)] += many
    return +people


def disagreements(tables: list[tuple[Names, Cells]]) -> Iterator[str]:
    """The pairs of tables that count people otherwise by what both have."""
    for (first, own), (second, other) in combinations(tables, 2):
        both = sorted({*first} & {*second})
        if counts_by(first, own, both) != counts_by(second, other, both):
            yield f"indirect.tables: {[*first]} and {[*second]} count other people by {both}"


def shares_of(names: Names, cells: Cells) -> Shares:
    """The share of each value of the last name among people alike in the others."""
    rows = counts_by(names, cells, names[:-1])
    return Shares(names, {line: Fraction(n, rows[line[:-1]]) for line, n in cells.items()})
