"""The bound on a hidden cause, against regressions on rows and causes that were hidden."""

from math import inf, sqrt

import numpy as np
import pytest
from tests.cells import random_cells, rows_of

from evenhand.evidence.statistics.hidden_cause import Yardstick, widened, yardstick


def dummies(codes):
    return (codes[:, None] == np.unique(codes)).astype(float)


def left(outcome, *columns):
    """The sum of squares that least squares leave, and the degrees of freedom."""
    design = np.column_stack(columns)
    fitted = design @ np.linalg.lstsq(design, outcome, rcond=None)[0]
    return ((outcome - fitted) ** 2).sum(), len(outcome) - np.linalg.matrix_rank(design)


@pytest.mark.parametrize("seed", range(5))
def test_the_yardstick_is_that_of_regressions_with_dummies(seed):
    cells = random_cells(np.random.default_rng(seed))
    stratum, cell, member, favored = rows_of(*cells)
    strata, fine = dummies(stratum), dummies(cell)
    shares = []
    for outcome, given in ((member, []), (favored, [member])):
        (without, free), (kept, fewer) = (left(outcome, *given, x) for x in (strata, fine))
        shares.append(1 - (kept / fewer) / (without / free))
    of_decision, of_group = left(favored, member, fine)[0], left(member, fine)[0]
    found = yardstick(*cells)
    assert found.group == pytest.approx(max(shares[0], 0))
    assert found.decision == pytest.approx(max(shares[1], 0))
    assert found.scale == pytest.approx(sqrt(of_decision / of_group))


def hidden_twin(own, effect):
    """Cells of exact expectations for a cause x with a twin u, and the bias without the twin.

    Group and decision depend on both in the same way.
    """
    cells = {}
    for x in (0, 1):
        for u in (0, 1):
            member = 0.5 + own * (x + u - 1)
            rate = 0.5 + effect * (x + u - 1)
            for place in ((x,), (x, u)):
                cell = cells.setdefault(place, np.zeros(4))
                cell += 1e6 * np.array([member * rate, member, (1 - member) * rate, 1 - member])
    table = np.array([cells[x,] for x in (0, 1)]).T
    a, n, b, m = table
    weight = n * m / (n + m)
    bias = (weight * (b / m - a / n)).sum() / weight.sum()
    return yardstick(np.zeros(2, np.int64), *np.array([cells[x,] for x in (0, 1)]).T), abs(bias)


@pytest.mark.parametrize(("own", "effect"), [(0.1, 0.2), (0.15, 0.3), (0.2, 0.2), (0.05, 0.1)])
def test_the_bound_is_the_bias_of_a_hidden_twin(own, effect):
    found, bias = hidden_twin(own, effect)
    assert bias <= found.bound() * 1.001
    assert found.bound() == pytest.approx(bias, rel=0.05)


def test_pure_noise_bounds_next_to_nothing():
    generator = np.random.default_rng(5)
    bounds = []
    for _ in range(50):
        member = generator.random(20_000) < 0.5
        favored = generator.random(20_000) < 0.4
        place, x = generator.integers(0, 8, 20_000), generator.integers(0, 3, 20_000)
        cell = place * 3 + x
        counts = [
            np.bincount(cell[chosen], minlength=24)
            for chosen in (member & favored, member, ~member & favored, ~member)
        ]
        bounds.append(yardstick(np.repeat(np.arange(8), 3), *counts).bound())
    assert np.mean(bounds) <= 0.002


STRONG = Yardstick(group=0.2, decision=0.1, scale=0.9)


def test_the_bound_is_cinelli_and_hazletts():
    for times in (0.5, 1.0, 2.0):
        hidden_group = times * 0.2 / 0.8
        shared = times * 0.2**2 / ((1 - times * 0.2) * (1 - 0.2))
        factor = (sqrt(times) + sqrt(shared)) / sqrt(1 - shared)
        expected = 0.9 * sqrt(factor**2 * (0.1 / 0.9) * hidden_group / (1 - hidden_group))
        assert STRONG.bound(times) == pytest.approx(expected)
    assert STRONG.bound(0) == 0


def test_an_interval_is_widened_on_both_sides_and_ends_at_certainty():
    assert widened((-0.1, 0.2), 0.05) == pytest.approx((-0.15, 0.25))
    assert widened((-0.1, 0.2), inf) == (-1, 1)


def test_a_cause_may_leave_nothing_of_the_group():
    assert STRONG.bound(4.0) == inf
    assert Yardstick(group=0.6, decision=0.1, scale=1.0).bound() == inf


@pytest.mark.parametrize("gap", [0.001, 0.05, 0.3, 5.0])
@pytest.mark.parametrize("group", [0.01, 0.2, 0.7])
def test_the_breaking_factor_moves_the_difference_by_just_the_gap(group, gap):
    one = Yardstick(group=group, decision=0.1, scale=0.9)
    times = one.breaking_factor(gap)
    assert one.bound(times * 0.999) < gap <= one.bound(times * 1.001)


def test_a_cause_that_does_not_differ_between_the_groups_is_no_yardstick():
    for group, decision in ((0.0, 0.1), (0.1, 0.0)):
        one = Yardstick(group=group, decision=decision, scale=1.0)
        assert one.bound() == 0
        assert one.breaking_factor(0.1) is None


def test_a_cause_that_tells_the_group_measures_nothing():
    stratum, one, none = np.zeros(2, np.int64), np.array([5, 0]), np.array([0, 5])
    assert yardstick(stratum, one // 2, one, none // 2, none) is None
    assert yardstick(stratum, none * 0, one, none * 0, one) is None
