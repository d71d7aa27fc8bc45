"""Intervals, p-values and corrections for many tests: what counts tell about a population.

Comparisons have both groups present in every place. No exact verdict depends on them.
"""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.display import Plain
from evenhand.evidence.comparisons import Comparisons, for_each_distinct
from evenhand.evidence.statistics.p_values import (
    Counts,
    Floats,
    newcombe_interval,
    threshold_p,
    variance_at,
    within_p,
    zero_p,
)
from evenhand.evidence.statistics.pooled_difference import (
    PooledDifference,
    pooled_difference,
)

# A p of just .05, as one person against 21 can have, is not under it by its last digit.
_LEVEL = 0.05 * (1 - 1e-9)


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """Intervals and p-values of comparisons, in order, and of the mean of each pair of groups.

    ``p_adjusted`` is ``p_threshold`` after Holm's correction for all of them and the ``means``;
    a difference is ``shown`` when it stays under .05 there and the interval lies wholly beyond
    the threshold. If the mean of the differences lies beyond, one of them does.
    ``discovery_rate`` is Benjamini and Hochberg's. A difference is shown to lie ``within`` the
    threshold when its interval does and ``within_p`` is under .05: that all do needs no
    correction, as each of them has to. ``means`` has one common difference for each cut and
    pair, in this order, None where nothing is measured; ``tested_means`` of them are hypotheses
    of their own.
    """

    difference: Floats
    low: Floats
    high: Floats
    p_zero: Floats
    p_threshold: Floats
    p_adjusted: Floats
    shown: NDArray[np.bool_]
    within: NDArray[np.bool_]
    means: tuple[PooledDifference | None, ...]
    tested_means: int

    @cached_property
    def discovery_rate(self) -> Floats:
        """Adjusted when asked for: certificates do without (0.1 s of a million lines)."""
        return benjamini_hochberg(self.p_threshold)

    @property
    def any_shown(self) -> bool:
        """Whether a difference is shown somewhere: in a subpopulation, or on average."""
        return bool(self.shown.any()) or any(mean.shown for mean in self.means if mean)

    @property
    def family(self) -> int:
        """The size of Holm's family: each comparison, and the means of several."""
        return len(self.shown) + self.tested_means

    @property
    def mean_count(self) -> int:
        """How many pairs of groups have a mean."""
        return sum(mean is not None for mean in self.means)

    @property
    def any_mean_differs(self) -> bool:
        """Whether any mean differs from 0 by more than chance, allowing for their number."""
        return any(mean.p_zero * self.mean_count < _LEVEL for mean in self.means if mean)

    @property
    def leading(self) -> int:
        """The index of the mean that is least likely to be chance; 0 if there is none."""
        strength = {at: mean.strength for at, mean in enumerate(self.means) if mean}
        return min(strength, key=strength.__getitem__, default=0)

    @property
    def common(self) -> PooledDifference | None:
        """The common difference of the leading pair: of two groups, that of these."""
        return self.means[self.leading] if self.means else None


def statistics(compared: Comparisons, threshold: float) -> Statistics:
    """What each comparison's counts tell, corrected for all of them and their means."""
    group_yes, group, other_yes, other = compared.tables
    of_each = for_each_distinct(partial(_of_each, threshold), *compared.tables)
    low, high, p_zero, p_threshold, within = of_each
    means, members = _means(compared, of_each, threshold)
    # The mean of one comparison is that one: it is tested once, and has one adjusted p.
    several = [at for at, own in enumerate(members) if len(own) > 1]
    tested = [mean.p_threshold for at in several if (mean := means[at])]
    adjusted = holm(np.append(p_threshold, tested))
    place = {at: len(p_threshold) + more for more, at in enumerate(several)}
    p_adjusted = adjusted[: len(p_threshold)]
    return Statistics(
        # One rounding, at the end: the float of the exact difference while counts are moderate.
        difference=(other_yes * group.astype(float) - group_yes * other.astype(float))
        / (group.astype(float) * other),
        low=low,
        high=high,
        p_zero=p_zero,
        p_threshold=p_threshold,
        p_adjusted=p_adjusted,
        shown=((low > threshold) | (high < -threshold)) & (p_adjusted < _LEVEL),
        within=within,
        means=tuple(
            _in_family(mean, float(adjusted[place.get(at, int(own[0]))]), threshold)
            if mean
            else None
            for at, (mean, own) in enumerate(zip(means, members, strict=True))
        ),
        tested_means=len(several),
    )


def _means(
    compared: Comparisons, of_each: tuple[NDArray[Any], ...], threshold: float
) -> tuple[list[PooledDifference | None], list[NDArray[np.intp]]]:
    """For each cut and pair the mean of its differences, and the comparisons that it is of."""
    if compared.means == 1:
        members = [np.arange(len(compared))]
    else:
        order = np.argsort(compared.mean, kind="stable")
        ends = np.searchsorted(compared.mean[order], np.arange(1, compared.means))
        members = np.split(order, ends)
    means: list[PooledDifference | None] = []
    for own in members:
        if not len(own):
            means.append(None)
            continue
        a, n, b, m = (column[own] for column in compared.tables)
        mean = pooled_difference(a, n, b, m, threshold)
        if len(own) == 1:
            fields = zip(("low", "high", "p_zero", "p_threshold"), of_each, strict=False)
            own_test: dict[str, Any] = {name: float(column[own[0]]) for name, column in fields}
            mean = replace(mean, **own_test)
        means.append(mean)
    return means, members


