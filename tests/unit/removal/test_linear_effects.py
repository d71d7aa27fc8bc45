"""Effects as exact sums, against fractions and the loan table's published figures."""

from fractions import Fraction

import numpy as np
import pytest
from tests.joint_brute_force import (
    LOAN_FAVORABLE,
    LOAN_ROWS,
    loan_effects,
    meets,
    random_problem,
)

from evenhand.removal.linear_effects import JointProblem, LinearEffect

TAU = Fraction(1, 20)


def test_the_loan_tables_effects_through_zip_and_direct():
    through = loan_effects(Fraction(1, 20))
    direct = loan_effects(Fraction(1, 20), direct=True)
    values = [effect.value(LOAN_FAVORABLE, LOAN_ROWS) for effect in (*through, *direct)]
    assert values == [
        Fraction(1, 150),
        Fraction(-1, 20),
        Fraction(11, 100),
        Fraction(-19, 125),
    ]
    within = [effect.within_limits(LOAN_FAVORABLE, LOAN_ROWS) for effect in through]
    assert within == [True, False]  # exactly at the threshold is not within


def test_a_cell_without_rows_adds_nothing():
    weights = np.array([[Fraction(1, 2), Fraction(1, 2)], [Fraction(0)] * 2])
    effect = LinearEffect(weights=weights, lower=Fraction(0), upper=Fraction(1))
    favorable, rows = np.array([[1, 0], [0, 0]]), np.array([[2, 0], [0, 1]])
    assert effect.value(favorable, rows) == Fraction(1, 4)
    assert effect.per_decision(rows).tolist() == [[0.25, 0.0], [0.0, 0.0]]


def test_closed_limits_are_values_that_counts_can_give():
    """Each rate of the group is one of 0, 1/10 … and the weights are thirds."""
    weights = np.array([[Fraction(1, 3)], [Fraction(0)]])
    effect = LinearEffect(weights=weights, lower=Fraction(-1, 30), upper=Fraction(2, 30))
    rows = np.array([[10], [7]])
    assert effect.closed_limits(rows) == (Fraction(0), Fraction(1, 30))
    fine = LinearEffect(weights=weights / 2**50, lower=Fraction(0), upper=Fraction(1, 30))
    assert fine.closed_limits(rows) == (Fraction(0), Fraction(1, 30))


@pytest.mark.parametrize(
    ("lower", "upper", "closed"),
    [
        ("-1/30", "1/20", ("0", "0")),
        ("1/15", "1/5", ("2/15", "2/15")),
        ("-1", "1", ("-14/15", "14/15")),
    ],
)
def test_limits_are_strict_before_they_are_closed(lower, upper, closed):
    """Values are multiples of a fifteenth: thirds of fifths."""
    weights = np.array([[Fraction(1, 3)], [Fraction(0)]])
    effect = LinearEffect(weights=weights, lower=Fraction(lower), upper=Fraction(upper))
    assert effect.closed_limits(np.array([[5], [1]])) == tuple(map(Fraction, closed))


def test_both_limits_are_strict():
    weights = np.array([[Fraction(1, 3)], [Fraction(1)]])
    favorable, rows = np.array([[1], [0]]), np.array([[1], [1]])
    third, half = Fraction(1, 3), Fraction(1, 2)
    for lower, upper, within in ((0, half, True), (third, half, False), (0, third, False)):
        effect = LinearEffect(weights=weights, lower=Fraction(lower), upper=upper)
        assert effect.within_limits(favorable, rows) is within
    assert effect.per_decision(rows).tolist() == [[1 / 3], [1.0]]


def test_the_check_is_that_of_fractions_one_by_one():
    rng = np.random.default_rng(3)
    answers = set()
    for _ in range(300):
        problem = random_problem(rng)
        counts = rng.integers(problem.lowest, problem.highest + 1)
        answers.add(problem.is_met(counts))
        assert problem.is_met(counts) == meets(problem, counts)
    assert answers == {True, False}


def test_counts_outside_their_limits_are_refused():
    none = np.array([False] * 4)
    problem = JointProblem.of(
        LOAN_FAVORABLE, LOAN_ROWS, Fraction(1), (), compared=none, only_raise=True
    )
    assert problem.is_met(LOAN_FAVORABLE)
    assert not problem.is_met(LOAN_FAVORABLE - 1)
    assert not problem.is_met(LOAN_ROWS + 1)


