"""The fewest changed decisions that meet the criterion in each line and limits of effects.

Effects join all lines, so the lines cannot be solved one by one. If the solution without the
effects happens to keep them within their limits, it is the answer. Otherwise the effects get
prices, at which the lines can be solved one by one again, but for a few lines in doubt; these
are an integer programme. Prices give a lower bound. If it is not reached, and there are not too
many counts, all of them are an integer programme.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from evenhand.errors import CannotReleaseError, Remedy
from evenhand.removal.effect_prices import EffectPrices
from evenhand.removal.integer_programme import TOLERANCE, solve_integers, strict_difference
from evenhand.removal.linear_effects import Counts, JointProblem

MOST_CELLS = 5_000  # counts of one integer programme
MOST_NODES = 2_000  # of its search tree; a limit of time would make plans differ
_LINES_IN_DOUBT = (60, 240, 960)
# Off the limits of effects. The first limits are closed: their optimum is never above the true.
_MARGINS = (0.0, 1e-7, 1e-6, 1e-5)
_INFEASIBLE = 2  # as scipy numbers it


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class JointChange:
    """New favorable counts, how many decisions change, and how many must at least."""

    counts: Counts
    changed: int
    lower_bound: int

    @property
    def is_proven(self) -> bool:
        """Whether nothing with fewer changes meets the criterion."""
        return self.changed == self.lower_bound


def fewest_with_effects(problem: JointProblem) -> JointChange:
    """The new favorable counts with the fewest changes.

    Raises ``CannotReleaseError`` if no counts meet the criterion, or none were found.

    >>> from fractions import Fraction
    >>> from evenhand.removal.linear_effects import LinearEffect
    >>> old, rows = np.array([[4, 2], [8, 8]]), np.array([[10, 10], [10, 20]])
    >>> weights = np.array([[Fraction(-1, 4), Fraction(1, 4)], [Fraction(0)] * 2])
    >>> effect = LinearEffect(weights=weights, lower=Fraction(-1, 50), upper=Fraction(1, 50))
    >>> both = np.array([True, True])
    >>> problem = JointProblem.of(old, rows, Fraction(1, 4), [effect], compared=both)
    >>> change = fewest_with_effects(problem)
    >>> change.counts.tolist(), change.changed, change.is_proven
    ([[4, 4], [6, 8]], 4, True)
    """
    known, possible = problem.without_effects()
    if not possible.all() or not problem.leaves_values:
        raise no_such_counts()
    lower_bound = problem.changed(known)
    if problem.is_met(known):
        return JointChange(counts=known, changed=lower_bound, lower_bound=lower_bound)
    answers: list[Counts] = []
    for counts, bound in _attempts(problem, known):
        if bound > problem.rows.sum():
            raise no_such_counts()
        lower_bound = max(lower_bound, ceil(bound - TOLERANCE))
        answers += [] if counts is None else [counts]
        if answers and min(map(problem.changed, answers)) <= lower_bound:
            break
    if not answers:
        raise none_found()
    best = min(answers, key=problem.changed)
    changed = problem.changed(best)
    return JointChange(counts=best, changed=changed, lower_bound=min(lower_bound, changed))


def _attempts(problem: JointProblem, known: Counts) -> Iterator[tuple[Counts | None, float]]:
    """Counts that the exact check accepts, if any were found, and a lower bound of changes.

    Lines get their best counts at the best prices, but those in doubt are solved together; then
    all lines, if they are not too many.
    """
    search = EffectPrices(problem, known)
    prices, bound = search.best()
    yield None, bound
    counts, order = search.at(prices).counts, search.by_doubt(prices)
    for free in _LINES_IN_DOUBT:
        if free < len(order):
            answer, _ = _by_programme(problem.with_free(order[:free], counts))
            yield answer, bound
            if answer is not None:
                break
    cells = np.count_nonzero(problem.lowest < problem.highest)
    if cells <= MOST_CELLS or len(order) <= _LINES_IN_DOUBT[0]:
        yield _by_programme(problem)


def _by_programme(problem: JointProblem) -> tuple[Counts | None, float]:
    """The same by an integer programme; the bound is infinite if nothing can do."""
    bound = 0.0
    for margin in _MARGINS:
        answer = _programme(problem, margin)
        if not margin:
            bound = np.inf if answer.status == _INFEASIBLE else answer.mip_dual_bound or 0.0
        if answer.x is None:
            break
        up, down = np.rint(answer.x).astype(np.int64).reshape(2, *problem.old.shape)
        if problem.is_met(counts := problem.old + up - down):
            return counts, bound
        if answer.status:  # not solved within the limit of nodes
            break
    return None, bound


def _programme(problem: JointProblem, margin: float) -> Any:  # noqa: ANN401  # scipy's result
    """Unknowns: by how much each count rises, and by how much it falls."""
    from scipy.sparse import coo_array, csr_array, hstack, vstack  # noqa: PLC0415

    rows, size = problem.rows, problem.old.size
    lines = np.flatnonzero(problem.compared)
    most, rates = np.zeros(len(lines)), np.zeros((2, len(lines)))
    for at, line in enumerate(lines.tolist()):
        first, second = rows[:, line].tolist()
        *rates[:, at], most[at] = strict_difference((first, second), problem.threshold)
    # What HiGHS tolerates is much less than a row in each line, and than the margin.
    most = np.maximum(most - (2 * TOLERANCE if margin else 0.0), 0.0)
    cells = np.stack([lines, lines + rows.shape[1]])
    apart = coo_array(
        (rates.ravel(), (np.tile(np.arange(len(lines)), 2), cells.ravel())),
        shape=(len(lines), size),
    )
    effects = problem.per_decision.reshape(-1, size)
    unit = 1 / np.maximum(np.abs(effects).max(axis=1, initial=0.0), 1e-300)
    lower, upper = (problem.limits + np.array([[margin], [-margin]])) * unit
    matrix = vstack([apart, csr_array(effects * unit[:, None])])
    now = matrix @ problem.old.ravel()
    low, high = problem.lowest - problem.old, problem.highest - problem.old
    return solve_integers(
        np.ones(2 * size),
        integrality=np.ones(2 * size, np.int64),
        bounds=(
            np.maximum([low, -high], 0).ravel(),
            np.maximum([high, -low], 0).ravel(),
        ),
        constraints=[
            (
                hstack([matrix, -matrix]),
                np.concatenate([-most, lower]) - now,
                np.concatenate([most, upper]) - now,
            )
        ],
        nodes=MOST_NODES,
    )


def no_such_counts() -> CannotReleaseError:
    """The error where no decisions meet the criterion, effects included."""
    return CannotReleaseError.of(
        "No decisions that may change meet the criterion with the effects asked about.",
        "Some decisions may not change, or effects hang too much on people who do not occur.",
        (
            Remedy("Let decisions of all groups change, both ways", "policy", "minimal"),
            Remedy("choose a larger threshold"),
            Remedy("merge rare values of attributes", "merge"),
        ),
    )


def none_found() -> CannotReleaseError:
    """The error where rounded numbers gave no counts that the exact check accepts."""
    return CannotReleaseError.of(
        "No decisions were found that meet the criterion with the effects asked about.",
        "The exact check refused every solution that was found with rounded numbers.",
        (
            Remedy("Ask for a small margin"),
            Remedy("choose another threshold"),
        ),
    )
