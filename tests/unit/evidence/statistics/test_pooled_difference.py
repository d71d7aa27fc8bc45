"""The mean difference and its tests against libraries and definitions."""

from fractions import Fraction

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import StratifiedTable
from statsmodels.stats.proportion import confint_proportions_2indep
from tests.populations import common_coverage

from evenhand.evidence.statistics.pooled_difference import pooled_difference

# Women and men, favored and all, in four places of very different size.
TABLES = np.array([(3, 9, 8, 11), (40, 90, 61, 100), (0, 4, 1, 2), (120, 400, 160, 380)]).T


def mean_of(tables, threshold=0.05):
    return pooled_difference(*(np.asarray(column, np.int64) for column in tables), threshold)


def stratified(tables):
    return StratifiedTable(
        [np.array([[b, m - b], [a, n - a]], float) for a, n, b, m in tables.T]
    )


def test_in_large_tables_the_common_test_is_near_that_of_cochran_mantel_and_haenszel():
    tables = TABLES[:, [1, 3]] * 3
    library = stratified(tables).test_null_odds(correction=False)
    assert mean_of(tables).p_zero == pytest.approx(library.pvalue, rel=0.3)


def test_the_weighted_rates_are_those_of_mantel_and_haenszel():
    weights = [Fraction(int(n * m), int(n + m)) for _, n, _, m in TABLES.T]
    group, other = (
        sum(
            w * Fraction(int(row[yes]), int(row[yes + 1]))
            for w, row in zip(weights, TABLES.T, strict=True)
        )
        / sum(weights)
        for yes in (0, 2)
    )
    found = mean_of(TABLES)
    assert (found.group_rate, found.other_rate) == pytest.approx((float(group), float(other)))
    assert found.difference == pytest.approx(float(other - group))


@pytest.mark.parametrize(
    "table", [(0, 200, 100, 100_000), (1, 1, 0, 1), (30, 300, 70, 280), (0, 7, 0, 9)]
)
def test_in_one_subpopulation_the_common_interval_is_nearly_newcombes(table):
    (x, n), (y, m) = table[:2], table[2:]
    right = confint_proportions_2indep(y, m, x, n, method="newcomb")
    found = mean_of([count] for count in table)
    assert (found.low, found.high) == pytest.approx(right, abs=0.001)


@pytest.mark.parametrize("tables", [TABLES, [[1], [1], [0], [1]], [[0], [200], [9], [1000]]])
def test_interval_and_p_are_one_test(tables):
    # Ends of the interval, taken for the threshold, have the one-sided p of an end, or a
    # larger one where the saddlepoint knows of a longer tail.
    found = mean_of(tables)
    assert (found.low <= 0 <= found.high) == (found.p_zero >= 0.05)
    nearest = min((found.low, found.high), key=abs)
    if found.low * found.high > 0:
        assert mean_of(tables, abs(nearest)).p_threshold > 0.0249


def test_in_large_tables_the_ends_of_the_interval_have_the_p_of_an_end():
    tables = TABLES[:, [1, 3]] * 30
    found = mean_of(tables)
    assert mean_of(tables, found.low).p_threshold == pytest.approx(0.025, rel=0.1)


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
    assert mean_of(TABLES).difference == pytest.approx(float(right))


def test_in_one_large_subpopulation_the_interval_is_the_plain_one():
    found = mean_of([[3000], [10000], [3600], [9000]])
    error = (0.3 * 0.7 / 10000 + 0.4 * 0.6 / 9000) ** 0.5
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * error, rel=0.01)


def test_swapping_the_groups_turns_the_common_difference():
    a, n, b, m = TABLES
    found, turned = (mean_of(t) for t in (TABLES, (b, m, a, n)))
    assert turned.difference == pytest.approx(-found.difference)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    assert turned.p_zero == pytest.approx(found.p_zero)
    assert turned.p_threshold == pytest.approx(found.p_threshold)


@pytest.mark.parametrize("places", [2, 5])
def test_a_small_p_against_the_threshold_comes_up_no_more_often_than_it_says(places):
    # Five women at 1.1 % and a thousand men at 0.1 % in each place: one woman who was favored
    # is seen in a tenth of all tables, and would be shown by the score interval alone.
    generator = np.random.default_rng(3)
    group, other = np.full(places, 5), np.full(places, 1000)
    small = 0
    for _ in range(1000):
        table = generator.binomial(group, 0.011), group, generator.binomial(other, 0.001), other
        small += mean_of(table, 0.01).p_threshold < 0.05 / (places + 1)
    assert small / 1000 < 0.05 / (places + 1) + 3 * 0.004
