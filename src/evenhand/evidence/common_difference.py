"""All subpopulations together: their common difference, and whether it is common.

A difference of nothing on average may hide differences of opposite signs, the tokenism of the
paper: so beside the average stand a test of whether the differences are all the same, and two
of whether they point to opposite sides.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from evenhand.evidence.binomial_tails import Counts, Floats
from evenhand.evidence.p_values import variance_at, zero_p
from evenhand.evidence.partition import Partition
from evenhand.evidence.statistics import Z, wilson_interval

# An interval this wide reaches everything: the normal tail beyond is 0 in floats.
_WIDEST = 40.0
_HALVINGS = 50
_ROUNDING = 1e-15


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonDifference:
    """The Mantel-Haenszel risk difference, other minus group: interval and tests in one.

    Each group's weighted rate has a score interval, and the two are combined as Newcombe does;
    ``p_zero`` is how wide an interval must be to reach 0, ``p_threshold`` to reach the range
    within the threshold. None of it assumes that the differences are the same everywhere.
    """

    difference: float
    low: float
    high: float
    p_zero: float
    p_threshold: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "difference": self.difference,
            "interval": [self.low, self.high],
            "p_zero": self.p_zero,
            "p_threshold": self.p_threshold,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Heterogeneity:
    """Whether the differences vary by more than chance, and whether to opposite sides.

    ``statistic`` adds up the squared deviations from the common difference, each in units of
    its variance there; ``p`` compares it with a chi-square of the same mean and variance, as
    small tables do not give a plain one.

    Opposite sides have two tests. ``p_gail_simon`` is Gail and Simon's of qualitative
    interaction, which adds up the evidence on the weaker side: strong where many differ a
    little. ``p_extremes`` asks for one difference on each side that stands after Bonferroni's
    correction: strong where few differ much. ``p_opposite`` is twice the smaller of the two.
    ``for_group`` and ``for_other`` count who is favored in how many.
    """

    statistic: float
    expected: float
    p: float
    p_gail_simon: float
    p_extremes: float
    for_group: int
    for_other: int

    @property
    def p_opposite(self) -> float:
        """Whether some favor one group and some the other, by either test."""
        return min(1.0, 2 * min(self.p_gail_simon, self.p_extremes))

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "statistic": self.statistic,
            "expected": self.expected,
            "p": self.p,
            "p_opposite": self.p_opposite,
            "p_gail_simon": self.p_gail_simon,
            "p_extremes": self.p_extremes,
            "for_group": self.for_group,
            "for_other": self.for_other,
        }


def common_difference(partition: Partition) -> CommonDifference | None:
    """Average the differences with Mantel and Haenszel's weights; None if there is none."""
    from scipy.special import ndtr  # noqa: PLC0415  # slow to import

    a, n, b, m = (counts.astype(float) for counts in partition.measured_counts)
    if not len(a):
        return None
    weight = n * m / (n + m)
    pair = _weighted_rate(a, n, weight), _weighted_rate(b, m, weight)
    low, high = _interval(*pair, Z)
    threshold = float(partition.question.threshold)
    at_zero, above, below = (_deviate(*pair, value) for value in (0.0, threshold, -threshold))
    # Beyond the range on one side; as far beyond it on the other is as unlikely.
    seen, opposite = max((above, below), (-below, -above))
    return CommonDifference(
        difference=pair[1].rate - pair[0].rate,
        low=low,
        high=high,
        p_zero=min(1.0, 2 * float(ndtr(-abs(at_zero)))),
        p_threshold=min(1.0, float(ndtr(-seen) + ndtr(-opposite))),
    )


class _Rate(NamedTuple):
    """A weighted mean of rates, and the rows of one sample that would know it as well."""

    rate: float
    rows: float


def _weighted_rate(yes: Floats, total: Floats, weight: Floats) -> _Rate:
    """The rows are those whose variance is the estimated one of the mean.

    A rate as seen varies by too little: p(1-p) is too small by its n-th part on average. That
    part is taken at the mean rate, so that places of one row have a variance, too; as p(1-p) is
    concave, a mean rate makes it rather too large where rates differ.
    """
    share = weight / weight.sum()
    noise = share**2 / total
    rates = yes / total
    rate, noisy = float(share @ rates), float(noise @ rates / noise.sum())
    rows = 1 / float(noise.sum())
    least = min(rate * (1 - rate), noisy * (1 - noisy))
    # Where nobody or everybody was favored, rounding aside.
    if least < _ROUNDING:
        return _Rate(min(rate, 1.0), rows)
    variance = float(noise @ (rates * (1 - rates) + noisy * (1 - noisy) / total))
    return _Rate(rate, least / variance)


def _interval(group: _Rate, other: _Rate, z: float) -> tuple[float, float]:
    """Newcombe's hybrid score interval of the difference, z deviations wide."""
    (group_low, group_high), (other_low, other_high) = (
        wilson_interval(np.array(side.rate * side.rows), np.array(side.rows), z)
        for side in (group, other)
    )
    difference = other.rate - group.rate
    low = difference - np.hypot(other.rate - other_low, group_high - group.rate)
    high = difference + np.hypot(other_high - other.rate, group.rate - group_low)
    return float(low), float(high)


def _deviate(group: _Rate, other: _Rate, value: float) -> float:
    """How wide the interval must be to reach a value; negative if the value lies above."""
    difference = other.rate - group.rate
    above = difference > value
    narrow, wide = 0.0, _WIDEST
    for _ in range(_HALVINGS):
        z = (narrow + wide) / 2
        low, high = _interval(group, other, z)
        reached = low <= value if above else high >= value
        narrow, wide = (narrow, z) if reached else (z, wide)
    return wide if above else -wide


def heterogeneity(partition: Partition, common: float) -> Heterogeneity:
    """Test whether the differences are one, and whether they have opposite signs.

    Where everybody got the same decision nothing is learned, and nothing counted.
    """
    from scipy.special import chdtrc  # noqa: PLC0415

    a, n, b, m = partition.measured_counts
    varied = (a + b > 0) & (a + b < n + m)
    a, n, b, m = a[varied], n[varied], b[varied], m[varied]
    difference = b / m - a / n
    variance = variance_at(a, n, b, m, common)
    # Without variance, all and nobody being favored, there is no deviation either.
    possible = variance > 0
    statistic = float(((difference - common)[possible] ** 2 / variance[possible]).sum())
    expected, p_zero = max(len(a) - 1, 0), zero_p(a, n, b, m)
    # A squared normal deviate has a variance of 2; small tables have another.
    scale = float((_kurtosis(n, m, a + b) - 1).mean()) / 2 if expected else 0.0
    return Heterogeneity(
        statistic=statistic,
        expected=float(expected),
        p=float(chdtrc(expected / scale, statistic / scale)) if scale > 0 else 1.0,
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
