"""Which decisions become what, so that counts change as planned.

Counts are values × groups × subpopulations, and a group keeps its rows. Moves are old values ×
new values × groups × subpopulations: as few rows move as the counts allow.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence import Certificate

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class DecisionChanges:
    """How many rows change; each element is about one group, line, old and new decision.

    ``old`` and ``new`` are indices of the values of the decision as they are stored.
    """

    group: NDArray[np.intp]
    line: NDArray[np.intp]
    old: NDArray[np.intp]
    new: NDArray[np.intp]
    rows: NDArray[np.int64]

    def by_group(self, rank: NDArray[np.intp], groups: int) -> tuple[tuple[int, int], ...]:
        """Who gains and who loses, where a lower rank of a stored value is better."""
        step = rank[self.old] - rank[self.new]
        ways = (
            np.bincount(self.group[way], self.rows[way], groups).astype(int).tolist()
            for way in (step > 0, step < 0)
        )
        return tuple(zip(*ways, strict=True))

    def count_change(
        self, kinds: NDArray[np.intp], shape: tuple[int, ...]
    ) -> NDArray[np.int64]:
        """What is added to counts by kind of decision, group and line."""
        change = np.zeros(shape, np.int64)
        np.add.at(change, (kinds[self.new], self.group, self.line), self.rows)
        np.subtract.at(change, (kinds[self.old], self.group, self.line), self.rows)
        return change


def changes_to(certificate: Certificate, new: Counts) -> DecisionChanges:
    """The fewest rows by which the people compared get new counts of each kind of decision.

    Where one kind has several stored values, the group's own rows say which are left and taken.
    """
    examined, partition = certificate.examined, certificate.partition
    question, counts = examined.question, examined.counts
    values = counts.attribute(question.decision).values
    place = np.array([values.index(v) for v in question.order or values if v in values])
    kinds, ordered = examined.decision_kinds[place], bool(question.order)
    lines = np.flatnonzero((new != partition.counts).any(axis=(0, 1)))
    line, first = counts.groups(partition.names)
    shape = (len(first), len(examined.groups), len(values))
    cell = (line * shape[1] + examined.group_codes) * shape[2]
    cells = counts.totals(cell + counts.column(question.decision), int(np.prod(shape)))
    old = cells.reshape(shape).T[place][..., lines]
    if question.favorable:
        more = (new - partition.counts)[0][:, lines]
        reached = across(old, kinds == 0, more, ordered=ordered)
    else:
        reached = new[kinds][..., lines]
    moves = moves_between(old, reached, ordered=ordered)
    group, at, before, after = np.nonzero(moves.transpose(2, 3, 0, 1))
    return DecisionChanges(
        group=group,
        line=lines[at],
        old=place[before],
        new=place[after],
        rows=moves[before, after, group, at],
    )


def moves_between(old: Counts, new: Counts, *, ordered: bool) -> Counts:
    """The rows that move from one value to another so that old counts become new ones.

    Ordered values exchange rows in order, which takes the fewest steps; otherwise rows of each
    value go where rows are missing, in proportion.

    >>> old, new = np.array([10, 6, 4]), np.array([4, 8, 8])
    >>> moves_between(old[:, None, None], new[:, None, None], ordered=True)[..., 0, 0]
    array([[0, 2, 4],
           [0, 0, 0],
           [0, 0, 0]])
    """
    given, taken = np.maximum(old - new, 0), np.maximum(new - old, 0)
    if ordered:  # the first row that is given goes where the first is taken, and so on
        ends = np.cumsum(given, axis=0)[:, None], np.cumsum(taken, axis=0)[None]
        begins = ends[0] - given[:, None], ends[1] - taken[None]
        return np.asarray(np.minimum(*ends) - np.maximum(*begins), np.int64).clip(0)
    moves = np.zeros((len(given), *taken.shape), np.int64)
    for source in np.flatnonzero(given.any(axis=(1, 2))):
        moves[source] = apportion(given[source], taken)
        taken -= moves[source]
    return moves


def across(
    counts: Counts, favorable: NDArray[np.bool_], change: Counts, *, ordered: bool
) -> Counts:
    """New counts of each value so that ``change`` more decisions of each group are favorable.

    A negative change makes favorable ones unfavorable. With ordered values rows of the values
    next to the other side move first, each to the nearest value there, the earlier one of two.
    Otherwise rows leave values, and take values, in proportion to the group's rows that have
    them; if it has none on the other side, evenly.

    >>> counts = np.array([5, 3, 8, 4])[:, None, None]
    >>> favorable, three = np.array([False, False, True, True]), np.array([[3]])
    >>> across(counts, favorable, three, ordered=False).ravel()
    array([ 3,  2, 10,  5])
    """
    new = counts.copy()
    for side, rows in ((favorable, change.clip(0)), (~favorable, (-change).clip(0))):
        sources, targets = np.flatnonzero(~side), np.flatnonzero(side)
        if not rows.any():
            continue
        if ordered:
            distance = abs(sources[:, None] - targets)
            nearest, order = targets[distance.argmin(1)], distance.min(1).argsort(kind="stable")
            left = rows.copy()
            for source, target in zip(sources[order], nearest[order], strict=True):
                some = np.minimum(left, counts[source])
                new[source] -= some
                new[target] += some
                left -= some
        else:
            there = counts[targets]
            new[sources] -= apportion(rows, counts[sources])
            new[targets] += apportion(rows, np.where(there.any(axis=0), there, 1))
    return new


def apportion(total: Counts, shares: Counts) -> Counts:
    """Whole numbers that sum to the total, in proportion to shares, by largest remainder.

    Of equal remainders the first is served first. None exceeds its share if the total does not
    exceed their sum.

    >>> apportion(np.array(10), np.array([1, 1, 1]))
    array([4, 3, 3])
    """
    if len(shares) == 1:
        return np.where(shares > 0, total, 0)
    exact = int(total.max(initial=0)) * int(shares.max(initial=0)) < np.iinfo(np.int64).max
    product = total * (shares if exact else shares.astype(object))
    whole = np.maximum(shares.sum(axis=0), 1)
    quotas = product // whole
    remainders = (product - quotas * whole).astype(np.int64, copy=False)
    counts = quotas.astype(np.int64, copy=False)
    left = np.where(shares.any(axis=0), total - counts.sum(axis=0), 0)
    place = np.zeros(remainders.shape, np.int64)  # by comparing: few values, many columns
    for at, one in enumerate(remainders):
        place[:at] += one > remainders[:at]
        place[at + 1 :] += one >= remainders[at + 1 :]
    return np.asarray(counts + (place < left), np.int64)
