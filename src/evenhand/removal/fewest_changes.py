"""The fewest changed decisions that bring the rates of all groups into one window.

In each subpopulation the largest rate minus the smallest must be less than the threshold τ: all
rates lie in one window [t, t + τ). The smallest new rate may be taken as t, so t is some j/n of
a group of n rows. Two groups are the smallest case.

Given where the window begins, each group takes the admissible count nearest to its own. These
counts never fall as the window moves up, and their cost is never below a convex function of its
place. So one walks to both sides of that function's minimum and stops where nothing better can
follow; stretches in which some group has no admissible count are skipped. No float decides.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

# int64, or Python's integers where products of counts would not fit into 64 bits.
Whole: TypeAlias = NDArray[Any]

_NONE = int(np.iinfo(np.int64).max)  # the cost and rank of what has no solution so far
_LONGEST_STRIDE = 8_192
_BLOCK = 1 << 17  # numbers in an array of what is looked at together


class Ranges:
    """The counts ``ceil((step·j - below) / scale)`` to ``floor((step·j + above) / scale)``.

    A family is a group of n rows in a subpopulation, ``column``, with the windows that begin at
    its places j/n, from ``low`` to ``high``; ``length`` is its n, and columns ascend.
    ``favorable`` and ``rows`` are groups × subpopulations; ``counts``, ``step``, ``below`` and
    ``above`` are groups × families. With a ``reference`` the windows are all its rates. Places
    are left out at which a ``frozen`` group could not keep its count, or a count would have to
    fall though they may only rise.
    """

    def __init__(
        self,
        favorable: Whole,
        rows: Whole,
        threshold: Fraction,
        *,
        reference: int | None = None,
        frozen: NDArray[np.bool_] | None = None,
        only_raise: bool = False,
    ) -> None:
        if reference is None:
            column, group = np.nonzero(rows.T > 0)
        else:
            column = np.flatnonzero(rows[reference] > 0)
            group = np.full(len(column), reference)
        self.favorable, self.rows, self.column = favorable, rows, column
        self.length: Whole = rows[group, column]
        self.counts: Whole = favorable[:, column]
        self.step: Whole = rows[:, column] * threshold.denominator
        self.scale: Whole = self.length * threshold.denominator
        # Less than the threshold is at most one unit less; a group without rows has room.
        reach = np.maximum(rows[:, column] * self.length * threshold.numerator - 1, 0)
        self.above: Whole = reach
        self.below: Whole = np.zeros_like(reach)
        if reference is not None:
            self.below = reach.copy()
            self.below[reference] = self.above[reference] = 0
        self.low: Whole = np.zeros_like(self.length)
        self.high: Whole = self.length
        if only_raise or frozen is not None:
            own, divisor, has_rows = (
                self.counts * self.scale,
                np.maximum(self.step, 1),
                self.step > 0,
            )
            kept = has_rows & (False if frozen is None else frozen[:, None])
            rises = has_rows if only_raise else kept
            first = np.where(rises, -((self.above - own) // divisor), self.low)
            last = np.where(kept, (own + self.below) // divisor, self.high)
            self.low = np.maximum(self.low, first.max(axis=0))
            self.high = np.minimum(self.high, last.min(axis=0))

    def at(self, family: Whole, place: Whole) -> tuple[Whole, Whole]:
        """The least and the largest count of each group; none where they cross."""
        wide = (..., *(None,) * (place.ndim - 1))
        center, scale = self.step[:, family][wide] * place, self.scale[family][wide]
        return (
            -((self.below[:, family][wide] - center) // scale),
            (center + self.above[:, family][wide]) // scale,
        )

    def changes(self, family: Whole, place: Whole) -> tuple[Whole, NDArray[np.bool_]]:
        """How far each group is from its nearest count, and where all have one.

        Where a group has none, its change still rises with the place.
        """
        least, most = self.at(family, place)
        old = self.counts[:, family][(..., *(None,) * (place.ndim - 1))]
        possible = np.all(least <= most, axis=0)
        return np.minimum(np.maximum(old, least), most) - old, np.asarray(possible)

    def onward(self, family: Whole, place: Whole, direction: Whole) -> Whole:
        """The places, or later ones if nothing is new at any place before them.

        Nothing is new where all counts are those of the place passed last, or a group has none.
        """
        up, old, scale = direction > 0, self.counts[:, family], self.scale[family]
        below, above = self.below[:, family], self.above[:, family]
        step = np.maximum(self.step[:, family], 1)
        least, most = self.at(family, place - direction)
        new = np.minimum(np.maximum(old, least), most)
        # At the window's edge a count follows it; otherwise it stays until an edge arrives.
        follows = (new - old) * direction < 0
        admits = np.where(follows, new + direction, new)
        enters, leaves = admits * scale - above, admits * scale + below
        rising = np.where(follows, -(-enters // step), leaves // step + 1)
        falling = np.where(follows, leaves // step, -(-enters // step) - 1)
        farthest = np.where(up, self.high[family] + 1, self.low[family] - 1)
        change = np.where(self.step[:, family] > 0, np.where(up, rising, falling), farthest)
        first_new = np.minimum((change * direction).min(axis=0), farthest * direction)
        next_least, next_most = self.at(family, place)
        rising = -(-(next_least * scale - above) // step)
        falling = (next_most * scale + below) // step
        change = np.where(next_least > next_most, np.where(up, rising, falling), place)
        first_possible = np.maximum((change * direction).max(axis=0), place * direction)
        passed = (least <= most).all(axis=0)
        later = np.where(passed, np.maximum(first_new, first_possible), first_possible)
        return np.asarray(later * direction)

    def real_cost(self, family: Whole, place: Whole) -> Whole:
        """Times ``scale``, the cost if counts were real: convex, never above the cost."""
        ahead = self.counts[:, family] * self.scale[family] - self.step[:, family] * place
        short = np.maximum(-ahead - self.below[:, family], ahead - self.above[:, family])
        return np.asarray(np.maximum(short, 0).sum(axis=0))


class Sweep(ABC):
    """The best window of each subpopulation so far: its cost, rank, family and place."""

    def __init__(self, ranges: Ranges, begin: Whole, no_cost: float = _NONE) -> None:
        length = ranges.favorable.shape[1]
        self.ranges, self.begin = ranges, np.clip(begin, ranges.low, ranges.high)
        self.no_cost = no_cost
        self.cost: Whole = np.full(length, no_cost)
        self.rank = np.full(length, _NONE)
        self.family = np.zeros(length, np.int64)
        self.place = np.zeros(length, ranges.favorable.dtype)

    @abstractmethod
    def _score(self, family: Whole, changes: Whole) -> tuple[Whole, Whole]:
        """The cost and rank of changes from the old counts; the smallest pair is best."""

    @abstractmethod
    def _least_score(
        self, family: Whole, place: Whole, direction: Whole
    ) -> tuple[Whole, Whole]:
        """Bounds on the cost, and then the rank, of all places from each in its direction."""

    def solve(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The new counts, groups × subpopulations, and which subpopulations have a solution."""
        ranges, stride = self.ranges, 2
        family = np.flatnonzero(ranges.low <= ranges.high)
        begin = self.begin[family] - stride
        self._evaluate(family, begin, np.ones_like(family), 2 * stride)
        family = np.repeat(family, 2)
        direction = np.where(np.arange(len(family)) % 2, -1, 1)
        place = np.repeat(begin, 2) + np.where(direction > 0, 2 * stride, -1)
        while len(family):
            bounds = self._least_score(family, place, direction)
            follows = self._is_better(ranges.column[family], *bounds)
            family, place, direction = family[follows], place[follows], direction[follows]
            place = ranges.onward(family, place, direction)
            follows = (place >= ranges.low[family]) & (place <= ranges.high[family])
            family, place, direction = family[follows], place[follows], direction[follows]
            self._evaluate(family, place, direction, stride)
            place = place + direction * stride
            stride = min(2 * stride, _LONGEST_STRIDE)
        counts, found = ranges.favorable.copy(), self.cost < self.no_cost
        solved = np.flatnonzero(found)
        least, most = ranges.at(self.family[solved], self.place[solved])
        counts[:, solved] = np.minimum(np.maximum(counts[:, solved], least), most)
        return counts.astype(np.int64), found

    def _evaluate(self, family: Whole, place: Whole, direction: Whole, stride: int) -> None:
        """Look at ``stride`` places from each one on, and keep what is better than the best."""
        ranges, step = self.ranges, max(1, _BLOCK // (stride * len(self.ranges.favorable)))
        for at in range(0, len(family), step):
            block = slice(at, at + step)
            own, ahead = family[block], direction[block, None] * np.arange(stride)
            # Beyond the end the last place is looked at again, which changes nothing.
            ends = ranges.low[own][:, None], ranges.high[own][:, None]
            places = np.clip(place[block, None] + ahead, *ends)
            changes, possible = ranges.changes(own, places)
            cost, rank = self._score(own, changes)
            cost = np.where(possible, cost, self.no_cost).astype(self.cost.dtype)
            least = cost.min(axis=1)
            rank = np.where(cost == least[:, None], rank, _NONE).astype(np.int64)
            best = np.arange(len(own)), rank.argmin(axis=1)
            self._update(own, least, rank[best], places[best])

    def _update(self, family: Whole, cost: Whole, rank: Whole, place: Whole) -> None:
        # Equal cost and rank mean equal counts, so any of several places will do.
        column = self.ranges.column[family]
        order = np.lexsort((rank, cost, column))
        first = order[np.diff(column[order], prepend=-1) > 0]
        first = first[self._is_better(column[first], cost[first], rank[first])]
        at = column[first]
        self.cost[at], self.rank[at] = cost[first], rank[first]
        self.family[at], self.place[at] = family[first], place[first]

    def _is_better(self, column: Whole, cost: Whole, rank: Whole) -> NDArray[np.bool_]:
        same = (cost == self.cost[column]) & (rank < self.rank[column])
        return np.asarray((cost < self.cost[column]) | same, np.bool_)


class FewestChanges(Sweep):
    """The cost is how many decisions change; of equally small changes one is preferred.

    With ``lowest`` it is that of the lowest window. Otherwise the sum of changes, or the change
    of the group ``asked``, is as near to zero as possible, then the window as low as possible.
    Both sums rise with the window, so a cost and a rank tell the counts.
    """

    def __init__(self, ranges: Ranges, *, asked: int | None, lowest: bool) -> None:
        self.asked, self.lowest = asked, lowest
        begin, self.least_cost = self._beginnings(ranges)
        super().__init__(ranges, begin)

    def _beginnings(self, ranges: Ranges) -> tuple[Whole, NDArray[np.float64]]:
        """Where to begin, and a cost below which no window can be, less a rounding error.

        One begins where the cost, rounded up, is least: among those places at the first, or
        where the sum that is compared crosses zero.
        """
        is_first = np.diff(ranges.column, prepend=-1) > 0
        counts, below, above = (
            part[:, is_first].astype(np.float64)
            for part in (ranges.counts, ranges.below, ranges.above)
        )
        size = ranges.rows[:, ranges.column[is_first]].astype(np.float64)
        unit = np.maximum(size * ranges.scale[is_first].astype(np.float64), 1.0)
        rate, below, above = counts / np.maximum(size, 1.0), below / unit, above / unit
        corners = np.sort(np.concatenate([rate + below, rate - above]).clip(0.0, 1.0), axis=0)
        apart = corners[:, None] - rate
        moves = size * (np.maximum(apart - below, 0.0) - np.maximum(-apart - above, 0.0))
        costs = abs(moves).sum(axis=1)
        least = costs.min(axis=0)
        level = np.floor(least * (1 + 1e-14) + 1e-9) + 1
        begin = crossing(corners, np.maximum.accumulate(-costs), -level)
        if not self.lowest:
            end = crossing(corners, np.minimum.accumulate(costs[::-1])[::-1], level)
            sums = self._sum(moves.transpose(1, 0, 2))
            begin = np.clip(crossing(corners, sums, 0.0), begin, end)
        family = np.cumsum(is_first) - 1
        begin = np.rint(begin[family] * ranges.length.astype(np.float64))
        # Windows that begin at places of other groups are wider by less than one unit.
        slack = 1e-9 + 1e-14 * size.sum(axis=0) + len(size) / ranges.scale[is_first]
        least = np.ceil(least - slack.astype(np.float64))
        return begin.astype(np.int64).astype(ranges.step.dtype), least[family]

    def _sum(self, changes: Whole) -> Whole:
        """The sum of changes that is compared among equals."""
        return np.asarray(changes.sum(axis=0) if self.asked is None else changes[self.asked])

    def _rank(self, total: Whole) -> Whole:
        return total if self.lowest else 2 * abs(total) + (total > 0)

    def _score(self, family: Whole, changes: Whole) -> tuple[Whole, Whole]:
        del family
        return abs(changes).sum(axis=0), self._rank(self._sum(changes))

    def _least_score(
        self, family: Whole, place: Whole, direction: Whole
    ) -> tuple[Whole, Whole]:
        ranges, (changes, _) = self.ranges, self.ranges.changes(family, place)
        # What is raised on the way up stays raised, and what is lowered on the way down.
        sided = np.maximum(changes * direction, 0).sum(axis=0)
        here, before = (ranges.real_cost(family, at) for at in (place, place - direction))
        real = -(-here // ranges.scale[family])
        real = np.where(here >= before, real, self.least_cost[family])
        cost, total = np.maximum(sided, real), self._sum(changes)
        if self.lowest:
            return cost, np.where(direction > 0, total, -_NONE)
        return cost, np.where(total * direction > 0, self._rank(total), 0)


def crossing(
    corners: NDArray[np.float64],
    values: NDArray[np.float64],
    level: NDArray[np.float64] | float,
    *,
    last: bool = False,
) -> NDArray[np.float64]:
    """The first or last place where values that rise from corner to corner are a level."""
    before = (values <= level if last else values < level).sum(axis=0)
    low, high = (before - 1).clip(0), before.clip(max=len(corners) - 1)
    each = np.arange(corners.shape[1])
    (a, b), (f, g) = ((of[low, each], of[high, each]) for of in (corners, values))
    share = np.where(g > f, (level - f) / np.where(g > f, g - f, 1.0), 0.0)
    return np.asarray(a + (b - a) * share.clip(0.0, 1.0))


def fewest_in_window(
    favorable: NDArray[np.int64],
    rows: NDArray[np.int64],
    threshold: Fraction,
    *,
    only_raise: bool = False,
    may_change: NDArray[np.bool_] | None = None,
    reference: int | None = None,
    asked: int | None = None,
    lowest: bool = False,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """New favorable counts, groups × subpopulations, and where the criterion can be met.

    With a ``reference`` each rate lies less than the threshold from that group's instead. Where
    the criterion is met, or cannot be because only some groups may change, the counts stay as
    they are. A group without rows is ignored. Among equally few changes the counts are those
    with the least sum of changes, or with ``asked``, one of two groups, those with the fewest
    changes in it; then, and with ``lowest`` at once, those of the lowest window.

    >>> sizes = np.array([[1000], [500], [142], [21], [11]])
    >>> new, _ = fewest_in_window(
    ...     np.array([[310], [110], [71], [2], [9]]), sizes, Fraction(1, 20))
    >>> new.ravel()
    array([310, 131,  44,   6,   3])
    """
    new = favorable.copy()
    feasible = within_window(favorable, rows, threshold, reference=reference)
    left = np.flatnonzero(~feasible)
    distinct, which = distinct_columns(np.concatenate([favorable[:, left], rows[:, left]]))
    counts, sizes = np.split(distinct, 2)
    solved = np.zeros(counts.shape[1], np.bool_)
    for block, kind in column_blocks(sizes, threshold):
        ranges = Ranges(
            counts[:, block].astype(kind),
            sizes[:, block].astype(kind),
            threshold,
            reference=reference,
            frozen=None if may_change is None else ~may_change,
            only_raise=only_raise,
        )
        search = FewestChanges(ranges, asked=asked, lowest=lowest)
        counts[:, block], solved[block] = search.solve()
    new[:, left], feasible[left] = counts[:, which], solved[which]
    return new, feasible


def distinct_columns(table: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """The distinct columns of a table of counts, in order, and which of them each column is."""
    spans = tuple((table.max(axis=1, initial=0) + 1).tolist())
    if prod(spans) >= _NONE:
        distinct, which = np.unique(table, axis=1, return_inverse=True)
        return distinct, which.reshape(-1)
    # One number for each is sorted eight times as fast.
    keys, which = np.unique(np.ravel_multi_index(tuple(table), spans), return_inverse=True)
    return np.array(np.unravel_index(keys, spans)), which


def within_window(
    favorable: NDArray[np.int64],
    rows: NDArray[np.int64],
    threshold: Fraction,
    *,
    reference: int | None = None,
) -> NDArray[np.bool_]:
    """Where all rates lie in one window, or less than the threshold from the reference's."""
    large = rows.max(initial=0) > _largest_rows(1, threshold)
    yes, size = (a.astype(object) if large else a for a in (favorable, rows))
    num, den = threshold.numerator, threshold.denominator
    if reference is not None:
        apart = abs(yes * size[reference] - yes[reference] * size) * den
        both = (rows > 0) & (rows[reference] > 0)
        near = np.asarray((apart < num * size * size[reference]) | ~both, np.bool_)
        return np.asarray(near.all(axis=0))
    least, most = [yes[0], size[0]], [yes[0], size[0]]
    for group in zip(yes[1:], size[1:], strict=True):
        for extreme, sign in ((least, 1), (most, -1)):
            # A group without rows is replaced by any other, and replaces none.
            beyond = (extreme[0] * group[1] - group[0] * extreme[1]) * sign > 0
            taken = (beyond | (extreme[1] == 0)).astype(np.bool_) & (group[1] > 0).astype(bool)
            extreme[:] = (np.where(taken, g, e) for g, e in zip(group, extreme, strict=True))
    apart = (most[0] * least[1] - least[0] * most[1]) * den
    return np.asarray((apart < num * most[1] * least[1]) | (least[1] == 0), np.bool_)


def column_blocks(
    rows: NDArray[np.int64], threshold: Fraction
) -> Iterator[tuple[NDArray[np.int64], type]]:
    """Subpopulations to solve together, and the integers that hold their products."""
    small = rows.max(axis=0, initial=0) <= _largest_rows(len(rows), threshold)
    step = max(1, _BLOCK // (2 * len(rows) ** 2))
    for part, kind in ((np.flatnonzero(small), np.int64), (np.flatnonzero(~small), object)):
        for at in range(0, len(part), step):
            yield part[at : at + step], kind


def _largest_rows(groups: int, threshold: Fraction) -> float:
    """Rows of a group up to which no product leaves 64 bits."""
    return float((2**61 / groups / (threshold.numerator + threshold.denominator)) ** 0.5)
