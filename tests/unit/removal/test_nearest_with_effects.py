"""Nearest rates under joint effects, against a quadratic programme solver."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests.joint_brute_force import LOAN_FAVORABLE, LOAN_ROWS, loan_effects, random_problem

from evenhand.errors import CannotReleaseError
from evenhand.removal.linear_effects import JointProblem
from evenhand.removal.nearest_rates import nearest_rates
from evenhand.removal.nearest_with_effects import _nearest, nearest_with_effects

TAU = Fraction(1, 20)
ALL, NONE = np.full(4, fill_value=True), np.full(4, fill_value=False)


def solved(problem, weights):
    """The same programme by CVXOPT: rates of all cells, closed limits."""
    cvxopt = pytest.importorskip("cvxopt")
    size, lines = problem.rows.size, problem.rows.shape[1]
    old = (problem.old / np.maximum(problem.rows, 1)).ravel()
    sides, limits = [*np.eye(size), *-np.eye(size)], [*np.ones(size), *np.zeros(size)]
    for line in np.flatnonzero(problem.compared):
        gap = np.zeros(size)
        gap[[line, line + lines]] = -1.0, 1.0
        sides += [gap, -gap]
        limits += [float(problem.threshold)] * 2
    for effect in problem.effects:
        row = np.where(problem.rows > 0, effect.weights.astype(float), 0.0).ravel()
        low, high = map(float, effect.closed_limits(problem.rows))
        sides += [row, -row]
        limits += [high, -low]
    cvxopt.solvers.options.update(
        show_progress=False, abstol=1e-13, reltol=1e-13, feastol=1e-13
    )
    matrix, w = cvxopt.matrix, weights.ravel()
    answer = cvxopt.solvers.qp(
        matrix(2 * np.diag(w)),
        matrix(-2 * w * old),
        matrix(np.array(sides)),
        matrix(np.array(limits)),
    )
    return np.array(answer["x"]).reshape(problem.rows.shape)


@pytest.mark.parametrize("seed", range(12))
def test_the_rates_are_the_optimum_of_the_quadratic_programme(seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, lines=5, most_rows=30)
    weights = 0.05 + rng.random(problem.rows.shape)
    old = problem.old / np.maximum(problem.rows, 1)
    found = np.where(problem.rows > 0, _nearest(problem, old, weights), old)
    best = np.where(problem.rows > 0, solved(problem, weights), old)
    assert found == pytest.approx(best, abs=2e-5)
    assert (weights * (found - old) ** 2).sum() == pytest.approx(
        (weights * (best - old) ** 2).sum(), abs=1e-6
    )


@pytest.mark.parametrize("compared", [ALL, NONE])
def test_counts_of_the_loan_table_meet_everything(compared):
    effects = loan_effects(TAU)
    problem = JointProblem.of(LOAN_FAVORABLE, LOAN_ROWS, TAU, effects, compared=compared)
    weights = (LOAN_ROWS / LOAN_ROWS.sum()) ** 2
    change = nearest_with_effects(problem, weights)
    assert problem.is_met(change.counts)
    moved = change.rates - LOAN_FAVORABLE / LOAN_ROWS
    assert change.distance == pytest.approx(float(np.sqrt((weights * moved**2).sum())))
    assert abs(change.counts - change.rates * LOAN_ROWS).sum() <= 8


def test_without_effects_the_rates_are_those_of_each_line():
    problem = JointProblem.of(LOAN_FAVORABLE, LOAN_ROWS, TAU, (), compared=ALL)
    weights = (LOAN_ROWS / LOAN_ROWS.sum()) ** 2
    expected = nearest_rates(LOAN_FAVORABLE / LOAN_ROWS, weights, 0.05)
    assert nearest_with_effects(problem, weights).rates == pytest.approx(expected)


def test_a_group_without_rows_has_no_rate_and_keeps_its_counts():
    rows, favorable = LOAN_ROWS.copy(), LOAN_FAVORABLE.copy()
    rows[0, 0] = favorable[0, 0] = 0
    problem = JointProblem.of(
        favorable, rows, TAU, loan_effects(TAU), compared=(rows > 0).all(axis=0)
    )
    change = nearest_with_effects(problem, (rows / rows.sum()) ** 2)
    assert np.argwhere(np.isnan(change.rates)).tolist() == [[0, 0]]
    assert change.counts[0, 0] == 0


def test_limits_that_leave_nothing_are_refused():
    effect = replace(loan_effects(TAU)[0], lower=Fraction(0), upper=Fraction(0))
    problem = JointProblem.of(LOAN_FAVORABLE, LOAN_ROWS, TAU, [effect], compared=ALL)
    with pytest.raises(CannotReleaseError, match="meet the criterion"):
        nearest_with_effects(problem, np.ones((2, 4)))
