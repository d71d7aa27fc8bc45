"""Limits of differences that hold exactly where whole counts meet them."""

from fractions import Fraction

import numpy as np
import pytest

from evenhand.removal.integer_programme import TOLERANCE, solve_integers, strict_difference


@pytest.mark.parametrize("threshold", [Fraction(1, 20), Fraction(1, 3), Fraction(2, 7)])
def test_counts_are_within_the_limit_if_their_rates_differ_by_less(threshold):
    rng = np.random.default_rng(1)
    sides = set()
    for _ in range(500):
        first, second = rng.integers(1, 60, 2).tolist()
        a, b = int(rng.integers(0, first + 1)), int(rng.integers(0, second + 1))
        own, other, most = strict_difference((first, second), threshold)
        near = abs(Fraction(a, first) - Fraction(b, second)) < threshold
        sides.add(near)
        assert (abs(own * a + other * b) <= most + TOLERANCE) == near
    assert sides == {True, False}


def test_a_small_programme_and_one_without_solution():
    objective, whole = np.array([1.0, 1.0]), np.array([1, 1])
    answer = solve_integers(
        objective,
        integrality=whole,
        bounds=(0, 10),
        constraints=[(np.array([[2.0, 3.0]]), 7.0, np.inf)],
    )
    assert answer.fun == 3.0
    nothing = solve_integers(
        objective,
        integrality=whole,
        bounds=(0, 1),
        constraints=[(np.array([[2.0, 3.0]]), 7.0, np.inf)],
        nodes=10,
    )
    assert nothing.x is None
