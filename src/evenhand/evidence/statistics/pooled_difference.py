"""The mean of the differences of all subpopulations: its interval, and its tests.

Its far tail is that of a weighted mean of differences, by the saddlepoint approximation. Rates
may differ from place to place, and so may the differences. The tail is taken at the most likely
rates whose mean difference is the one tried. Where few people are counted a rate is drawn
towards the mean of its group, as if two more people had been seen there: rates as seen would
have no variance where nobody or everybody was favored.
"""

from dataclasses import dataclass
from math import hypot, sqrt
from typing import NamedTuple

import numpy as np

from evenhand.display import Plain
from evenhand.evidence.statistics.p_values import Counts, Floats, Z, divergence

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

    @property
    def strength(self) -> tuple[float, ...]:
        """A sorting key: what is shown first, by its p; the rest by the p of no difference."""
        p = self.p_threshold if self.shown else 1 + self.p_zero
        return p, self.p_zero, -abs(self.difference)


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


_DRAWN = 2.0
_STEPS = 60
_EXACT = 1e-10
# Beyond this the multiplier of the mean difference is as good as infinite.
_FARTHEST = 1 - 1e-12


class _Places(NamedTuple):
    """One group: people and those favored in each place, and the weight of one person."""

    yes: Floats
    total: Floats
    weight: Floats

    def smoothed(self) -> "_Places":
        square = self.weight**2
        mean = float(square @ self.yes / (square @ self.total))
        return _Places(self.yes + _DRAWN * mean, self.total + _DRAWN, self.weight)

    def most_likely(self, pull: Floats) -> tuple[Floats, Floats]:
        """Rates under a pull on their weighted mean, and how fast each follows it.

        The root of pull p² - (n + pull) p + yes, where the slope of the likelihood is the pull.
        """
        sum_ = self.total + pull
        root = np.sqrt(np.maximum(sum_**2 - 4 * pull * self.yes, 0))
        up = sum_ >= 0
        rate = np.where(
            up,
            2 * self.yes / np.where(up, np.maximum(sum_ + root, 1e-300), 1),
            (sum_ - root) / np.where(up, 1, 2 * pull),
        )
        rate = np.clip(rate, 0, 1)
        return rate, rate * (1 - rate) / np.maximum(root, 1e-300)

    def noise(self, rate: Floats) -> Floats:
        """What the people of each place add to the variance of the weighted sum."""
        return self.weight**2 * self.total * (rate * (1 - rate))


def weighted_tail(
    low: tuple[Floats, Floats], high: tuple[Floats, Floats], share: Floats, difference: float
) -> float:
    """The probability of so large a mean difference, high minus low, if it truly is another.

    Groups are given as favorable decisions and rows; ``share`` adds up to 1. The mean moves in
    steps of one person's weight, of which half an average one is taken off.
    """
    from scipy.special import expit, logit, ndtr  # noqa: PLC0415  # slow to import

    ours, theirs = (_Places(yes, total, share / total) for yes, total in (low, high))
    low_rate, high_rate = _rates(ours, theirs, share, difference)
    pairs = (ours, low_rate), (theirs, high_rate)
    noises = [(side.weight, side.noise(rate)) for side, rate in pairs]
    variance = sum(float(noise.sum()) for _, noise in noises)
    if not variance:
        return 1.0
    step = sum(float(weight @ noise) for weight, noise in noises) / variance
    seen = float(share @ (theirs.yes / theirs.total - ours.yes / ours.total)) - step / 2
    with np.errstate(divide="ignore"):
        low_logit, high_logit = logit(low_rate), logit(high_rate)
    least, most, tilt = 0.0, np.inf, 0.0
    for _ in range(_STEPS):
        low_tilted = expit(low_logit - tilt * ours.weight)
        high_tilted = expit(high_logit + tilt * theirs.weight)
        spread = float(ours.noise(low_tilted).sum() + theirs.noise(high_tilted).sum())
        off = seen - float(share @ (high_tilted - low_tilted))
        if abs(off) <= _EXACT * spread**0.5 or least == most:
            break
        least, most = (tilt, most) if off > 0 else (least, tilt)
        tilt = tilt + off / spread if spread else np.inf
        if not least < tilt < most:
            tilt = (least + most) / 2 if np.isfinite(most) else 2 * least + 1 / variance**0.5
    far = sum(
        float(side.total @ (divergence(tilted, rate) + divergence(1 - tilted, 1 - rate)))
        for (side, rate), tilted in zip(pairs, (low_tilted, high_tilted), strict=True)
    )
    root, scale = (2 * max(far, 0.0)) ** 0.5, tilt * spread**0.5
    if root <= _EXACT or scale <= 0:
        return 0.5
    return float(ndtr(-root - np.log(scale / root) / root))


