"""Counting: merged and missing values, frequencies, labels that appear late, many rows."""

from collections import Counter

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
from evenhand.rows.key_counter import KeyCounter, KeyLayout, sort_order

GAPS = ["x", "", None, "?"]
AS_LEVEL = {"missing": "level", "na": ["?"]}
COUNTED = {
    "merged": (
        *(["x", "y", "z", "z"], {"merge": {"a": {"x or y": ["x", "y"]}}}),
        {"x or y": 2, "z": 2},
    ),
    "the rest merged": (
        *([1, 2, 3, 3], {"merge": {"a": {"one": [1], "other": ["*"]}}}),
        {"one": 1, "other": 3},
    ),
    "gaps": (pa.array(GAPS), AS_LEVEL, {"x": 1, "(missing)": 3}),
    "gaps of a dictionary": (
        *(pa.array(GAPS).dictionary_encode(), AS_LEVEL),
        {"x": 1, "(missing)": 3},
    ),
    "gaps of long texts": (
        *(pa.array(GAPS, pa.large_string()), AS_LEVEL),
        {"x": 1, "(missing)": 3},
    ),
    "gaps among the values": (
        *(pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3]), pa.array(GAPS)), AS_LEVEL),
        {"x": 1, "(missing)": 3},
    ),
    "a number that is none": (
        *([1, -1, 2, -1], {"missing": "level", "na": ["-1"]}),
        {"1": 1, "2": 1, "(missing)": 2},
    ),
    "binned around gaps": (
        *(["1", "", "5", "?"], {"bins": {"a": [3]}, **AS_LEVEL}),
        {"up to 3": 1, "4 or more": 1, "(missing)": 2},
    ),
    "what means missing elsewhere": (
        *(["NA", "null", "None", "nan", "?"], {}),
        dict.fromkeys(["?", "NA", "None", "nan", "null"], 1),
    ),
}


@pytest.mark.parametrize("case", COUNTED)
def test_values_are_counted_under_their_labels(case):
    values, options, expected = COUNTED[case]
    assert value_counts(values, **options) == expected


def test_rows_with_missing_values_can_be_dropped_and_are_numbered():
    table = pa.table({"a": ["x", None, "x", "y"], "b": ["1", "2", None, None]})
    rows = read(table, missing="drop")
    assert list(rows.count()) == [(("x", "1"), 1)]
    assert rows.dropped == 3
    assert read(table, columns=["a"], missing="drop").dropped == 1
    assert read(pa.table({"a": ["x"]}), missing="drop").dropped == 0


@pytest.mark.parametrize("numbers", [["3", "0", "2.0"], [3, 0, 2], [3.0, 0.0, 2.0]])
def test_counted_data_are_counted_on(numbers):
    table = pa.table({"a": ["x", "y", "x"], "n": numbers})
    counts = read(table, frequency="n").count()
    assert counts.row_count == 5
    assert counts.values("a") == {"x": 5}


@pytest.mark.parametrize("numbers", [[2**60, 2**53 + 1, 1], [2**31, 2**33 + 1, 2**31]])
def test_counts_are_exact_beyond_floats_and_32_bits(numbers):
    table = pa.table({"a": ["x", "y", "x"], "n": numbers})
    expected = {"x": numbers[0] + numbers[2], "y": numbers[1]}
    assert read(table, frequency="n").count().values("a") == expected


def test_progress_is_reported_after_each_batch(tmp_path):
    table = pa.table({"a": ["x", "y"] * 2500})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=2000)
    seen = []
    read(tmp_path / "t.parquet", progress=seen.append).count()
    assert [one.done for one in seen] == sorted({one.done for one in seen})
    assert (seen[-1].done, seen[-1].total, seen[-1].seconds_left) == (5000, 5000, 0)
    assert seen[0].rate > 0


