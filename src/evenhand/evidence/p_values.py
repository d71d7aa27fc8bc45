"""How likely is a difference as large as the one seen, or larger? p-values of single tables.

Three hypotheses about the rates of the two groups in one subpopulation:

- ``zero_p``: they are equal (Fisher's exact test, its mid-p, two-sided);
- ``threshold_p``: they differ by at most the threshold (score test, one-sided, as seen);
- ``within_p``: they differ by the threshold or more (two one-sided score tests, the larger p).

The score statistic is Miettinen and Nurminen's: its variance is taken at the most likely rates
whose difference is the threshold, times n / (n - 1). The normal distribution fits its middle,
but not its far tail, which is where many subpopulations are corrected for: with 11 people
against 1,000 a p of 0.00002 would be reached 120 times as often as it says. So where the score
test finds anything, the probability of so large a difference is worked out at those rates:
added up where a group is small, by the saddlepoint approximation elsewhere. Instead of 120
times it is then 1.3 times.

All functions take arrays of counts of equal length, with both groups present in every place.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

# Up to so many rows in the smaller group tails are added up.
_SMALL = 20
# A normal tail larger than this finds nothing, and is good enough.
_NOTHING_FOUND = 0.4
# Up to this variance of the number of favorable decisions Fisher's tail is added up.
_FEW = 100.0
_NEWTON_STEPS = 10
_NEVER = 1e-9
_INT64_END = 2**63
# From so many rows on the faster formulas lose digits.
_LARGE = 10**6


class _Side(NamedTuple):
    """Favorable decisions among all, and the rate that is tried for them."""

    yes: Counts
    total: Counts
    rate: Floats

    def where(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> "_Side":
        return _Side(self.yes[chosen], self.total[chosen], self.rate[chosen])

    def turned(self) -> "_Side":
        """The same people, unfavorable decisions counted."""
        return _Side(self.total - self.yes, self.total, 1 - self.rate)


def zero_p(group_yes: Counts, group: Counts, other_yes: Counts, other: Counts) -> Floats:
    """Two-sided p-value of no difference: Fisher's exact test, twice its smaller mid-p.

    Beyond some hundred rows of each kind the score test says the same.
    """
    yes, rows = group_yes + other_yes, group + other
    share = yes / rows
    spread = share * (1 - share) * group * other / np.maximum(rows - 1, 1)
    few = spread <= _FEW
    p = np.empty(len(rows))
    p[few] = _mid_p(group_yes[few], group[few], other_yes[few], other[few])
    many = ~few
    p[many] = 2 * score_p(group_yes[many], group[many], other_yes[many], other[many], 0.0)
    return np.minimum(p, 1.0)


def _mid_p(group_yes: Counts, group: Counts, other_yes: Counts, other: Counts) -> Floats:
    """Add up the hypergeometric distribution from the table seen to the end of its tail."""
    higher = _higher(group_yes, group, other_yes, other) > 0
    low = np.where(higher, (other_yes, other), (group_yes, group)).astype(float)
    high = np.where(higher, (group_yes, group), (other_yes, other)).astype(float)
    # The four cells; one step into the tail takes a favorable decision from the low group.
    a, b, c, d = low[0], low[1] - low[0], high[0], high[1] - high[0]
    chance = _hypergeometric(a, b, c, d)
    tail = chance / 2
    at = np.arange(len(tail))
    for step in range(int(a.max(initial=0)) + 1):
        left, right = a[at] - step, d[at] - step
        chance = chance * left * right / ((b[at] + step + 1) * (c[at] + step + 1))
        tail[at] += chance
        # The tail leads away from the mode: a term without weight is followed by lesser ones.
        going = chance > 1e-17 * tail[at]
        if not going.all():
            at, chance = at[going], chance[going]
        if not len(at):
            break
    p: Floats = 2 * np.minimum(tail, 1 - tail)
    return p


def _hypergeometric(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """The probability of a table among those with its margins, accurate at any size.

    Logarithms of factorials of billions would cancel and leave no digit. So log x! is split
    into x log x - x, which adds up to the distance from the expected table, and a small rest.
    """
    from scipy.special import gammaln, xlogy  # noqa: PLC0415  # slow to import

    def rest(x: Floats) -> Floats:
        some = np.maximum(x, 16.0)
        series = np.log(2 * np.pi * some) / 2 + (
            1 - (1 - 2 / (7 * some**2)) / (30 * some**2)
        ) / (12 * some)
        few: Floats = gammaln(x + 1) - xlogy(x, x) + x
        return np.where(x < 16, few, series)

    rows = a + b + c + d
    logarithm = -rest(rows)
    for margin in (a + b, c + d, a + c, b + d):
        logarithm += rest(margin)
    for cell, row, column in ((a, b, c), (b, a, d), (c, d, a), (d, c, b)):
        expected = (cell + row) * ((cell + column) / rows)
        logarithm -= rest(cell) + _divergence(cell, expected)
    return np.exp(logarithm)


def _divergence(x: Floats, y: Floats) -> Floats:
    """Return x log(x / y) - x + y, accurate where x is near y."""
    from scipy.special import xlog1py  # noqa: PLC0415

    apart = np.divide(x - y, y, out=np.zeros(len(y)), where=y > 0)
    far: Floats = y * (xlog1py(1 + apart, apart) - apart)
    return far


def _higher(group_yes: Counts, group: Counts, other_yes: Counts, other: Counts) -> Counts:
    """1 where the group has the higher rate, -1 where the others have it, 0 where they tie.

    Exact: in Python's integers where products of counts may not fit into 64 bits.
    """
    fits = int(group.max(initial=0)) * int(other.max(initial=0)) < _INT64_END
    integer = np.int64 if fits else object
    ours = group_yes.astype(integer) * other.astype(integer)
    theirs = other_yes.astype(integer) * group.astype(integer)
    higher: Counts = (ours > theirs).astype(np.int64) - (ours < theirs)
    return higher


def score_p(
    group_yes: Counts, group: Counts, other_yes: Counts, other: Counts, threshold: float
) -> Floats:
    """One-sided p-value of a difference of at most the threshold, by the normal curve."""
    return _seen(group_yes, group, other_yes, other, threshold)[0]


def threshold_p(
    group_yes: Counts, group: Counts, other_yes: Counts, other: Counts, threshold: float
) -> Floats:
    """One-sided p-value of a difference of at most the threshold, good in its far tail."""
    p, high, low = _seen(group_yes, group, other_yes, other, threshold)
    suspicious, small = p < _NOTHING_FOUND, np.minimum(group, other) <= _SMALL
    at = np.flatnonzero(suspicious & ~small)
    p[at] = _large_tail(high.where(at), low.where(at))
    # Counts of small tables repeat: each distinct one is worked out once.
    at = np.flatnonzero(suspicious & small)
    first, again = _distinct(high.where(at), low.where(at))
    p[at] = _small_tail(high.where(at[first]), low.where(at[first]))[again]
    return p


def within_p(
    group_yes: Counts, group: Counts, other_yes: Counts, other: Counts, threshold: float
) -> Floats:
    """p-value of a difference of the threshold or more: the larger of two one-sided ones.

    It is 1 where a difference of the threshold or more was seen.
    """
    p = np.ones(len(group))
    inside = np.abs(other_yes / other - group_yes / group) < threshold
    a, n, b, m = (counts[inside] for counts in (group_yes, group, other_yes, other))
    above = _normal_tail(*_tried(b, m, a, n, threshold), threshold)
    below = _normal_tail(*_tried(a, n, b, m, threshold), threshold)
    p[inside] = 1 - np.minimum(above, below)
    return p


def _seen(
    group_yes: Counts, group: Counts, other_yes: Counts, other: Counts, threshold: float
) -> tuple[Floats, _Side, _Side]:
    """The normal tail on the side that was seen, and the groups, the higher rate first."""
    higher = _higher(group_yes, group, other_yes, other)
    group_higher = higher > 0
    high_yes, high = np.where(group_higher, (group_yes, group), (other_yes, other))
    low_yes, low = np.where(group_higher, (other_yes, other), (group_yes, group))
    sides = _tried(high_yes, high, low_yes, low, threshold)
    p = _normal_tail(*sides, threshold)
    # Equal rates lie on neither side: the larger p, so that the order of groups is no matter.
    tied = np.flatnonzero(higher == 0)
    turned = _tried(low_yes[tied], low[tied], high_yes[tied], high[tied], threshold)
    p[tied] = np.maximum(p[tied], _normal_tail(*turned, threshold))
    return p, *sides


def _tried(
    high_yes: Counts, high: Counts, low_yes: Counts, low: Counts, threshold: float
) -> tuple[_Side, _Side]:
    rate = _most_likely_rate(high_yes, high, low_yes, low, threshold)
    return _Side(high_yes, high, rate), _Side(low_yes, low, np.clip(rate - threshold, 0, 1))


def _normal_tail(high: _Side, low: _Side, threshold: float) -> Floats:
    # Imported here: scipy.special costs more time than everything else that evenhand imports.
    from scipy.special import ndtr  # noqa: PLC0415

    difference = high.yes / high.total - low.yes / low.total
    variance = _variance(high, low)
    # The variance is 0 only where everybody got the same decision: that is no evidence.
    score = np.divide(
        difference - threshold,
        np.sqrt(variance),
        out=np.zeros(len(variance)),
        where=variance > 0,
    )
    p: Floats = ndtr(-score)
    return p


def _variance(high: _Side, low: _Side) -> Floats:
    rows = high.total + low.total
    by_side = (side.rate * (1 - side.rate) / side.total for side in (high, low))
    return sum(by_side) * (rows / (rows - 1))


def variance_at(
    group_yes: Counts, group: Counts, other_yes: Counts, other: Counts, difference: float
) -> Floats:
    """The variance of the difference, other minus group, if it is truly this everywhere."""
    if difference < 0:
        return _variance(*_tried(group_yes, group, other_yes, other, -difference))
    return _variance(*_tried(other_yes, other, group_yes, group, difference))


def _small_tail(high: _Side, low: _Side) -> Floats:
    """The probability of so large a difference, added up over the smaller group's outcomes."""
    p = np.empty(len(high.total))
    high_small = high.total <= low.total
    p[high_small] = _added_up(high.where(high_small), low.where(high_small))
    p[~high_small] = _added_up(
        low.turned().where(~high_small), high.turned().where(~high_small)
    )
    return p