def _rates(
    low: _Places, high: _Places, share: Floats, difference: float
) -> tuple[Floats, Floats]:
    """The most likely rates with this mean difference, by Newton's steps within a bracket."""
    low, high = low.smoothed(), high.smoothed()
    scale = float(low.total.sum() + high.total.sum())
    least, most, at = -_FARTHEST, _FARTHEST, 0.0
    for _ in range(_STEPS):
        pull = scale * at / (1 - abs(at))
        low_rate, low_slope = low.most_likely(pull * share)
        high_rate, high_slope = high.most_likely(-pull * share)
        off = float(share @ (high_rate - low_rate)) - difference
        if abs(off) < _EXACT * difference:
            break
        least, most = (least, at) if off > 0 else (at, most)
        slope = float(share**2 @ (low_slope + high_slope))
        pull = pull - off / slope if slope else np.inf
        at = pull / (scale + abs(pull)) if np.isfinite(pull) else most
        if not least < at < most:
            at = (least + most) / 2
    return low_rate, high_rate


# The 95 % point of the standard normal distribution: noise works against the difference.
_ONE_SIDED = 1.6448536269514722


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """The pooled difference before and after one attribute more, other minus group.

    ``error`` is the standard error of the difference between the two.
    """

    before: float
    after: float
    error: float

    def stands(self, threshold: float) -> bool:
        """Whether the difference after, less its margin, is beyond the threshold."""
        after = self.after if self.before > 0 else -self.after
        return after - _ONE_SIDED * self.error > threshold

    def was_masked(self, threshold: float) -> bool:
        """Whether more than noise has taken the difference beyond the threshold."""
        moved = abs(self.after - self.before)
        return abs(self.after) > threshold and moved > _ONE_SIDED * self.error


def margin(
    stratum: Counts,
    group_yes: Counts,
    group: Counts,
    other_yes: Counts,
    other: Counts,
    *,
    least_rows: int = 1,
) -> Margin | None:
    """Compare the pooled differences of strata and of the cells into which x divides them.

    ``stratum`` has the number of each cell's stratum; cells may lack a group. Strata and cells
    are measured if both groups have ``least_rows`` rows there. None where either comparison
    measures nothing.
    """
    strata = int(stratum.max(initial=-1)) + 1
    a, n, b, m = (cells.astype(float) for cells in (group_yes, group, other_yes, other))
    n_before, m_before = (np.bincount(stratum, cells, strata).astype(float) for cells in (n, m))
    share_before = _shares(n_before, m_before, least_rows)
    share_after = _shares(n, m, least_rows)
    if share_before is None or share_after is None:
        return None
    # What one favorable decision adds to the weighted rate of its group.
    before = [_each(share_before, rows)[stratum] for rows in (n_before, m_before)]
    after = [_each(share_after, rows) for rows in (n, m)]
    variance = sum(
        _variance(yes, rows, row_before - row_after)
        for yes, rows, row_before, row_after in zip((a, b), (n, m), before, after, strict=True)
    )
    return Margin(
        before=float(before[1] @ b - before[0] @ a),
        after=float(after[1] @ b - after[0] @ a),
        error=float(variance**0.5),
    )


def _shares(group: Floats, other: Floats, least_rows: int) -> Floats | None:
    """Mantel and Haenszel's weights, adding up to 1; None where nothing is measured."""
    measured = (group >= least_rows) & (other >= least_rows)
    weight = np.divide(group * other, group + other, out=np.zeros(len(group)), where=measured)
    total = weight.sum()
    return weight / total if total else None


def _each(share: Floats, rows: Floats) -> Floats:
    return np.divide(share, rows, out=np.zeros(len(rows)), where=rows > 0)


def _variance(yes: Floats, rows: Floats, weight: Floats) -> float:
    """The variance of the weighted sum of decisions, as the pooled difference estimates it.

    A rate as seen varies by too little, by its n-th part on average; that part is taken at the
    mean rate.
    """
    occupied = rows > 0
    yes, rows, square = yes[occupied], rows[occupied], weight[occupied] ** 2
    total = float(square @ rows)
    if not total:
        return 0.0
    rates, mean = yes / rows, float(square @ yes) / total
    return float(square @ (rows * rates * (1 - rates) + mean * (1 - mean)))