def test_a_value_of_lines_that_occur_no_times_is_none():
    table = pa.table(
        {"a": ["x", "y", "x"] * 50, "b": ["p", "q", "q"] * 50, "n": [2, 0, 1] * 50}
    )
    source = read(table).sources
    found = count(source, ["a", "b"], Codings(frequency="n"))
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


@pytest.mark.parametrize(("rows", "every"), [(200, 2), (98, 1)])
def test_values_that_repeat_or_are_few_are_no_identifier(rows, every):
    assert read(identified(rows, every)).count().cards[0] == rows // every


def test_missing_values_of_all_columns_are_one_problem(write_file):
    path = write_file("a,b,c\n,1,x\n2,,y\n3,,z\n")
    problem = the_problem(MissingValueError, path)
    assert problem.where == str(path)
    assert problem.what == "Values are missing: 'b' 2 rows, 'a' 1."
    assert problem.found == "First at line 2, in 'a'."
    assert "missing='drop'" in str(problem)
    header = ",".join(f"c{at}" for at in range(25))
    many = the_problem(MissingValueError, write_file(f"{header}\n{',' * 24}\n{',' * 24}\n"))
    assert "'c4' 2 and 20 more." in many.what


REFUSED = {
    "gaps of one column": (
        *(MissingValueError, {"a": ["", "2"], "b": [1, 1]}, {}),
        "Values are missing: 'a' 1 row. First at row 1, in 'a'.",
    ),
    "gaps of numbers": (
        *(MissingValueError, {"a": [1.0, float("nan")], "b": ["x", None]}, {}),
        *("'a' 1 row, 'b' 1", "row 2"),
    ),
    "a level that is taken": (
        *(ValuesError, {"a": ["(missing)", None]}, {"missing": "level"}),
        *("'(missing)'", "na="),
    ),
    "no complete row": (
        *(MissingValueError, {"a": ["x", None], "b": [None, "y"]}, {"missing": "drop"}),
        "2 rows",
    ),
    "a negative frequency": (
        ValuesError,
        {"a": "xy", "n": [1, -1]},
        {"frequency": "n"},
        "row 2",
    ),
    "half a row": (ValuesError, {"a": "xy", "n": [1, 0.5]}, {"frequency": "n"}, "row 2"),
    "no frequency": (ValuesError, {"a": "xy", "n": [1, None]}, {"frequency": "n"}, "row 2"),
    "too many rows": (
        *(ValuesError, {"a": "xy", "n": [2**61, 2**62 - 1]}, {"frequency": "n"}),
        "'n'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_counted_is_refused_with_its_place(case):
    kind, columns, options, *said = REFUSED[case]
    table = pa.table({name: [*values] for name, values in columns.items()})
    problem = str(the_problem(kind, table, **options))
    assert [words for words in said if words not in problem] == []


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


def test_problems_of_several_kinds_are_raised_together(write_file):
    path = write_file("age,sex,n\nyoung,f,1\n3,,2\n4,m,-1\n")
    problems = refusal(InputError, path, bins={"age": [37]}, frequency="n")
    assert ["'young'" in problems[0].what, "'-1'" in problems[1].what] == [True, True]
    assert "missing: 'sex' 2" in problems[2].what


def test_a_merge_that_does_nothing_is_refused_with_near_values(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("work,sex\nPrivate,f\nState,m\n")
    with pytest.raises(ValuesError, match="Did you mean 'Private'") as caught:
        read(path, merge={"work": {"x": ["privat"]}}).count()
    assert "data.csv" in caught.value.problems[0].where


def test_a_value_that_is_merged_and_does_not_occur_is_named(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("work,sex\nPrivate,f\nState,m\n")
    for olds in (["Private", "stat"], ["stat", "*"]):
        rows = read(path, merge={"work": {"x": olds}})
        (note,) = rows.notes
        assert "'stat' in 'work'" in note.what
        assert "'State'" in note.found
        assert rows.inspect().notes == rows.notes
    (note,) = read(path, merge={"work": {"x": ["stat"]}}).inspect().notes
    assert "'stat' in 'work'" in note.what


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
