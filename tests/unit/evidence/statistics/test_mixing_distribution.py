"""At least k differ: beside the EM algorithm, an integral, and tables of known truth."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom

from evenhand.evidence.statistics.mixing_distribution import (
    _FITTING_LOSS,
    MixingDistribution,
    _grid,
    _likelihood,
)

THRESHOLD = 0.05


def drawn(seed, many, differences, most=400):
    generator = np.random.default_rng(seed)
    n, m = generator.integers(20, most, (2, many))
    rate = generator.uniform(0.25, 0.75, many)
    true = generator.choice(differences, many)
    return (generator.binomial(n, rate - true), n, generator.binomial(m, rate), m), true


def by_em(likelihood, beyond, share, steps=4000):
    """The largest log likelihood with such a share beyond, None for any, by plain EM."""
    weights = np.ones(len(beyond)) / len(beyond)
    if share is not None:
        weights = np.where(beyond, share / beyond.sum(), (1 - share) / (~beyond).sum())
    for _ in range(steps):
        seen = (likelihood * weights / (likelihood @ weights)[:, None]).mean(axis=0)
        if share is None:
            weights = seen
        else:
            sums = np.where(beyond, seen[beyond].sum(), seen[~beyond].sum())
            wanted = np.where(beyond, share, 1 - share)
            weights = np.divide(seen * wanted, sums, out=np.zeros(len(seen)), where=sums > 0)
    return np.log(likelihood @ weights).sum()


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_is_that_of_the_em_algorithm(seed):
    tables, _ = drawn(seed, 40, [0, 0, 0, 0.2])
    found = MixingDistribution(*tables, THRESHOLD)
    likelihood = _likelihood(_grid(THRESHOLD), *tables)
    beyond = np.abs(_grid(THRESHOLD)) >= THRESHOLD
    beyond[:33] = False  # within, up to the threshold itself
    best = by_em(likelihood, beyond, None)
    assert found.loss == pytest.approx(2 * (best - by_em(likelihood, beyond, 0.0)), abs=0.05)
    assert found.significant
    share = (found.at_least + 1) / 40
    assert 2 * (best - by_em(likelihood, beyond, share)) < _FITTING_LOSS + 0.05


def test_the_likelihood_is_that_of_two_binomial_counts():
    a, n, b, m = 4, 11, 9, 14
    grid = np.array([-0.3, 0.0, 0.05, 0.4])

    def exact(difference):
        low, high = max(0, difference), min(1, 1 + difference)
        return quad(
            lambda rate: binom.pmf(b, m, rate) * binom.pmf(a, n, rate - difference), low, high
        )[0]

    expected = np.array([exact(one) for one in grid])
    found = _likelihood(grid, *(np.array([one]) for one in (a, n, b, m)))[0]
    assert found == pytest.approx(expected / expected.max(), rel=1e-4)


def test_more_never_differ_than_are_said_to_at_least():
    for seed in range(8):
        tables, true = drawn(seed, 60, [0, 0, 0, 0, 0.15, -0.15])
        found = MixingDistribution(*tables, THRESHOLD)
        assert found.at_least <= np.count_nonzero(true)


def test_nothing_is_shown_where_nothing_differs():
    losses = [
        MixingDistribution(*drawn(seed, 40, [0.0])[0], THRESHOLD).loss for seed in range(40)
    ]
    assert np.quantile(losses, 0.95) < _FITTING_LOSS


def test_few_subpopulations_are_not_taken_together():
    tables, _ = drawn(1, 19, [0.2])
    found = MixingDistribution(*tables, THRESHOLD)
    assert (found.significant, found.at_least, found.measured) == (False, 0, 19)


def test_of_very_many_the_largest_bound_the_number():
    tables, _ = drawn(2, 1200, [0, 0.2])
    found = MixingDistribution(*tables, THRESHOLD)
    assert found.measured == 1200
    assert 0 < found.at_least <= 500


def test_rates_of_0_and_1_are_counted():
    tables = [np.full(30, count) for count in (0, 40, 40, 40)]
    assert MixingDistribution(*tables, THRESHOLD).at_least > 20


@pytest.mark.parametrize("rows", [2_000, 100_000, 10**12])
@pytest.mark.parametrize(("difference", "least"), [(0.0, 0), (0.04, 0), (0.2, 15)])
def test_large_subpopulations_are_taken_together(rows, difference, least):
    generator = np.random.default_rng(4)
    n, rate = np.full(20, rows), generator.uniform(0.3, 0.6, 20)
    tables = generator.binomial(n, rate - difference), n, generator.binomial(n, rate), n
    found = MixingDistribution(*tables, THRESHOLD)
    assert found.significant is (least > 0)
    assert least <= found.at_least <= 20


def test_no_difference_beyond_the_grid_is_looked_for():
    tables, _ = drawn(1, 30, [0.2])
    assert not MixingDistribution(*tables, 0.6).significant
