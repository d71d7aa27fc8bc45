"""What the counts of a subpopulation tell about the population they came from.

All functions take arrays of counts of equal length, with both groups present in every place,
and return arrays of floats. No verdict depends on them.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence.multiplicity import benjamini_hochberg
from evenhand.evidence.tails import within_p

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

# The 97.5 % point of the standard normal distribution: intervals have 95 %.
_Z = 1.959963984540054
_LEVEL = 0.05
# Up to so many rows in a group tails are added up instead of approximated.
_TINY = 10


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
    p_threshold = score_p(group_yes, group, other_yes, other, threshold)
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
        p_zero=np.minimum(1.0, 2 * score_p(group_yes, group, other_yes, other, 0.0)),
        p_threshold=p_threshold,
        p_adjusted=p_adjusted,
        discovery_rate=benjamini_hochberg(p_threshold),
        p_within=p_within,
        shown=beyond & (p_adjusted < _LEVEL),
        within=inside & (p_within < _LEVEL),
    )


def wilson_interval(yes: Counts, total: Counts) -> tuple[Floats, Floats]:
    """The 95 % score interval of a rate."""
    rate = yes / total
    weight = _Z**2 / total
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


class _Side(NamedTuple):
    """Favorable decisions among all, and the rate that is tried for them."""

    yes: Counts
    total: Counts
    rate: Floats

    def where(self, chosen: NDArray[np.bool_]) -> "_Side":
        return _Side(self.yes[chosen], self.total[chosen], self.rate[chosen])

    def turned(self) -> "_Side":
        return _Side(self.total - self.yes, self.total, 1 - self.rate)


def score_p(
    group_yes: Counts, group: Counts, other_yes: Counts, other: Counts, threshold: float
) -> Floats:
    """One-sided p-value of a difference of at most the threshold, on the side that was seen.

    The score test of Miettinen and Nurminen: the variance is taken at the most likely rates
    whose difference is the threshold, times n / (n - 1). Where a group is tiny the normal
    approximation fails, and the probability of so large a difference is added up at those
    rates: otherwise one person against many would look like the strongest evidence.
    """
    # Imported here: scipy.special costs more time than everything else that evenhand imports.
    from scipy.special import ndtr  # noqa: PLC0415

    group_higher = group_yes * (1 / group) > other_yes * (1 / other)
    high_yes, high_total = np.where(group_higher, (group_yes, group), (other_yes, other))
    low_yes, low_total = np.where(group_higher, (other_yes, other), (group_yes, group))
    difference = high_yes / high_total - low_yes / low_total
    rate = _most_likely_rate(high_yes, high_total, low_yes, low_total, threshold)
    high = _Side(high_yes, high_total, rate)
    low = _Side(low_yes, low_total, np.clip(rate - threshold, 0, 1))
    rows = high_total + low_total
    variance = sum(side.rate * (1 - side.rate) / side.total for side in (high, low))
    variance = variance * (rows / (rows - 1))
    # The variance is 0 only where everybody got the same decision: that is no evidence.
    score = np.divide(
        difference - threshold, np.sqrt(variance), out=np.zeros(len(rows)), where=variance > 0
    )
    p: Floats = ndtr(-score)
    tiny = high_total <= _TINY
    p[tiny] = _exact_tail(high.where(tiny), low.where(tiny))
    tiny = (low_total <= _TINY) & ~tiny
    p[tiny] = _exact_tail(low.turned().where(tiny), high.turned().where(tiny))
    return p


def _exact_tail(tiny: _Side, large: _Side) -> Floats:
    """The probability that the first rate exceeds the second by as much as seen, or more."""
    from scipy.special import bdtr, binom  # noqa: PLC0415

    tail = np.zeros(len(tiny.total))
    for yes in range(_TINY + 1):
        no = np.maximum(tiny.total - yes, 0)
        likely = binom(tiny.total, yes) * tiny.rate**yes * (1 - tiny.rate) ** no
        at_most = large.yes + large.total * (yes - tiny.yes) // tiny.total
        below = bdtr(np.clip(at_most, 0, large.total), large.total, large.rate)
        tail += np.where((yes <= tiny.total) & (at_most >= 0), likely * below, 0)
    return tail


def _most_likely_rate(
    high_yes: Counts, high_total: Counts, low_yes: Counts, low_total: Counts, difference: float
) -> Floats:
    """The most likely first rate when the rates differ by so much: the root of a cubic."""
    high, low = high_yes / high_total, low_yes / low_total
    ratio = low_total / high_total
    a = 1 + ratio
    b = -(1 + ratio + high + ratio * low + difference * (ratio + 2))
    c = difference**2 + difference * (2 * high + ratio + 1) + high + ratio * low
    d = -high * difference * (1 + difference)
    third = b / (3 * a)
    v = third**3 - b * c / (6 * a**2) + d / (2 * a)
    u = np.copysign(np.sqrt(np.maximum(third**2 - c / (3 * a), 0)), v)
    cosine = np.divide(v, u**3, out=np.ones(len(a)), where=u != 0)
    angle = (np.pi + np.arccos(np.clip(cosine, -1, 1))) / 3
    rate: Floats = np.clip(2 * u * np.cos(angle) - third, difference, 1)
    return rate


def holm(p: Floats) -> Floats:
    """Holm's adjusted p-values: valid together, whatever the dependence.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    steps = np.arange(len(p), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * steps))
    return adjusted