@pytest.mark.parametrize("may_change", [None, np.array([True, False])])
def test_lines_that_are_fixed_keep_their_counts(may_change):
    problem = JointProblem.of(
        LOAN_FAVORABLE,
        LOAN_ROWS,
        Fraction(1, 20),
        loan_effects(Fraction(1, 20)),
        compared=np.full(4, fill_value=True),
        may_change=may_change,
    )
    part = problem.with_free(np.array([1]), LOAN_FAVORABLE)
    assert (part.lowest != part.highest).any(axis=0).tolist() == [False, True, False, False]
    assert part.highest[1, 1] == (60 if may_change is None else 36)


def test_limits_can_leave_no_value():
    weights = np.array([[Fraction(1, 3)], [Fraction(0)]])
    for lower, upper, leaves in (
        ("1/60", "1/20", True),
        ("1/60", "1/40", False),
        ("1/9", "1/9", False),
    ):
        effect = LinearEffect(weights=weights, lower=Fraction(lower), upper=Fraction(upper))
        rows = np.array([[10], [7]])
        problem = JointProblem.of(rows // 2, rows, TAU, [effect], compared=np.array([True]))
        assert problem.leaves_values is leaves


def three_lines(**options):
    """Differences of a tenth in the first two, of which the second is not compared."""
    old, rows = np.array([[4, 4, 5], [5, 5, 5]]), np.full((2, 3), 10)
    compared = np.array([True, False, True])
    return JointProblem.of(old, rows, TAU, (), compared=compared, **options)


@pytest.mark.parametrize(
    ("options", "first", "possible"),
    [
        ({}, [4, 4], True),  # the group asked about changes last
        ({"only_raise": True}, [5, 5], True),
        ({"may_change": np.array([True, False])}, [5, 5], True),
        ({"may_change": np.array([False, True])}, [4, 4], True),
        ({"may_change": np.array([False, False])}, [4, 5], False),
    ],
)
def test_without_effects_each_compared_line_is_solved_by_itself(options, first, possible):
    problem = three_lines(**options)
    counts, where = problem.without_effects()
    assert counts.T.tolist() == [first, [4, 5], [5, 5]]
    assert where.tolist() == [possible, True, True]
    assert problem.changed(counts) == (first != [4, 5])


def test_what_may_change():
    problem = three_lines()
    assert problem.lowest.tolist() == [[0] * 3] * 2
    assert problem.highest.tolist() == [[10] * 3] * 2
    upwards = three_lines(only_raise=True, may_change=np.array([True, False]))
    assert upwards.lowest.tolist() == upwards.old.tolist()
    assert upwards.highest.tolist() == [[10] * 3, [5] * 3]


def test_effects_of_single_decisions_and_their_limits():
    assert three_lines().per_decision.shape == (0, 2, 3)
    assert three_lines().limits.shape == (2, 0)
    assert three_lines().leaves_values
    effects = loan_effects(TAU)
    problem = JointProblem.of(
        LOAN_FAVORABLE, LOAN_ROWS, TAU, effects, compared=np.full(4, 1) > 0
    )
    added = problem.per_decision
    assert added.shape == (2, 2, 4)
    assert added[1, 1].tolist() == [
        float(weight / int(rows))
        for weight, rows in zip(effects[1].weights[1], LOAN_ROWS[1], strict=True)
    ]
    for (low, high), effect in zip(problem.limits.T, effects, strict=True):
        assert -0.05 < low < high < 0.05
        assert (Fraction(low), Fraction(high)) == pytest.approx(
            effect.closed_limits(LOAN_ROWS), abs=1e-12
        )


def test_one_effect_without_a_value_is_enough():
    fine = np.array([[Fraction(1, 3 * 2**50)], [Fraction(0)]])
    room = LinearEffect(weights=fine, lower=Fraction(0), upper=Fraction(1, 9))
    none = LinearEffect(weights=fine, lower=Fraction(1, 9), upper=Fraction(1, 9))
    rows = np.array([[10], [7]])
    for effects, leaves in (([room], True), ([room, none], False), ([none, room], False)):
        problem = JointProblem.of(rows // 2, rows, TAU, effects, compared=np.array([True]))
        assert problem.leaves_values is leaves
