"""An oracle: the smallest change of favorable counts of two groups.

Two groups have some favorable decisions each; both counts may change until their rates differ
by less than the threshold. The pairs of counts that do so are the integer points of a strip
around the line of equal rates. Which of them can be nearest follows from its shape, and where
they lie is computed as a greatest common divisor is. So nothing is scanned, the answer is
proven at every size and threshold, and Python's integers do not overflow.

Groups of s ≤ l rows have a and b favorable decisions, the larger group ahead: b/l - a/s ≥ τ
(else the unfavorable ones are counted). New counts (x, y) do if abs(y·s - x·l) ≤ m, the
largest whole number below τ·s·l. With y(x) = floor((x·l + m)/s) on the upper edge of the
strip and x(y) = ceil((y·s - m)/l) on the lower one, both rising, the nearest point is of
one of three kinds.

y ≥ b: then x ≥ x(y) > a, so x + y counts: the first y ≥ b that has an x at all, with x(y).
y < b and x ≥ a: then x < x(b), else y = b would do, and the best y is y(x). Changes number
(b - a) - (y(x) - x), and y(x) - x never falls: the last x < x(b) that has a y. Those with
equally many changes are an interval of x; its first x with a y changes the smaller group
least.
y < b and x < a: again y = y(x), and x + y(x) rises: the last x < a that has a y.

To lower x and raise y moves away from the strip. To raise only allows the first kind, or,
if the smaller group is ahead, the third. That x has a y means (x·l + m) mod s ≤ 2m; the
first such x follows from Euclid's reduction of (l, s).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Pair(NamedTuple):
    """A number for the smaller group and one for the larger."""

    small: int
    large: int


def feasible_range(count: int, size: int, other_size: int, threshold: Fraction) -> range:
    """The counts of another group whose rate is less than the threshold from ``count/size``.

    >>> feasible_range(90, 200, 600, Fraction(1, 20))  # 240 of 600 would differ by exactly 1/20
    range(241, 300)
    """
    return _Strip.of(Pair(size, other_size), threshold).larges(count)


def fewest_changes(
    yes: Pair, sizes: Pair, threshold: Fraction, *, asks_small: bool, only_raise: bool = False
) -> Pair:
    """The favorable counts that meet the criterion with the fewest changed decisions.

    Among equally few, as few as possible fall on the group asked about, which is the smaller
    one if ``asks_small``. With ``only_raise`` no favorable decision is taken back. A solution
    always exists: all favorable, or none.

    >>> fewest_changes(Pair(90, 240), Pair(200, 600), Fraction(1, 20), asks_small=False)
    Pair(small=89, large=240)
    """
    strip = _Strip.of(sizes, threshold)
    ahead = yes.large * sizes.small - yes.small * sizes.large
    is_ahead = ahead > strip.slack
    if not is_ahead and ahead >= -strip.slack:
        return yes
    # If the larger group is behind, it is ahead of unfavorable decisions: one case to solve.
    turn = Pair._make if is_ahead else strip.mirror
    start = turn(yes)
    if not only_raise:
        pairs = [strip.first_at_or_above(start), *strip.best_below(start)]
    elif is_ahead:
        pairs = [strip.first_at_or_above(start)]
    else:
        pairs = [strip.last_at_or_left_of(start)]

    def cost(pair: Pair) -> tuple[int, int, int]:
        of_small, of_large = abs(pair.small - yes.small), abs(pair.large - yes.large)
        return of_small + of_large, of_small if asks_small else of_large, pair.small

    return min(map(turn, pairs), key=cost)


def nearest_counts(target: tuple[float, float], sizes: Pair, threshold: Fraction) -> Pair:
    """The favorable counts that meet the criterion nearest to a target of real numbers."""
    strip = _Strip.of(sizes, threshold)
    x, y = map(Fraction, target)
    best: tuple[Fraction | float, Pair] = (inf, sizes)
    begin = min(max(round(x), 0), sizes.small)
    for smalls in (strip.smalls_up(begin), strip.smalls_down(begin)):
        for small in smalls:
            across = _square(small - x)
            beyond = abs(y * sizes.small - small * sizes.large) - strip.slack
            gap = max(beyond, Fraction()) / sizes.small
            # The distance to the strip is convex: once above the least it stays there.
            if across + _square(gap) > best[0]:
                break
            larges = strip.larges(small)
            large = min(max(round(y), larges[0]), larges[-1])
            best = min(best, (across + _square(large - y), Pair(small, large)))
    return best[1]


def _square(number: Fraction) -> Fraction:
    return number * number


@dataclass(frozen=True, slots=True)
class _Strip:
    """The pairs that meet the criterion: ``|y * sizes.small - x * sizes.large| <= slack``.

    Here x is a count of the smaller group and y one of the larger. Where any whole y goes with
    an x, one between 0 and the size does.
    """

    sizes: Pair
    slack: int

    @classmethod
    def of(cls, sizes: Pair, threshold: Fraction) -> "_Strip":
        product = sizes.small * sizes.large * threshold.numerator
        return cls(sizes, (product - 1) // threshold.denominator)

    def mirror(self, pair: Pair) -> Pair:
        """The unfavorable decisions of favorable ones, or the reverse."""
        return Pair(self.sizes.small - pair.small, self.sizes.large - pair.large)

    def larges(self, small: int) -> range:
        """The counts of the larger group that go with one of the smaller."""
        center, step = small * self.sizes.large, self.sizes.small
        low, high = -((self.slack - center) // step), (self.slack + center) // step
        return range(max(low, 0), min(high, self.sizes.large) + 1)

    def smalls_up(self, small: int) -> Iterator[int]:
        """The counts of the smaller group, from this upward, that occur in a pair."""
        size, large = self.sizes
        while True:
            small += _first_hit(large, small * large + self.slack, size, 2 * self.slack)
            if small > size:
                return
            yield small
            small += 1

    def smalls_down(self, small: int) -> Iterator[int]:
        """The counts of the smaller group, from this downward, that occur in a pair."""
        return map(self.sizes.small.__sub__, self.smalls_up(self.sizes.small - small))

    def first_at_or_above(self, pair: Pair) -> Pair:
        """The nearest pair for a larger group ahead whose count may only rise."""
        size, large = self.sizes
        count = pair.large
        count += _first_hit(size, count * size + self.slack, large, 2 * self.slack)
        return Pair(-((self.slack - count * size) // large), count)

    def last_at_or_left_of(self, pair: Pair) -> Pair:
        """The nearest pair for a larger group ahead if the smaller's count may only fall."""
        small = next(self.smalls_down(pair.small))
        return Pair(small, self.larges(small)[-1])

    def best_below(self, pair: Pair) -> Iterator[Pair]:
        """The nearest pairs for a larger group ahead whose count must fall.

        First that with the fewest changes in the larger group, then that with the fewest in the
        smaller; a pair between them has as many changes.
        """
        size, large = self.sizes
        alone = -((self.slack - pair.large * size) // large)  # changes only the smaller group
        last = self.last_at_or_left_of(Pair(alone - 1, pair.large))
        yield last
        # Along the strip's upper edge large - small never falls: from where is it as much?
        begin = pair.small
        if large > size:
            edge = (last.large - last.small) * size - self.slack
            begin = max(begin, -(-edge // (large - size)))
        small = next(self.smalls_up(begin))
        yield Pair(small, self.larges(small)[-1])


def _first_hit(step: int, start: int, modulus: int, width: int) -> int:
    """The first n >= 0 for which ``(start + n * step) % modulus <= width``; there must be one.

    >>> [n for n in range(100) if (7 + n * 31) % 100 <= 4][0], _first_hit(31, 7, 100, 4)
    (3, 3)
    """
    start %= modulus
    if start <= width:
        return 0
    return _first_multiple(step % modulus, modulus, modulus - start, modulus - start + width)


def _first_multiple(step: int, modulus: int, low: int, high: int) -> int:
    """The first n with ``0 < low <= n * step % modulus <= high``, by Euclid's reduction."""
    n = -(-low // step)
    if n * step <= high:
        return n
    # No multiple lies within before the modulus is passed: how often is it passed?
    passed = _first_multiple(modulus % step, step, -high % step, -low % step)
    return -(-(low + modulus * passed) // step)


def quotas(
    sizes: NDArray[np.int64], targets: NDArray[np.float64], threshold: Fraction
) -> tuple[int, int]:
    """The favorable decisions of two groups of rows, feasible and nearest to the targets.

    >>> quotas(np.array([200, 600]), np.array([90.0, 240.0]), Fraction(1, 20))
    (89, 240)
    """
    small, large = (0, 1) if sizes[0] <= sizes[1] else (1, 0)
    counts = nearest_counts(
        (float(targets[small]), float(targets[large])),
        Pair(int(sizes[small]), int(sizes[large])),
        threshold,
    )
    return (counts.small, counts.large) if small == 0 else (counts.large, counts.small)
