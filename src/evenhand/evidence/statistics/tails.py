"""Tails of the difference of two binomial rates, and of the hypergeometric distribution.

Those of rates are added up, or found by the saddlepoint. The hypergeometric distribution is
that of a table of two by two with its margins fixed, with the cells a, b (the group: favorable,
unfavorable) and c, d (the others). Arrays of equal length, one place for each table.
"""

from collections.abc import Sequence
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
