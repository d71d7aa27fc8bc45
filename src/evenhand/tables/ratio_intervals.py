"""Ratios of two rates, with intervals: of all people, and of people who are alike."""

from collections.abc import Callable
from math import exp, inf, log, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Interval: TypeAlias = tuple[float, float | None]  # None: without an upper end
Counts: TypeAlias = NDArray[np.int64]

_LEVEL = 0.95
_WIDEST = 1e9  # a ratio beyond which nothing is looked for


def ratio_interval(yes: int, total: int, other_yes: int, other_total: int) -> Interval | None:
    """The score interval of a ratio of two independent rates (Koopman 1984).

    Holds where a rate is 0 or 1, too; None if nobody was selected or a group is empty.
    """
    from scipy.special import chdtri  # noqa: PLC0415  # slow to import

    if not (total and other_total and yes + other_yes):
        return None
    limit = float(chdtri(1, 1 - _LEVEL))
    seen = (yes / total) / (other_yes / other_total) if other_yes else inf

    def beyond(log_ratio: float) -> float:
        return _score(exp(log_ratio), yes, total, other_yes, other_total) - limit

    low = _crossing(beyond, -log(_WIDEST), log(seen) if 0 < seen < inf else log(_WIDEST))
    high = _crossing(beyond, log(_WIDEST), log(seen) if 0 < seen < inf else -log(_WIDEST))
    return (0.0 if yes == 0 else exp(low), None if other_yes == 0 else exp(high))


def _crossing(beyond: Callable[[float], float], far: float, near: float) -> float:
    """Where the score statistic crosses its limit between the ratio seen and one far away."""
    from scipy.optimize import brentq  # noqa: PLC0415  # slow to import

    return float(brentq(beyond, far, near)) if beyond(far) > 0 > beyond(near) else far


def _score(ratio: float, yes: int, total: int, other_yes: int, other_total: int) -> float:
    """The score statistic of a ratio, with rates that are likeliest under it."""
    a = (total + other_total) * ratio
    b = -(total * ratio + yes + other_total + other_yes * ratio)
    # The smaller root, in a form that does not cancel.
    other = 2 * (yes + other_yes) / (-b + sqrt(max(b * b - 4 * a * (yes + other_yes), 0.0)))
    rate = min(ratio * other, 1.0)
    spread = rate * (1 - rate) / total + ratio**2 * other * (1 - other) / other_total
    difference = yes / total - ratio * other_yes / other_total
    if difference == 0:
        return 0.0
    return difference**2 / spread if spread > 0 else inf


def ratio_among_alike(
    yes: Counts, total: Counts, other_yes: Counts, other_total: Counts
) -> tuple[float, Interval] | None:
    """The Mantel–Haenszel ratio over strata, with the interval of Greenland and Robins (1985).

    None where no stratum has people of both groups, or nobody of a group was selected there.
    """
    from scipy.special import ndtri  # noqa: PLC0415  # slow to import

    both = (total > 0) & (other_total > 0)
    a, n, c, m = (one[both].astype(float) for one in (yes, total, other_yes, other_total))
    everybody = n + m
    over, under = (a * m / everybody).sum(), (c * n / everybody).sum()
    if not (over and under):
        return None
    ratio = float(over / under)
    spread = ((m * n * (a + c) - a * c * everybody) / everybody**2).sum() / (over * under)
    reach = float(ndtri((1 + _LEVEL) / 2)) * sqrt(max(float(spread), 0.0))
    return ratio, (ratio * exp(-reach), ratio * exp(reach))
