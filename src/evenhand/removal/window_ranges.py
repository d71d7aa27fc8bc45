"""Which favorable counts a window of rates admits, for every group and every place of it.

A family is a subpopulation and a group size m of it; its places are the windows that begin at
j/m. Everything is an integer over the common denominator m times that of the threshold.
"""

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
