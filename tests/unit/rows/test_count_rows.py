"""Counting: merged and missing values, frequencies, labels that appear late, many rows."""

from collections import Counter
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.reading import value_counts

from evenhand.errors import InputError
from evenhand.question import Codings
from evenhand.rows import read
from evenhand.rows.count_rows import count


def test_merged_values_are_counted_as_one():
    found = value_counts(["x", "y", "z", "z"], merge={"a": {"x or y": ["x", "y"]}})
    assert found == {"x or y": 2, "z": 2}


def test_all_that_is_not_named_can_be_merged():
    assert value_counts([1, 2, 3, 3], merge={"a": {"one": [1], "other": ["*"]}}) == {
        "one": 1,
        "other": 3,
    }


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["x", "", None, "?"]),
        pa.array(["x", "", None, "?"]).dictionary_encode(),
        pa.array(["x", "", None, "?"], pa.large_string()),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3]), pa.array(["x", "", None, "?"])),
    ],
)
def test_missing_can_be_a_value_of_its_own(values):
    assert value_counts(values, missing="level", na=["?"]) == {"x": 1, "(missing)": 3}


def test_what_stands_for_missing_values_need_not_be_text():
    assert value_counts([1, -1, 2, -1], missing="level", na=["-1"]) == {
        "1": 1,
        "2": 1,
        "(missing)": 2,
    }


def test_missing_values_can_be_binned_around():
    found = value_counts(["1", "", "5", "?"], bins={"a": [3]}, missing="level", na=["?"])
    assert found == {"up to 3": 1, "4 or more": 1, "(missing)": 2}


def test_rows_with_missing_values_can_be_dropped_and_are_numbered():
    table = pa.table({"a": ["x", None, "x", "y"], "b": ["1", "2", None, None]})
    rows = read(table, missing="drop")
    assert list(rows.count()) == [(("x", "1"), 1)]
    assert rows.dropped == 3
    assert read(table, columns=["a"], missing="drop").dropped == 1


def test_nothing_is_dropped_where_nothing_is_missing():
    assert read(pa.table({"a": ["x"]}), missing="drop").dropped == 0


def test_a_text_that_means_missing_elsewhere_is_a_label():
    assert value_counts(["NA", "null", "None", "nan", "?"]) == dict.fromkeys(
        ["?", "NA", "None", "nan", "null"], 1
    )


@pytest.mark.parametrize("numbers", [["3", "0", "2.0"], [3, 0, 2], [3.0, 0.0, 2.0]])
def test_counted_data_are_counted_on(numbers):
    table = pa.table({"a": ["x", "y", "x"], "n": numbers})
    counts = read(table, frequency="n").count()
    assert counts.row_count == 5
    assert counts.values("a") == {"x": 5}


def test_counts_are_exact_beyond_floats():
    table = pa.table({"a": ["x", "y", "x"], "n": [2**60, 2**53 + 1, 1]})
    assert read(table, frequency="n").count().values("a") == {"x": 2**60 + 1, "y": 2**53 + 1}


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
    assert read(table, frequency="n").count().row_count == 3 * (2**31 + 2**33 + 1)


def test_a_domain_far_larger_than_the_rows_is_no_burden():
    values = [str(number) for number in range(50)]
    table = pa.table({f"c{i}": values for i in range(20)})
    assert len(read(table).count()) == 50


def test_every_assignment_of_a_full_domain_is_found():
    rows = list(product("ab", "xyz", "0123")) * 2
    table = pa.table(dict(zip("pqr", map(list, zip(*rows, strict=True)), strict=True)))
    assert set(read(table).count().counts.tolist()) == {2}
    assert len(read(table).count()) == 24


def test_progress_is_reported_after_each_batch(tmp_path):
    table = pa.table({"a": ["x", "y"] * 2500})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=2000)
    seen = []
    read(tmp_path / "t.parquet", progress=seen.append).count()
    assert [one.done for one in seen] == sorted({one.done for one in seen})
    assert (seen[-1].done, seen[-1].total, seen[-1].seconds_left) == (5000, 5000, 0)
    assert seen[0].rate > 0


@pytest.mark.parametrize("largest_dense", [0, 10**6])
def test_a_value_of_lines_that_occur_no_times_is_none(largest_dense):
    table = pa.table(
        {"a": ["x", "y", "x"] * 50, "b": ["p", "q", "q"] * 50, "n": [2, 0, 1] * 50}
    )
    source = read(table).sources
    found = count(source, ["a", "b"], Codings(frequency="n"), largest_dense=largest_dense)
    assert [one.values for one in found.table.attributes] == [("x",), ("p", "q")]
    assert found.table.counts.tolist() == [100, 50]


def test_lines_are_in_order_however_late_a_label_is_met(monkeypatch):
    generator = np.random.default_rng(5)
    # Each batch has labels that come before, between and after those met until then.
    pieces = [generator.choice([f"{9 - at}", f"{at}x", "m"], (2, 500)) for at in range(8)]
    columns = np.concatenate(pieces, axis=1).tolist()
    monkeypatch.setattr("evenhand.rows.count_rows.BATCH_ROWS", 300)
    found = read(pa.table({"a": columns[0], "b": columns[1]})).count()
    expected = Counter(zip(*columns, strict=True))
    assert dict(found) == expected
    values = [attribute.values for attribute in found.attributes]
    assert [*values[0]] == sorted({*columns[0]})
    assert [labels for labels, _ in found] == sorted(expected)


def test_texts_that_are_no_numbers_are_refused_wherever_they_stand():
    for column in (["x", "y"], ["x", "1"], ["1", "x"]):
        with pytest.raises(InputError, match="x"):
            read(pa.table({"a": column * 9, "b": ["p"] * 18}), bins={"a": [3]}).count()
