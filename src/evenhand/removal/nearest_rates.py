"""The rates, and the counts, nearest to given ones that lie in one window.

With a window that begins at t every rate moves to its nearest point in it. The weighted sum of
squared moves is convex in t, and its slope is piecewise linear: the best t is where it is zero.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from evenhand.removal.window_change import column_blocks, within_window
from evenhand.removal.window_ranges import Ranges, Whole
from evenhand.removal.window_sweep import Sweep


def nearest_rates(
    rates: NDArray[np.float64], weights: NDArray[np.float64], threshold: float
) -> NDArray[np.float64]:
    """The rates, groups × subpopulations, nearest in weighted squares with range ≤ threshold.

    A rate that is not a number is that of an absent group, and stays. Where weights of zero
    leave a choice of windows, it is the one that moves all rates least.

    >>> nearest_rates(np.array([[0.2], [0.5]]), np.array([[1.0], [3.0]]), 0.1).ravel()
    array([0.35, 0.45])

    Paper: alg:mg
    """
    present = ~np.isnan(rates)
    known = np.where(present, rates, 0.0)
    weight = np.where(present, weights, 0.0)
    first, last = _best_windows(known, weight, present, threshold)
    even = _best_windows(known, present.astype(np.float64), present, threshold)[0]
    begin = np.minimum(np.maximum(even, first), last)
    return np.where(present, np.clip(known, begin, begin + threshold), rates)


def _best_windows(
    rates: NDArray[np.float64],
    weights: NDArray[np.float64],
    present: NDArray[np.bool_],
    threshold: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The first and the last beginning of a window at which the slope is zero."""
    # A group that is absent has its corners where another has them.
    anywhere = np.take_along_axis(rates, present.argmax(axis=0)[None], axis=0)
    rates = np.where(present, rates, anywhere)
    corners = np.sort(np.concatenate([rates - threshold, rates]), axis=0)
    slope = np.zeros_like(corners)
    for rate, weight in zip(rates, weights, strict=True):
        slope += weight * np.maximum(corners - rate, 0.0)
        slope -= weight * np.maximum(rate - threshold - corners, 0.0)
    each = np.arange(corners.shape[1])

    def root(low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.float64]:
        low, high = low.clip(0), high.clip(max=len(corners) - 1)
        (a, b), (f, g) = ((of[low, each], of[high, each]) for of in (corners, slope))
        share = np.where(g > f, -f / np.where(g > f, g - f, 1.0), 0.0)
        return np.asarray(a + (b - a) * share.clip(0.0, 1.0))

    falling, rising = (slope < 0).sum(axis=0), len(corners) - (slope > 0).sum(axis=0)
    first, last = root(falling - 1, falling), root(rising - 1, rising)
    return np.minimum(first, last), np.maximum(first, last)


def nearest_counts_in_window(
    targets: NDArray[np.float64], rows: NDArray[np.int64], threshold: Fraction
) -> NDArray[np.int64]:
    """The counts with rates in one window that are nearest to targets in squares.

    Of equally near counts those with the smallest count in the smallest group; then a half goes
    to the even number.

    >>> targets, rows = np.array([[90.0], [240.0]]), np.array([[200], [600]])
    >>> nearest_counts_in_window(targets, rows, Fraction(1, 20)).ravel()
    array([ 89, 240])
    """
    smallest = np.where(rows > 0, rows, np.iinfo(np.int64).max).argmin(axis=0)
    each = np.arange(rows.shape[1])
    rounded = np.rint(targets)
    rounded[smallest, each] = np.ceil(targets[smallest, each] - 0.5)
    counts = np.clip(rounded, 0, rows).astype(np.int64)
    left = np.flatnonzero(~within_window(counts, rows, threshold))
    for block, kind in column_blocks(rows[:, left], threshold):
        part = left[block]
        ranges = Ranges.of(
            counts[:, part].astype(kind), rows[:, part].astype(kind), threshold, None
        )
        search = _NearestCounts(ranges, targets[:, part], smallest[part])
        counts[:, part], _ = search.solve()
    return counts


class _NearestCounts(Sweep):
    """The cost is the squared distance to the targets; ``favorable`` are these, rounded."""

    def __init__(
        self, ranges: Ranges, targets: NDArray[np.float64], smallest: NDArray[np.int64]
    ) -> None:
        self.targets, self.smallest = targets, smallest
        self.size = ranges.rows.astype(np.float64)
        absent = self.size == 0
        rates = np.where(absent, np.nan, targets / np.where(absent, 1.0, self.size))
        begin = nearest_rates(rates.clip(0.0, 1.0), self.size**2, float(ranges.threshold))
        self.length = (ranges.scale // ranges.threshold.denominator).astype(np.float64)
        place = np.rint(np.nanmin(begin, axis=0)[ranges.column] * self.length)
        super().__init__(ranges, place.astype(np.int64).astype(ranges.rows.dtype), np.inf)

    def _score(
        self, family: NDArray[np.int64], changes: list[Whole]
    ) -> tuple[NDArray[np.float64], Whole]:
        column = self.ranges.column[family]
        wide = (..., *(None,) * (changes[0].ndim - 1))
        distance = np.zeros(changes[0].shape)
        rank = np.zeros_like(changes[0])
        for group, change in enumerate(changes):
            count = self.ranges.favorable[group, column][wide] + change
            apart = (count - self.targets[group, column][wide]).astype(np.float64)
            distance += apart**2
            rank += (change != 0) & (abs(apart) == 0.5)
            rank += np.where((self.smallest[column] == group)[wide], count, 0) * len(self.size)
        return distance, rank

    def _least_score(
        self, family: NDArray[np.int64], place: Whole, direction: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], Whole]:
        changes, _ = self.ranges.changes(family, place)
        # What is raised on the way up stays raised; the rest may come to its rounded target.
        sided = [np.where(change * direction > 0, change, 0) for change in changes]
        cost, rank = self._score(family, sided)
        others = np.any(
            [(change * direction < 0).astype(np.bool_) for change in changes], axis=0
        )
        here, before = (self._real_cost(family, at) for at in (place, place - direction))
        return np.maximum(cost, np.where(here >= before, here, 0.0)), np.where(others, -1, rank)

    def _real_cost(self, family: NDArray[np.int64], place: Whole) -> NDArray[np.float64]:
        """The squared distance if counts were real: convex, and less a rounding error."""
        column = self.ranges.column[family]
        begin = place.astype(np.float64) / self.length[family]
        targets, size = self.targets[:, column], self.size[:, column]
        short = np.maximum(
            size * begin - targets, targets - size * (begin + float(self.ranges.threshold))
        )
        return np.asarray((np.maximum(short - 1e-15 * size, 0.0) ** 2).sum(axis=0))
