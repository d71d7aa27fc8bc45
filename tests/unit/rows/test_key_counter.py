"""Counts by key: dense, sorted and wide keys against a loop."""

from collections import Counter

import numpy as np
import pytest

from evenhand.rows.key_counter import KeyCounter, KeyLayout


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


def test_a_wide_table_needs_several_words():
    assert len(KeyLayout((10,) * 40).words) == 3


@pytest.mark.parametrize("largest_dense", [0, 10**6])
@pytest.mark.parametrize("capacities", [(3, 4, 5), (2**40, 2**40, 4)])
def test_dense_and_sorted_counting_agree_with_a_loop(monkeypatch, largest_dense, capacities):
    monkeypatch.setattr("evenhand.rows.key_counter._MOST_PENDING", 100)
    counter = KeyCounter(KeyLayout(capacities), largest_dense=largest_dense)
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
    assert lines(counter.with_layout(KeyLayout((2**40, 2**40)))) == before


def test_an_empty_tally_has_no_lines():
    assert lines(KeyCounter(KeyLayout((2, 2)))) == {}
