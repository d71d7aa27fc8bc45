"""How likely is a difference as large as the one seen, or larger? p-values of single tables.

Three hypotheses about the rates of the two groups in one subpopulation:

- ``zero_p``: they are equal (Fisher's exact test, its mid-p, two-sided);
- ``threshold_p``: they differ by at most the threshold (score test, two-sided);
- ``within_p``: they differ by the threshold or more (two one-sided score tests, the larger p).

The score statistic is Miettinen and Nurminen's: its variance is taken at the most likely rates
whose difference is the threshold, times n / (n - 1). The normal distribution fits its middle,
but not its far tail, which is where many subpopulations are corrected for: with 11 people
against 1,000 a p of 0.00002 would be reached 120 times as often as it says. So where the score
test finds anything, the probability of so large a difference is worked out at those rates and
one standard error beside them, and the largest taken: added up where a group is small, by the
saddlepoint approximation elsewhere. As either side may be the one that is seen, the tail that
is as unlikely on the other side is added.

All functions take arrays of counts of equal length, with both groups present in every place.
"""

from collections.abc import Sequence
from math import lgamma, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.verdict import INT64_END

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

# Up to so many rows in the smaller group tails are added up,
_SMALL = 30
# or up to so many where the other group is far larger.
_MEDIUM = 200
# A normal tail larger than this finds nothing, and is good enough.
_NOTHING_FOUND = 0.4
# Up to this variance of the number of favorable decisions Fisher's tail is added up.
_FEW = 100.0
_NEVER = 1e-9
_NEWTON_STEPS = 10
# A step of Newton's so small is followed by none that matters.
_SETTLED = 1e-12
# From so many rows on the faster formulas lose digits.
_LARGE = 10**6
# So many numbers of a matrix stay in the processor's cache.
_CACHED = 1 << 15


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


# The groups with the rates that are tried for them, the higher rate first.
Pair = tuple[Side, Side]


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
    # A step into the tail takes a favorable decision from the low group.
    table = low[0], low[1] - low[0], high[0], high[1] - high[0]
    point = point_probability(*table)
    tail = point / 2 + probability_below(*table, point)
    p: Floats = 2 * np.minimum(tail, 1 - tail)
    return p


