"""The mean of the differences of all subpopulations: its interval, and its tests."""

from dataclasses import dataclass
from math import hypot, sqrt
from typing import NamedTuple

from evenhand.display import Plain
from evenhand.evidence.statistics.binomial_tails import Counts, Floats
from evenhand.evidence.statistics.p_values import Z
from evenhand.evidence.statistics.weighted_tail import weighted_tail

# An interval this wide reaches everything: the normal tail beyond is 0 in floats.
_WIDEST = 40.0
_HALVINGS = 50
_ROUNDING = 1e-15
# A normal tail larger than this finds nothing, and is good enough.
_NOTHING_FOUND = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledDifference(Plain):
    """The Mantel-Haenszel risk difference, other minus group, with interval and tests.

    Each group's weighted rate has a score interval, and the two are combined as Newcombe does;
    ``p_zero`` is how wide an interval must be to reach 0. ``p_threshold`` is how wide it must
    be to reach the range within the threshold, or the saddlepoint's tail if that is larger.
    ``p_adjusted`` and ``shown`` are as of a subpopulation: it is one hypothesis more in Holm's
    family. None of it assumes that the differences are the same everywhere. The difference is
    that of ``group_rate`` and ``other_rate``, the rates with the same weights.
    """

    keys = "difference interval p_zero p_threshold p_adjusted shown"

    difference: float
    group_rate: float
    other_rate: float
    low: float
    high: float
    p_zero: float
    p_threshold: float
    p_adjusted: float = 1.0
    shown: bool = False

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        return self.low, self.high


def pooled_difference(
    group_yes: Counts, group: Counts, other_yes: Counts, other: Counts, threshold: float
) -> PooledDifference:
    """Average the differences with Mantel and Haenszel's weights; there is at least one.

    It is a test of its own here, outside any family.
    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  # slow to import

    a, n, b, m = (counts.astype(float) for counts in (group_yes, group, other_yes, other))
    weight = n * m / (n + m)
    share = weight / weight.sum()
    pair = _weighted_rate(a, n, share), _weighted_rate(b, m, share)
    low, high = _interval(*pair, Z)
    at_zero, above, below = (_deviate(*pair, value) for value in (0.0, threshold, -threshold))
    # Beyond the range on one side; as far beyond it on the other is as unlikely.
    seen, opposite = max((above, below), (-below, -above))
    tail = float(ndtr(-seen))
    if tail < _NOTHING_FOUND:
        sides = ((a, n), (b, m)) if above > 0 else ((b, m), (a, n))
        tail = max(tail, weighted_tail(*sides, share, threshold))
    return PooledDifference(
        difference=pair[1].rate - pair[0].rate,
        group_rate=pair[0].rate,
        other_rate=pair[1].rate,
        low=low,
        high=high,
        p_zero=min(1.0, 2 * float(ndtr(-abs(at_zero)))),
        p_threshold=min(1.0, tail + float(ndtr(ndtri(tail) - (opposite - seen)))),
    )


class _Rate(NamedTuple):
    """A weighted mean of rates, and the rows of one sample that would know it as well."""

    rate: float
    rows: float

    def wilson(self, z: float) -> tuple[float, float]:
        """How far the score interval reaches below the rate and above it."""
        rate, weight = self.rate, z * z / self.rows
        middle = (rate + weight / 2) / (1 + weight)
        half = sqrt(weight * (rate * (1 - rate) + weight / 4)) / (1 + weight)
        return max(rate - middle + half, 0.0), max(middle + half - rate, 0.0)


def _weighted_rate(yes: Floats, total: Floats, share: Floats) -> _Rate:
    """The rows are those whose variance is the estimated one of the mean.

    A rate as seen varies by too little: p(1-p) is too small by its n-th part on average. That
    part is taken at the mean rate, so that places of one row have a variance, too; as p(1-p) is
    concave, a mean rate makes it rather too large where rates differ.
    """
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
    (group_down, group_up), (other_down, other_up) = group.wilson(z), other.wilson(z)
    difference = other.rate - group.rate
    return difference - hypot(other_down, group_up), difference + hypot(other_up, group_down)


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
