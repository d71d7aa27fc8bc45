"""Counting in itself: dense, sorted and wide keys, labels that appear late, many rows."""

from collections import Counter
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from evenhand.question import Codings
from evenhand.rows import read
from evenhand.rows.count_rows import count
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


def tables_with_late_labels():
    for number in range(30):
        values = [f"v{min(number, row)}" for row in range(10)]
        yield pa.record_batch({"a": values, "b": [str(number % 3)] * 10})


@pytest.mark.parametrize("largest_dense", [0, 2**26])
def test_labels_may_appear_late(largest_dense):
    batches = list(tables_with_late_labels())
    rows = read(pa.Table.from_batches(batches))
    expected = Counter((row["a"], row["b"]) for batch in batches for row in batch.to_pylist())
    counted = count(rows.sources, rows.columns, Codings(), largest_dense=largest_dense)
    assert dict(counted.table) == expected
    assert counted.table == rows.count()


def test_a_wide_table_is_counted_as_by_a_loop():
    generator = np.random.default_rng(5)
    base = generator.integers(0, 10, (40, 300)).astype(str)
    picks = generator.integers(0, 300, 2_000)
    table = pa.table({f"c{i}": column[picks] for i, column in enumerate(base)})
    expected = Counter(zip(*(base[i][picks].tolist() for i in range(40)), strict=True))
    assert dict(read(table).count()) == expected


def test_more_rows_than_32_bits_hold_are_counted_exactly():
    table = pa.table({"a": ["x", "y"] * 3, "n": [2**31, 2**33 + 1] * 3})
    assert read(table, frequency="n").count().rows == 3 * (2**31 + 2**33 + 1)


def test_a_domain_far_larger_than_the_rows_is_no_burden():
    values = [str(number) for number in range(50)]
    table = pa.table({f"c{i}": values for i in range(20)})
    assert len(read(table).count()) == 50


def test_every_assignment_of_a_full_domain_is_found():
    rows = list(product("ab", "xyz", "0123")) * 2
    table = pa.table(dict(zip("pqr", map(list, zip(*rows, strict=True)), strict=True)))
    assert set(read(table).count().counts.tolist()) == {2}
    assert len(read(table).count()) == 24
