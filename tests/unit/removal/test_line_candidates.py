"""The candidates of a line contain its best pair of counts, at any prices."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from evenhand.removal import line_candidates
from evenhand.removal.line_candidates import list_candidates, other_range
from evenhand.removal.linear_effects import JointProblem


def one_line(rng, most_rows, **options):
    rows = rng.integers(1, most_rows, (2, 1))
    threshold = Fraction(int(rng.integers(1, 9)), 20)
    compared = np.array([True])
    return JointProblem.of(
        rng.integers(0, rows + 1), rows, threshold, (), compared=compared, **options
    )


def least_cost(problem, cost):
    """The least changes plus cost of all pairs that meet the criterion."""
    old, threshold = problem.old.ravel().tolist(), problem.threshold
    sizes = problem.rows.ravel().tolist()
    ranges = [
        range(int(low), int(high) + 1)
        for low, high in zip(problem.lowest.ravel(), problem.highest.ravel(), strict=True)
    ]
    return min(
        abs(a - old[0]) + abs(b - old[1]) + cost[0] * a + cost[1] * b
        for a, b in product(*ranges)
        if abs(Fraction(a, sizes[0]) - Fraction(b, sizes[1])) < threshold
    )


@pytest.mark.parametrize("all_listed", [True, False])
@pytest.mark.parametrize("options", [{}, {"only_raise": True}])
def test_the_best_pair_at_any_prices_is_listed(monkeypatch, all_listed, options):
    """With only counts near corners listed, the corners' minimum is still never above."""
    if not all_listed:
        monkeypatch.setattr(line_candidates, "candidates_in_line", lambda _: 0)
    rng = np.random.default_rng(all_listed)
    for _ in range(150):
        problem = one_line(rng, 15, **options)
        known, possible = problem.without_effects()
        assert possible.all()
        cost = rng.normal(0, 1.5, (2, 1))
        whole, corners = list_candidates(problem, np.array([0]), known)
        least, at, way = whole.best(cost)
        best = least_cost(problem, cost.ravel().tolist())
        pair = whole.pairs(at, way)
        assert problem.is_met(pair.astype(np.int64))
        changed = abs(pair - problem.old).sum()
        assert changed + (cost * pair).sum() == pytest.approx(least[0])
        if all_listed:
            assert least[0] == pytest.approx(best)
            assert not len(corners.lines)
        else:
            real = corners.best(cost)[0][0]
            assert real - 1e-9 <= best <= least[0] + 1e-9


def test_a_line_with_many_counts_lists_few_and_is_nearly_exact():
    rng = np.random.default_rng(1)
    for _ in range(20):
        problem = one_line(rng, 100_000)
        known, _ = problem.without_effects()
        whole, corners = list_candidates(problem, np.array([0]), known)
        assert len(whole.i) <= line_candidates._MOST_IN_LINE
        for cost in rng.normal(0, 1.5, (5, 2, 1)):
            least, real = whole.best(cost)[0][0], corners.best(cost)[0][0]
            assert real - 1e-6 <= least <= real + 1 + abs(cost).max()


@pytest.mark.parametrize("factor", [1, 10**6])
def test_the_range_of_the_other_group_is_that_of_fractions(factor):
    rng = np.random.default_rng(factor)
    for _ in range(200):
        size, other = (rng.integers(1, 40, 2) * factor).tolist()
        count, threshold = int(rng.integers(0, size + 1)), Fraction(1, int(rng.integers(1, 30)))
        least, most = (
            int(end[0])
            for end in other_range(
                np.array([count]), np.array([size]), np.array([other]), threshold
            )
        )
        rate = Fraction(count, size)
        inside = [abs(Fraction(j, other) - rate) < threshold for j in (least, most)]
        outside = [abs(Fraction(j, other) - rate) < threshold for j in (least - 1, most + 1)]
        assert not any(outside)
        assert least > most or all(inside)


def test_very_many_lines_have_fewer_candidates_each():
    assert [line_candidates.candidates_in_line(lines) for lines in (1, 2**16, 2**20)] == [
        512,
        256,
        64,
    ]
