"""From which value to which rows move, for given new counts.

Counts are values × groups × subpopulations; moves are old values × new values × groups ×
subpopulations. As few rows move as the counts allow.
"""

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


def moves_between(old: Counts, new: Counts, *, ordered: bool) -> Counts:
    """The rows that move from one value to another so that old counts become new ones.

    Ordered values exchange rows in order, which takes the fewest steps; otherwise rows of each
    value go where rows are missing, in proportion.

    >>> old, new = np.array([10, 6, 4]), np.array([4, 8, 8])
    >>> moves_between(old[:, None, None], new[:, None, None], ordered=True)[..., 0, 0]
    array([[0, 2, 4],
           [0, 0, 0],
           [0, 0, 0]])
    """
    given, taken = np.maximum(old - new, 0), np.maximum(new - old, 0)
    return in_order(given, taken) if ordered else in_proportion(given, taken)


def moves_across(
    counts: Counts, favorable: NDArray[np.bool_], change: Counts, *, ordered: bool
) -> Counts:
    """The rows that move so that ``change`` more decisions of each group are favorable.

    A negative change makes favorable ones unfavorable. With ordered values rows of the values
    next to the other side move first, each to the nearest value there, the earlier one of two.
    Otherwise rows leave values, and take values, in proportion to the group's rows that have
    them; if it has none on the other side, evenly.

    >>> counts = np.array([5, 3, 8, 4])[:, None, None]
    >>> favorable, three = np.array([False, False, True, True]), np.array([[3]])
    >>> moves_across(counts, favorable, three, ordered=False)[:, 2:, 0, 0]
    array([[1, 1],
           [1, 0],
           [0, 0],
           [0, 0]])
    """
    moves = np.zeros((len(counts), *counts.shape), np.int64)
    for side, count in ((favorable, change.clip(0)), (~favorable, (-change).clip(0))):
        sources, targets = np.flatnonzero(~side), np.flatnonzero(side)
        if not count.any():
            continue
        if ordered:
            distance = abs(sources[:, None] - targets)
            nearest, order = targets[distance.argmin(1)], distance.min(1).argsort(kind="stable")
            left = count.copy()
            for source, target in zip(sources[order], nearest[order], strict=True):
                some = np.minimum(left, counts[source])
                moves[source, target] += some
                left -= some
        else:
            given = apportion(count, counts[sources])
            there = counts[targets]
            shares = np.where(there.any(axis=0), there, 1)
            moves[np.ix_(sources, targets)] += in_proportion(given, apportion(count, shares))
    return moves


def in_order(given: Counts, taken: Counts) -> Counts:
    """The first row that is given goes where the first is taken, and so on."""
    ends = np.cumsum(given, axis=0)[:, None], np.cumsum(taken, axis=0)[None]
    begins = ends[0] - given[:, None], ends[1] - taken[None]
    both = np.minimum(*ends) - np.maximum(*begins)
    return np.asarray(both, np.int64).clip(0)


def in_proportion(given: Counts, taken: Counts) -> Counts:
    """Each value's rows are shared among those that still take some, by largest remainder."""
    moves = np.zeros((len(given), *taken.shape), np.int64)
    left = taken.copy()
    for source, rows in enumerate(given):
        moves[source] = apportion(rows, left)
        left -= moves[source]
    return moves


def apportion(total: Counts, shares: Counts) -> Counts:
    """Whole numbers that sum to the total, in proportion to shares, by largest remainder.

    Of equal remainders the first is served first. None exceeds its share if the total does not
    exceed their sum.

    >>> apportion(np.array(10), np.array([1, 1, 1]))
    array([4, 3, 3])
    """
    exact = int(total.max(initial=0)) * int(shares.max(initial=0)) < np.iinfo(np.int64).max
    product = total * (shares if exact else shares.astype(object))
    whole = np.maximum(shares.sum(axis=0), 1)
    counts, remainders = (product // whole).astype(np.int64), (product % whole).astype(np.int64)
    left = np.where(shares.any(axis=0), total - counts.sum(axis=0), 0)
    order = (-remainders).argsort(axis=0, kind="stable")
    place = order.argsort(axis=0, kind="stable")
    return np.asarray(counts + (place < left), np.int64)
