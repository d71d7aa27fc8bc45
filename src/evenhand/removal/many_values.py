"""The fewest changed rows for decisions of more than two values, and which rows become what.

Counts are values × groups × subpopulations, and a group keeps its rows. ``every`` wants the
rates of each value in one window, ``cumulative`` those of each cut of ordered values: the share
of rows up to it. Over all windows at once that is an integer programme, one for each distinct
subpopulation; the fewest steps along the order need none, but one sweep for each cut. Moves are
old values × new values × groups × subpopulations: as few rows move as the counts allow.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evenhand.removal.integer_programme import TOLERANCE, solve_integers, strict_difference
from evenhand.removal.window import distinct_columns, fewest_in_window, within_window

Counts = NDArray[np.int64]


def fewest_rows_every(
    counts: Counts, threshold: Fraction, *, reference: int | None = None
) -> Counts:
    """New counts with the fewest changed rows whose rates of every value lie in one window.

    With a ``reference`` each rate lies less than the threshold from that group's. Of equally
    small changes the solver's is taken, the same in each run.

    >>> table = np.array([[10, 6, 4], [9, 20, 21]]).T[..., None]
    >>> int(abs(fewest_rows_every(table, Fraction(1, 20)) - table).sum()) // 2
    6
    """
    return _fewest_rows(counts, threshold, np.eye(len(counts), dtype=np.int64), reference)


def fewest_rows_cumulative(
    counts: Counts, threshold: Fraction, *, reference: int | None = None
) -> Counts:
    """New counts with the fewest changed rows whose rates up to every cut lie in one window."""
    cuts = np.tri(len(counts), dtype=np.int64)[:-1]
    return _fewest_rows(counts, threshold, cuts, reference)


def fewest_steps_cumulative(
    counts: Counts, threshold: Fraction, *, reference: int | None = None
) -> Counts:
    """New counts with the fewest steps along the order whose rates up to every cut fit.

    A row that moves from the first value to the third takes two steps. Each cut is solved by
    itself, with its lowest best window. A cut's sums are at least those of the cut before, and
    with larger counts the cost falls more, or rises less, as the window moves up: so these
    windows rise from cut to cut, the new sums never fall, and no other steps are fewer.

    >>> table = np.array([[10, 6, 4], [9, 20, 21]]).T[..., None]
    >>> fewest_steps_cumulative(table, Fraction(1, 20))[..., 0].T
    array([[ 4,  8,  8],
           [ 9, 20, 21]])
    """
    sums = np.cumsum(counts, axis=0)
    rows = sums[-1]
    for cut in sums[:-1]:
        cut[:], _ = fewest_in_window(cut, rows, threshold, reference=reference, lowest=True)
    new = np.diff(sums, axis=0, prepend=0)
    if (new < 0).any():
        message = "the sums of ordered values fell from one cut to the next"
        raise ArithmeticError(message)
    return new


def meets_every_cut(
    counts: Counts,
    threshold: Fraction,
    cuts: NDArray[np.int64],
    *,
    reference: int | None = None,
) -> NDArray[np.bool_]:
    """Where the rates of each sum of values (one row of ``cuts``) meet the criterion."""
    rows = counts.sum(axis=0)
    meets = np.ones(rows.shape[1], np.bool_)
    for cut in cuts:
        favorable = np.tensordot(cut, counts, 1)
        meets &= within_window(favorable, rows, threshold, reference=reference)
    return meets


def _fewest_rows(
    counts: Counts, threshold: Fraction, cuts: NDArray[np.int64], reference: int | None
) -> Counts:
    left = np.flatnonzero(~meets_every_cut(counts, threshold, cuts, reference=reference))
    values, groups, _ = counts.shape
    one_of_each, which = distinct_columns(counts[..., left].reshape(values * groups, -1))
    new = counts.copy()
    solved = counts[..., left[one_of_each]]
    for at in range(solved.shape[-1]):
        present = np.flatnonzero(solved[..., at].sum(axis=0))
        pairs = [
            (a, b)
            for a, b in combinations(range(len(present)), 2)
            if reference is None or reference in (present[a], present[b])
        ]
        solved[:, present, at] = _solve(solved[:, present, at], threshold, cuts, pairs)
    new[..., left] = solved[..., which]
    return new


def _solve(
    counts: Counts,
    threshold: Fraction,
    cuts: NDArray[np.int64],
    pairs: list[tuple[int, int]],
) -> Counts:
    """The integer programme of one subpopulation, its answer checked in integers.

    Unknowns are the new counts and, as many again, by how much each rises. If the solver's
    tolerance let a rate reach the threshold, it is kept off by twice that, millionths of a row.
    """
    for spared in (0.0, 2 * TOLERANCE):
        new = _programme(counts, threshold, cuts, pairs, spared)
        kept = (new >= 0).all() and (new.sum(axis=0) == counts.sum(axis=0)).all()
        if kept and all(
            meets_every_cut(new[:, pair, None], threshold, cuts)[0] for pair in pairs
        ):
            return new
    message = "the integer programme has an answer that its exact check refuses"
    raise ArithmeticError(message)


def _programme(
    counts: Counts,
    threshold: Fraction,
    cuts: NDArray[np.int64],
    pairs: list[tuple[int, int]],
    spared: float,
) -> Counts:
    from scipy.sparse import csr_array, eye_array, hstack, kron  # noqa: PLC0415

    values, groups = counts.shape
    rows = counts.sum(axis=0)
    size = counts.size
    old = counts.ravel().astype(np.float64)
    rates = np.zeros((len(pairs), groups))
    most = np.zeros(len(pairs))
    for at, pair in enumerate(pairs):
        first, second = (int(rows[group]) for group in pair)
        *rates[at, pair], most[at] = strict_difference((first, second), threshold)
    apart = kron(csr_array(cuts), csr_array(rates))
    limit = np.tile(np.maximum(most - spared, 0.0), len(cuts))
    nothing = csr_array((groups, size))
    totals = kron(np.ones((1, values)), eye_array(groups))
    answer = solve_integers(
        np.repeat([0.0, 1.0], size),
        integrality=np.repeat([1, 0], size),
        bounds=(0, np.concatenate([np.tile(rows, values), np.full(size, np.inf)])),
        constraints=[
            (hstack([apart, csr_array(apart.shape)]), -limit, limit),
            (hstack([totals, nothing]), rows, rows),
            (hstack([eye_array(size), -eye_array(size)]), -np.inf, old),
        ],
    )
    if answer.x is None:  # all rows of one value are always a solution
        raise ArithmeticError(answer.message)
    return np.asarray(np.rint(answer.x[:size]), np.int64).reshape(counts.shape)


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
