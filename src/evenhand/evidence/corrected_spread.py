"""How much of the spread of the differences is sampling noise, and what is left without it.

The differences seen vary more than the true ones, because each is an estimate. With weights w
and sampling variances v the variance seen is too large by Σ w v − Σ w² v on average; taking
this away corrects the relaxed bound. But v itself must be estimated, and in small
subpopulations the ways to do so disagree: rates as they were seen (*as seen*, with n - 1 in
place of n) give no noise where nobody or everybody was favored, and one row alone gives no
estimate, so that nothing is taken away there; *smoothed* rates, (favorable + 1) / (rows + 2),
give much. Both are reported. Where they disagree the spread is not known, nor is the bound.

What is left is an estimate, too. The square of a difference with the variance v varies by
4 Δ² v + 2 v²: this gives the bound a standard error, and a claim needs a small one.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from evenhand.display import percent
from evenhand.evidence.binomial_tails import Floats
from evenhand.evidence.partition import Partition

_ESTIMATORS = ("as seen", "smoothed")
_NEGLIGIBLE = 0.1
# The 95 % point of the standard normal distribution: a bound is claimed from one side.
_ONE_SIDED = 1.6448536269514722
_ROUNDING = 1e-24


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedSpread:
    """The spread without noise, as one estimator sees the noise.

    ``share`` is the part of the variance seen that is noise; ``mean_error`` the standard error
    of the mean; ``bound`` the relaxed bound from the corrected variance, ``bound_error`` its
    standard error.
    """

    estimator: str
    share: float
    sd: float
    mean_error: float
    bound: float
    bound_error: float

    @property
    def known(self) -> bool:
        """Whether the bound exceeds the true one by a tenth in 5 of 100 tables at most.

        Or whether it is none, whichever way chance has moved it.
        """
        margin = _ONE_SIDED * self.bound_error
        return margin <= _NEGLIGIBLE or self.bound + margin <= 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "estimator": self.estimator,
            "noise_share": self.share,
            "sd": self.sd,
            "mean_error": self.mean_error,
            "bound": self.bound,
            "bound_error": self.bound_error,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Mean and spread of the differences over the measured rows, plain and corrected."""

    mean: float
    sd: float
    bound: float
    corrected: tuple[CorrectedSpread, ...]

    @property
    def solid(self) -> bool:
        """Whether spread and bound are hardly noise, whichever way noise is estimated."""
        return all(one.share < _NEGLIGIBLE and one.known for one in self.corrected)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "mean": self.mean,
            "sd": self.sd,
            "bound": self.bound,
            "solid": self.solid,
            "corrected": [one.to_dict() for one in self.corrected],
        }

    def sentence(self) -> str:
        """Which claim is solid, in words."""
        if not self.sd:
            return "The differences do not vary."
        shares = " or ".join(
            f"{percent(one.share)} (rates {one.estimator})" for one in self.corrected
        )
        lead = f"Of the variance of the differences {shares} is sampling noise: "
        if self.solid:
            return lead + "the spread, and the relaxed bound from it, are solid."
        noise = [one.share for one in self.corrected]
        if max(noise) - min(noise) >= _NEGLIGIBLE:
            return lead + "the spread is not known, and the relaxed bound is not solid."
        if all(one.known for one in self.corrected):
            return lead + "the spread is smaller than it looks, and the corrected bound stands."
        error = max(one.bound_error for one in self.corrected)
        known = "is not known" if error > 1 else f"has a standard error of {percent(error)}"
        return lead + f"the relaxed bound is not solid, and the corrected one {known}."


def spread(partition: Partition) -> Spread | None:
    """Weigh every measured subpopulation by its rows; None if there is none."""
    a, n, b, m = (counts.astype(float) for counts in partition.leading.tables)
    if not len(a):
        return None
    threshold = float(partition.question.threshold)
    weight = (n + m) / (n + m).sum()
    difference = b / m - a / n
    mean = float(weight @ difference)
    variance = float(weight @ (difference - mean) ** 2)
    # Equal differences differ in their last digits, and that is no spread.
    variance = variance if variance > _ROUNDING else 0.0

    def corrected(estimator: str) -> CorrectedSpread:
        sampling = sampling_variance(a, n, b, m, smoothed=estimator == "smoothed")
        noise = float(weight @ sampling - weight**2 @ sampling)
        remaining = max(variance - noise, 0.0)
        # As if the bound claimed too much: where little was seen to vary, the error would be
        # small because of the very chance that makes the bound too high.
        square = np.maximum(difference**2 - sampling, 0) + _NEGLIGIBLE * threshold**2
        error = sqrt(float(weight**2 @ (4 * square * sampling + 2 * sampling**2)))
        return CorrectedSpread(
            estimator=estimator,
            share=min(noise / variance, 1.0) if variance else 0.0,
            sd=sqrt(remaining),
            mean_error=sqrt(float(weight**2 @ sampling)),
            bound=1 - (remaining + mean**2) / threshold**2,
            bound_error=error / threshold**2,
        )

    return Spread(
        mean=mean,
        sd=sqrt(variance),
        bound=1 - (variance + mean**2) / threshold**2,
        corrected=tuple(map(corrected, _ESTIMATORS)),
    )


def sampling_variance(a: Floats, n: Floats, b: Floats, m: Floats, *, smoothed: bool) -> Floats:
    """The variance of each difference, from the rates as seen or drawn towards one half.

    Rates as seen vary by too little, the n-th part on average; of one row nothing is seen.
    """
    if smoothed:
        group, other = (a + 1) / (n + 2), (b + 1) / (m + 2)
        return group * (1 - group) / n + other * (1 - other) / m
    group, other = a / n, b / m
    return group * (1 - group) / np.maximum(n - 1, 1) + other * (1 - other) / np.maximum(
        m - 1, 1
    )
