"""Tails of the difference of two binomial rates, and of the hypergeometric distribution.

Those of rates are added up, or found by the saddlepoint. The hypergeometric distribution is
that of a table of two by two with its margins fixed, with the cells a, b (the group: favorable,
unfavorable) and c, d (the others). Arrays of equal length, one place for each table.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import lgamma, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_NEWTON_STEPS = 10
_NEVER = 1e-9
# A step of Newton's so small is followed by none that matters.
_SETTLED = 1e-12
# From so many rows on the faster formulas lose digits.
_LARGE = 10**6
# Up to so many rows binomial coefficients come from a table.
_TABLE = 256
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


def small_tail(pairs: Sequence[Pair]) -> Floats:
    """The largest probability of so large a difference, added up over all outcomes.

    All pairs have the same counts.
    """
    high, low = pairs[0]
    p = np.empty(len(high.total))
    first = high.total <= low.total
    p[first] = _added_up([(high.where(first), low.where(first)) for high, low in pairs])
    p[~first] = _added_up(
        [(low.turned().where(~first), high.turned().where(~first)) for high, low in pairs]
    )
    return p


def small_near_tail(pairs: Sequence[Pair]) -> Floats:
    """The largest probability of so small a difference, or one to the other side."""
    return small_tail([(low, high) for high, low in pairs])


def _added_up(pairs: Sequence[Pair]) -> Floats:
    """The probability that the first rate exceeds the second by as much as seen, or more.

    The first group is the smaller one. Of the larger one all outcomes are added up, too, where
    that costs less than an incomplete beta function for each outcome of the smaller one.
    """
    small, large = pairs[0]
    tail = np.empty(len(small.total))
    cheap = large.total <= np.minimum(20 * (small.total + 1), _TABLE)
    for chosen, widths, cumulated in (
        (cheap, large.total, _from_all_outcomes),
        (~cheap, small.total, _from_beta_functions),
    ):
        for at in _blocks(np.flatnonzero(chosen), widths):
            tail[at] = _largest(
                [(few.where(at), many.where(at)) for few, many in pairs], cumulated
            )
    return np.minimum(tail, 1.0)


def _blocks(lines: NDArray[np.intp], widths: Counts) -> Iterator[NDArray[np.intp]]:
    """Lines of nearly the same width, as many as fit into the cache as a matrix."""
    lines = lines[np.argsort(widths[lines])]
    ends = widths[lines]
    begin = 0
    while begin < len(lines):
        width = int(ends[begin]) + 1
        alike = int(np.searchsorted(ends, 1.2 * width + 1))
        end = min(alike, begin + max(_CACHED // width, 1))
        yield lines[begin:end]
        begin = end


def _largest(
    pairs: Sequence[Pair], cumulated: Callable[[Side, Counts, Floats], Floats]
) -> Floats:
    """The largest tail over the pairs; a line for each table, a column for each outcome."""
    small, large = pairs[0]
    yes = np.arange(int(small.total.max()) + 1)
    at_most = np.clip(_most_yes(yes, small, large), -1, large.total[:, None])
    ways = _binomial_coefficients()[small.total, : len(yes)]
    tail = np.zeros(len(small.total))
    for few, many in pairs:
        likely = _chances(few, ways)
        tail = np.maximum(tail, np.einsum("ij,ij->i", likely, cumulated(many, at_most, likely)))
    return tail


def _from_all_outcomes(side: Side, at_most: Counts, _: Floats) -> Floats:
    """The probability of at most so many, from all outcomes."""
    ways = _binomial_coefficients()[side.total, : int(side.total.max()) + 1]
    sums = np.zeros((len(ways), ways.shape[1] + 1))
    np.cumsum(_chances(side, ways), axis=1, out=sums[:, 1:])
    chosen: Floats = np.take_along_axis(sums, at_most + 1, axis=1)
    return chosen


def _from_beta_functions(side: Side, at_most: Counts, likely: Floats) -> Floats:
    """The probability of at most so many, where it is neither 1 nor without weight.

    Chernoff's bounds say where: the tail beyond is at most exp(-d), and hardly smaller.
    """
    total, rate = side.total[:, None], side.rate[:, None]
    above = at_most >= total * rate
    share = np.clip((at_most + above) / total, 0, 1)
    bound = np.exp(-total * (divergence(share, rate) + divergence(1 - share, 1 - rate)))
    weight = np.where(above, likely, likely * bound * (at_most >= 0))
    least = 1e-17 * weight.max(axis=1) / np.sqrt(8.0 * side.total)
    sure = above & (bound < 1e-18)
    line, column = np.nonzero(~sure & (weight > least[:, None]))
    p: Floats = sure.astype(float)
    p[line, column] = _at_most(at_most[line, column], side.where(line))
    return p


def _chances(side: Side, ways: Floats) -> Floats:
    """The binomial probability of each outcome, one line for each rate."""
    tiny = 1e-300
    no = np.log(np.maximum(1 - side.rate, tiny))
    odds = np.log(np.maximum(side.rate, tiny)) - no
    exponent = odds[:, None] * np.arange(ways.shape[1])
    exponent += (side.total * no)[:, None]
    # Positive only where there are more favorable decisions than rows.
    return np.exp(np.minimum(exponent, 0, out=exponent), out=exponent) * ways


@cache
def _binomial_coefficients() -> Floats:
    """Pascal's triangle, zeros to its right."""
    ways = np.zeros((_TABLE + 1, _TABLE + 1))
    ways[:, 0] = 1
    for line in range(1, _TABLE + 1):
        ways[line, 1:] = ways[line - 1, 1:] + ways[line - 1, :-1]
    return ways


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
_FEW = np.array([0.0] + [lgamma(x + 1) - x * log(x) + x for x in range(1, 16)])


def point_probability(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """The probability of a table among those with its margins, accurate at any size.

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
    few = np.flatnonzero(x < len(_FEW))
    rest[few] = _FEW[x[few].astype(np.intp)]
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
