"""Where the search for the best window begins: near the answer for real counts, in floats."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.removal.window_ranges import Ranges, Whole


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