def _added_up(small: _Side, large: _Side) -> Floats:
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


def _large_tail(high: _Side, low: _Side) -> Floats:
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


def _at_most(yes: Counts, side: _Side) -> Floats:
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


def _saddlepoint(high: _Side, low: _Side) -> Floats:
    """Lugannani and Rice's tail, in Barndorff-Nielsen's form.

    Rates are tilted until the difference seen is the expected one: logit of the high rate up by
    t / n, logit of the low rate down by t / m. The tilted high rate lies between the difference
    and 1; z says where. How far the tilt leads from the rates tried gives the tail. As the
    difference moves in steps of 1 / lcm(n, m), half a step is taken off.
    """
    from scipy.special import expit, logit, ndtr  # noqa: PLC0415

    n, m = high.total, low.total
    difference = high.yes / n - low.yes / m - 0.5 / (n / np.gcd(n, m) * m)
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
    far = n * (_divergence(tilted_high, high.rate) + _divergence(not_high, 1 - high.rate))
    far += m * (_divergence(tilted_low, low.rate) + _divergence(not_low, 1 - low.rate))
    root = np.sqrt(np.maximum(2 * far, 0))
    scale = tilt * np.sqrt(tilted_high * not_high / n + tilted_low * not_low / m)
    # Less half a step a difference just beyond the threshold may fall below it: no evidence.
    beyond = (tilt > 0) & (root > _NEVER)
    bent = np.log(np.divide(scale, root, out=np.ones(len(n)), where=beyond))
    p: Floats = ndtr(-np.where(beyond, root + bent / np.where(beyond, root, 1), 0))
    return p


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
    # The arc cosine loses half the digits, and large tables need them: Newton gives them back.
    slope = (3 * a * rate + 2 * b) * rate + c
    step = np.divide(
        ((a * rate + b) * rate + c) * rate + d, slope, out=np.zeros(len(a)), where=slope != 0
    )
    return np.clip(rate - np.where(np.abs(step) < _NEVER**0.5, step, 0), difference, 1)


def _distinct(high: _Side, low: _Side) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each distinct table stands first, and which of them every table is."""
    columns = (high.yes, high.total, low.yes, low.total)
    order = np.lexsort(columns)
    new = np.ones(len(order), np.bool_)
    new[1:] = np.any([np.diff(column[order]) != 0 for column in columns], axis=0)
    again = np.empty(len(order), np.intp)
    again[order] = np.cumsum(new) - 1
    return order[new], again
