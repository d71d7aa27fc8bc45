"""The tail of a weighted mean of differences against sums over all tables."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import xlog1py, xlogy
from scipy.stats import binom, norm

from evenhand.evidence.statistics.pooled_difference import weighted_tail

# Favored and all, of the low and of the high group, in a few small places.
TABLES = [
    [(1, 8, 6, 9), (2, 7, 5, 8)],
    [(0, 5, 9, 40), (1, 6, 12, 30)],
    [(0, 12, 5, 11), (3, 9, 8, 9), (1, 1, 1, 2)],
    [(4, 50, 3, 4), (2, 30, 2, 3)],
]


def shares(n, m):
    weight = n * m / (n + m)
    return weight / weight.sum()


def found(table, difference):
    a, n, b, m = np.array(table, float).T
    return weighted_tail((a, n), (b, m), shares(n, m), difference)


def searched_rates(table, difference):
    """The most likely rates, two more people at the mean rate in each place, by a search."""
    a, n, b, m = np.array(table, float).T
    share = shares(n, m)
    smoothed = []
    for yes, total in ((a, n), (b, m)):
        square = (share / total) ** 2
        mean = (square * yes).sum() / (square * total).sum()
        smoothed += [yes + 2 * mean, total + 2]
    yes, total = np.concatenate(smoothed[::2]), np.concatenate(smoothed[1::2])
    sign = np.concatenate([-share, share])
    result = minimize(
        lambda p: -(xlogy(yes, p) + xlog1py(total - yes, -p)).sum(),
        np.where(sign < 0, 0.4, 0.4 + difference),
        jac=lambda p: -(yes / p - (total - yes) / (1 - p)),
        bounds=[(1e-9, 1 - 1e-9)] * len(yes),
        constraints={
            "type": "eq",
            "fun": lambda p: sign @ p - difference,
            "jac": lambda _: sign,
        },
        options={"ftol": 1e-14, "maxiter": 500},
        method="SLSQP",
    )
    assert result.success
    return np.split(result.x, 2)


def added_up(table, difference):
    """The probability of all tables with so large a mean difference, or larger but for a step.

    A step is the mean weight of one person, weighed by what people add to the variance.
    """
    a, n, b, m = np.array(table).T
    share = shares(n, m)
    rates = np.concatenate(searched_rates(table, difference))
    weights, totals = np.concatenate([-share / n, share / m]), np.concatenate([n, m])
    noise = weights**2 * totals * rates * (1 - rates)
    step = (np.abs(weights) * noise).sum() / noise.sum()
    values, chances = np.zeros(1), np.ones(1)
    for weight, total, rate in zip(weights, totals, rates, strict=True):
        outcomes = np.arange(total + 1)
        values = (values[:, None] + weight * outcomes).ravel()
        chances = np.outer(chances, binom.pmf(outcomes, total, rate)).ravel()
        likely = chances > 1e-12
        values, chances = values[likely], chances[likely]
    seen = share @ (b / m - a / n) - 1e-12
    return chances[values > seen].sum(), chances[values > seen - step].sum()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("difference", [0.01, 0.05, 0.2])
def test_it_lies_between_the_sums_over_all_tables_with_and_without_a_step(table, difference):
    least, most = added_up(table, difference)
    assert 0.97 * least < found(table, difference) < 1.03 * most


def test_in_large_tables_it_is_the_normal_tail():
    table = [(4000, 10_000, 5000, 11_000), (1000, 9000, 1700, 10_000)]
    a, n, b, m = np.array(table, float).T
    share = shares(n, m)
    seen = share @ (b / m - a / n)
    variance = share**2 @ (a / n * (1 - a / n) / n + b / m * (1 - b / m) / m)
    for deviate in (1.0, 2.0, 3.0):
        difference = seen - deviate * variance**0.5
        assert found(table, difference) == pytest.approx(norm.sf(deviate), rel=0.06)


@pytest.mark.parametrize(
    "table",
    [
        [(0, 3, 4, 4), (0, 2, 5, 5)],
        [(0, 1, 1, 1), (0, 1, 1, 1)],
        [(0, 10, 1, 10**9), (0, 10, 10**9, 10**9)],
        [(0, 10**9, 10**9, 10**9)] * 2,
    ],
)
def test_extreme_tables_have_a_probability(table):
    assert 0 <= found(table, 0.05) <= 0.5


def test_a_probability_of_all_against_nobody_is_that_of_just_this_table():
    # The most likely rates with a difference of .05 are .475 and .525 by symmetry.
    assert found([(0, 4, 4, 4), (0, 4, 4, 4)], 0.05) == pytest.approx(0.525**16, rel=0.5)
