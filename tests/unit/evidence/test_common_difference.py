"""The common difference and its tests against libraries and definitions."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, chi2
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.proportion import confint_proportions_2indep
from tests.populations import common_coverage, partition_of, partition_of_adult

from evenhand.evidence.common_difference import (
    _gail_simon,
    _kurtosis,
    common_difference,
    heterogeneity,
)

# Women and men, favored and all, in four places of very different size.
TABLES = np.array([(3, 9, 8, 11), (40, 90, 61, 100), (0, 4, 1, 2), (120, 400, 160, 380)]).T


def stratified(tables):
    return StratifiedTable(
        [np.array([[b, m - b], [a, n - a]], float) for a, n, b, m in tables.T]
    )


def test_in_large_tables_the_common_test_is_near_that_of_cochran_mantel_and_haenszel():
    tables = TABLES[:, [1, 3]] * 3
    library = stratified(tables).test_null_odds(correction=False)
    assert common_difference(partition_of(*tables)).p_zero == pytest.approx(
        library.pvalue, rel=0.3
    )


@pytest.mark.parametrize(
    "table", [(0, 200, 100, 100_000), (1, 1, 0, 1), (30, 300, 70, 280), (0, 7, 0, 9)]
)
def test_in_one_subpopulation_the_common_interval_is_nearly_newcombes(table):
    (x, n), (y, m) = table[:2], table[2:]
    right = confint_proportions_2indep(y, m, x, n, method="newcomb")
    found = common_difference(partition_of(*([count] for count in table)))
    assert (found.low, found.high) == pytest.approx(right, abs=0.001)


@pytest.mark.parametrize("tables", [TABLES, [[1], [1], [0], [1]], [[0], [200], [9], [1000]]])
def test_interval_and_p_are_one_test(tables):
    # Ends of the interval, taken for the threshold, have the one-sided p of an end.
    found = common_difference(partition_of(*tables))
    assert (found.low <= 0 <= found.high) == (found.p_zero >= 0.05)
    nearest = min((found.low, found.high), key=abs)
    threshold = Fraction(abs(nearest)).limit_denominator(10**9)
    if threshold and found.low * found.high > 0:
        again = common_difference(partition_of(*tables, threshold=str(threshold)))
        assert again.p_threshold == pytest.approx(0.025, rel=0.05)


@pytest.mark.parametrize(
    ("places", "sizes", "rates"),
    [
        (100, (2, 1000), ([0.001], [0.001])),
        (3, (1, 1), ([0.5], [0.5])),
        (3, (1, 1), ([0.2], [0.9])),
        (1, (200, 100_000), ([0.001], [0.001])),
        (3, (5, 1000), ([0.5], [0, 1])),
        (10, (5, 1000), ([0.5], [0, 1])),
        (40, (5, 1000), ([0.5], [0, 1])),
        (10, (5, 1000), ([0, 1], [0.5])),
        (10, (5, 5), ([0.1, 0.9], [0.5])),
        (20, (3, 50), ([0.05], [0.3])),
    ],
)
def test_the_common_interval_covers_whether_differences_vary_or_not(places, sizes, rates):
    share = common_coverage(
        np.random.default_rng(7), *(np.full(places, size) for size in sizes), *rates, draws=150
    )
    # Three standard errors of a share of 93 %; the slow campaign has more tables.
    assert share > 0.93 - 3 * 0.021


def test_the_common_difference_weighs_by_the_harmonic_mean_of_the_groups():
    weights = [Fraction(int(n) * int(m), int(n + m)) for _, n, _, m in TABLES.T]
    differences = [
        Fraction(int(b), int(m)) - Fraction(int(a), int(n)) for a, n, b, m in TABLES.T
    ]
    pairs = zip(weights, differences, strict=True)
    right = sum(w * d for w, d in pairs) / sum(weights)
    assert common_difference(partition_of(*TABLES)).difference == pytest.approx(float(right))


def test_in_one_large_subpopulation_the_interval_is_the_plain_one():
    found = common_difference(partition_of([3000], [10000], [3600], [9000]))
    error = (0.3 * 0.7 / 10000 + 0.4 * 0.6 / 9000) ** 0.5
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * error, rel=0.01)


def test_swapping_the_groups_turns_the_common_difference():
    a, n, b, m = TABLES
    found, turned = (common_difference(partition_of(*t)) for t in (TABLES, (b, m, a, n)))
    assert turned.difference == pytest.approx(-found.difference)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    assert turned.p_zero == pytest.approx(found.p_zero)


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
    found = heterogeneity(
        partition_of(*tables), common_difference(partition_of(*tables)).difference
    )
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
    common = common_difference(partition)
    assert common.difference == pytest.approx(0)
    assert common.p_zero == pytest.approx(1)
    tests = heterogeneity(partition, common.difference)
    assert tests.p < 1e-6
    assert tests.p_opposite < 1e-6
    assert (tests.for_group, tests.for_other) == (1, 1)


def test_few_large_opposite_differences_are_caught_among_many(adult):
    partition = partition_of_adult(adult)
    tests = heterogeneity(partition, common_difference(partition).difference)
    assert tests.p_opposite < 0.01 < tests.p_gail_simon
