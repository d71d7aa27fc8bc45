"""Limits of differences that hold exactly where whole counts meet them."""

from fractions import Fraction

import numpy as np
import pytest

from evenhand.removal.many_values import TOLERANCE, strict_differences


@pytest.mark.parametrize("threshold", [Fraction(1, 20), Fraction(1, 3), Fraction(2, 7)])
def test_counts_are_within_the_limit_if_their_rates_differ_by_less(threshold):
    rng = np.random.default_rng(1)
    sides = set()
    for _ in range(500):
        first, second = rng.integers(1, 60, 2).tolist()
        a, b = int(rng.integers(0, first + 1)), int(rng.integers(0, second + 1))
        sizes = np.array([[first], [second]])
        (own,), (other,), (most,) = strict_differences(*sizes, threshold)
        near = abs(Fraction(a, first) - Fraction(b, second)) < threshold
        sides.add(near)
        assert (abs(own * a + other * b) <= most + TOLERANCE) == near
    assert sides == {True, False}
