"""Fewest changes under joint effects: brute force, prices against the whole programme."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests.joint_brute_force import (
    LOAN_FAVORABLE,
    LOAN_ROWS,
    changes_of_size,
    fewest_changes,
    larger_problem,
    loan_effects,
    meets,
    random_problem,
)

from evenhand.errors import CannotReleaseError
from evenhand.removal import fewest_with_effects as module
from evenhand.removal.fewest_with_effects import fewest_with_effects
from evenhand.removal.linear_effects import JointProblem

TAU = Fraction(1, 20)
THROUGH, DIRECT = loan_effects(TAU), loan_effects(TAU, direct=True)
ALL, NONE = np.full(4, fill_value=True), np.full(4, fill_value=False)
LOANS = {
    "per cell": ((), ALL, 5),
    "averages": ((*THROUGH, *DIRECT), NONE, 5),
    "per cell and through zip": (THROUGH, ALL, 7),
    "through zip alone": (THROUGH, NONE, 1),
}


def loan_problem(kind):
    effects, compared, rows = LOANS[kind]
    return JointProblem.of(LOAN_FAVORABLE, LOAN_ROWS, TAU, effects, compared=compared), rows


@pytest.mark.parametrize("kind", LOANS)
def test_the_loan_table_needs_its_published_rows(kind):
    problem, rows = loan_problem(kind)
    change = fewest_with_effects(problem)
    assert (change.changed, change.lower_bound, change.is_proven) == (rows, rows, True)
    assert meets(problem, change.counts)


def integer_check(problem):
    """The same conditions over one denominator: whole numbers, fast enough for all changes."""
    rows = problem.rows.ravel()
    constraints = []
    for line in np.flatnonzero(problem.compared):
        weights = np.full(problem.rows.shape, Fraction(0), object)
        weights[:, line] = -1, 1
        constraints.append((weights, -problem.threshold, problem.threshold))
    constraints += [(e.weights, e.lower, e.upper) for e in problem.effects]
    whole = []
    for weights, lower, upper in constraints:
        parts = [Fraction(w) / int(n) for w, n in zip(weights.ravel(), rows, strict=True)]
        common = int(np.lcm.reduce([x.denominator for x in (*parts, lower, upper)]))
        whole.append(
            ([int(p * common) for p in parts], int(lower * common), int(upper * common))
        )
    matrix = np.array([row for row, _, _ in whole])
    return matrix, np.array([low for _, low, _ in whole]), np.array([up for _, _, up in whole])


@pytest.mark.parametrize("kind", ["per cell", "averages", "through zip alone"])
def test_no_smaller_change_of_the_loan_table_will_do(kind):
    """All changes of fewer rows, over whole numbers."""
    problem, rows = loan_problem(kind)
    matrix, lower, upper = integer_check(problem)
    for size in range(rows):
        changes = np.array([*changes_of_size(8, size)] or [[0] * 8])
        counts = problem.old.ravel() + changes
        allowed = ((counts >= 0) & (counts <= problem.rows.ravel())).all(axis=1)
        values = counts @ matrix.T
        assert not (allowed & ((values > lower) & (values < upper)).all(axis=1)).any()


OPTIONS = [
    {},
    {"only_raise": True},
    {"may_change": np.array([True, False])},
    {"may_change": np.array([False, True])},
]


def fewest_or_none(problem):
    try:
        return fewest_with_effects(problem)
    except CannotReleaseError:
        return None


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("whole", [True, False])
def test_no_counts_change_fewer_decisions(monkeypatch, options, whole):
    """By the whole programme too, or by prices and two lines in doubt."""
    if not whole:
        monkeypatch.setattr(module, "MOST_CELLS", 0)
        monkeypatch.setattr(module, "_LINES_IN_DOUBT", (2,))
    rng = np.random.default_rng([len(options), whole])
    changed, infeasible = 0, 0
    for _ in range(30):
        problem = random_problem(rng, **options)
        least = fewest_changes(problem)
        if least is None:
            infeasible += 1
            with pytest.raises(CannotReleaseError):
                fewest_with_effects(problem)
            continue
        change = fewest_or_none(problem)
        if change is None and not whole:
            continue  # two lines need not be enough
        changed += change.changed > problem.changed(problem.without_effects()[0])
        assert meets(problem, change.counts)
        assert change.lower_bound <= least <= change.changed
        assert change.is_proven or not whole
    assert changed
    assert infeasible or not options


@pytest.mark.parametrize(("lines", "mean"), [(100, 30), (300, 10), (40, 2_000)])
def test_prices_come_near_the_whole_programme(monkeypatch, lines, mean):
    problem = larger_problem(np.random.default_rng(lines), lines, mean)
    best, bound = module._by_programme(problem)
    optimum = problem.changed(best)
    assert optimum == bound > problem.changed(problem.without_effects()[0])
    monkeypatch.setattr(module, "MOST_CELLS", 0)
    monkeypatch.setattr(module, "_LINES_IN_DOUBT", (lines // 3,))
    change = fewest_with_effects(problem)
    assert problem.is_met(change.counts)
    assert optimum - 3 <= change.lower_bound <= optimum <= change.changed <= optimum + 3


def test_counts_of_more_than_five_thousand_cells():
    problem = larger_problem(np.random.default_rng(5), 3_500, 8)
    assert np.count_nonzero(problem.rows) > module.MOST_CELLS
    change = fewest_with_effects(problem)
    assert problem.is_met(change.counts)
    assert change.changed <= 1.001 * change.lower_bound


def test_the_same_problem_has_the_same_answer():
    first, second = (
        fewest_with_effects(larger_problem(np.random.default_rng(2), 200, 20)) for _ in range(2)
    )
    assert (first.counts == second.counts).all()


def test_limits_that_leave_nothing_are_refused():
    effect = replace(THROUGH[0], lower=Fraction(0), upper=Fraction(0))
    problem = JointProblem.of(LOAN_FAVORABLE, LOAN_ROWS, TAU, [effect], compared=ALL)
    with pytest.raises(CannotReleaseError, match="meet the criterion with the effects"):
        fewest_with_effects(problem)


def test_a_line_that_one_group_cannot_mend_is_refused():
    problem = JointProblem.of(
        np.array([[0], [1]]),
        np.array([[1], [2]]),
        TAU,
        (),
        compared=np.array([True]),
        may_change=np.array([True, False]),
    )
    with pytest.raises(CannotReleaseError, match="may change"):
        fewest_with_effects(problem)


def test_answers_that_the_exact_check_refuses_are_no_answers(monkeypatch):
    monkeypatch.setattr(JointProblem, "is_met", lambda *_: False)
    margins = []
    programme = module._programme

    def counted(problem, margin):
        margins.append(margin)
        return programme(problem, margin)

    monkeypatch.setattr(module, "_programme", counted)
    with pytest.raises(CannotReleaseError, match="exact check"):
        fewest_with_effects(loan_problem("per cell and through zip")[0])
    assert margins == [0.0, 1e-7, 1e-6, 1e-5]


def test_a_limit_of_nodes_leaves_what_prices_found(monkeypatch):
    problem = larger_problem(np.random.default_rng(40), 40, 2_000)
    monkeypatch.setattr(module, "MOST_NODES", 1)
    change = fewest_with_effects(problem)
    assert problem.is_met(change.counts)
    assert change.lower_bound <= change.changed
