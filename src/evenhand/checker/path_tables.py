"""The tables of effects along paths: read, counted again in the data, compared with each other.

A table has the codes of its people's values, which are their places in the recorded lists.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations

from .group_comparisons import Table
from .record_fields import Record
from .share_products import Shares

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
