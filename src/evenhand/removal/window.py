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
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

# int64, or Python's integers where products of counts would not fit into 64 bits.
Whole: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranges:
    """The counts ``ceil((n·den·j - below) / scale)`` to ``floor((n·den·j + above) / scale)``.

    ``favorable`` and ``rows`` are groups × subpopulations; ``below`` and ``above`` groups ×
    families, in order of subpopulations; ``low`` and ``high`` are a family's outermost places.
    """

    favorable: Whole
    rows: Whole
    threshold: Fraction
    reference: int | None
    column: NDArray[np.int64]
    scale: Whole
    below: Whole
    above: Whole
    low: Whole
    high: Whole

    @classmethod
    def of(
        cls, favorable: Whole, rows: Whole, threshold: Fraction, reference: int | None
    ) -> "Ranges":
        """All windows of these subpopulations, or with a reference all its rates."""
        if reference is None:
            column, group = np.nonzero(_needed_sizes(rows).T)
        else:
            column = np.flatnonzero(rows[reference] > 0)
            group = np.full(len(column), reference)
        size = rows[group, column]
        # Less than the threshold is at most one unit less; a group without rows has room.
        reach = np.maximum(rows[:, column] * size * threshold.numerator - 1, 0)
        below = np.zeros_like(reach)
        if reference is not None:
            below = reach.copy()
            below[reference] = reach[reference] = 0
        return cls(
            favorable=favorable,
            rows=rows,
            threshold=threshold,
            reference=reference,
            column=column,
            scale=size * threshold.denominator,
            below=below,
            above=reach,
            low=np.zeros_like(size),
            high=size,
        )

    def limited(self, frozen: NDArray[np.bool_], *, only_raise: bool) -> "Ranges":
        """The places at which frozen groups keep their counts, or none need be lowered."""
        low, high = self.low, self.high
        for group, size in enumerate(self.rows[:, self.column]):
            present = (size > 0).astype(np.bool_)
            step = np.where(present, size * self.threshold.denominator, 1)
            count = self.favorable[group, self.column] * self.scale
            if frozen[group] or only_raise:
                first = -((self.above[group] - count) // step)
                low = np.where(present, np.maximum(low, first), low)
            if frozen[group]:
                last = (count + self.below[group]) // step
                high = np.where(present, np.minimum(high, last), high)
        return replace(self, low=low, high=high)

    def inside(self, family: NDArray[np.int64], place: Whole) -> NDArray[np.bool_]:
        """Whether each place lies between the first and the last of its family."""
        between = (place >= self.low[family]) & (place <= self.high[family])
        return between.astype(np.bool_)

    def at(self, family: NDArray[np.int64], place: Whole) -> Iterator[tuple[Whole, Whole]]:
        """The least and the largest count of each group in turn; none where they cross."""
        wide = (..., *(None,) * (place.ndim - 1))
        scale, column = self.scale[family][wide], self.column[family]
        for group, size in enumerate(self.rows):
            center = (size[column] * self.threshold.denominator)[wide] * place
            yield (
                -((self.below[group, family][wide] - center) // scale),
                (center + self.above[group, family][wide]) // scale,
            )

    def changes(
        self, family: NDArray[np.int64], place: Whole
    ) -> tuple[list[Whole], NDArray[np.bool_]]:
        """How far each group is from its nearest count, and where all have one.

        Where a group has none, its change still rises with the place.
        """
        column = self.column[family]
        possible = np.ones(place.shape, np.bool_)
        changes = []
        for group, (least, most) in enumerate(self.at(family, place)):
            old = self.favorable[group, column][(..., *(None,) * (place.ndim - 1))]
            changes.append(np.minimum(np.maximum(old, least), most) - old)
            possible &= (least <= most).astype(np.bool_)
        return changes, possible

    def onward(
        self, family: NDArray[np.int64], place: Whole, direction: NDArray[np.int64]
    ) -> Whole:
        """The places, or later ones if nothing is new at any place before them.

        Nothing is new where all counts are those of the place passed last, or a group has none.
        """
        up, scale, column = direction > 0, self.scale[family], self.column[family]
        farthest = np.where(up, self.high[family] + 1, self.low[family] - 1)
        first_new, first_possible = farthest, place
        passed = np.ones(len(family), np.bool_)
        both = zip(self.at(family, place - direction), self.at(family, place), strict=True)
        for group, ((least, most), (next_least, next_most)) in enumerate(both):
            present = (self.rows[group, column] > 0).astype(np.bool_)
            step = np.maximum(self.rows[group, column], 1) * self.threshold.denominator
            below, above = self.below[group, family], self.above[group, family]
            old = self.favorable[group, column]
            new = np.minimum(np.maximum(old, least), most)
            # At the window's edge a count follows it; otherwise it stays until an edge arrives.
            follows = (new - old) * direction < 0
            admits = np.where(follows, new + direction, new)
            enters, leaves = admits * scale - above, admits * scale + below
            rising = np.where(follows, -(-enters // step), leaves // step + 1)
            falling = np.where(follows, leaves // step, -(-enters // step) - 1)
            change = np.where(present, np.where(up, rising, falling), farthest)
            first_new = np.where((first_new - change) * direction > 0, change, first_new)
            passed &= (least <= most).astype(np.bool_)
            rising = -(-(next_least * scale - above) // step)
            falling = (next_most * scale + below) // step
            change = np.where(next_least > next_most, np.where(up, rising, falling), place)
            farther = (change - first_possible) * direction > 0
            first_possible = np.where(farther, change, first_possible)
        later = ((first_new - first_possible) * direction > 0).astype(np.bool_) & passed
        return np.where(later, first_new, first_possible)

    def real_cost(self, family: NDArray[np.int64], place: Whole) -> Whole:
        """Times ``scale``, the cost if counts were real: convex, never above the cost."""
        column, scale = self.column[family], self.scale[family]
        total: Whole = np.zeros_like(place)
        for group, size in enumerate(self.rows):
            center = size[column] * self.threshold.denominator * place
            ahead = self.favorable[group, column] * scale - center
            short = -ahead - self.below[group, family]
            total = total + np.maximum(np.maximum(short, ahead - self.above[group, family]), 0)
        return total


def _needed_sizes(rows: Whole) -> NDArray[np.bool_]:
    """The groups whose size divides no other's: places of the rest are among theirs."""
    needed = (rows > 0).astype(np.bool_)
    index = np.arange(len(rows))[:, None]
    for group, size in enumerate(rows):
        multiple = (rows % np.maximum(size, 1) == 0) & (rows > 0)
        multiple &= (rows > size) | ((rows == size) & (index < group))
        needed[group] &= ~multiple.astype(np.bool_).any(axis=0)
    return needed


@dataclass(frozen=True, slots=True)
class _RealProblem:
    """Subpopulations whose counts may be real numbers, in floats: only speed depends on it."""

    size: NDArray[np.float64]
    rate: NDArray[np.float64]
    below: NDArray[np.float64]
    above: NDArray[np.float64]

    @classmethod
    def of(cls, ranges: Ranges) -> "_RealProblem":
        size = ranges.rows.astype(np.float64)
        above = np.full((len(size), 1), float(ranges.threshold))
        below = np.zeros_like(above)
        if ranges.reference is not None:
            below = above.copy()
            below[ranges.reference] = above[ranges.reference] = 0.0
        rate = ranges.favorable.astype(np.float64) / np.maximum(size, 1.0)
        return cls(size, rate, below, above)

    def raised_and_lowered(
        self, place: NDArray[np.float64], groups: slice = slice(None)
    ) -> NDArray[np.float64]:
        """How much these groups are raised in all, and lowered, if the window begins there."""
        both = np.zeros((2, *place.shape))
        parts = (part[groups] for part in (self.size, self.rate, self.below, self.above))
        for size, rate, below, above in zip(*parts, strict=True):
            both[0] += np.maximum(place - below - rate, 0.0) * size
            both[1] += np.maximum(rate - place - above, 0.0) * size
        return both

    def cheapest(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Where the cost is least, and between which places it is not a whole number more."""
        corners = np.concatenate([self.rate + self.below, self.rate - self.above])
        corners = np.sort(corners.clip(0.0, 1.0), axis=0)
        costs = self.raised_and_lowered(corners).sum(axis=0)
        each, least = np.arange(costs.shape[1]), costs.argmin(axis=0)
        level = np.floor(costs[least, each] * (1 + 1e-14) + 1e-9) + 1
        outside = costs > level

        def edge(inner: NDArray[np.int64], outer: NDArray[np.int64]) -> NDArray[np.float64]:
            outer = outer.clip(0, len(corners) - 1)
            (a, b), (f, g) = ((of[inner, each], of[outer, each]) for of in (corners, costs))
            share = np.where(g > level, (level - f) / np.where(g > f, g - f, 1.0), 1.0)
            return np.asarray(a + (b - a) * share)

        index = np.arange(len(corners))[:, None]
        before = (outside & (index < least)).sum(axis=0)
        after = len(corners) - 1 - (outside & (index > least)).sum(axis=0)
        return corners[least, each], edge(before, before - 1), edge(after, after + 1)


def start_of_walk(ranges: Ranges, *, asked: int | None, lowest: bool) -> tuple[Whole, Whole]:
    """The place of each family at which to begin, and its least real cost times ``scale``.

    One begins where the cost, rounded up, is least: among those places at the first, or where
    the sum of changes that is compared among equals crosses zero.
    """
    problem = _RealProblem.of(ranges)
    least, begin, end = problem.cheapest()
    if not lowest:
        groups = slice(None) if asked is None else slice(asked, asked + 1)
        sums = problem.raised_and_lowered(np.stack([begin, end]), groups)
        low, high = sums[0] - sums[1]
        share = np.where(high > low, -low / np.where(high > low, high - low, 1.0), 0.0)
        begin = begin + (end - begin) * share.clip(0.0, 1.0)
    sizes = (ranges.scale // ranges.threshold.denominator).astype(np.float64)
    begin, least = (
        np.rint(place[ranges.column] * sizes).astype(np.int64).astype(ranges.rows.dtype)
        for place in (begin, least)
    )
    family = np.arange(len(least))
    cost = ranges.real_cost(family, least)
    while True:
        up, down = (ranges.real_cost(family, least + step) for step in (1, -1))
        step = (up < cost).astype(np.int64) - (down < cost).astype(np.int64)
        if not step.any():
            return begin, cost
        least, cost = least + step, np.minimum(np.minimum(up, down), cost)


Index: TypeAlias = NDArray[np.int64]

_NONE = int(np.iinfo(np.int64).max)  # the cost and rank of what has no solution so far
_LONGEST_STRIDE = 8_192
_BLOCK = 1 << 17  # numbers in an array of what is looked at together


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """Which of several equally small changes is taken.

    With ``lowest`` it is that of the lowest window. Otherwise the sum of changes, or the change
    of the group ``asked``, is as near to zero as possible, then the window as low as possible.
    Both sums rise with the window, so a cost and a rank tell the counts.
    """

    asked: int | None = None
    lowest: bool = False

    def total(self, changes: list[Whole]) -> Whole:
        """The sum of the changes that this compares."""
        return sum(changes[1:], changes[0]) if self.asked is None else changes[self.asked]

    def rank(self, total: Whole) -> Whole:
        """Smaller is preferred."""
        return total if self.lowest else 2 * abs(total) + (total > 0)

    def least_rank(self, total: Whole, direction: Whole) -> Whole:
        """A bound on the rank of all totals from this one in a direction."""
        if self.lowest:
            return np.where(direction > 0, total, -_NONE)
        return np.where(total * direction > 0, self.rank(total), 0)


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
    def _score(self, family: Index, changes: list[Whole]) -> tuple[Whole, Whole]:
        """The cost and rank of changes from the old counts; the smallest pair is best."""

    @abstractmethod
    def _least_score(
        self, family: Index, place: Whole, direction: Index
    ) -> tuple[Whole, Whole]:
        """Bounds on the cost, and then the rank, of all places from each in its direction."""

    def solve(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The new counts, groups × subpopulations, and which subpopulations have a solution."""
        stride = 2
        family = np.flatnonzero(self.ranges.low <= self.ranges.high)
        begin = self.begin[family] - stride
        self._evaluate(family, begin, np.ones_like(family), 2 * stride)
        family = np.repeat(family, 2)
        direction = np.where(np.arange(len(family)) % 2, -1, 1)
        place = np.repeat(begin, 2) + np.where(direction > 0, 2 * stride, -1)
        while len(family):
            follows = self._can_improve(family, place, direction)
            family, place, direction = family[follows], place[follows], direction[follows]
            place = self.ranges.onward(family, place, direction)
            follows = self.ranges.inside(family, place)
            family, place, direction = family[follows], place[follows], direction[follows]
            step = max(1, _BLOCK // stride)
            for block in (slice(at, at + step) for at in range(0, len(family), step)):
                self._evaluate(family[block], place[block], direction[block], stride)
            place = place + direction * stride
            stride = min(2 * stride, _LONGEST_STRIDE)
        return self._counts(), self.cost < self.no_cost

    def _counts(self) -> NDArray[np.int64]:
        counts = self.ranges.favorable.copy()
        solved = np.flatnonzero(self.cost < self.no_cost)
        admitted = self.ranges.at(self.family[solved], self.place[solved])
        for group, (least, most) in enumerate(admitted):
            counts[group, solved] = np.minimum(np.maximum(counts[group, solved], least), most)
        return counts.astype(np.int64)

    def _evaluate(self, family: Index, place: Whole, direction: Index, stride: int) -> None:
        """Look at so many places from each on, and remember what is better than the best."""
        if not len(family):
            return
        ranges = self.ranges
        places = place[:, None] + direction[:, None] * np.arange(stride)
        # Beyond the end the last place is looked at again, which changes nothing.
        places = np.clip(places, ranges.low[family][:, None], ranges.high[family][:, None])
        changes, possible = ranges.changes(family, places)
        cost, rank = self._score(family, changes)
        cost = np.where(possible, cost, self.no_cost).astype(self.cost.dtype)
        least_cost = cost.min(axis=1)
        rank = np.where(cost == least_cost[:, None], rank, _NONE).astype(np.int64)
        at = np.arange(len(family)), rank.argmin(axis=1)
        self._update(family, least_cost, rank[at], places[at])

    def _update(self, family: Index, cost: Whole, rank: Index, place: Whole) -> None:
        column = self.ranges.column[family]  # ascending
        first = np.flatnonzero(np.diff(column, prepend=-1))
        count = np.diff(first, append=len(column))
        at = column[first]
        least = np.minimum.reduceat(cost, first)
        rank = np.where(cost == np.repeat(least, count), rank, _NONE)
        least_rank = np.minimum.reduceat(rank, first)
        better = least < self.cost[at]
        better |= (least == self.cost[at]) & (least_rank < self.rank[at])
        # Equal cost and rank mean equal counts, so any of several places will do.
        chosen = np.repeat(better, count) & (rank == np.repeat(least_rank, count))
        self.cost[at[better]], self.rank[at[better]] = least[better], least_rank[better]
        self.family[column[chosen]], self.place[column[chosen]] = family[chosen], place[chosen]

    def _can_improve(self, family: Index, place: Whole, direction: Index) -> NDArray[np.bool_]:
        cost, rank = self._least_score(family, place, direction)
        column = self.ranges.column[family]
        same = (cost == self.cost[column]) & (rank < self.rank[column])
        return np.asarray((cost < self.cost[column]) | same, np.bool_)


class FewestChanges(Sweep):
    """The cost is how many decisions change; a preference chooses among equals."""

    def __init__(self, ranges: Ranges, preference: Preference) -> None:
        begin, self.least_cost = start_of_walk(
            ranges, asked=preference.asked, lowest=preference.lowest
        )
        super().__init__(ranges, begin)
        self.preference = preference

    def _score(self, family: Index, changes: list[Whole]) -> tuple[Whole, Whole]:
        del family
        costs = [abs(change) for change in changes]
        return sum(costs[1:], costs[0]), self.preference.rank(self.preference.total(changes))

    def _least_score(
        self, family: Index, place: Whole, direction: Index
    ) -> tuple[Whole, Whole]:
        ranges, (changes, _) = self.ranges, self.ranges.changes(family, place)
        # What is raised on the way up stays raised, and what is lowered on the way down.
        sided = [np.maximum(change * direction, 0) for change in changes]
        here, before = (ranges.real_cost(family, at) for at in (place, place - direction))
        real = np.where(here >= before, here, self.least_cost[family])
        cost = np.maximum(sum(sided[1:], sided[0]), -(-real // ranges.scale[family]))
        return cost, self.preference.least_rank(self.preference.total(changes), direction)


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
    frozen = np.zeros(len(rows), np.bool_) if may_change is None else ~may_change
    preference = Preference(asked=asked, lowest=lowest)
    new = favorable.copy()
    feasible = within_window(favorable, rows, threshold, reference=reference)
    left = np.flatnonzero(~feasible)
    one_of_each, which = distinct_columns(np.concatenate([favorable[:, left], rows[:, left]]))
    columns = left[one_of_each]
    answer, solved = favorable[:, columns], np.zeros(len(columns), np.bool_)
    for block, kind in column_blocks(rows[:, columns], threshold):
        at = columns[block]
        ranges = Ranges.of(
            favorable[:, at].astype(kind), rows[:, at].astype(kind), threshold, reference
        ).limited(frozen, only_raise=only_raise)
        answer[:, block], solved[block] = FewestChanges(ranges, preference).solve()
    new[:, left], feasible[left] = answer[:, which], solved[which]
    return new, feasible


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


def distinct_columns(
    table: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One index of each distinct column, and which of these every column equals."""
    code = np.zeros(table.shape[1], np.int64)
    size = 1
    for line in table:
        span = int(line.max(initial=0)) + 1
        if size * span >= 2**62:
            code = np.unique(code, return_inverse=True)[1]
            size = len(code) + 1
        if size * span >= 2**62:
            line = np.unique(line, return_inverse=True)[1]  # noqa: PLW2901
            span = len(line) + 1
        code = code * span + line
        size *= span
    _, one, which = np.unique(code, return_index=True, return_inverse=True)
    return one, which
