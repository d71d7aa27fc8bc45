"""Tails of the difference of two binomial rates: added up, or by the saddlepoint.

Arrays of equal length, one place for each table.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_NEWTON_STEPS = 10
_NEVER = 1e-9
# From so many rows on the faster formulas lose digits.
_LARGE = 10**6


class Side(NamedTuple):
    """Favorable decisions among all, and the rate that is tried for them."""

    yes: Counts
    total: Counts
    rate: Floats

    def where(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> "Side":
        """The chosen places alone."""
        return Side(self.yes[chosen], self.total[chosen], self.rate[chosen])

    def turned(self) -> "Side":
        """The same people, unfavorable decisions counted."""
        return Side(self.total - self.yes, self.total, 1 - self.rate)


def small_tail(high: Side, low: Side) -> Floats:
    """The probability of so large a difference, added up over the smaller group's outcomes."""
    p = np.empty(len(high.total))
    high_small = high.total <= low.total
    p[high_small] = _added_up(high.where(high_small), low.where(high_small))
    p[~high_small] = _added_up(
        low.turned().where(~high_small), high.turned().where(~high_small)
    )
    return p


def small_near_tail(high: Side, low: Side) -> Floats:
    """The probability of so small a difference, or one to the other side."""
    return small_tail(low, high)


def _added_up(small: Side, large: Side) -> Floats:
    """The probability that the first rate exceeds the second by as much as seen, or more."""
    from scipy.special import binom  # noqa: PLC0415

    tail = np.zeros(len(small.total))
    # Divided first: the product of the larger group's rows may not fit into 64 bits.
    whole, part = np.divmod(large.total, small.total)
    for yes in range(int(small.total.max(initial=-1)) + 1):
        more = whole * (yes - small.yes) + part * (yes - small.yes) // small.total
        at_most = large.yes + np.minimum(more, large.total - large.yes)
        at = np.flatnonzero((yes <= small.total) & (at_most >= 0))
        some, many = small.where(at), large.where(at)
        likely = binom(some.total, yes) * some.rate**yes * (1 - some.rate) ** (some.total - yes)
        tail[at] += likely * _at_most(at_most[at], many)
    return np.minimum(tail, 1.0)


def large_tail(high: Side, low: Side) -> Floats:
    """The same by the saddlepoint approximation, or exact where only one group can vary."""
    p = np.empty(len(high.total))
    none_low, all_high = low.rate <= _NEVER, high.rate >= 1 - _NEVER
    extreme = (high.yes == high.total) & (low.yes == 0)
    turned = high.where(none_low).turned()
    p[none_low] = _at_most(turned.yes, turned)
    p[all_high] = _at_most(low.yes[all_high], low.where(all_high))
    p[extreme] = (high.rate**high.total * (1 - low.rate) ** low.total)[extreme]
    inside = ~(none_low | all_high | extreme)
    p[inside] = _saddlepoint(high.where(inside), low.where(inside))
    return p


def _at_most(yes: Counts, side: Side) -> Floats:
    """The probability of so many favorable decisions, or fewer."""
    from scipy.special import bdtr, betaincc, ndtr  # noqa: PLC0415

    if side.total.max(initial=0) < _LARGE:
        p: Floats = bdtr(yes, side.total, side.rate)
        return p
    # bdtr ends at 2³¹; the incomplete beta function fails far from a mean of very many.
    mean = side.total * side.rate
    deviation = np.sqrt(mean * (1 - side.rate))
    p = ndtr((yes + 0.5 - mean) / np.maximum(deviation, _NEVER))
    few = (
        (yes < side.total) & (np.abs(yes - mean) < 40 * deviation + 1000) & (deviation < _LARGE)
    )
    p[few] = betaincc(yes[few] + 1.0, (side.total - yes)[few], side.rate[few])
    return p


def _saddlepoint(high: Side, low: Side) -> Floats:
    """Lugannani and Rice's tail, in Barndorff-Nielsen's form.

    Rates are tilted until the difference seen is the expected one: logit of the high rate up by
    t / n, logit of the low rate down by t / m. The tilted high rate lies between the difference
    and 1; z says where. How far the tilt leads from the rates tried gives the tail. As the
    difference moves in steps of 1 / lcm(n, m), half a step is taken off; groups of nearly the
    same size have nearly the steps of groups of one size.
    """
    from scipy.special import expit, logit, ndtr  # noqa: PLC0415

    n, m = high.total, low.total
    most = np.maximum(n, m)
    alike = np.abs(n - m) < np.sqrt(most)
    steps = np.where(alike, most, n / np.gcd(n, m) * m)
    difference = high.yes / n - low.yes / m - 0.5 / steps
    room = 1 - difference
    high_logit, low_logit = logit(high.rate), logit(low.rate)
    z = np.zeros(len(n))
    for _ in range(_NEWTON_STEPS):
        share, rest = expit(z), expit(-z)
        tilted_low, tilted_high = room * share, difference + room * share
        not_low, not_high = difference + room * rest, room * rest
        tilt = n * (np.log(tilted_high / not_high) - high_logit)
        off = tilt + m * (np.log(tilted_low / not_low) - low_logit)
        bend = room * share * rest
        slope = bend * (n / (tilted_high * not_high) + m / (tilted_low * not_low))
        z -= np.clip(off / slope, -8, 8)
    far = n * (divergence(tilted_high, high.rate) + divergence(not_high, 1 - high.rate))
    far += m * (divergence(tilted_low, low.rate) + divergence(not_low, 1 - low.rate))
    root = np.sqrt(np.maximum(2 * far, 0))
    scale = tilt * np.sqrt(tilted_high * not_high / n + tilted_low * not_low / m)
    # Less half a step a difference just beyond the threshold may fall below it: no evidence.
    beyond = (tilt > 0) & (root > _NEVER)
    bent = np.log(np.divide(scale, root, out=np.ones(len(n)), where=beyond))
    p: Floats = ndtr(-np.where(beyond, root + bent / np.where(beyond, root, 1), 0))
    return p


def divergence(x: Floats, y: Floats) -> Floats:
    """Return x log(x / y) - x + y, accurate where x is near y."""
    from scipy.special import xlog1py  # noqa: PLC0415

    apart = np.divide(x - y, y, out=np.zeros(len(y)), where=y > 0)
    far: Floats = y * (xlog1py(1 + apart, apart) - apart)
    return far
