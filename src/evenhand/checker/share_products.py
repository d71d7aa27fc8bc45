"""Products of tables of shares, summed by variable elimination: exact, over what occurs."""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from typing import NamedTuple


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
