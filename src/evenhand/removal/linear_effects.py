"""Effects that are weighted sums of favorable rates, and what must be true of new counts.

No weight of an effect through other attributes depends on the decision's own table. So while
only decisions change, such an effect is a fixed linear function of the favorable counts.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, lcm

import numpy as np
from numpy.typing import NDArray

from evenhand.removal.window_change import fewest_in_window, within_window

Counts = NDArray[np.int64]

_MOST_VALUES = 2**40  # of an effect from 0 to 1 that are told from one another


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LinearEffect:
    """The sum of ``weights`` × favorable / rows, to lie strictly between two limits.

    ``weights`` are fractions, groups × lines. A cell without rows adds nothing, whatever its
    weight: the limits must leave room for what is not known there.

    >>> weights = np.array([[Fraction(-1)], [Fraction(1)]])
    >>> effect = LinearEffect(weights=weights, lower=Fraction(-1, 20), upper=Fraction(1, 20))
    >>> effect.value(np.array([[240], [90]]), np.array([[600], [200]]))
    Fraction(1, 20)
    """

    weights: NDArray[np.object_]
    lower: Fraction
    upper: Fraction

    def value(self, favorable: Counts, rows: Counts) -> Fraction:
        """The effect with these counts, exactly."""
        sums: dict[int, Fraction] = defaultdict(Fraction)
        # One fraction for each number of rows keeps denominators small.
        for cell in zip(*np.nonzero(favorable), strict=True):
            sums[int(rows[cell])] += self.weights[cell] * int(favorable[cell])
        return sum((total / size for size, total in sums.items()), Fraction(0))

    def within_limits(self, favorable: Counts, rows: Counts) -> bool:
        """Whether the effect lies strictly between the limits."""
        return self.lower < self.value(favorable, rows) < self.upper

    def per_decision(self, rows: Counts) -> NDArray[np.float64]:
        """What one more favorable decision adds in each cell."""
        added: NDArray[np.float64] = self.weights.astype(np.float64) / np.maximum(rows, 1)
        return np.where(rows > 0, added, 0.0)

    def closed_limits(self, rows: Counts) -> tuple[Fraction, Fraction]:
        """The least and the largest value within the limits that counts can give.

        The limits themselves where possible values are closer than floats can tell.
        """
        common = 1
        for cell in zip(*np.nonzero(rows), strict=True):
            common = lcm(common, (self.weights[cell] / int(rows[cell])).denominator)
            if common > _MOST_VALUES:
                return self.lower, self.upper
        lower, upper = floor(self.lower * common) + 1, ceil(self.upper * common) - 1
        return Fraction(lower, common), Fraction(upper, common)


@dataclass(frozen=True, eq=False, kw_only=True)
class JointProblem:
    """Rates to differ by less than a threshold in each compared line, and effects to limit.

    All counts are two groups × lines: ``old`` are the favorable decisions, new ones may go from
    ``lowest`` to ``highest``. ``compared`` marks lines.
    """

    old: Counts
    rows: Counts
    compared: NDArray[np.bool_]
    threshold: Fraction
    effects: Sequence[LinearEffect]
    lowest: Counts
    highest: Counts

    @classmethod
    def of(
        cls,
        favorable: Counts,
        rows: Counts,
        threshold: Fraction,
        effects: Sequence[LinearEffect],
        *,
        compared: NDArray[np.bool_],
        only_raise: bool = False,
        may_change: NDArray[np.bool_] | None = None,
    ) -> "JointProblem":
        """The problem in which the groups that ``may_change`` do, in all lines."""
        movable = np.True_ if may_change is None else may_change[:, None]
        return cls(
            old=favorable,
            rows=rows,
            compared=compared,
            threshold=threshold,
            effects=effects,
            lowest=np.where(movable & (not only_raise), 0, favorable),
            highest=np.where(movable, rows, favorable),
        )

    def without_effects(self) -> tuple[Counts, NDArray[np.bool_]]:
        """The counts with the fewest changes if effects had no limits, and where any do."""
        movable: NDArray[np.bool_] = np.any(self.lowest < self.highest, axis=1)
        new, possible = fewest_in_window(
            self.old * self.compared,
            self.rows * self.compared,
            self.threshold,
            only_raise=bool((self.lowest == self.old).all()),
            may_change=movable,
            asked=0,
        )
        return np.where(self.compared, new, self.old), possible

    def is_met(self, counts: Counts) -> bool:
        """Whether new counts are allowed and meet everything, in integers and fractions."""
        allowed = (counts >= self.lowest) & (counts <= self.highest)
        near = within_window(counts, self.rows * self.compared, self.threshold)
        return bool(allowed.all() and near.all()) and all(
            effect.within_limits(counts, self.rows) for effect in self.effects
        )

    def changed(self, counts: Counts) -> int:
        """How many decisions change."""
        return int(abs(counts - self.old).sum())

    @cached_property
    def per_decision(self) -> NDArray[np.float64]:
        """What one more favorable decision adds, by effect, group and line."""
        added = [effect.per_decision(self.rows) for effect in self.effects]
        return np.stack(added) if added else np.zeros((0, *self.rows.shape))

    @cached_property
    def limits(self) -> NDArray[np.float64]:
        """The least and the largest value of each effect."""
        pairs = [tuple(map(float, effect.closed_limits(self.rows))) for effect in self.effects]
        return np.array(pairs, np.float64).reshape(len(pairs), 2).T

    @property
    def leaves_values(self) -> bool:
        """Whether each effect has any value within its limits."""
        return all(
            effect.lower < effect.upper and low <= high
            for effect, (low, high) in zip(self.effects, self.limits.T, strict=True)
        )

    def with_free(self, lines: NDArray[np.intp], counts: Counts) -> "JointProblem":
        """The same problem, all lines but some fixed at these counts."""
        lowest, highest = counts.copy(), counts.copy()
        lowest[:, lines], highest[:, lines] = self.lowest[:, lines], self.highest[:, lines]
        return replace(self, lowest=lowest, highest=highest)
