"""The fewest changed rows for decisions of more than two values.

Counts are values × groups × subpopulations, and a group keeps its rows. ``every`` wants the
rates of each value in one window, ``cumulative`` those of each cut of ordered values: the share
of rows up to it. Over all windows at once that is an integer programme, one for each distinct
subpopulation; the fewest steps along the order need none, but one sweep for each cut.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import combinations
from math import ceil, lcm
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.removal.fewest_changes import distinct_columns, fewest_in_window, within_window

Counts = NDArray[np.int64]

# HiGHS accepts a constraint that is violated by so much.
TOLERANCE = 1e-6
_ONE_AT_A_TIME = Lock()


def fewest_rows(
    counts: Counts,
    threshold: Fraction,
    *,
    cumulative: bool = False,
    reference: int | None = None,
) -> Counts:
    """New counts with the fewest changed rows whose rates of every value lie in one window.

    With ``cumulative`` it is the rates up to every cut. With a ``reference`` each rate lies
    less than the threshold from that group's. Of equally small changes the solver's is taken,
    the same in each run.

    >>> table = np.array([[10, 6, 4], [9, 20, 21]]).T[..., None]
    >>> int(abs(fewest_rows(table, Fraction(1, 20)) - table).sum()) // 2
    6
    """
    values, groups, _ = counts.shape
    cuts = np.tri(values, dtype=np.int64)[:-1] if cumulative else np.eye(values, dtype=np.int64)
    left = np.flatnonzero(~meets_every_cut(counts, threshold, cuts, reference=reference))
    columns = counts[..., left].reshape(values * groups, -1)
    distinct, which = distinct_columns(columns)
    solved = distinct.reshape(values, groups, -1)
    for at in range(solved.shape[-1]):
        present = np.flatnonzero(solved[..., at].sum(axis=0))
        pairs = [
            (a, b)
            for a, b in combinations(range(len(present)), 2)
            if reference is None or reference in (present[a], present[b])
        ]
        solved[:, present, at] = _solve(solved[:, present, at], threshold, cuts, pairs)
    new = counts.copy()
    new[..., left] = solved[..., which]
    return new


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
    first, second = np.array(pairs, np.intp).reshape(-1, 2).T
    each = np.arange(len(pairs))
    rates[each, first], rates[each, second], most = strict_differences(
        rows[first], rows[second], threshold
    )
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


def strict_differences(
    first: NDArray[np.int64], second: NDArray[np.int64], threshold: Fraction
) -> NDArray[np.float64]:
    """What multiplies the counts of two groups of these sizes, and the largest difference.

    Rates of the two groups differ by multiples of 1 / lcm of their sizes, by less than the
    threshold. The unit is a row of the smaller group, beside which HiGHS tolerates little.
    """
    limits = np.zeros((3, len(first)))
    for at, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        common, unit = lcm(a, b), min(a, b)
        most = Fraction((ceil(threshold * common) - 1) * unit, common)
        limits[:, at] = unit / a, -unit / b, float(most)
    return limits


def solve_integers(
    objective: NDArray[np.float64],
    *,
    integrality: NDArray[np.int64],
    bounds: tuple[NDArray[Any] | float, NDArray[Any] | float],
    constraints: Sequence[tuple[Any, Any, Any]],
    nodes: int | None = None,
    gap: float = 0.0,
) -> Any:  # noqa: ANN401  # scipy's result
    """Minimize up to a relative gap; each constraint is a matrix, its lower and upper limit.

    ``nodes`` limits the search tree, never the time: the same input gives the same answer.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415  # slow to import

    options = {"mip_rel_gap": gap} | ({} if nodes is None else {"node_limit": nodes})
    with _output_on_stderr():
        return milp(
            objective,
            integrality=integrality,
            bounds=Bounds(*bounds),
            constraints=[LinearConstraint(*one) for one in constraints],
            options=options,
        )


@contextmanager
def _output_on_stderr() -> Iterator[None]:
    """Send what HiGHS prints about large programmes, whatever its options, to stderr.

    The output belongs to the whole process, so one thread at a time may send it elsewhere.
    """
    if sys.stdout is None:  # a program without a console
        yield
        return
    with _ONE_AT_A_TIME:
        sys.stdout.flush()
        saved = os.dup(1)
        os.dup2(2, 1)
        try:
            yield
        finally:
            os.dup2(saved, 1)
            os.close(saved)
