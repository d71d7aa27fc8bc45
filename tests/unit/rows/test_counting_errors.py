"""What counting refuses, with its class, its place, what was found, and the remedy."""

import numpy as np
import pyarrow as pa
import pytest
from tests.reading import refusal, the_problem

import evenhand as eh
from evenhand.errors import (
    ColumnError,
    InputError,
    MissingValueError,
    ResourceError,
    ValuesError,
)
from evenhand.rows import read


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
