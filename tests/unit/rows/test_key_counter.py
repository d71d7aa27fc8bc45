"""Counts by key: narrow and wide keys against a loop."""

from collections import Counter

import numpy as np
import pytest

from evenhand.rows.key_counter import KeyCounter, KeyLayout, sort_order


def lines(counter):
    keys, counts = counter.result()
    columns = [column.tolist() for column in counter.layout.codes(keys)]
    return dict(zip(zip(*columns, strict=True), counts.tolist(), strict=True))


@pytest.mark.parametrize(
    "capacities", [(2, 3), (7,), (1, 1, 5), (2**31, 2**31, 2**31), (3,) * 100]
)
def test_codes_survive_their_keys(capacities):
    generator = np.random.default_rng(1)
    columns = [generator.integers(0, capacity, 50) for capacity in capacities]
    layout = KeyLayout(capacities)
    # A table of all codes would be too long for some: one of those that occur is enough.
    keys = layout.keys([np.unique(column, return_inverse=True) for column in columns])
    assert all(map(np.array_equal, layout.codes(keys), columns))


@pytest.mark.parametrize("capacities", [(3, 4, 5), (2**40, 2**40, 4)])
def test_counting_agrees_with_a_loop(capacities):
    counter = KeyCounter(KeyLayout(capacities), most_pending=100)
    generator, expected = np.random.default_rng(2), Counter()
    tables = [np.arange(4)] * 3
    for _ in range(20):
        codes = [generator.integers(0, 3, 40) for _ in capacities]
        weights = generator.integers(0, 2**40, 40)
        counter.add(counter.layout.keys(list(zip(tables, codes, strict=True))), weights)
        for line, weight in zip(
            zip(*map(np.ndarray.tolist, codes), strict=True), weights.tolist(), strict=True
        ):
            expected[line] += weight
    assert lines(counter) == {line: n for line, n in expected.items() if n}


def test_counts_survive_a_new_layout():
    counter = KeyCounter(KeyLayout((2, 2)))
    same = np.arange(2)
    counter.add(counter.layout.keys([(same, np.array([0, 1, 1])), (same, np.array([1, 0, 0]))]))
    before = lines(counter)
    assert before == {(0, 1): 1, (1, 0): 2}
    assert lines(counter.with_layout(KeyLayout((2, 3)))) == before
    assert lines(counter.with_layout(KeyLayout((2**20, 2)))) == before


def test_an_empty_counter_has_no_lines():
    assert lines(KeyCounter(KeyLayout((2, 2)))) == {}


def test_rows_that_count_once_and_counted_ones_are_added_up():
    counter = KeyCounter(KeyLayout((9, 9)), most_pending=50)
    generator, expected = np.random.default_rng(3), Counter()
    for batch in range(12):
        codes = generator.integers(0, 9, (2, 30))
        weights = generator.integers(1, 5, 30) if batch % 3 == 0 else None
        counter.add(counter.layout.keys([(np.arange(9), column) for column in codes]), weights)
        for at, line in enumerate(zip(*codes.tolist(), strict=True)):
            expected[line] += 1 if weights is None else int(weights[at])
    assert lines(counter) == expected


def test_counts_may_exceed_32_bits():
    counter = KeyCounter(KeyLayout((2,)))
    for _ in range(3):
        counter.add(np.array([[0, 1, 1]]), np.array([2**30, 2**30, 1]))
        counter.result()
    counter.add(np.array([[1]]))
    assert lines(counter) == {(0,): 3 * 2**30, (1,): 3 * 2**30 + 4}


@pytest.mark.parametrize("largest", [10, 2**31 - 1, 2**61])
def test_keys_are_put_in_order(largest):
    keys = np.random.default_rng(4).integers(0, largest, (1, 1000))
    assert np.array_equal(keys[0][sort_order(keys)], np.array(sorted(keys[0].tolist())))
    assert len(sort_order(keys[:, :0])) == 0
