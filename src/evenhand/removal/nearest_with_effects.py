"""The rates nearest to given ones, in weighted squares, under limits of joint effects.

Each effect gets a price for either limit. At given prices every line is solved in closed form:
its rates, shifted by what they cost, are projected on the square of rates and, where they are
compared, on the strip around its diagonal. The best prices maximize a smooth concave function.

Whole numbers near these rates can miss a limit by a little. The fewest further changes mend
that; limits that are closer by a margin would move all rates.
"""

from dataclasses import dataclass, replace

import numpy as np

from evenhand.removal.fewest_with_effects import fewest_with_effects, no_such_counts
from evenhand.removal.line_candidates import Floats
from evenhand.removal.linear_effects import Counts, JointProblem
from evenhand.removal.nearest_rates import nearest_counts_in_window


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NearestChange:
    """The nearest rates, favorable counts that follow them, and how far the rates moved."""

    rates: Floats
    counts: Counts
    distance: float


def nearest_with_effects(problem: JointProblem, weights: Floats) -> NearestChange:
    """The rates nearest in weighted squares, and counts near them that meet the criterion.

    ``weights`` are groups × lines. A rate of no rows is not a number. Raises
    ``CannotReleaseError`` if no counts meet the criterion.
    """
    if not problem.leaves_values:
        raise no_such_counts()
    present = problem.rows > 0
    old = problem.old / np.maximum(problem.rows, 1)
    scale = float(weights[present].max(initial=0.0)) or 1.0
    # A weight of zero would let a price move the rate without end.
    shares = np.where(present, np.maximum(weights / scale, 1e-12), 1.0)
    rates = np.where(present, _nearest(problem, old, shares), old)
    near = replace(problem, old=_round(problem, rates))
    return NearestChange(
        rates=np.where(present, rates, np.nan),
        counts=fewest_with_effects(near).counts,
        distance=float(np.sqrt((weights * (rates - old) ** 2)[present].sum())),
    )


def _nearest(problem: JointProblem, old: Floats, shares: Floats) -> Floats:
    from scipy.optimize import minimize  # noqa: PLC0415  # slow to import

    per_rate = problem.per_decision * problem.rows
    sides = np.concatenate([per_rate, -per_rate])
    if not len(sides):
        return _project(problem, old, shares)
    lower, upper = problem.limits
    limits = np.concatenate([upper, -lower])
    # In these units each price alone has curvature one, if no rate is at a limit.
    unit = 1 / np.sqrt(np.maximum((sides**2 / (2 * shares)).sum(axis=(1, 2)), 1e-300))

    def rates_at(prices: Floats) -> Floats:
        shift = np.tensordot(prices * unit, sides, 1) / (2 * shares)
        return _project(problem, old - shift, shares)

    def loss(prices: Floats) -> tuple[float, Floats]:
        rates = rates_at(prices)
        excess = (np.tensordot(sides, rates, 2) - limits) * unit
        return -float((shares * (rates - old) ** 2).sum() + prices @ excess), -excess

    answer = minimize(
        loss,
        np.zeros(len(sides)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * len(sides),
        options={"maxiter": 500, "maxfun": 2_000, "ftol": 1e-16, "gtol": 1e-10},
    )
    return rates_at(answer.x)


def _project(problem: JointProblem, rates: Floats, shares: Floats) -> Floats:
    """The nearest rates from 0 to 1 that differ by at most the threshold where compared."""
    threshold = float(problem.threshold)
    near = np.clip(rates, 0.0, 1.0)
    apart = near[1] - near[0]
    beyond = np.flatnonzero(problem.compared & (abs(apart) > threshold))
    gap = np.sign(apart[beyond]) * threshold
    first, second = shares[:, beyond]
    begin = first * rates[0, beyond] + second * (rates[1, beyond] - gap)
    begin = np.clip(begin / (first + second), np.maximum(-gap, 0), 1 - np.maximum(gap, 0))
    near[:, beyond] = begin, begin + gap
    return near


def _round(problem: JointProblem, rates: Floats) -> Counts:
    """Whole numbers of decisions: in each line the nearest that meet the criterion there."""
    targets, rows, compared = rates * problem.rows, problem.rows, problem.compared
    counts = np.rint(targets).astype(np.int64)
    counts[:, compared] = nearest_counts_in_window(
        targets[:, compared], rows[:, compared], problem.threshold
    )
    return counts