def _in_family(mean: PooledDifference, p_adjusted: float, threshold: float) -> PooledDifference:
    """The mean with its p-value after the correction for the whole family."""
    beyond = mean.low > threshold or mean.high < -threshold
    return replace(mean, p_adjusted=p_adjusted, shown=beyond and p_adjusted < _LEVEL)


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


_FEWEST_PEOPLE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Heterogeneity(Plain):
    """Whether the differences vary by more than chance, and whether to opposite sides.

    ``statistic`` adds up the squared deviations from the common difference, each in units of
    its variance there; ``p`` compares it with a chi-square of the same mean and variance, as
    small tables do not give a plain one. Both are of the subpopulations where either group has
    eight people and each kind of decision is expected at least once: with fewer, the test finds
    differences where there are none. ``p`` is None where fewer than two are left.

    Opposite sides have two tests. ``p_gail_simon`` is Gail and Simon's of qualitative
    interaction, which adds up the evidence on the weaker side: strong where many differ a
    little. ``p_extremes`` asks for one difference on each side that stands after Bonferroni's
    correction: strong where few differ much. ``p_opposite`` is twice the smaller of the two.
    ``for_group`` and ``for_other`` count who is favored in how many.
    """

    keys = "statistic expected p p_opposite p_gail_simon p_extremes for_group for_other"

    statistic: float
    expected: float
    p: float | None
    p_gail_simon: float
    p_extremes: float
    for_group: int
    for_other: int

    @property
    def p_opposite(self) -> float:
        """Whether some favor one group and some the other, by either test."""
        return min(1.0, 2 * min(self.p_gail_simon, self.p_extremes))


def heterogeneity(compared: Comparisons, common: float) -> Heterogeneity:
    """Test whether the differences are one, and whether they have opposite signs.

    Where everybody got the same decision nothing is learned, and nothing counted.
    """
    from scipy.special import chdtrc  # noqa: PLC0415

    a, n, b, m = compared.tables
    varied = (a + b > 0) & (a + b < n + m)
    a, n, b, m = a[varied], n[varied], b[varied], m[varied]
    difference = b / m - a / n

    def of_each(a: Counts, n: Counts, b: Counts, m: Counts) -> tuple[Floats, Floats]:
        return variance_at(a, n, b, m, common), zero_p(a, n, b, m)

    variance, p_zero = for_each_distinct(of_each, a, n, b, m)
    smaller, yes = np.minimum(n, m), a + b
    least = smaller * np.minimum(yes, n + m - yes) / (n + m)
    # Without variance, all and nobody being favored, there is no deviation either.
    fit = (variance > 0) & (smaller >= _FEWEST_PEOPLE) & (least >= 1)
    statistic = float(((difference - common)[fit] ** 2 / variance[fit]).sum())
    expected, p = max(int(fit.sum()) - 1, 0), None
    if expected:
        # A squared normal deviate has a variance of 2; small tables have another.
        scale = float((_kurtosis(n[fit], m[fit], yes[fit]) - 1).mean()) / 2
        p = float(chdtrc(expected / scale, statistic / scale)) if scale > 0 else 1.0
    return Heterogeneity(
        statistic=statistic,
        expected=float(expected),
        p=p,
        p_gail_simon=_gail_simon(difference, p_zero),
        p_extremes=_extremes(difference, p_zero),
        for_group=int((difference < 0).sum()),
        for_other=int((difference > 0).sum()),
    )


def _kurtosis(group: Counts, other: Counts, favorable: Counts) -> Floats:
    """Of the hypergeometric distribution: how unevenly a difference of small tables spreads."""
    n, m, yes = group.astype(float), other.astype(float), favorable.astype(float)
    rows = n + m
    cells = n * m * yes * (rows - yes)
    large = rows > 3
    few = np.where(rows < 3, 1.0, 1.5)
    rows = np.where(large, rows, 4)
    top = (rows - 1) * rows**2 * (
        rows * (rows + 1) - 6 * yes * (rows - yes) - 6 * n * m
    ) + 6 * cells * (5 * rows - 6)
    return np.where(large, 3 + top / (cells * (rows - 2) * (rows - 3)), few)


def _gail_simon(difference: Floats, p_zero: Floats) -> float:
    """The probability of so much evidence on the weaker side, were all on the other or none.

    A difference counts by the square of the normal deviate that has its exact p-value: so one
    person among many counts for no more than one person can.
    """
    from scipy.special import chdtrc, gammaln, ndtri  # noqa: PLC0415

    square = ndtri(np.maximum(p_zero, 1e-300) / 2) ** 2
    weaker = min(float(square[difference > 0].sum()), float(square[difference < 0].sum()))
    others = len(difference) - 1
    if others < 1 or not weaker:
        return 1.0
    # So many of the others lie on that side: a binomial, of which 10 deviations are enough.
    reach = 5 * sqrt(others)
    sides = np.arange(max(1, int(others / 2 - reach)), min(others, int(others / 2 + reach)) + 1)
    ways = gammaln(others + 1) - gammaln(sides + 1) - gammaln(others - sides + 1)
    return float((np.exp(ways - others * np.log(2)) * chdtrc(sides, weaker)).sum())


def _extremes(difference: Floats, p_zero: Floats) -> float:
    """The larger p, of the two sides, of their most unlikely difference among all."""
    one_sided = p_zero / 2 * len(p_zero)
    return float(
        max(one_sided[side].min(initial=1.0) for side in (difference > 0, difference < 0))
    )
