"""The smallest change of favorable counts that meets the criterion in one subpopulation.

Two groups of ``sizes`` rows have some favorable decisions each; both counts may change until
their rates differ by less than the threshold. For every count of the smaller group the feasible
counts of the larger one are an interval, so the best of them is its nearest point, and the
whole problem is one scan over the smaller group's counts.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import floor
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[Any]  # int64, or Python's integers where products would not fit

_INT64_END = 2**63
# Groups of up to this many rows are scanned whole, larger ones near the turning points.
_WINDOW = 2**12


class Pair(NamedTuple):
    """A number for the smaller group and one for the larger."""

    small: int
    large: int


def feasible_range(
    small: Integers, sizes: Pair, threshold: Fraction
) -> tuple[Integers, Integers]:
    """For each count of the smaller group, the first and last feasible count of the larger.

    >>> low, high = feasible_range(np.array([90]), Pair(200, 600), Fraction(1, 20))
    >>> int(low[0]), int(high[0])  # 240 of 600 would differ by exactly 1/20
    (241, 299)
    """
    step = sizes.small * threshold.denominator
    slack = threshold.numerator * sizes.small * sizes.large
    if (sizes.small * sizes.large + sizes.large) * 2 * threshold.denominator >= _INT64_END:
        small = small.astype(object)
    center = small * (sizes.large * threshold.denominator)
    low = np.maximum((center - slack) // step + 1, 0)
    high = np.minimum(-(-(center + slack) // step) - 1, sizes.large)
    return low, high


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
    small = _candidates(_turning_points(yes, sizes, threshold), sizes.small)
    if only_raise:
        small = small[small >= yes.small]
    low, high = feasible_range(small, sizes, threshold)
    if only_raise:
        low = np.maximum(low, yes.large)
    small, low, high = (column[low <= high] for column in (small, low, high))
    large = np.clip(yes.large, low, high)
    of_small, of_large = abs(small - yes.small), abs(large - yes.large)
    best = np.lexsort((of_small if asks_small else of_large, of_small + of_large))[0]
    return Pair(int(small[best]), int(large[best]))


def nearest_counts(target: tuple[float, float], sizes: Pair, threshold: Fraction) -> Pair:
    """The favorable counts that meet the criterion nearest to a target of real numbers."""
    small = _candidates([round(target[0])], sizes.small)
    low, high = feasible_range(small, sizes, threshold)
    small, low, high = (column[low <= high] for column in (small, low, high))
    large = np.clip(round(target[1]), low, high)
    distance = (small - target[0]) ** 2 + (large - target[1]) ** 2
    best = np.argmin(distance.astype(float))
    return Pair(int(small[best]), int(large[best]))


def _turning_points(yes: Pair, sizes: Pair, threshold: Fraction) -> Iterable[int]:
    """Counts of the smaller group around which the fewest changes lie.

    A change in the smaller group moves the difference at least as far as one in the larger, so
    the total never grows while the smaller group takes changes over from the larger: from none,
    past the first point where the total is least, to the point where it carries all of them.
    """
    difference = Fraction(yes.large, sizes.large) - Fraction(yes.small, sizes.small)
    excess = abs(difference) - threshold
    toward = 1 if difference > 0 else -1
    alone = floor(excess * sizes.small) + 1
    gain = Fraction(sizes.large, sizes.small) - 1
    least = floor((excess * sizes.large - alone) / gain) if gain else 0
    return [yes.small + toward * changes for changes in (0, least, alone)]


def _candidates(points: Iterable[int], size: int) -> NDArray[np.int64]:
    if size <= _WINDOW:
        return np.arange(size + 1)
    reach = _WINDOW // 4
    windows = [np.arange(point - reach, point + reach + 1) for point in points]
    # At the ends all decisions are alike, which always meets the criterion.
    return np.unique(np.clip(np.concatenate([*windows, [0, size]]), 0, size))
