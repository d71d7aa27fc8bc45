"""The integer problem against brute force that shares nothing with it."""

from bisect import bisect_left
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, product
from math import ceil, floor, hypot

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
    found = {
        Pair(s, t)
        for s in range(sizes.small + 1)
        for t in feasible_range(s, sizes.small, sizes.large, threshold)
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


def test_every_small_cell_has_the_fewest_changes_and_the_same_choice_among_equals():
    """Exhaustive: all cells of up to six rows, against the definition."""
    for small, large in combinations_with_replacement(range(1, 7), 2):
        sizes = Pair(small, large)
        for threshold in (Fraction(1, 100), Fraction(1, 20), Fraction(1, 4), Fraction(2, 7)):
            pairs = feasible(sizes, threshold)
            for yes, asks, rise in product(
                product(range(small + 1), range(large + 1)), (False, True), (False, True)
            ):
                start = Pair(*yes)
                found = fewest_changes(
                    start, sizes, threshold, asks_small=asks, only_raise=rise
                )
                allowed = [p for p in pairs if not rise or (p[0] >= yes[0] and p[1] >= yes[1])]
                assert found == min(allowed, key=partial(cost, start, asks_small=asks))


def cost(yes, pair, *, asks_small):
    """What is compared: all changes, those of the group asked about, the smaller count."""
    changes = [abs(new - old) for new, old in zip(pair, yes, strict=True)]
    return sum(changes), changes[0 if asks_small else 1], pair[0]


def best_by_sweep(yes, sizes, threshold, *, asks_small, only_raise, counts=None):
    """The best pair over every count of the smaller group, in fractions."""
    pairs = []
    for small in counts or range(sizes.small + 1):
        rate = Fraction(small, sizes.small)
        low = max(floor((rate - threshold) * sizes.large) + 1, 0)
        high = min(ceil((rate + threshold) * sizes.large) - 1, sizes.large)
        low = max(low, yes.large) if only_raise else low
        if low <= high and not (only_raise and small < yes.small):
            pairs.append(Pair(small, min(max(yes.large, low), high)))
    return min(pairs, key=partial(cost, yes, asks_small=asks_small))


def random_cell(rng, largest, least=1):
    small = int(rng.integers(least, largest))
    large = small + int(rng.choice([0, 1, 2, small // 3, 40 * small]))
    return Pair(int(rng.integers(small + 1)), int(rng.integers(large + 1))), Pair(small, large)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("denominator", [20, 1_000, 20_000, 50_000, 10**6, 10**9])
def test_large_cells_have_the_fewest_changes_at_every_threshold(seed, denominator):
    rng = np.random.default_rng([seed, denominator])
    yes, sizes = random_cell(rng, 5_000, least=4_097)
    threshold = Fraction(int(rng.integers(1, 4)), denominator)
    for asks_small, only_raise in product((False, True), repeat=2):
        how = {"asks_small": asks_small, "only_raise": only_raise}
        found = fewest_changes(yes, sizes, threshold, **how)
        assert found == best_by_sweep(yes, sizes, threshold, **how)


def test_a_cell_that_a_window_around_the_real_optimum_misses():
    yes, sizes, threshold = Pair(8_590, 9_407), Pair(19_361, 19_362), Fraction(1, 50_000)
    how = {"asks_small": True, "only_raise": False}
    found = fewest_changes(yes, sizes, threshold, **how)
    assert found == best_by_sweep(yes, sizes, threshold, **how) == (7_497, 7_497)
    assert sum(yes) - sum(found) == 3_003
    raised = fewest_changes(yes, sizes, threshold, asks_small=True, only_raise=True)
    assert raised == best_by_sweep(yes, sizes, threshold, asks_small=True, only_raise=True)
    assert raised < sizes


def counts_within_the_bound(yes, sizes, threshold, most):
    """The counts of the smaller group at which so few changes are not ruled out.

    In real numbers ``|x - yes|`` plus the larger group's distance to ``x``'s rate, less the
    threshold, is convex and never above the changes: both ends are found by halving.
    """

    def bound(x):
        gap = abs(Fraction(yes.large, sizes.large) - Fraction(x, sizes.small)) - threshold
        return abs(x - yes.small) + max(gap * sizes.large, 0)

    low, high = 0, sizes.small
    while high - low > 2:  # the minimum of a convex function
        left, right = low + (high - low) // 3, high - (high - low) // 3
        low, high = (low, right) if bound(left) <= bound(right) else (left, high)
    bottom = min(range(low, high + 1), key=bound)
    below = bisect_left(range(bottom), True, key=lambda x: bound(x) <= most)
    above = bisect_left(range(bottom, sizes.small + 1), True, key=lambda x: bound(x) > most)
    return range(below, bottom + above)


@pytest.mark.parametrize("size", [10**6, 10**9, 10**12, 2**60])
@pytest.mark.parametrize("seed", range(5))
def test_cells_of_any_size_have_the_fewest_changes(size, seed):
    """The convex bound leaves few counts where the larger group is larger by half or more."""
    rng = np.random.default_rng([seed, size])
    sizes = Pair(size + seed, size * 3 // 2 + int(rng.integers(size)))
    yes = Pair(*(int(rng.integers(n + 1)) for n in sizes))
    for threshold in (Fraction(1, 20), Fraction(1, 3 * 10**5), Fraction(3, 10 * size)):
        found = fewest_changes(yes, sizes, threshold, asks_small=False)
        total = cost(yes, found, asks_small=False)[0]
        counts = counts_within_the_bound(yes, sizes, threshold, total)
        assert len(counts) < 5_000
        assert found == best_by_sweep(
            yes, sizes, threshold, asks_small=False, only_raise=False, counts=counts
        )


@pytest.mark.parametrize("seed", range(20))
def test_large_cells_have_the_counts_nearest_to_a_target(seed):
    rng = np.random.default_rng(seed)
    _, sizes = random_cell(rng, 5_000, least=4_097)
    threshold = Fraction(1, int(rng.choice([20, 5_000, 50_000, 10**6])))
    rate = float(rng.random())
    target = (rate * sizes.small, min(rate + float(threshold), 1) * sizes.large)

    def distance(pair):
        return hypot(pair[0] - target[0], pair[1] - target[1])

    ranges = (
        (small, feasible_range(small, sizes.small, sizes.large, threshold))
        for small in range(sizes.small + 1)
    )
    nearest = (
        (small, min(max(round(target[1]), larges[0]), larges[-1]))
        for small, larges in ranges
        if larges
    )
    found = nearest_counts(target, sizes, threshold)
    assert fits(*found, sizes, threshold)
    assert distance(found) == pytest.approx(min(map(distance, nearest)), rel=1e-12)


@pytest.mark.parametrize("rate", [0.0, 0.25, 0.75, 1.0])
def test_the_search_for_the_nearest_counts_begins_beside_the_target(rate):
    """From elsewhere a million million counts lie between."""
    sizes = Pair(10**12, 2 * 10**12)
    target = (rate * sizes.small, rate * sizes.large)
    assert nearest_counts(target, sizes, Fraction(1, 20)) == target


@pytest.mark.parametrize("beyond", [(-3.0, -2.0), (-3.0, 9.0), (9.0, -2.0), (9.0, 9.0)])
def test_a_target_outside_of_all_counts_has_a_nearest_pair_too(beyond):
    sizes, threshold = Pair(4, 5), Fraction(1, 4)
    found = nearest_counts(beyond, sizes, threshold)
    assert found in feasible(sizes, threshold)
    assert hypot(found[0] - beyond[0], found[1] - beyond[1]) == min(
        hypot(small - beyond[0], large - beyond[1])
        for small, large in feasible(sizes, threshold)
    )


@given(st.integers(1, 60), st.data())
def test_the_first_hit_is_that_of_a_plain_loop(modulus, data):
    step, start = data.draw(st.integers(-99, 99)), data.draw(st.integers(-99, 99))
    hits = [(start + n * step) % modulus for n in range(modulus)]
    width = data.draw(st.integers(min(hits), 2 * modulus))
    first = next(n for n, value in enumerate(hits) if value <= width)
    assert smallest_change._first_hit(step, start, modulus, width) == first
