"""p-values of single tables against libraries, brute force and plain sums."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import xlog1py, xlogy
from scipy.stats import binom, hypergeom, norm
from statsmodels.stats.proportion import test_proportions_2indep as two_proportions
from tests.populations import shown_error

from evenhand.evidence.statistics.p_values import (
    newcombe_interval,
    score_p,
    threshold_p,
    within_p,
    zero_p,
)

TABLES = [(7, 34, 1, 34), (56, 70, 48, 80), (9, 10, 3, 10), (5, 56, 0, 29), (60, 300, 90, 300)]


def one(function, *arguments):
    columns = (np.array([n], np.int64) for n in arguments[:4])
    return float(function(*columns, *arguments[4:])[0])


def slow_mid_p(a, n, b, m):
    """Fisher's test from the library's distribution: twice the smaller tail, half its start."""
    drawn = hypergeom(n + m, a + b, n)
    below = drawn.cdf(a) - drawn.pmf(a) / 2
    return 2 * min(below, 1 - below)


@pytest.mark.parametrize("sizes", [(1, 1), (1, 9), (4, 6), (8, 8), (3, 40)])
def test_p_zero_is_fishers_mid_p_in_every_small_table(sizes):
    n, m = sizes
    for a, b in product(range(n + 1), range(m + 1)):
        assert one(zero_p, a, n, b, m) == pytest.approx(slow_mid_p(a, n, b, m), abs=1e-10)


@pytest.mark.parametrize("table", [*TABLES, (30, 900, 55, 1000), (2, 400, 11, 390)])
def test_p_zero_is_fishers_mid_p_in_larger_tables(table):
    assert one(zero_p, *table) == pytest.approx(slow_mid_p(*table), rel=1e-9)


def test_p_zero_changes_smoothly_where_the_exact_sum_ends():
    # The variance passes 100 between these: Fisher's sum here, the score test there.
    exact, normal = one(zero_p, 180, 400, 200, 396), one(zero_p, 180, 400, 205, 406)
    assert exact == pytest.approx(slow_mid_p(180, 400, 200, 396), rel=1e-9)
    assert normal == pytest.approx(slow_mid_p(180, 400, 205, 406), rel=0.02)


def test_one_woman_against_nine_men_is_no_proof_of_any_difference():
    assert one(zero_p, 1, 1, 0, 9) == pytest.approx(0.1)


def most_likely(low, high, apart):
    """The most likely rates that are so far apart, found by numerical search."""
    (a, n), (b, m) = low, high

    def unlikely(rate):
        return -(
            xlogy(a, rate)
            + xlog1py(n - a, -rate)
            + xlogy(b, rate + apart)
            + xlog1py(m - b, -rate - apart)
        )

    found = minimize_scalar(
        unlikely, bounds=(0, 1 - apart), method="bounded", options={"xatol": 1e-12}
    )
    return found.x, found.x + apart


def slow_score(low, high, apart):
    """The chance that the normal curve gives to a difference beyond the one seen."""
    (a, n), (b, m) = low, high
    p, q = most_likely(low, high, apart)
    variance = (p * (1 - p) / n + q * (1 - q) / m) * (n + m) / (n + m - 1)
    return norm.sf((b / m - a / n - apart) / variance**0.5)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("threshold", [0.01, 0.05, 0.2])
def test_the_score_test_takes_the_rates_that_a_search_finds(table, threshold):
    a, n, b, m = table
    low, high = sorted([(a, n), (b, m)], key=lambda side: side[0] / side[1])
    found = one(score_p, *table, threshold)
    assert found == pytest.approx(slow_score(low, high, threshold), abs=1e-6)


# At other differences statsmodels 0.15 takes rates that are not the most likely ones: a term of
# its cubic has the favorable decisions where Miettinen and Nurminen have the rows.
@pytest.mark.parametrize("table", [t for t in TABLES if 0 not in t])
def test_at_zero_the_score_test_is_that_of_statsmodels(table):
    a, n, b, m = table
    high, low = ((a, n), (b, m)) if a / n > b / m else ((b, m), (a, n))
    library = two_proportions(
        *high, *low, value=0, method="score", alternative="larger", correction=True
    )
    assert one(score_p, *table, 0.0) == pytest.approx(library.pvalue, abs=1e-9)


@pytest.mark.parametrize("table", [(50, 400, 52, 410), (5, 900, 3, 700), (390, 400, 402, 410)])
def test_within_is_the_larger_of_two_one_sided_score_tests(table):
    a, n, b, m = table
    above, below = slow_score((a, n), (b, m), 0.05), slow_score((b, m), (a, n), 0.05)
    assert one(within_p, *table, 0.05) == pytest.approx(1 - min(above, below), abs=1e-6)


def test_a_difference_beyond_the_threshold_is_never_within():
    assert one(within_p, 10, 100, 30, 100, 0.05) == 1


def exact_p(a, n, b, m, threshold):
    """All tables with so large a difference, at the worst of three rates, and the other side.

    The other side's tail is as unlikely, seen from its own threshold.
    """
    (a, n), (b, m) = sorted([(a, n), (b, m)], key=lambda side: side[0] / side[1])
    likely, _ = most_likely((a, n), (b, m), threshold)
    crossed = np.arange(m + 1)[None, :] * n - np.arange(n + 1)[:, None] * m
    variances = [likely * (1 - likely), (likely + threshold) * (1 - likely - threshold)]
    error = sum(rows / max(v, 1e-12) for rows, v in zip((n, m), variances, strict=True)) ** -0.5
    tail = 0.0
    for low in np.clip([likely - error, likely, likely + error], 0, 1 - threshold):
        chances = np.outer(
            binom.pmf(np.arange(n + 1), n, low), binom.pmf(np.arange(m + 1), m, low + threshold)
        )
        tail = max(tail, float(chances[crossed >= b * n - a * m].sum()))
    errors = []
    for low, high in (
        (likely, likely + threshold),
        most_likely((b, m), (a, n), threshold)[::-1],
    ):
        variance = low * (1 - low) / n + high * (1 - high) / m
        errors.append((variance * (n + m) / (n + m - 1)) ** 0.5)
    return min(1, tail + norm.cdf(norm.ppf(tail) - 2 * threshold / max(errors)))


@pytest.mark.parametrize(
    "table", [(20, 60, 34, 50), (5, 80, 24, 70), (100, 300, 140, 300), (35, 40, 210, 230)]
)
def test_the_saddlepoint_is_within_a_tenth_of_the_sum(table):
    assert one(threshold_p, *table, 0.05) == pytest.approx(exact_p(*table, 0.05), rel=0.1)


@pytest.mark.parametrize("table", [(0, 13, 1, 1), (1, 4, 3, 4), (0, 2, 9, 30), (2, 25, 6, 7)])
def test_in_tiny_groups_tails_are_added_up(table):
    assert one(threshold_p, *table, 0.05) == pytest.approx(exact_p(*table, 0.05), rel=1e-3)


@pytest.mark.parametrize("many", [2, 10, 1000, 10**6])
def test_one_person_against_many_is_weak_evidence(many):
    assert one(threshold_p, 0, many, 1, 1, 0.05) > 0.025
    assert one(threshold_p, many, many, 0, 1, 0.05) > 0.025


def rejected(p, n, m, level, threshold=0.05):
    """How often a p this small comes up, at most, when the difference is the threshold."""
    a, b = (x.ravel() for x in np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij"))
    small = p(a, np.full_like(a, n), b, np.full_like(b, m), threshold) <= level
    worst = 0.0
    for low in np.linspace(0, 1 - threshold, 39):
        for of_group, of_other in ((low, low + threshold), (low + threshold, low)):
            chance = np.outer(
                binom.pmf(np.arange(n + 1), n, of_group),
                binom.pmf(np.arange(m + 1), m, of_other),
            )
            worst = max(worst, float(chance.ravel()[small].sum()))
    return worst


@pytest.mark.parametrize(
    "sizes", [(1, 40), (5, 60), (11, 200), (21, 150), (40, 40), (40, 41), (100, 120)]
)
@pytest.mark.parametrize("threshold", [0.001, 0.05, 0.2])
@pytest.mark.parametrize("level", [0.05, 0.001, 0.0001])
def test_no_small_p_comes_up_much_more_often_than_it_says(sizes, level, threshold):
    assert rejected(threshold_p, *sizes, level, threshold) <= 1.25 * level


@pytest.mark.parametrize(
    ("sizes", "threshold"),
    [
        ((30, 300), 0.001),
        ((11, 1000), 0.01),
        ((30, 300), 0.01),
        ((40, 41), 0.1),
        ((5, 500), 0.2),
    ],
)
def test_of_ten_that_do_not_exceed_the_threshold_one_is_shown_in_5_of_100_tables(
    sizes, threshold
):
    assert shown_error(*sizes, threshold, steps=3) <= 0.055


@pytest.mark.parametrize(
    ("sizes", "threshold"), [((1, 200), 0.5), ((3, 60), 0.3), ((8, 30), 0.4)]
)
def test_within_is_claimed_in_5_of_100_tables_at_the_threshold(sizes, threshold):
    assert rejected(within_p, *sizes, 0.05, threshold) <= 0.05


@pytest.mark.parametrize("table", [*TABLES, (0, 13, 1, 1), (2, 2, 26, 152), (400, 900, 10, 90)])
@pytest.mark.parametrize("function", [zero_p, threshold_p, within_p])
def test_swapping_groups_or_decisions_changes_no_p(function, table):
    a, n, b, m = table
    threshold = () if function is zero_p else (0.05,)
    p = one(function, a, n, b, m, *threshold)
    assert one(function, b, m, a, n, *threshold) == pytest.approx(p, rel=1e-6)
    assert one(function, n - a, n, m - b, m, *threshold) == pytest.approx(p, rel=1e-6)


def test_many_tables_at_once_are_what_they_are_one_by_one():
    table = [np.array(column, np.int64) for column in zip(*TABLES, (0, 3, 2, 2), strict=True)]
    together = threshold_p(*table, 0.05)
    alone = [one(threshold_p, *line, 0.05) for line in (*TABLES, (0, 3, 2, 2))]
    assert together.tolist() == pytest.approx(alone, rel=1e-12)


def test_everybody_against_nobody_has_the_chance_of_just_that():
    # The most likely rates with a difference of .05 are .525 and .475 by symmetry.
    # One standard error beside them it is less likely; the other side adds one such table.
    p = one(threshold_p, 0, 31, 31, 31, 0.05)
    assert p == pytest.approx(0.525**62 + 0.475**62, rel=0.05)


LARGE = [10**4, 10**9, 4 * 10**9, 10**12, 4 * 10**18]


def one_deviate_beyond(rows, at, beyond):
    """40 % against so many points more and so many standard errors, and the deviate of that."""
    error = ((0.4 * 0.6 + (0.4 + at) * (0.6 - at)) / rows) ** 0.5
    a, b = 2 * rows // 5, round(rows * (0.4 + at + beyond * error))
    exact = (Fraction(b - a, rows) - Fraction(str(at))) / Fraction(error)
    return (a, rows, b, rows), float(exact)


@pytest.mark.parametrize("rows", LARGE)
def test_p_values_of_large_tables_are_those_of_the_normal_curve(rows):
    table, deviate = one_deviate_beyond(rows, 0.0, 2.0)
    assert one(zero_p, *table) == pytest.approx(2 * norm.sf(deviate), rel=0.03)
    table, deviate = one_deviate_beyond(rows, 0.05, 2.0)
    assert one(threshold_p, *table, 0.05) == pytest.approx(norm.sf(deviate), rel=0.05)
    table, deviate = one_deviate_beyond(rows, 0.05, -2.0)
    assert one(within_p, *table, 0.05) == pytest.approx(norm.cdf(deviate), rel=0.05)


@pytest.mark.parametrize("rows", LARGE)
def test_forty_against_sixty_percent_is_shown_in_tables_of_any_size(rows):
    table = (2 * rows // 5, rows, 3 * rows // 5, rows)
    assert one(zero_p, *table) < 1e-100
    assert one(threshold_p, *table, 0.05) < 1e-100
    assert one(within_p, *table, 0.05) == 1


@pytest.mark.parametrize("many", LARGE)
@pytest.mark.parametrize("yes", range(4))
def test_few_people_against_billions_have_the_binomial_tail(many, yes):
    # Just a tenth of the others is favored. Their rate is known without error, so that half
    # of the tables with as many favored people have the larger difference.
    def tail(rate):
        return binom.sf(yes, 3, rate) + binom.pmf(yes, 3, rate) / 2

    right = 2 * min(tail(0.1), 1 - tail(0.1))
    assert one(zero_p, yes, 3, many // 10, many) == pytest.approx(right, rel=0.01)
    if yes == 3:
        # At a threshold so wide nothing is added for the other side; the rate of the others
        # is tried one deviation beside, where 84 of 100 tables have the larger difference.
        found = one(threshold_p, yes, 3, many // 10, many, 0.5)
        right = binom.pmf(yes, 3, 0.6) * norm.cdf(1)
        assert found == pytest.approx(right, rel=0.05)


def test_fishers_test_of_rare_decisions_is_exact_in_large_tables():
    # Two Poisson counts: given their sum the first is binomial.
    rows = 10**12
    for a, b in ((3, 11), (0, 6), (40, 70)):
        drawn = binom(a + b, 0.5)
        mid = drawn.cdf(a) - drawn.pmf(a) / 2
        assert one(zero_p, a, rows, b, rows) == pytest.approx(2 * min(mid, 1 - mid), rel=1e-6)


def columns(*counts):
    return tuple(np.array([n], np.int64) for n in counts)


@pytest.mark.parametrize(
    ("other", "group", "low", "high"),
    # Newcombe 1998, Statistics in Medicine 17:873-890, table II, method 10.
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0000),
    ],
)
def test_intervals_are_newcombes(other, group, low, high):
    ends = newcombe_interval(*columns(*group, *other))
    assert [round(float(end[0]), 4) for end in ends] == pytest.approx([low, high], abs=1e-4)


@pytest.mark.parametrize("function", [threshold_p, within_p])
def test_a_p_value_does_not_depend_on_the_tables_beside_it(function):
    """Also where the other tables are so large that their tails are taken otherwise."""
    tables = [(28, 38, 913, 914), (15, 38, 5 * 10**6, 10**7), (1, 43_419, 2, 12)]
    together = function(*np.array(tables).T, 0.3)
    alone = [one(function, *table, 0.3) for table in tables]
    assert together == pytest.approx(alone, rel=1e-12)
