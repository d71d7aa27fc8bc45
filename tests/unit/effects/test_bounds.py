"""Bounds of effects that are not identified, and the transport problems that prove them."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from evenhand import CountTable, Question, Verdict
from evenhand.effects.bounds import TransportProblems
from evenhand.effects.measure import measure_paths
from evenhand.errors import InputError
from evenhand.graph import CausalGraph


def exact(values):
    array = np.array(values, object)
    return np.vectorize(Fraction, otypes=[object])(array)


def one_problem(costs, rows, columns):
    return TransportProblems(costs=exact([costs]), rows=exact([rows]), columns=exact([columns]))


@pytest.mark.parametrize("seed", range(8))
def test_with_equal_shares_the_least_cost_is_that_of_the_best_assignment(seed):
    """Birkhoff: with equal sums a best plan sends each row to one column."""
    costs = np.random.default_rng(seed).integers(0, 10, (4, 4)).tolist()
    problem = one_problem(costs, [Fraction(1, 4)] * 4, [Fraction(1, 4)] * 4)
    best = min(sum(costs[i][j] for i, j in enumerate(p)) for p in permutations(range(4)))
    assert problem.bound(problem.solve()) == Fraction(best, 4)
    assert problem.solution[1] == pytest.approx(best / 4)


def test_any_potentials_prove_a_bound_below_the_least_cost():
    problem = one_problem([[1, 0], [0, 1]], ["1/2", "1/2"], ["1/4", "3/4"])
    least = problem.bound(problem.solve())
    assert least == Fraction(1, 4)
    for u in (0, 1, Fraction(-1, 3)):
        assert problem.bound(((Fraction(0), Fraction(u)),)) <= least


def test_a_problem_without_proper_sums_counts_as_nothing():
    problems = TransportProblems(
        costs=exact([[[1, 1], [1, 1]]] * 2),
        rows=exact([["1/2", "1/2"], [0, 0]]),
        columns=exact([["1/2", "1/2"]] * 2),
    )
    potentials = problems.solve()
    assert potentials[1] == ()
    assert problems.bound(potentials) == 1


@pytest.mark.parametrize(
    "potentials", [((9, 9), (9, 9)), ((0, 0),), ((0,), ()), ((), ()), ((0, 0), (), ())]
)
def test_potentials_that_are_not_of_the_problems_prove_nothing(potentials):
    """Where sums are not one, large potentials would prove any bound."""
    problems = TransportProblems(
        costs=exact([[[1, 1], [1, 1]]] * 2),
        rows=exact([["1/2", "1/2"], [1, 0]]),
        columns=exact([["1/2", "1/2"], ["1/2", 0]]),
    )
    with pytest.raises(InputError, match="not those of the transport problems"):
        problems.bound(potentials)


def test_nothing_proper_at_all_is_no_problem():
    empty = one_problem([[1]], [0], [1])
    assert empty.bound(empty.solve()) == 0


def test_rows_that_never_occur_set_no_limit():
    problem = one_problem([[5], [0]], [1, 0], [1])
    assert problem.bound(problem.solve()) == 5


WIDE = CausalGraph.parse("c -> w; w -> r; w -> e; r -> e; c -> e")
QUESTION = Question(protected="c", group="0", decision="e", favorable="1", redlining=["r"])


@pytest.mark.parametrize("values", [9, 1025])
def test_bounds_of_a_witness_with_more_than_1024_values_are_not_computed(values):
    lines = [
        (str(c), f"w{w:04}", str((c + w) % 2), str((c + w // 2) % 2))
        for c in range(2)
        for w in range(values)
    ]
    counts = CountTable.of(dict(zip("cwre", zip(*lines, strict=True), strict=True)), None)
    measured = measure_paths(counts, WIDE, QUESTION)
    assert measured.witnesses == ("w",)
    refused = [reason for reason in measured.reasons if "1,024" in str(reason)]
    assert bool(refused) == (values > 1024)
    if refused:
        assert "1,025 values together" in str(refused[0])
        assert measured.verdict is Verdict.CANNOT_DECIDE
        reference = measured.graphs[0].forward.reference
        effect = measured.forward["through"]
        assert effect.lower <= -reference.upper
        assert effect.upper >= 1 - reference.lower
