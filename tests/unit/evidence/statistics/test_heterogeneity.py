"""Whether differences vary, and to opposite sides: against libraries and definitions."""

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, chi2
from tests.populations import partition_of, partition_of_adult

from evenhand.evidence.statistics.comparison_statistics import (
    _gail_simon,
    _kurtosis,
    heterogeneity,
)

# Women and men, favored and all, in four places of very different size.
TABLES = np.array([(3, 9, 8, 11), (40, 90, 61, 100), (0, 4, 1, 2), (120, 400, 160, 380)]).T


def moments(group, other, yes):
    """Kurtosis of the favorable decisions in the group, from the distribution itself."""
    rows = group + other
    inside = range(max(0, yes - other), min(group, yes) + 1)
    chance = [comb(group, x) * comb(other, yes - x) / comb(rows, yes) for x in inside]
    mean = sum(p * x for p, x in zip(chance, inside, strict=True))
    second, fourth = (
        sum(p * (x - mean) ** k for p, x in zip(chance, inside, strict=True)) for k in (2, 4)
    )
    return fourth / second**2


def test_kurtosis_is_that_of_the_hypergeometric_distribution():
    for group, other in product(range(1, 6), repeat=2):
        for yes in range(1, group + other):
            found = _kurtosis(*(np.array([x]) for x in (group, other, yes)))
            assert found[0] == pytest.approx(moments(group, other, yes))


def test_large_tables_have_cochrans_q():
    tables = TABLES[:, [1, 3]] * 50
    partition = partition_of(*tables)
    found = heterogeneity(partition.leading, partition.statistics.common.difference)
    a, n, b, m = tables
    difference = b / m - a / n
    variance = (a / n) * (1 - a / n) / n + (b / m) * (1 - b / m) / m
    mean = np.average(difference, weights=1 / variance)
    q = float(((difference - mean) ** 2 / variance).sum())
    assert found.statistic == pytest.approx(q, rel=0.05)
    assert found.p == pytest.approx(chi2.sf(q, 1), rel=0.2)


def test_gail_and_simons_test_is_their_sum_of_chi_squares():
    difference, p_zero = (
        np.array([0.2, -0.1, 0.3, -0.2, 0.1]),
        np.array([0.01, 0.2, 0.03, 0.002, 0.5]),
    )
    weaker = min(
        sum(chi2.isf(p, 1) for d, p in zip(difference, p_zero, strict=True) if d * side > 0)
        for side in (1, -1)
    )
    right = sum(binom.pmf(h, 4, 0.5) * chi2.sf(weaker, h) for h in range(1, 5))
    assert _gail_simon(difference, p_zero) == pytest.approx(right)


def test_opposite_signs_are_caught_where_the_average_is_nothing():
    partition = partition_of([300, 600], [1000, 1000], [600, 300], [1000, 1000])
    common = partition.statistics.common
    assert common.difference == pytest.approx(0)
    assert common.p_zero == pytest.approx(1)
    tests = heterogeneity(partition.leading, common.difference)
    assert tests.p < 1e-6
    assert tests.p_opposite < 1e-6
    assert (tests.for_group, tests.for_other) == (1, 1)


def test_few_large_opposite_differences_are_caught_among_many(adult):
    partition = partition_of_adult(adult)
    tests = heterogeneity(partition.leading, partition.statistics.common.difference)
    assert tests.p_opposite < 0.01 < tests.p_gail_simon


@pytest.mark.parametrize(
    ("strata", "group", "other"), [(10, 3, 500), (12, 4, 200), (12, 20, 400)]
)
def test_equal_differences_are_rarely_called_different(strata, group, other):
    generator, rejected, tables = np.random.default_rng(8), 0, 300
    for _ in range(tables):
        rate = generator.uniform(0.1, 0.8, strata)
        n, m = np.full(strata, group), np.full(strata, other)
        partition = partition_of(generator.binomial(n, rate), n, generator.binomial(m, rate), m)
        p = heterogeneity(partition.leading, partition.statistics.common.difference).p
        rejected += p is not None and p < 0.05
    assert rejected <= 0.06 * tables + 3 * (0.06 * 0.94 * tables) ** 0.5


def test_groups_of_a_few_people_are_not_tested():
    partition = partition_of([1, 2, 0], [3, 3, 3], [200, 150, 90], [500, 500, 500])
    found = heterogeneity(partition.leading, partition.statistics.common.difference)
    assert (found.p, found.statistic) == (None, 0)
