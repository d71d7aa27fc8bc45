"""The integer problem against brute force that shares nothing with it."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.removal import smallest_change
from evenhand.removal.smallest_change import (
    Pair,
    feasible_range,
    fewest_changes,
    nearest_counts,
)

THRESHOLDS = [Fraction(1, 40), Fraction(1, 20), Fraction(1, 10), Fraction(2, 7)]


def fits(small, large, sizes, threshold):
    return abs(Fraction(large, sizes.large) - Fraction(small, sizes.small)) < threshold


def feasible(sizes, threshold):
    return [
        Pair(s, t)
        for s, t in product(range(sizes.small + 1), range(sizes.large + 1))
        if fits(s, t, sizes, threshold)
    ]


@st.composite
def cells(draw, largest=9):
    small = draw(st.integers(1, largest))
    large = draw(st.integers(small, largest))
    yes = Pair(draw(st.integers(0, small)), draw(st.integers(0, large)))
    return yes, Pair(small, large), draw(st.sampled_from(THRESHOLDS))


@given(cells())
def test_the_feasible_range_holds_exactly_the_counts_that_meet_the_criterion(cell):
    _, sizes, threshold = cell
    every = np.arange(sizes.small + 1)
    low, high = feasible_range(every, sizes, threshold)
    found = {
        Pair(int(s), t)
        for s, a, b in zip(every, low, high, strict=True)
        for t in range(a, b + 1)
    }
    assert found == set(feasible(sizes, threshold))


@given(cells(), st.booleans())
def test_no_pair_needs_fewer_changes(cell, asks_small):
    yes, sizes, threshold = cell
    found = fewest_changes(yes, sizes, threshold, asks_small=asks_small)

    def cost(pair):
        changes = (abs(pair.small - yes.small), abs(pair.large - yes.large))
        of_group = changes[0] if asks_small else changes[1]
        return sum(changes), of_group

    assert fits(*found, sizes, threshold)
    assert cost(found) == min(map(cost, feasible(sizes, threshold)))


@given(cells())
def test_only_raising_takes_no_favorable_decision_back(cell):
    yes, sizes, threshold = cell
    found = fewest_changes(yes, sizes, threshold, asks_small=True, only_raise=True)
    raised = [
        p for p in feasible(sizes, threshold) if p.small >= yes.small and p.large >= yes.large
    ]
    assert found in raised
    assert sum(found) == min(map(sum, raised))


@given(cells(), st.floats(0, 1), st.floats(0, 1))
def test_no_feasible_pair_is_nearer_to_the_target(cell, small_rate, large_rate):
    _, sizes, threshold = cell
    target = (small_rate * sizes.small, large_rate * sizes.large)

    def distance(pair):
        return (pair.small - target[0]) ** 2 + (pair.large - target[1]) ** 2

    found = nearest_counts(target, sizes, threshold)
    assert fits(*found, sizes, threshold)
    assert distance(found) == pytest.approx(min(map(distance, feasible(sizes, threshold))))


@given(cells(largest=60), st.booleans())
def test_large_groups_are_scanned_only_where_the_best_can_lie(cell, asks_small):
    """With a window of a few counts the answer is that of the whole scan."""
    yes, sizes, threshold = cell
    whole = fewest_changes(yes, sizes, threshold, asks_small=asks_small)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(smallest_change, "_WINDOW", 12)
        assert fewest_changes(yes, sizes, threshold, asks_small=asks_small) == whole


def test_counts_beyond_64_bits_are_exact():
    sizes = Pair(3 * 10**9, 4 * 10**9)
    yes = Pair(10**9, 2 * 10**9)
    found = fewest_changes(yes, sizes, Fraction(1, 20), asks_small=True)
    assert fits(*found, sizes, Fraction(1, 20))
    fewer = Pair(found.small - 1, found.large)
    assert not fits(*fewer, sizes, Fraction(1, 20))


def test_a_solution_exists_however_small_the_threshold():
    """Groups of nearly the same size, where almost no pair of counts has equal rates."""
    sizes, threshold = Pair(5000, 5001), Fraction(1, 10**6)
    found = fewest_changes(Pair(0, 600), sizes, threshold, asks_small=True, only_raise=True)
    assert fits(*found, sizes, threshold)
