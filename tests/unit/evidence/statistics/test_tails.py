"""Tails of the difference of two binomial rates against sums over all tables."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, norm

from evenhand.evidence.statistics.p_values import (
    Side,
    divergence,
    large_tail,
    point_probability,
    probability_below,
    small_tail,
)


def side(yes, total, rate):
    return Side(np.array([yes]), np.array([total]), np.array([rate]))


def exact_tail(high, low, *, near=False):
    """In fractions: so large a difference, high minus low, or larger; or so small a one."""
    (a, n, p), (b, m, q) = high, low
    p, q = Fraction(p), Fraction(q)
    seen, tail = Fraction(a, n) - Fraction(b, m), Fraction(0)
    for x in range(n + 1):
        for y in range(m + 1):
            difference = Fraction(x, n) - Fraction(y, m)
            if difference <= seen if near else difference >= seen:
                tail += (
                    comb(n, x) * p**x * (1 - p) ** (n - x)
                    * comb(m, y) * q**y * (1 - q) ** (m - y)
                )  # fmt: skip
    return float(tail)


SMALL = [
    ((3, 4, 0.5), (1, 6, 0.25)),
    ((5, 7, 0.375), (2, 5, 0.25)),
    ((1, 1, 0.125), (0, 9, 0.0625)),
    ((9, 9, 0.75), (0, 3, 0.5)),
    ((0, 3, 0.25), (0, 4, 0.125)),
    ((2, 2, 1.0), (3, 5, 0.5)),
    ((4, 9, 0.5), (0, 8, 0.0)),
]


@pytest.mark.parametrize("pair", SMALL)
def test_small_tails_are_sums_over_all_tables(pair):
    sides = [side(*one) for one in pair]
    assert small_tail([sides])[0] == pytest.approx(exact_tail(*pair), rel=1e-12)
    assert small_tail([sides[::-1]])[0] == pytest.approx(
        exact_tail(*pair, near=True), rel=1e-12
    )


def added_up(high, low):
    """The same from the library's distribution, for larger groups."""
    (a, n, p), (b, m, q) = high, low
    x = np.arange(n + 1)
    most = [(b * n + (int(one) - a) * m) // n for one in x]
    return float((binom.pmf(x, n, p) * binom.cdf(most, m, q)).sum())


# Few against many.
MEDIUM = [
    ((20, 28, 0.4), (60, 250, 0.35)),
    ((20, 28, 0.4), (60, 257, 0.35)),
    ((2, 3, 0.3), (60, 200, 0.25)),
    ((70, 150, 0.3), (2000, 9000, 0.25)),
    ((38, 87, 0.0131), (0, 2825, 0.0121)),
    ((5, 12, 0.2), (10, 100_000, 0.0001)),
    ((30, 30, 0.999), (9000, 10_000, 0.95)),
]


@pytest.mark.parametrize("pair", MEDIUM)
def test_tails_of_few_against_many_are_sums_over_the_few(pair):
    found = small_tail([[side(*one) for one in pair]])[0]
    assert found == pytest.approx(added_up(*pair), rel=1e-9)


@pytest.mark.parametrize("tail", [small_tail, large_tail])
def test_of_several_rates_the_largest_tail_counts(tail):
    pairs = [(side(40, 60, p), side(50, 90, p - 0.05)) for p in (0.5, 0.6, 0.7)]
    alone = [tail([pair])[0] for pair in pairs]
    assert tail(pairs)[0] == max(alone)
    assert max(alone) > min(alone)


def test_where_one_group_cannot_vary_the_tail_is_binomial():
    found = large_tail([[side(60, 100, 0.5), side(0, 80, 0.0)]])[0]
    assert found == pytest.approx(binom.sf(59, 100, 0.5))
    found = large_tail([[side(100, 100, 1.0), side(30, 80, 0.5)]])[0]
    assert found == pytest.approx(binom.cdf(30, 80, 0.5))


def test_in_very_large_groups_the_tail_is_normal():
    rows, rate = 10**12, 0.3
    error = (2 * rate * (1 - rate) / rows) ** 0.5
    yes = round(rows * (rate + 3 * error))
    found = large_tail([[side(yes, rows, rate), side(3 * 10**11, rows, rate)]])[0]
    assert found == pytest.approx(norm.sf(3), rel=1e-3)


def test_divergence_keeps_its_digits_where_both_are_near():
    x, y = Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**9)
    right = float((x - y) ** 2 / (2 * y))
    found = divergence(np.array([float(x)]), np.array([float(y)]))[0]
    assert found == pytest.approx(right, rel=1e-6)


TABLES = [(3, 4, 5, 6), (0, 7, 9, 1), (40, 60, 55, 45), (1, 0, 0, 1), (16, 17, 300, 15)]


def exact(a, b, c, d):
    ways = comb(a + b, a) * comb(c + d, c)
    return Fraction(ways, comb(a + b + c + d, a + c))


@pytest.mark.parametrize("table", TABLES)
def test_points_and_tails_are_those_of_integers(table):
    cells = [np.array([float(cell)]) for cell in table]
    point = point_probability(*cells)
    assert point[0] == pytest.approx(float(exact(*table)), rel=1e-12)
    a, b, c, d = table
    below = sum(exact(a - s, b + s, c + s, d - s) for s in range(1, min(a, d) + 1))
    got = probability_below(*cells, point)[0]
    assert got == pytest.approx(float(below), rel=1e-12, abs=1e-300)


def test_the_probability_of_a_table_of_billions_keeps_its_digits():
    size = 10**9
    table = [np.array([float(size)])] * 4
    # comb(2s, s)² / comb(4s, 2s), by Stirling's formula
    assert point_probability(*table)[0] == pytest.approx((2 / (np.pi * size)) ** 0.5, rel=1e-9)
