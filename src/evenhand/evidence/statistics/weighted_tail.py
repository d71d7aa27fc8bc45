"""The far tail of a weighted mean of differences, by the saddlepoint approximation.

Rates may differ from place to place, and so may the differences. The tail is taken at the most
likely rates whose mean difference is the one tried. Where few people are counted a rate is
drawn towards the mean of its group, as if two more people had been seen there: rates as seen
would have no variance where nobody or everybody was favored.
"""

from typing import NamedTuple

import numpy as np

from evenhand.evidence.statistics.binomial_tails import Floats, divergence

_DRAWN = 2.0
_STEPS = 60
_EXACT = 1e-10
# Beyond this the multiplier of the mean difference is as good as infinite.
_WIDEST = 1 - 1e-12


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
    least, most, at = -_WIDEST, _WIDEST, 0.0
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
