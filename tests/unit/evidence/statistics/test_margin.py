"""The pooled difference with one attribute more, against sums over rows and fresh samples."""

import numpy as np
import pytest
from tests.cells import random_cells, rows_of

from evenhand.evidence.statistics.pooled_difference import Margin, margin, pooled_difference


def mean_and_weights(place, member, favored, least):
    """The pooled difference by a loop over places, and the weight of each row in it."""
    weights, total = np.zeros(len(place)), 0.0
    for one in np.unique(place):
        own, others = (place == one) & (member == 1), (place == one) & (member == 0)
        n, m = own.sum(), others.sum()
        if min(n, m) >= least:
            total += n * m / (n + m)
            weights[own], weights[others] = -m / (n + m), n / (n + m)
    return (weights @ favored) / total, weights / total


@pytest.mark.parametrize("least", [1, 30])
@pytest.mark.parametrize("seed", range(5))
def test_differences_and_error_are_those_of_a_sum_over_rows(seed, least):
    cells = random_cells(np.random.default_rng(seed))
    stratum, cell, member, favored = rows_of(*cells)
    before, with_strata = mean_and_weights(stratum, member, favored, least)
    after, with_cells = mean_and_weights(cell, member, favored, least)
    variance = 0.0
    for one in (0, 1):
        square = np.where(member == one, (with_strata - with_cells) ** 2, 0)
        mean = square @ favored / square.sum()
        for place in np.unique(cell[member == one]):
            own = (member == one) & (cell == place)
            rate = favored[own].mean()
            variance += (
                square[own] * (rate * (1 - rate) + mean * (1 - mean) / own.sum())
            ).sum()
    found = margin(*cells, least_rows=least)
    assert found.before == pytest.approx(before)
    assert found.after == pytest.approx(after)
    assert found.error == pytest.approx(variance**0.5)


def test_differences_are_the_pooled_ones():
    cells = random_cells(np.random.default_rng(7), lacking=0)
    found = margin(*cells)
    assert found.after == pytest.approx(pooled_difference(*cells[1:], 0.05).difference)
    merged = [np.bincount(cells[0], column).astype(np.int64) for column in cells[1:]]
    assert found.before == pytest.approx(pooled_difference(*merged, 0.05).difference)


@pytest.mark.parametrize("rows", [6, 60])
def test_the_error_is_that_of_fresh_decisions(rows):
    generator = np.random.default_rng(3)
    stratum, _, group, _, other = random_cells(generator, rows=rows)
    rates = generator.uniform(0.1, 0.9, (2, len(stratum)))
    drawn = []
    for _ in range(2000):
        yes = [generator.binomial(n, p) for n, p in zip((group, other), rates, strict=True)]
        drawn.append(margin(stratum, yes[0], group, yes[1], other))
    moved = np.std([one.before - one.after for one in drawn])
    assert np.mean([one.error**2 for one in drawn]) ** 0.5 == pytest.approx(moved, rel=0.06)


def test_an_attribute_that_changes_nothing_has_no_error():
    stratum = np.arange(4)
    yes, rows = np.array([3, 5, 2, 8]), np.array([10, 12, 9, 20])
    found = margin(stratum, yes, rows, yes + 1, rows)
    assert found.error == 0
    assert found.before == found.after


def test_without_anybody_to_compare_there_is_no_margin():
    zero, some = np.zeros(2, np.int64), np.array([5, 6])
    # Both groups in each stratum, but in different cells.
    cells = np.array([0, 0]), np.array([1, 0]), np.array([5, 0]), np.array([0, 1])
    assert margin(*cells, np.array([0, 5])) is None
    assert margin(zero, zero, zero, zero, some) is None
    assert margin(*(np.zeros(0, np.int64) for _ in range(5))) is None


@pytest.mark.parametrize(
    ("before", "after", "error", "expected"),
    [
        (0.2, 0.1, 0.03, True),  # .1 - .049 is beyond .05
        (0.2, 0.1, 0.031, False),
        (-0.2, -0.1, 0.03, True),
        (0.2, -0.1, 0.0, False),
        (0.2, 0.05, 0.0, False),
    ],
)
def test_a_difference_stands_beyond_the_threshold_in_its_own_direction(
    before, after, error, expected
):
    assert Margin(before=before, after=after, error=error).stands(0.05) is expected
