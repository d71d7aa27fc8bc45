"""Which sets are counted by bits: where the written costs say that it is cheaper."""

from itertools import combinations

import numpy as np
import pytest

from evenhand.graph.kernels.batch import Batch, BatchPlan
from evenhand.graph.kernels.bitset_choice import CUBE_COSTS, columns_per_set, sets_by_bits
from evenhand.graph.kernels.coded_table import CodedTable


def table_of(cards, lines):
    """A table as large as asked for; the choice looks at its size alone."""
    codes = np.broadcast_to(np.uint8(0), (len(cards), lines))
    return CodedTable(codes, np.ones(lines), np.array(cards), float(lines))


def plan_of(sets, columns):
    rows = np.array(sets)
    return BatchPlan.of(Batch(rows[:, 0], rows[:, 1], rows[:, 2:]), columns)


def chosen(cards, lines, sets, kernel="numpy"):
    words = lines / 64
    plan = plan_of(sets, len(cards))
    return sets_by_bits(table_of(cards, lines), words, plan, CUBE_COSTS[kernel])


@pytest.mark.parametrize("kernel", CUBE_COSTS)
@pytest.mark.parametrize("size", [2, 3, 4])
def test_binary_columns_of_many_lines_are_intersected(kernel, size):
    generator = np.random.default_rng(size)
    sets = sorted({tuple(sorted(generator.permutation(200)[:size])) for _ in range(500)})
    assert chosen([2] * 200, 100_000, sets, kernel).all()


def test_columns_of_many_values_are_counted_in_cubes():
    assert not chosen([8] * 100, 100_000, [*combinations(range(20), 3)]).any()
    assert not chosen([9] * 100, 100_000, [*combinations(range(20), 2)]).any()


def test_each_set_is_chosen_by_its_own_columns():
    cards = [2] * 50 + [9] * 50
    plan = plan_of([*combinations(range(100), 2)], 100)
    by_bits = sets_by_bits(table_of(cards, 10_000), 10_000 / 64, plan, CUBE_COSTS["numpy"])
    assert by_bits.tolist() == (plan.members < 50).all(axis=1).tolist()


def test_sets_that_share_a_cube_of_very_many_lines_are_counted_in_it():
    sets = [*combinations(range(8), 4)]
    assert chosen([3] * 20, 10_000, sets).all()
    assert not chosen([3] * 20, 1_000_000, sets).any()
    assert chosen([3] * 99, 1_000_000, [tuple(range(at, 99, 20)) for at in range(19)]).all()


def test_a_test_alone_on_few_lines_is_not_worth_it():
    assert not chosen([2] * 10, 1000, [(0, 1)]).any()
    assert not chosen([2] * 10, 1000, [(0, 1)], "numba").any()


def test_shapes_of_a_single_set_are_not_worth_it_on_few_lines():
    cards = [2, 3, 4, 5, 6, 7, 8]
    assert not chosen(cards, 1000, [*combinations(range(7), 3)]).any()


def test_sets_that_one_integer_cannot_hold_are_counted_otherwise():
    sets = [tuple(range(at, at + 8)) for at in range(200)]
    assert not chosen([2] * 300, 100_000, sets).any()


def test_tables_that_would_take_more_memory_than_they_have_are_not_packed():
    plan = plan_of([*combinations(range(20), 2)], 20)
    table = table_of([2] * 20, 100_000)
    assert sets_by_bits(table, 100_000 / 64, plan, CUBE_COSTS["numpy"]).all()
    assert not sets_by_bits(table, 1e6, plan, CUBE_COSTS["numpy"]).any()


def test_columns_per_set():
    pairs = np.array([*combinations(range(6), 2)])
    assert columns_per_set(pairs, [2] * 6, 2**6) == (6 + 6 + 5 + 3) / (15 + 11 + 7 + 3)
    assert columns_per_set(pairs, [2] * 6, 4) == 2
    assert columns_per_set(pairs, [2] * 6, 1) == 2
