"""Intervals, p-values and corrections for many tests: what counts tell about a population.

Functions of counts take arrays of equal length, with both groups present in every place, and
return arrays of floats. No exact verdict depends on them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence.binomial_tails import Counts, Floats
from evenhand.evidence.p_values import threshold_p, within_p, zero_p

# The 97.5 % point of the standard normal distribution: intervals have 95 %.
Z = 1.959963984540054
# A p of just .05, as one person against 21 can have, is not under it by its last digit.
_LEVEL = 0.05 * (1 - 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Intervals and p-values of the measured subpopulations, in their order.

    ``p_adjusted`` is ``p_threshold`` after Holm's correction for all of them; a difference is
    ``shown`` when it stays under .05 there and the interval lies wholly beyond the threshold.
    ``discovery_rate`` is Benjamini and Hochberg's. A difference is shown to lie ``within`` the
    threshold when its interval does and ``p_within`` is under .05: that all do needs no
    correction, as each of them has to.
    """

    difference: Floats
    low: Floats
    high: Floats
    p_zero: Floats
    p_threshold: Floats
    p_adjusted: Floats
    discovery_rate: Floats
    p_within: Floats
    shown: NDArray[np.bool_]
    within: NDArray[np.bool_]


def statistics(
    *, group_yes: Counts, group: Counts, other_yes: Counts, other: Counts, threshold: float
) -> Statistics:
    """All statistics of the measured subpopulations."""
    low, high = newcombe_interval(group_yes, group, other_yes, other)
    p_threshold = threshold_p(group_yes, group, other_yes, other, threshold)
    p_adjusted = holm(p_threshold)
    p_within = within_p(group_yes, group, other_yes, other, threshold)
    beyond = (low > threshold) | (high < -threshold)
    inside = (low > -threshold) & (high < threshold)
    return Statistics(
        # One rounding, at the end: the float of the exact difference while counts are moderate.
        difference=(other_yes * group.astype(float) - group_yes * other.astype(float))
        / (group.astype(float) * other),
        low=low,
        high=high,
        p_zero=zero_p(group_yes, group, other_yes, other),
        p_threshold=p_threshold,
        p_adjusted=p_adjusted,
        discovery_rate=benjamini_hochberg(p_threshold),
        p_within=p_within,
        shown=beyond & (p_adjusted < _LEVEL),
        within=inside & (p_within < _LEVEL),
    )


def wilson_interval(
    yes: Counts | Floats, total: Counts | Floats, z: float = Z
) -> tuple[Floats, Floats]:
    """The score interval of a rate, z deviations wide: 95 % if not said otherwise."""
    rate = yes / total
    weight = z**2 / total
    middle = (rate + weight / 2) / (1 + weight)
    half = np.sqrt(weight * (rate * (1 - rate) + weight / 4)) / (1 + weight)
    return np.minimum(middle - half, rate), np.maximum(middle + half, rate)


def newcombe_interval(
    group_yes: Counts, group: Counts, other_yes: Counts, other: Counts
) -> tuple[Floats, Floats]:
    """The 95 % hybrid score interval of the difference of rates, other minus group."""
    group_rate, other_rate = group_yes / group, other_yes / other
    group_low, group_high = wilson_interval(group_yes, group)
    other_low, other_high = wilson_interval(other_yes, other)
    difference = other_rate - group_rate
    low = difference - np.hypot(other_rate - other_low, group_high - group_rate)
    high = difference + np.hypot(other_high - other_rate, group_rate - group_low)
    return low, high


def holm(p: Floats) -> Floats:
    """Holm's adjusted p-values.

    Controls the family-wise error rate, whatever the dependence of the tests.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    steps = np.arange(len(p), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * steps))
    return adjusted


def benjamini_hochberg(p: Floats) -> Floats:
    """Benjamini and Hochberg's adjusted p-values.

    Controls the false discovery rate: the expected share of false claims among the claims.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03, 0.5])).round(3).tolist()
    [0.04, 0.053, 0.053, 0.5]
    """
    order = np.argsort(p, kind="stable")[::-1]
    adjusted = np.empty_like(p)
    ratio = len(p) / np.arange(len(p), 0, -1)
    adjusted[order] = np.minimum(1, np.minimum.accumulate(p[order] * ratio))
    return adjusted