def _higher(group_yes: Counts, group: Counts, other_yes: Counts, other: Counts) -> Counts:
    """1 where the group has the higher rate, -1 where the others have it, 0 where they tie.

    Exact: in Python's integers where products of counts may not fit into 64 bits.
    """
    fits = int(group.max(initial=0)) * int(other.max(initial=0)) < INT64_END
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
    """Two-sided p-value of a difference of at most the threshold, good in its far tail.

    A difference as unlikely may lie on the other side, too. There the same deviate is as far
    from the rates tried as the two thresholds are apart: next to nothing where the threshold
    is wide, as much again where it is 0.
    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415

    p, high, low = _seen(group_yes, group, other_yes, other, threshold)
    found, small = p < _NOTHING_FOUND, _is_small(group, other)
    at = np.flatnonzero(found & ~small)
    p[at] = large_tail(_pairs_tried(high.where(at), low.where(at), threshold))
    at = np.flatnonzero(found & small)
    p[at] = small_tail(_pairs_tried(high.where(at), low.where(at), threshold))
    turned = _tried(low.yes, low.total, high.yes, high.total, threshold)
    error = np.sqrt(np.maximum(_variance(high, low), _variance(*turned)))
    apart = np.divide(2 * threshold, error, out=np.zeros(len(p)), where=error > 0)
    both: Floats = np.minimum(p + ndtr(ndtri(p) - apart), 1.0)
    return both


def _is_small(group: Counts, other: Counts) -> NDArray[np.bool_]:
    """Where tails are added up: the difference comes in steps that no smooth curve follows.

    It does in small groups, and in somewhat larger ones if the rate of the others is known so
    well that it does not blur the steps.
    """
    fewer, more = np.minimum(group, other), np.maximum(group, other)
    small: NDArray[np.bool_] = fewer <= np.clip(2 * np.sqrt(more), _SMALL, _MEDIUM)
    return small


def _pairs_tried(high: Side, low: Side, threshold: float) -> list[Pair]:
    """The groups with the most likely rates, and with those one standard error beside them.

    At the most likely rates alone a small p comes up too often: the rates follow the table,
    so that a table on the edge of its kind looks like the middle.
    """
    with np.errstate(divide="ignore"):
        known = sum(side.total / (side.rate * (1 - side.rate)) for side in (high, low))
        error = 1 / np.sqrt(known)
    pairs = [(high, low)]
    for way in (-1, 1):
        rate = np.clip(high.rate + way * error, threshold, 1)
        beside = np.clip(rate - threshold, 0, 1)
        pairs.append((high._replace(rate=rate), low._replace(rate=beside)))
    return pairs


def within_p(
    group_yes: Counts, group: Counts, other_yes: Counts, other: Counts, threshold: float
) -> Floats:
    """p-value of a difference of the threshold or more: the larger of two one-sided ones.

    It is 1 where a difference of the threshold or more was seen.
    """
    p = np.ones(len(group))
    inside = np.abs(other_yes / other - group_yes / group) < threshold
    a, n, b, m = (counts[inside] for counts in (group_yes, group, other_yes, other))
    small = _is_small(n, m)
    p[inside] = 0.0
    for table in ((b, m, a, n), (a, n, b, m)):
        high, low = _tried(*table, threshold)
        nearer = 1 - _normal_tail(high, low, threshold)
        at = np.flatnonzero((nearer < _NOTHING_FOUND) & small)
        pairs = _pairs_tried(high.where(at), low.where(at), threshold)
        nearer[at] = small_tail([(low, high) for high, low in pairs])
        p[inside] = np.maximum(p[inside], nearer)
    return p


def _seen(
    group_yes: Counts, group: Counts, other_yes: Counts, other: Counts, threshold: float
) -> tuple[Floats, Side, Side]:
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
) -> tuple[Side, Side]:
    rate = _most_likely_rate(high_yes, high, low_yes, low, threshold)
    return Side(high_yes, high, rate), Side(low_yes, low, np.clip(rate - threshold, 0, 1))


def _normal_tail(high: Side, low: Side, threshold: float) -> Floats:
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


def _variance(high: Side, low: Side) -> Floats:
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


def _most_likely_rate(
    high_yes: Counts, high_total: Counts, low_yes: Counts, low_total: Counts, difference: float
) -> Floats:
    """The most likely first rate when the rates differ by so much: the root of a cubic."""
    if not difference:
        return (high_yes + low_yes) / (high_total.astype(float) + low_total)
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


# The 97.5 % point of the standard normal distribution: intervals have 95 %.
Z = 1.959963984540054


def wilson_interval(yes: Counts, total: Counts) -> tuple[Floats, Floats]:
    """The 95 % score interval of a rate."""
    rate = yes / total
    weight = Z**2 / total
    middle = (rate + weight / 2) / (1 + weight)
    half = np.sqrt(weight * (rate * (1 - rate) + weight / 4)) / (1 + weight)
    return np.minimum(middle - half, rate), np.maximum(middle + half, rate)


def newcombe_interval(
    group_yes: Counts, group: Counts, other_yes: Counts, other: Counts
) -> tuple[Floats, Floats]:
    """The 95 % hybrid score interval of the difference of rates, other minus group."""
    group_rate, other_rate = group_yes / group, other_yes / other
    group_low, group_high = wilson_interval(group_yes, group)
    other_low, other_high = wilson_interval(other_yes, other)
    difference = other_rate - group_rate
    low = difference - np.hypot(other_rate - other_low, group_high - group_rate)
    high = difference + np.hypot(other_high - other_rate, group_rate - group_low)
    return low, high


def small_tail(pairs: Sequence[Pair]) -> Floats:
    """The largest probability of so large a difference, added up over all outcomes.

    With the lower rate first in each pair it is that of so small a difference, or one to the
    other side. All pairs have the same counts. The outcomes are those of the smaller group; of
    the larger one it is known how likely so many are, or fewer.
    """
    high, low = pairs[0]
    first = high.total <= low.total
    sides = [
        (_either(first, high, low.turned()), _either(first, low, high.turned()))
        for high, low in pairs
    ]
    tail, width = np.zeros(len(first)), sides[0][0].total + 1
    # Lines of nearly the same width, as many as fit into the cache as a matrix.
    order = np.argsort(width)
    ends = np.cumsum(width[order])
    places = np.searchsorted(ends, np.arange(_CACHED, ends.max(initial=0), _CACHED))
    for at in np.split(order, places):
        yes = np.arange(width[at].max(initial=0))
        for small, large in ((few.where(at), many.where(at)) for few, many in sides):
            at_most = _most_yes(yes, small, large)
            both = _chances(small, yes), _cumulated(large, at_most)
            tail[at] = np.maximum(tail[at], np.einsum("ij,ij->i", *both))
    return np.minimum(tail, 1.0)


def _either(first: NDArray[np.bool_], one: Side, other: Side) -> Side:
    return Side(*(np.where(first, *columns) for columns in zip(one, other, strict=True)))


def _chances(side: Side, yes: Counts) -> Floats:
    """The binomial probability of each outcome, one line for each table."""
    from scipy.special import binom  # noqa: PLC0415

    total, rate = side.total[:, None], side.rate[:, None]
    chances: Floats = binom(total, yes) * rate**yes * (1 - rate) ** np.maximum(total - yes, 0)
    return chances


def _cumulated(side: Side, at_most: Counts) -> Floats:
    """The probability of at most so many."""
    p: Floats = (at_most >= side.total[:, None]).astype(float)
    line, column = np.nonzero((at_most >= 0) & (p < 1))
    p[line, column] = _at_most(at_most[line, column], side.where(line))
    return p


def _most_yes(yes: Counts, small: Side, large: Side) -> Counts:
    """How many in the larger group leave so large a difference, one column for each yes.

    Divided first: the product of the larger group's rows may not fit into 64 bits.
    """
    whole, part = np.divmod(large.total, small.total)
    more = yes - small.yes[:, None]
    most: Counts = part[:, None] * more // small.total[:, None]
    most += large.yes[:, None] + whole[:, None] * more
    return most


def large_tail(pairs: Sequence[Pair]) -> Floats:
    """The same by the saddlepoint approximation, or exact where only one group can vary."""
    largest: Floats = np.max([_large_tail(high, low) for high, low in pairs], axis=0)
    return largest


def _large_tail(high: Side, low: Side) -> Floats:
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

    p: Floats = bdtr(yes, np.minimum(side.total, _LARGE), side.rate)
    # bdtr ends at 2³¹; the incomplete beta function fails far from a mean of very many.
    many = np.flatnonzero(side.total >= _LARGE)
    yes, (_, total, rate) = yes[many], side.where(many)
    mean = total * rate
    deviation = np.sqrt(mean * (1 - rate))
    near = (np.abs(yes - mean) < 40 * deviation + 1000) & (deviation < _LARGE)
    normal = ndtr((yes + 0.5 - mean) / np.maximum(deviation, _NEVER))
    exact = betaincc(yes + 1.0, np.maximum(total - yes, 1), rate)
    p[many] = np.where(yes >= total, 1.0, np.where(near, exact, normal))
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
        step = np.clip(off / slope, -8, 8)
        z -= step
        if np.abs(step).max(initial=0) < _SETTLED:
            break
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

    apart = np.divide(x - y, y, out=np.zeros_like(x), where=y > 0)
    far: Floats = y * (xlog1py(1 + apart, apart) - apart)
    return far


# A tail leads away from the mode: a term without weight is followed by lesser ones.
_NO_WEIGHT = 1e-17
_STEPS = 4
# log x! - x log x + x of small numbers.
_FACTORIAL_RESTS = np.array([0.0] + [lgamma(x + 1) - x * log(x) + x for x in range(1, 16)])


def point_probability(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """The probability of a table among those with its margins, accurate at any size.

    The cells are a, b of the group, favorable and unfavorable, and c, d of the others: the
    hypergeometric distribution.

    Logarithms of factorials of billions would cancel and leave no digit. So log x! is split
    into x log x - x, which adds up to the distance from the expected table, and a small rest.
    """
    rows = a + b + c + d
    logarithm = -_factorial_rest(rows)
    for margin in (a + b, c + d, a + c, b + d):
        logarithm += _factorial_rest(margin)
    for cell, row, column in ((a, b, c), (b, a, d), (c, d, a), (d, c, b)):
        expected = (cell + row) * ((cell + column) / rows)
        logarithm -= _factorial_rest(cell) + divergence(cell, expected)
    return np.exp(logarithm)


def _factorial_rest(x: Floats) -> Floats:
    """Return log x! - x log x + x of whole numbers, from a table or Stirling's series."""
    some = np.maximum(x, 1.0)
    square = some**2
    rest: Floats = np.log(2 * np.pi * some) / 2 + (
        1 - (1 - (2 - 1.5 / square) / (7 * square)) / (30 * square)
    ) / (12 * some)
    few = np.flatnonzero(x < len(_FACTORIAL_RESTS))
    rest[few] = _FACTORIAL_RESTS[x[few].astype(np.intp)]
    return rest


def probability_below(a: Floats, b: Floats, c: Floats, d: Floats, point: Floats) -> Floats:
    """The probability that the group has fewer favorable decisions than in the table.

    ``point`` is the probability of the table itself: the terms below follow from it.
    """
    below, at = np.zeros(len(a)), np.arange(len(a))
    left, right, down, up = a.copy(), d.copy(), b + 1, c + 1
    chance, tail = point.copy(), np.zeros(len(a))
    # Whether a sum is complete is looked up now and then: most of the time goes into the steps.
    for _ in range(int(a.max(initial=0)) // _STEPS + 1):
        for _ in range(_STEPS):
            chance *= left * right / (down * up)
            tail += chance
            left -= 1
            right -= 1
            down += 1
            up += 1
        going = chance > _NO_WEIGHT * (tail + point[at])
        if 2 * np.count_nonzero(going) <= len(going):
            below[at] = tail
            at = at[going]
            left, right, down, up, chance, tail = (
                column[going] for column in (left, right, down, up, chance, tail)
            )
        if not len(at):
            break
    below[at] = tail
    return below
