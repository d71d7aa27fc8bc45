"""The fewest changed rows for decisions of more than two values.

Counts are values × groups × subpopulations, and a group keeps its rows. ``every`` wants the
rates of each value in one window, ``cumulative`` those of each cut of ordered values: the share
of rows up to it. Over all windows at once that is an integer programme, one for each distinct
subpopulation; the fewest steps along the order need none, but one sweep for each cut.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evenhand.removal.integer_programme import TOLERANCE, solve_integers, strict_difference
from evenhand.removal.window_change import distinct_columns, fewest_in_window, within_window

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
