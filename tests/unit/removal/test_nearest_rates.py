"""Rates and counts nearest to given ones, against solvers that share nothing with them."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.two_groups import quotas
from tests.window_brute_force import THRESHOLDS, meets

from evenhand.removal.nearest_rates import nearest_counts_in_window, nearest_rates


def closed_form(rates, weights, threshold):
    """Two groups: the excess is shared in inverse proportion to the weights."""
    difference = rates[1] - rates[0]
    excess = np.maximum(abs(difference) - threshold, 0.0)
    shift = np.sign(difference) * excess / weights.sum(axis=0)
    return np.stack([rates[0] + shift * weights[1], rates[1] - shift * weights[0]])


@pytest.mark.paper("alg:mg")
def test_two_groups_get_the_rates_of_the_closed_form():
    rng = np.random.default_rng(1)
    rates, weights = rng.random((2, 2, 5_000))
    weights[0, ::5] = 0.0
    weights[1, 1::5] = 0.0
    assert nearest_rates(rates, weights, 0.05) == pytest.approx(
        closed_form(rates, weights, 0.05), abs=1e-12
    )


@pytest.mark.paper("alg:mg")
@pytest.mark.parametrize("groups", [2, 3, 4, 6])
@pytest.mark.parametrize("seed", range(4))
def test_the_rates_are_the_optimum_of_the_quadratic_programme(groups, seed):
    cvxopt = pytest.importorskip("cvxopt")
    rng = np.random.default_rng([groups, seed])
    rates, weights = rng.random(groups), 0.1 + rng.random(groups)
    pairs = [(a, b) for a, b in product(range(groups), repeat=2) if a != b]
    gaps = np.zeros((len(pairs), groups))
    for line, (a, b) in enumerate(pairs):
        gaps[line, a], gaps[line, b] = 1.0, -1.0
    matrix = cvxopt.matrix
    cvxopt.solvers.options.update(
        show_progress=False, abstol=1e-12, reltol=1e-12, feastol=1e-12
    )
    answer = cvxopt.solvers.qp(
        matrix(2 * np.diag(weights)),
        matrix(-2 * weights * rates),
        matrix(gaps),
        matrix(np.full(len(pairs), 0.05)),
    )
    found = nearest_rates(rates[:, None], weights[:, None], 0.05)[:, 0]
    assert found == pytest.approx(np.array(answer["x"]).ravel(), abs=1e-6)
    assert np.ptp(found) <= 0.05 + 1e-12


def test_an_absent_group_stays_absent_and_moves_nobody():
    rates = np.array([[0.2, np.nan], [0.5, 0.3], [np.nan, 0.9]])
    weights = np.ones_like(rates)
    found = nearest_rates(rates, weights, 0.1)
    assert found[:2, 0] == pytest.approx([0.3, 0.4])
    assert found[1:, 1] == pytest.approx([0.55, 0.65])
    assert np.isnan(found[[2, 0], [0, 1]]).all()


def test_rates_in_one_window_stay():
    rates = np.array([[0.2], [0.25], [0.22]])
    assert (nearest_rates(rates, np.ones_like(rates), 0.05) == rates).all()


@pytest.mark.parametrize("largest", [10, 100])
def test_two_groups_get_the_counts_of_the_two_group_search(largest):
    """Halves among the targets: which of equally near counts is taken is the same, too."""
    rng = np.random.default_rng(largest)
    rows = rng.integers(1, largest, (2, 300))
    rows[1, ::3] = rows[0, ::3]
    targets = rng.random((2, 300)) * rows
    targets[:, ::2] = np.round(targets[:, ::2] * 2) / 2
    for threshold in THRESHOLDS:
        found = nearest_counts_in_window(targets, rows, threshold)
        expected = [quotas(rows[:, at], targets[:, at], threshold) for at in range(300)]
        assert found.T.tolist() == [list(pair) for pair in expected]


@pytest.mark.parametrize("groups", [3, 4])
def test_no_counts_are_nearer(groups):
    rng = np.random.default_rng(groups)
    for _ in range(40):
        rows = rng.integers(0, 8 if groups == 3 else 6, groups)
        targets = rng.random(groups) * rows
        threshold = THRESHOLDS[rng.integers(len(THRESHOLDS))]
        found = nearest_counts_in_window(targets[:, None], rows[:, None], threshold)[:, 0]
        assert meets(found, rows, threshold)
        least = min(
            ((np.array(counts) - targets) ** 2).sum()
            for counts in product(*(range(n + 1) for n in rows))
            if meets(counts, rows, threshold)
        )
        assert ((found - targets) ** 2).sum() == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("rows", [(10**12, 2 * 10**12), (10, 10**9), (10**9, 10**9 + 1, 7)])
def test_targets_of_any_size_have_counts_beside_them(rows):
    rates = np.linspace(0.3, 0.36, len(rows))
    size = np.array(rows)
    found = nearest_counts_in_window((rates * size)[:, None], size[:, None], Fraction(1, 20))
    assert meets(found[:, 0], rows, Fraction(1, 20))
    real = nearest_rates(rates[:, None], size[:, None].astype(float) ** 2, 0.05)[:, 0]
    assert (
        np.abs(found[:, 0] / size - real).max() <= 1.5 / size.min() + 1e-9
    )  # squares of floats tell no more
