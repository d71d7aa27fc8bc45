"""Intervals, p-values and corrections for many tests: what counts tell about a population.

Functions of counts take arrays of equal length, with both groups present in every place, and
return arrays of floats. No exact verdict depends on them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence.binomial_tails import Counts, Floats
from evenhand.evidence.common_difference import (
    CommonDifference,
    MeanDifference,
    mean_difference,
)
from evenhand.evidence.distinct_tables import for_each_distinct
from evenhand.evidence.p_values import threshold_p, within_p, zero_p
from evenhand.evidence.score_intervals import newcombe_interval

# A p of just .05, as one person against 21 can have, is not under it by its last digit.
_LEVEL = 0.05 * (1 - 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Intervals and p-values of the measured subpopulations, in order, and of their mean.

    ``p_adjusted`` is ``p_threshold`` after Holm's correction for all of them and the ``common``
    difference; a difference is ``shown`` when it stays under .05 there and the interval lies
    wholly beyond the threshold. If the mean of the differences lies beyond, one of them does.
    ``discovery_rate`` is Benjamini and Hochberg's. A difference is shown to lie ``within`` the
    threshold when its interval does and ``within_p`` is under .05: that all do needs no
    correction, as each of them has to.
    """

    difference: Floats
    low: Floats
    high: Floats
    p_zero: Floats
    p_threshold: Floats
    p_adjusted: Floats
    discovery_rate: Floats
    shown: NDArray[np.bool_]
    within: NDArray[np.bool_]
    common: CommonDifference | None

    @property
    def any_shown(self) -> bool:
        """Whether a difference is shown somewhere: in a subpopulation, or on average."""
        return bool(self.shown.any()) or (self.common is not None and self.common.shown)


def statistics(
    *, group_yes: Counts, group: Counts, other_yes: Counts, other: Counts, threshold: float
) -> Statistics:
    """All statistics of the measured subpopulations."""
    return statistics_of_several([(group_yes, group, other_yes, other)], threshold)[0]


def statistics_of_several(
    tables: Sequence[tuple[Counts, ...]], threshold: float
) -> list[Statistics]:
    """The statistics of several partitions; a table that occurs in many is worked out once."""
    stacked = map(np.concatenate, zip(*tables, strict=True))
    of_each = for_each_distinct(partial(_of_each, threshold), *stacked)
    ends = np.cumsum([len(table[0]) for table in tables])[:-1]
    parts = zip(*(np.split(column, ends) for column in of_each), strict=True)
    return [
        _with_family(table, part, threshold) for table, part in zip(tables, parts, strict=True)
    ]


def _with_family(
    table: tuple[Counts, ...], of_each: tuple[NDArray[Any], ...], threshold: float
) -> Statistics:
    """What each subpopulation's counts tell, corrected for all of them and their mean."""
    group_yes, group, other_yes, other = table
    low, high, p_zero, p_threshold, within = of_each
    mean = (
        mean_difference(group_yes, group, other_yes, other, threshold) if len(group) else None
    )
    if mean is not None and len(group) == 1:  # the mean of one is that one
        own = (low[0], high[0], p_zero[0], p_threshold[0])
        fields = ("low", "high", "p_zero", "p_threshold")
        mean = mean._replace(**dict(zip(fields, map(float, own), strict=True)))
    p_adjusted, common = _family(p_threshold, mean, threshold)
    return Statistics(
        # One rounding, at the end: the float of the exact difference while counts are moderate.
        difference=(other_yes * group.astype(float) - group_yes * other.astype(float))
        / (group.astype(float) * other),
        low=low,
        high=high,
        p_zero=p_zero,
        p_threshold=p_threshold,
        p_adjusted=p_adjusted,
        discovery_rate=benjamini_hochberg(p_threshold),
        shown=((low > threshold) | (high < -threshold)) & (p_adjusted < _LEVEL),
        within=within,
        common=common,
    )


def _of_each(
    threshold: float, group_yes: Counts, group: Counts, other_yes: Counts, other: Counts
) -> tuple[Floats, Floats, Floats, Floats, NDArray[np.bool_]]:
    """What a subpopulation's own counts tell: interval, p-values, and whether it is within."""
    low, high = newcombe_interval(group_yes, group, other_yes, other)
    within = (low > -threshold) & (high < threshold)
    inside = group_yes[within], group[within], other_yes[within], other[within]
    within[within] = within_p(*inside, threshold) < _LEVEL
    p_zero = zero_p(group_yes, group, other_yes, other)
    p_threshold = threshold_p(group_yes, group, other_yes, other, threshold)
    return low, high, p_zero, p_threshold, within


def _family(
    p_threshold: Floats, mean: MeanDifference | None, threshold: float
) -> tuple[Floats, CommonDifference | None]:
    """Correct for all subpopulations and their mean; the mean of one is that one.

    Then there is one hypothesis: it is tested once, and has one adjusted p.
    """
    if mean is None:
        return p_threshold, None
    one = len(p_threshold) == 1
    adjusted = holm(p_threshold if one else np.append(p_threshold, mean.p_threshold))
    p_adjusted = float(adjusted[-1])
    beyond = mean.low > threshold or mean.high < -threshold
    return adjusted[: len(p_threshold)], CommonDifference(
        **mean._asdict(), p_adjusted=p_adjusted, shown=beyond and p_adjusted < _LEVEL
    )


def holm(p: Floats) -> Floats:
    """Holm's adjusted p-values.

    Controls the family-wise error rate, whatever the dependence of the tests.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p)
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
    order = np.argsort(p)[::-1]
    adjusted = np.empty_like(p)
    ratio = len(p) / np.arange(len(p), 0, -1)
    adjusted[order] = np.minimum(1, np.minimum.accumulate(p[order] * ratio))
    return adjusted
