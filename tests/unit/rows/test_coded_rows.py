"""Rows read as lines of codes have the labels that a plain reader gives."""

import csv
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from tests.reading import the_problem

from evenhand.errors import ValuesError
from evenhand.rows import read


def lines(source, *, memory=10**9, **options):
    return replace(read(source, **options), memory=3 * memory).lines


def column(result, name):
    """The label of each row."""
    values = result.table.attribute(name).values
    return [values[code] for code in result.table.column(name).tolist()]


def test_a_csv_gives_each_field_and_a_word_for_what_is_missing(tmp_path):
    records = [("é", "1", "x"), ("b", "", "x"), ("é", "2", "?"), ("Straße", "1", "y")]
    with (tmp_path / "a.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("t", "n", "q"), *records])
    result = lines(tmp_path / "a.csv", na=["?"])
    assert column(result, "t") == ["é", "b", "é", "Straße"]
    assert column(result, "n") == ["1", "(missing)", "2", "1"]
    assert column(result, "q") == ["x", "x", "(missing)", "y"]
    assert result.complete
    assert result.table.counts.tolist() == [1, 1, 1, 1]


def test_many_batches_share_one_code_for_a_label(tmp_path):
    parts = [["a", "b", None], ["c", "b"], ["a"]]
    batches = [
        pa.record_batch({"x": pa.array(part).dictionary_encode(), "y": part}) for part in parts
    ]
    source = pa.Table.from_batches(batches)
    expected = ["a", "b", "(missing)", "c", "b", "a"]
    for table in (source, source.cast(pa.schema([("x", "string"), ("y", "large_string")]))):
        result = lines(table)
        assert column(result, "x") == column(result, "y") == expected
        assert len(result.table.attribute("x")) == 4
    pq.write_table(source, tmp_path / "a.parquet", row_group_size=2)
    assert column(lines(tmp_path / "a.parquet"), "x") == expected


def test_typed_values_get_the_labels_that_counting_gives():
    table = pa.table(
        {
            "f": [1.0, float("nan"), -0.0, 0.0, 2.5],
            "b": [True, False, True, None, True],
            "d": pa.array([0, 1, 2, 0, None], pa.date32()),
        }
    )
    result = lines(table)
    counts = read(table, missing="level").count()
    for name in table.column_names:
        assert {*column(result, name)} == {*counts.attribute(name).values}
    assert column(result, "f") == ["1", "(missing)", "0", "0", "2.5"]


def test_numbers_spelled_in_two_ways_are_one_value(tmp_path):
    (tmp_path / "a.csv").write_text("x\ty\n1\ta\n1.0\ta\n01\ta\n2.50\tb\n")
    assert column(lines(tmp_path / "a.csv"), "x") == ["1", "1", "01", "2.5"]


def test_a_dictionary_value_that_no_row_has_is_no_value():
    used = pa.DictionaryArray.from_arrays(pa.array([2, 0, 2]), pa.array(["a", "b", "c"]))
    assert lines(pa.table({"x": used})).table.attribute("x").values == ("a", "c")


def test_frequencies_weigh_lines_and_zero_leaves_one_out():
    table = pa.table({"x": ["a", "b", "c"], "n": [5, 0, 2]})
    result = lines(table, frequency="n")
    assert result.table.row_count == 7
    assert result.table.attribute("x").values == ("a", "c")


def test_bins_and_merges_apply_where_they_can():
    table = pa.table({"age": ["20", "50", "?", ""], "work": ["a", "b", "c", "a"]})
    result = lines(table, bins={"age": [37]}, merge={"work": {"rest": ["b", "c"]}})
    assert column(result, "age") == ["up to 37", "38 or more", "?", "(missing)"]
    assert column(result, "work") == ["a", "rest", "rest", "a"]


def test_columns_without_labels_are_named():
    result = lines(pa.table({"x": ["a"], "l": pa.array([[1, 2]])}))
    assert result.unreadable == ("l",)
    assert result.table.names == ("x",)


def test_only_as_many_batches_are_read_as_fit():
    batches = [pa.record_batch({"x": [str(at)] * 1000}) for at in range(10)]
    result = lines(pa.Table.from_batches(batches), memory=20_000)
    assert not result.complete
    assert 1000 <= result.table.row_count < 10_000


def test_rows_take_memory_also_where_their_codes_take_little():
    codes = pa.array([0] * 1000, pa.int8())
    batch = pa.record_batch({"x": pa.DictionaryArray.from_arrays(codes, ["a"])})
    result = lines(pa.Table.from_batches([batch] * 10), memory=40_000)
    assert (result.complete, result.table.row_count) == (False, 2000)


@pytest.mark.parametrize("text", ["x,y\n", "x,y"])
def test_a_table_without_rows_has_no_values(tmp_path, text):
    (tmp_path / "a.csv").write_text(text)
    result = lines(tmp_path / "a.csv")
    assert result.table.row_count == 0
    assert result.table.attribute("x").values == ()


def test_how_many_rows_there_will_be_is_told_from_the_first_on(tmp_path):
    """Of plain text about, of Parquet exactly; of compressed text nobody knows."""
    seen = []
    wide = pa.table({f"c{at}": ["x", "yy"] * 1_000 for at in range(1_200)})
    pyarrow.csv.write_csv(wide, tmp_path / "t.csv")
    read(tmp_path / "t.csv", progress=seen.append).inspect()
    first, last = seen[0], seen[-1]
    assert first.step == "reading rows"
    assert 1_500 < first.total < 2_500
    assert first.seconds_left > 0
    assert (last.step, last.total) == ("looking at columns", 1_200)


def test_quantiles_of_no_numbers_are_refused():
    problem = the_problem(ValuesError, pa.table({"a": ["x", "y"]}), bins={"a": 2})
    assert "no numbers" in problem.found


def test_quantiles_of_one_value_are_refused():
    problem = the_problem(ValuesError, pa.table({"a": [7, 7, 7]}), bins={"a": 2})
    assert "2 classes" in problem.what
    assert "cut points" in problem.remedy_text()


def test_quantiles_become_cuts_at_values_of_the_data():
    rows = read(pa.table({"a": [5, 1, 4, 2, 3, 6, 8, 7]}), bins={"a": 4})
    assert rows.codings.bins["a"].labels == ("up to 2", "3 to 4", "5 to 6", "7 or more")
    assert list(rows.count().values("a").values()) == [2, 2, 2, 2]


def test_quantiles_weigh_frequencies_and_pass_over_missing_values():
    table = pa.table({"a": ["1", "2", None, "?"], "n": [1, 3, 50, 50]})
    rows = read(table, bins={"a": 2}, frequency="n", missing="drop", na=["?"])
    with pytest.raises(ValueError, match="cannot be split"):
        rows.count()
    table = pa.table({"a": ["1", "2", None], "n": [3, 3, 50]})
    rows = read(table, bins={"a": 2}, frequency="n", missing="drop")
    assert rows.count().values("a") == {"up to 1": 3, "2 or more": 3}


def test_quantiles_are_exact_where_floats_are_not():
    texts = ["0.1", "0.10000000000000000001", "0.10000000000000000002", "0.2"]
    cuts = read(pa.table({"a": texts}), bins={"a": 4}).codings.bins["a"].cuts
    assert cuts == tuple(map(Fraction, texts[:3]))


def test_quantiles_of_many_numbers_agree_with_a_sort():
    numbers = np.random.default_rng(3).normal(size=300_000)
    rows = read(pa.table({"a": numbers}), bins={"a": 7})
    ordered = np.sort(numbers)
    expected = [ordered[-(-len(numbers) * i // 7) - 1] for i in range(1, 7)]
    assert rows.codings.bins["a"].cuts == tuple(Fraction(repr(float(x))) for x in expected)
    assert max(abs(count - 300_000 / 7) for count in rows.count().values("a").values()) <= 1
