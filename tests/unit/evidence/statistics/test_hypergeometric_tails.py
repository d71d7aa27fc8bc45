"""Hypergeometric tails, against integers."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from evenhand.evidence.statistics.tails import (
    point_probability,
    probability_below,
)

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
