"""Counting: merged and missing values, frequencies, labels that appear late, many rows."""

from collections import Counter
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.reading import refusal, the_problem, value_counts

import evenhand as eh
from evenhand.errors import (
    ColumnError,
    InputError,
    MissingValueError,
    ResourceError,
    ValuesError,
)
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


def identified(rows, every=1):
    return pa.table(
        {"id": [str(i // every) for i in range(rows)], "x": ["a", "b"] * (rows // 2)}
    )


@pytest.mark.parametrize("rows", [100, 30_000])
def test_a_column_with_nearly_as_many_values_as_rows_is_refused(rows):
    problem = the_problem(ColumnError, identified(rows))
    assert "'id'" in problem.what
    assert f"{rows:,} rows" in problem.found or rows > 10_000
    assert "exclude=" in problem.remedy_text()
    assert "bins=" in problem.remedy_text()


@pytest.mark.parametrize("mark", ["L", "1999-", "no "])
def test_only_numbers_are_to_be_binned(mark):
    table = identified(100)
    texts = pa.array([f"{mark}{at}" for at in range(100)])
    problem = the_problem(ColumnError, table.set_column(0, "id", texts))
    assert problem.what == "The column 'id' looks like an identifier or a free text."
    assert [one.argument for one in problem.remedies] == ["exclude"]


def test_an_identifier_is_refused_before_all_rows_are_read():
    batches_read = []

    def batches():
        for number in range(50):
            batches_read.append(number)
            ids = [f"{number}-{row}" for row in range(10_000)]
            yield pa.record_batch({"id": ids, "x": ["a"] * 10_000})

    schema = pa.schema({"id": pa.string(), "x": pa.string()})
    the_problem(ColumnError, pa.RecordBatchReader.from_batches(schema, batches()))
    assert len(batches_read) == 1


def test_many_values_are_no_identifier_where_they_repeat():
    assert read(identified(200, every=2)).count().cards[0] == 100


def test_few_rows_may_all_differ():
    assert read(identified(98)).count().cards[0] == 98


def test_missing_values_of_all_columns_are_one_problem(write_file):
    path = write_file("a,b,c\n,1,x\n2,,y\n3,,z\n")
    problem = the_problem(MissingValueError, path)
    assert problem.where == str(path)
    assert problem.what == "2 columns have missing values: 'a' 1, 'b' 2."
    assert problem.found == "First at line 2, in 'a'."
    assert "missing='drop'" in str(problem)
    header = ",".join(f"c{at}" for at in range(25))
    many = the_problem(MissingValueError, write_file(f"{header}\n{',' * 24}\n{',' * 24}\n"))
    assert "25 columns" in many.what
    assert "'c19' 2 and 5 more." in many.what


def test_missing_values_of_one_column_are_counted(write_file):
    problem = the_problem(MissingValueError, write_file("a,b\n,1\n2,1\n"))
    assert problem.what == "The column 'a' has 1 missing value."
    assert problem.found == "First at line 2."


def test_missing_values_in_a_frame_are_counted(pandas):
    frame = pandas.DataFrame({"a": [1.0, float("nan")], "b": ["x", None]})
    problem = the_problem(MissingValueError, frame)
    assert "'a' 1, 'b' 1" in problem.what
    assert "row 2" in problem.found


def test_a_level_for_missing_values_must_be_free():
    table = pa.table({"a": ["(missing)", None]})
    problem = the_problem(ValuesError, table, missing="level")
    assert "'(missing)'" in problem.what
    assert "na=" in problem.remedy_text()


def test_dropping_every_row_is_refused():
    table = pa.table({"a": ["x", None], "b": [None, "y"]})
    assert "2 rows" in the_problem(MissingValueError, table, missing="drop").what


def test_numbers_to_be_binned_must_be_numbers(write_file):
    path = write_file('age,b\n36,"x\ny"\nyoung,1\n\n37,1\nold,1\nyoung,1\n')
    problem = the_problem(ValuesError, path, bins={"age": [37]})
    assert problem.where == str(path)
    assert "'young'" in problem.what
    assert "line 4" in problem.found
    assert "2 such values" in problem.found


def test_the_file_and_line_of_a_wrong_number_are_named(write_file, tmp_path):
    write_file("a,b\n1,2\n3,4\n", "1.csv")
    second = write_file("a,b\n5,6\nx,8\n", "2.csv")
    problem = the_problem(ValuesError, tmp_path, bins={"a": [3]})
    assert problem.where == str(second)
    assert "line 3" in problem.found


@pytest.mark.parametrize("value", ["-1", "0.5", "many", "", "1e30", "nan"])
def test_a_frequency_is_a_whole_number(write_file, value):
    path = write_file(f"a,n\nx,1\ny,{value}\n")
    problem = the_problem(ValuesError, path, frequency="n")
    assert problem.where == str(path)
    assert "'n'" in problem.what
    assert "line 3" in problem.found
    assert "whole numbers" in problem.remedy_text()


@pytest.mark.parametrize("value", [-1, 0.5, None])
def test_a_frequency_in_a_frame_is_a_whole_number(value):
    table = pa.table({"a": ["x", "y"], "n": [1, value]})
    assert "row 2" in the_problem(ValuesError, table, frequency="n").found


def test_more_rows_than_can_be_counted_are_refused():
    table = pa.table({"a": ["x", "y"], "n": [2**61, 2**62 - 1]})
    assert "'n'" in the_problem(ValuesError, table, frequency="n").what


def test_problems_of_several_kinds_are_raised_together(write_file):
    path = write_file("age,sex,n\nyoung,f,1\n3,,2\n4,m,-1\n")
    problems = refusal(InputError, path, bins={"age": [37]}, frequency="n")
    assert ["'young'" in problems[0].what, "'-1'" in problems[1].what] == [True, True]
    assert "'sex' has 2 missing" in problems[2].what


def test_a_merge_that_does_nothing_is_refused_with_near_values(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("work,sex\nPrivate,f\nState,m\n")
    with pytest.raises(ValuesError, match="Did you mean 'Private'") as caught:
        read(path, merge={"work": {"x": ["privat"]}}).count()
    assert "data.csv" in caught.value.problems[0].where
    assert read(path, merge={"work": {"x": ["Private", "Absent"]}}).count().row_count == 2


@pytest.mark.parametrize("bins", [{}, {"essay": [3]}, {"essay": 4}], ids=str)
def test_few_texts_that_do_not_fit_into_the_memory_are_refused(essays, bins):
    with pytest.raises(ResourceError, match="do not fit into 256 MB") as caught:
        eh.read(essays, bins=bins, memory="256MB").count()
    (problem,) = caught.value.problems
    assert problem.where == str(essays)
    assert problem.found.startswith("The column 'essay' takes ")
    assert "(columns=…)" in problem.remedy_text()
    assert "(memory=…)" in problem.remedy_text()


def test_counts_that_do_not_fit_into_the_memory_are_refused():
    generator = np.random.default_rng(11)
    wide = pa.table({f"x{at}": generator.integers(0, 999, 2_000_000) for at in range(4)})
    with pytest.raises(ResourceError, match="do not fit into 256 MB") as raised:
        eh.read(wide, memory="256MB").count()
    assert raised.value.problems[0].remedies[-1].argument == "memory"
