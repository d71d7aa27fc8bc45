"""The search for the window of rates that needs the fewest changed decisions.

Given where the window begins, each group takes the admissible count nearest to its own. These
counts never fall as the window moves up, and their cost is never below a convex function of its
place. So one walks to both sides of that function's minimum and stops where nothing better can
follow; stretches in which some group has no admissible count are skipped. No float decides.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.removal.window_ranges import Ranges, Whole
from evenhand.removal.window_start import start_of_walk

Index: TypeAlias = NDArray[np.int64]

_NONE = int(np.iinfo(np.int64).max)  # the cost and rank of what has no solution so far
_LONGEST_STRIDE = 8_192
_BLOCK = 1 << 17


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
