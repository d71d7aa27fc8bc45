"""What cannot be read is refused with its class, its place, what was found, and the remedy."""

import gzip
import io
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from evenhand.errors import (
    ColumnError,
    InputError,
    MissingValueError,
    QuestionError,
    ResourceError,
    ValuesError,
)
from evenhand.rows import read


def refusal(kind, source, **options):
    """The problems that reading and counting raise, and that they are of exactly this class."""
    with pytest.raises(kind) as caught:
        read(source, **options).count()
    assert type(caught.value) is kind
    return caught.value.problems


def the_problem(kind, source, **options):
    (problem,) = refusal(kind, source, **options)
    assert problem.what
    assert problem.remedy
    return problem


@pytest.fixture
def written(tmp_path):
    """Write a file and give its path."""

    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


# columns


def test_an_unknown_column_is_named_with_what_looks_like_it(written):
    path = written("sex,age\nf,1\n")
    problem = the_problem(ColumnError, path, columns=["sex", "Agee"])
    assert problem.where == str(path)
    assert "'Agee'" in problem.what
    assert "Did you mean 'age'?" in problem.found


def test_all_unknown_columns_are_named_together(written):
    problems = refusal(
        ColumnError, written("a,b\n1,2\n"), columns=["x"], bins={"y": [1]}, frequency="z"
    )
    assert [problem.what.split()[-1] for problem in problems] == ["'x'.", "'y'.", "'z'."]


def test_repeated_column_names_are_refused_with_their_positions(written):
    path = written("a,b,a,b,a\n1,2,3,4,5\n")
    first, second = refusal(ColumnError, path)
    assert first.where == str(path)
    assert "'a' occurs 3 times" in first.what
    assert "1, 3, 5" in first.found
    assert "'b'" in second.what


def test_repeated_names_in_a_relation_are_refused(duckdb):
    problem = the_problem(ColumnError, duckdb.sql("select 1 as a, 2 as a"))
    assert "1, 2" in problem.found


def test_repeated_names_in_a_frame_are_refused(pandas):
    problem = the_problem(ColumnError, pandas.DataFrame([[1, 2]], columns=["a", "a"]))
    assert "1, 2" in problem.found


def test_names_that_are_no_texts_are_refused(pandas):
    problem = the_problem(ColumnError, pandas.DataFrame([[1, 2]]))
    assert "'0', '1'" in problem.what


@pytest.mark.parametrize("value", [[1], {"x": 1}, b"bytes"], ids=["list", "structure", "bytes"])
def test_a_column_without_labels_is_refused_by_type(value):
    table = pa.table({"a": ["x"], "b": [value]})
    problem = the_problem(ColumnError, table)
    assert "'b'" in problem.what
    assert str(table["b"].type) in problem.what
    assert "columns=" in problem.remedy_text()
    assert read(table, columns=["a"]).count().rows == 1


def test_choosing_a_column_twice_is_refused(written):
    problem = the_problem(QuestionError, written("a,b\n1,2\n"), columns=["a", "a"])
    assert "'a'" in problem.what


def test_the_frequency_is_no_attribute(written):
    problem = the_problem(
        QuestionError, written("a,n\n1,2\n"), columns=["a", "n"], frequency="n"
    )
    assert "'n'" in problem.what


def test_choosing_no_column_is_refused(written):
    assert "No column" in the_problem(QuestionError, written("a,b\n1,2\n"), columns=[]).what


def test_codings_are_given_in_one_way(written):
    codings = read(written("a,b\n1,2\n")).codings
    problem = the_problem(QuestionError, written("a,b\n1,2\n"), codings=codings, na=["x"])
    assert "twice" in problem.what


# identifiers


def identified(rows, every=1):
    return pa.table(
        {"id": [str(i // every) for i in range(rows)], "x": ["a", "b"] * (rows // 2)}
    )


@pytest.mark.parametrize("rows", [100, 30_000])
def test_a_column_with_nearly_as_many_values_as_rows_is_refused(rows):
    problem = the_problem(ColumnError, identified(rows))
    assert "'id'" in problem.what
    assert f"{rows:,} rows" in problem.found or rows > 10_000
    assert "columns=" in problem.remedy_text()
    assert "bins=" in problem.remedy_text()


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


def test_unused_levels_are_no_values():
    codes = pa.array([0, 1] * 100, pa.int32())
    labels = pa.array([f"level {number}" for number in range(1_000)])
    table = pa.table({"a": pa.DictionaryArray.from_arrays(codes, labels)})
    assert read(table).count().attributes[0].values == ("level 0", "level 1")


# empty and missing files


def test_an_empty_file_is_refused(written):
    path = written("")
    problem = the_problem(InputError, path)
    assert problem.where == str(path)
    assert "0 bytes" in problem.what


@pytest.mark.parametrize("content", ["a,b\n", "a,b", "\ufeffa,b\r\n"])
def test_a_header_alone_is_refused(written, content):
    problem = the_problem(InputError, written(content))
    assert "no rows" in problem.what


def test_blank_lines_alone_are_refused(written):
    assert "no header" in the_problem(InputError, written("\n\n\n")).what


def test_a_parquet_file_without_rows_is_refused(tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.string())}), tmp_path / "a.parquet")
    assert "no rows" in the_problem(InputError, tmp_path / "a.parquet").what


def test_a_missing_file_is_named_with_one_that_differs_by_case(written, tmp_path):
    written("a,b\n1,2\n", "Data.csv")
    problem = the_problem(InputError, tmp_path / "data.csv")
    assert problem.where.endswith("data.csv")
    assert "Data.csv" in problem.found


@pytest.mark.parametrize("path", ["nothing*.csv", "a\0b", "x" * 5000])
def test_a_path_that_cannot_be_is_refused(path):
    the_problem(InputError, path)


def test_a_path_that_is_no_text_is_refused(tmp_path):
    path = os.fsencode(tmp_path) + b"/caf\xe9.csv"
    Path(os.fsdecode(path)).write_bytes(b"a,b\n1,2\n")
    problem = the_problem(InputError, Path(os.fsdecode(path)))
    assert "no UTF-8" in problem.what
    assert problem.where.isascii()


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
def test_a_file_that_vanishes_is_refused(tmp_path, suffix):
    path, table = tmp_path / f"a.{suffix}", pa.table({"a": ["x"], "b": ["y"]})
    write = {"csv": pa.csv.write_csv, "parquet": pq.write_table, "arrow": feather.write_feather}
    write[suffix](table, path)
    rows = read(path)
    path.unlink()
    with pytest.raises(InputError, match="No such file"):
        rows.count()


def test_a_folder_without_data_files_is_refused(tmp_path, written):
    written("...", "notes.md")
    problem = the_problem(InputError, tmp_path)
    assert "'notes.md'" in problem.found
    assert ".parquet" in problem.remedy_text()


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    assert "pipe" in the_problem(InputError, tmp_path / "pipe.csv").what


def test_a_device_is_refused():
    assert "device" in the_problem(InputError, "/dev/zero").what


@pytest.mark.parametrize("address", ["https://example.org/a.csv", "s3://bucket/a.parquet"])
def test_nothing_is_fetched_from_the_network(address):
    problem = the_problem(InputError, address)
    assert "network" in problem.what
    assert problem.where == address


def test_what_is_no_table_is_refused():
    assert "dict" in the_problem(InputError, {"a": [1]}).what


def test_a_file_that_may_not_be_read_is_refused(written, monkeypatch):
    path = written("a,b\n1,2\n")

    def denied(*_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.open", denied)
    assert "Permission denied" in the_problem(InputError, path).found


# text


def test_a_ragged_line_is_named_by_its_number(written):
    path = written('a,b\n"x\ny",1\n\n1\n2,3\n4,5,6\n')
    short, long = refusal(InputError, path)
    assert short.where == f"{path}, line 5"
    assert "1 fields, the header has 2" in short.what
    assert long.where == f"{path}, line 7"
    assert "3 fields" in long.what
    assert "quotes" in long.remedy_text()


def test_ragged_lines_are_listed_to_a_limit_with_their_number(written):
    problems = refusal(InputError, written("a,b\n" + "1\n" * 30))
    assert len(problems) == 21
    assert "30 lines" in problems[-1].what


def test_the_junk_line_of_adult_test_is_found(written):
    problem = the_problem(
        InputError, written("|1x3 Cross validator\na,b,c\n1,2,3\n\n"), delimiter=","
    )
    assert "one column" in problem.what


@pytest.mark.parametrize("end", ["", "\n", "\n3,4\n"])
def test_a_quote_that_is_never_closed_is_found_where_it_opens(written, end):
    path = written('a,b\n1,2\n3,"4' + end)
    problems = refusal(InputError, path)
    assert f"{path}, line 3" in [problem.where for problem in problems]
    assert any("never closed" in problem.found for problem in problems)


def test_an_open_quote_that_swallows_much_is_found_where_it_opens(written):
    path = written('a,b\n1,2\n3,"4\n' + "5,6\n" * 100_000)
    assert f"{path}, line 3" in [problem.where for problem in refusal(InputError, path)]


def test_a_stray_quote_is_part_of_the_text(written):
    table = read(written('a,b\n5" pipe,2\n')).count()
    assert table.attributes[0].values == ('5" pipe',)


def test_latin_1_is_refused_with_the_byte(written):
    path = written("name,b\nx,1\nJosé,2\n".encode("latin-1"))
    problem = the_problem(InputError, path)
    assert problem.where == str(path)
    assert "0xE9 at byte 14, line 3" in problem.what
    assert "'é'" in problem.found
    assert "iconv -f LATIN1" in problem.remedy_text()


def test_latin_1_far_down_is_refused_with_the_byte(written):
    head = b"a,b\n" + b"1,2\n" * 200_000
    problem = the_problem(InputError, written(head + "é,3\n".encode("latin-1")))
    assert f"byte {len(head):,}, line 200,002" in problem.what


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_utf_16_is_refused_with_the_byte(written, encoding):
    problem = the_problem(InputError, written("a,b\n1,2\n".encode(encoding)))
    assert "byte 0" in problem.what or "NUL byte at byte 1" in problem.what
    assert "UTF-16" in problem.found
    assert "iconv -f UTF-16" in problem.remedy_text()


def test_a_nul_byte_in_the_header_is_refused_with_its_place(written):
    problem = the_problem(InputError, written(b"a,b\x00\n1,2\n"))
    assert "NUL byte at byte 3, line 1" in problem.what


def test_a_nul_byte_in_a_field_is_refused_with_its_line(written):
    problem = the_problem(InputError, written(b"a,b\n" + b"1,2\n" * 100_000 + b"3\x00,4\n"))
    assert "NUL byte" in problem.what
    assert "line 100,002" in problem.found


def test_one_column_is_refused_unless_asked_for(written):
    path = written("a b\n1 2\n")
    assert "delimiter" in str(the_problem(InputError, path))
    assert read(path, delimiter=",").columns == ("a b",)
    assert read(path, delimiter=" ").columns == ("a", "b")


def test_a_wrong_delimiter_is_refused_with_the_right_one(written):
    problem = the_problem(InputError, written("a;b;c\n1;2;3\n"), delimiter=",")
    assert "one column" in problem.what
    assert "';' would give 3 columns" in problem.found
    assert "delimiter=';'" in problem.remedy_text()


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "→"])
def test_a_delimiter_is_one_plain_character(written, delimiter):
    problem = the_problem(InputError, written("a,b\n1,2\n"), delimiter=delimiter)
    assert repr(delimiter) in problem.what


def test_a_line_longer_than_any_is_refused(written):
    path = written("a,b\n1," + "x" * 10_000_000 + "\n")
    problem = the_problem(InputError, path)
    assert problem.where == f"{path}, line 2"
    assert "more than 131,072 characters" in problem.found


# damaged files


@pytest.mark.parametrize("share", [0.1, 0.5, 0.999])
def test_a_truncated_gzip_file_is_refused(written, share):
    packed = gzip.compress(
        b"a,b\n" + np.random.default_rng(0).bytes(20_000).hex(",", 2).encode() + b"\n", mtime=0
    )
    path = written(packed[: int(len(packed) * share)], "a.csv.gz")
    problem = the_problem(InputError, path)
    assert problem.where == str(path)
    assert "runcated" in problem.found


def parquet_bytes():
    file = io.BytesIO()
    pq.write_table(pa.table({"a": [str(i % 7) for i in range(10_000)]}), file)
    return file.getvalue()


@pytest.mark.parametrize("end", [4, 8, 50, -1, -8])
def test_a_truncated_parquet_file_is_refused(written, end):
    path = written(parquet_bytes()[:end], "a.parquet")
    problem = the_problem(InputError, path)
    assert problem.where == str(path)
    assert "complete" in problem.remedy_text()


def test_parquet_damaged_inside_is_refused(written):
    damaged = bytearray(parquet_bytes())
    damaged[20:400] = b"\xff" * 380
    assert the_problem(InputError, written(bytes(damaged), "a.parquet")).found


def ipc_bytes(opener):
    file = io.BytesIO()
    batch = pa.record_batch({"a": ["x", "y"] * 100})
    with opener(file, batch.schema) as writer:
        for _ in range(5):
            writer.write(batch)
    return file.getvalue()


@pytest.mark.parametrize("opener", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.99])
def test_a_truncated_arrow_file_is_refused(written, opener, share):
    whole = ipc_bytes(opener)
    the_problem(InputError, written(whole[: int(len(whole) * share)], "a.arrow"))


def test_an_arrow_stream_cut_between_batches_is_refused(written):
    whole = ipc_bytes(pa.ipc.new_stream)
    path = written(whole[:-8], "a.arrow")
    assert "breaks off" in the_problem(InputError, path).what


def test_text_that_calls_itself_parquet_is_refused(written):
    problem = the_problem(InputError, written("a,b\n1,2\n", "a.parquet"))
    assert ".parquet" in problem.what
    assert ".csv" in problem.remedy_text()


@pytest.mark.parametrize(
    ("content", "thing"),
    [
        (b"PK\x03\x04....", "zip"),
        (b"BZh91AY&SY...", "bzip2"),
        (b"SQLite format 3\x00", "SQLite"),
        (b"\n<!DOCTYPE html><p>Not found", "HTML"),
        (b"%PDF-1.7", "PDF"),
    ],
)
def test_other_kinds_of_files_are_named(written, content, thing):
    assert thing in the_problem(InputError, written(content)).what


def test_a_failing_relation_is_refused(duckdb):
    relation = duckdb.sql("select error('no such thing') as a, 1 as b")
    assert "no such thing" in the_problem(InputError, relation).found


def test_a_relation_that_fails_late_is_refused(duckdb):
    relation = duckdb.sql(
        "select case when i > 250000 then error('too far') else i % 3 end as a "
        "from range(300000) t(i)"
    )
    assert "too far" in the_problem(InputError, relation).found


def test_mixed_types_in_a_frame_are_refused_by_column(pandas):
    problem = the_problem(InputError, pandas.DataFrame({"a": [1, "x"], "b": [1, 2]}))
    assert "several types" in problem.what
    assert "column a" in problem.found


def test_text_that_is_not_utf_8_is_refused_in_tables(tmp_path):
    broken = pa.array([b"\xff", b"a"]).view(pa.string())
    pq.write_table(pa.table({"a": broken}), tmp_path / "a.parquet")
    assert "UTF8" in the_problem(InputError, tmp_path / "a.parquet").found
    assert "UTF-8" in the_problem(InputError, pa.table({"a": broken})).what


# several files


def test_files_with_other_columns_are_refused_by_file_and_column(written, tmp_path):
    written("a,b\n1,2\n", "1.csv")
    other = written("a,c\n1,2\n", "2.csv")
    problem = the_problem(ColumnError, tmp_path)
    assert problem.where == str(other)
    assert "'c'" in problem.what
    assert "'b'" in problem.what
    assert "1.csv" in problem.what


def test_files_with_other_types_are_refused_by_both_types(tmp_path):
    pq.write_table(pa.table({"a": [1], "b": ["x"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": [1.5], "b": ["x"]}), tmp_path / "2.parquet")
    problem = the_problem(ColumnError, str(tmp_path / "*.parquet"))
    assert problem.where.endswith("2.parquet")
    assert "'a'" in problem.what
    assert "double" in problem.what
    assert "int64" in problem.what


def test_a_folder_of_two_kinds_is_refused(tmp_path, written):
    written("a,b\n1,2\n", "1.csv")
    pq.write_table(pa.table({"a": ["1"], "b": ["2"]}), tmp_path / "2.parquet")
    problem = the_problem(ColumnError, tmp_path)
    assert "Parquet" in problem.what
    assert "pattern" in problem.remedy_text()


# values


def test_missing_values_of_all_columns_are_counted(written):
    path = written("a,b,c\n,1,x\n2,,y\n3,,z\n")
    first, second = refusal(MissingValueError, path)
    assert first.where == str(path)
    assert "'a' has 1 missing value." in first.what
    assert "line 2" in first.found
    assert "'b' has 2 missing values." in second.what
    assert "line 3" in second.found
    assert "missing='drop'" in str(second)


def test_missing_values_in_a_frame_are_counted(pandas):
    frame = pandas.DataFrame({"a": [1.0, float("nan")], "b": ["x", None]})
    first, second = refusal(MissingValueError, frame)
    assert "row 2" in first.found
    assert "row 2" in second.found


def test_a_level_for_missing_values_must_be_free():
    table = pa.table({"a": ["(missing)", None]})
    problem = the_problem(ValuesError, table, missing="level")
    assert "'(missing)'" in problem.what
    assert "na=" in problem.remedy_text()


def test_dropping_every_row_is_refused():
    table = pa.table({"a": ["x", None], "b": [None, "y"]})
    assert "2 rows" in the_problem(MissingValueError, table, missing="drop").what


def test_numbers_to_be_binned_must_be_numbers(written):
    path = written('age,b\n36,"x\ny"\nyoung,1\n\n37,1\nold,1\nyoung,1\n')
    problem = the_problem(ValuesError, path, bins={"age": [37]})
    assert problem.where == str(path)
    assert "'young'" in problem.what
    assert "line 4" in problem.found
    assert "2 such values" in problem.found


@pytest.mark.parametrize("text", ["nan", "inf", "1,5", "0x1", "1e9999999999"])
def test_what_looks_like_a_number_may_be_none(text):
    problem = the_problem(ValuesError, pa.table({"a": ["1", text]}), bins={"a": [1]})
    assert repr(text) in problem.what
    assert "row 2" in problem.found


def test_the_file_and_line_of_a_wrong_number_are_named(written, tmp_path):
    written("a,b\n1,2\n3,4\n", "1.csv")
    second = written("a,b\n5,6\nx,8\n", "2.csv")
    problem = the_problem(ValuesError, tmp_path, bins={"a": [3]})
    assert problem.where == str(second)
    assert "line 3" in problem.found


@pytest.mark.parametrize("value", ["-1", "0.5", "many", "", "1e30", "nan"])
def test_a_frequency_is_a_whole_number(written, value):
    path = written(f"a,n\nx,1\ny,{value}\n")
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


def test_problems_of_several_kinds_are_raised_together(written):
    path = written("age,sex,n\nyoung,f,1\n3,,2\n4,m,-1\n")
    problems = refusal(InputError, path, bins={"age": [37]}, frequency="n")
    assert ["'young'" in problems[0].what, "'-1'" in problems[1].what] == [True, True]
    assert "'sex' has 2 missing" in problems[2].what


def test_quantiles_of_no_numbers_are_refused():
    problem = the_problem(ValuesError, pa.table({"a": ["x", "y"]}), bins={"a": 2})
    assert "no numbers" in problem.found


def test_quantiles_of_one_value_are_refused():
    problem = the_problem(ValuesError, pa.table({"a": [7, 7, 7]}), bins={"a": 2})
    assert "2 classes" in problem.what
    assert "cut points" in problem.remedy_text()


def test_a_wrong_number_is_found_in_a_shared_dictionary():
    labels = pa.array(["old", "never", "1", "young"])
    first = pa.DictionaryArray.from_arrays(pa.array([2, 2]), labels)
    second = pa.DictionaryArray.from_arrays(pa.array([2, 3, 0, 3]), labels)
    table = pa.table({"a": pa.chunked_array([first, second])})
    problem = the_problem(ValuesError, table, bins={"a": [1]})
    assert "'young'" in problem.what
    assert "row 4" in problem.found
    assert "2 such values in all: 'young', 'old'" in problem.found


def test_too_little_memory_is_said(monkeypatch):
    def full(*_, **__):
        raise MemoryError

    rows = read(pa.table({"a": ["x"]}))
    monkeypatch.setattr("evenhand.rows.count_rows._RowCounter.read", full)
    with pytest.raises(ResourceError, match="memory") as caught:
        rows.count()
    assert "fewer columns" in str(caught.value.problems[0])


def test_a_reader_is_read_once():
    reader = pa.table({"a": [1, 2, 3, 4]}).to_reader()
    problem = the_problem(InputError, reader, bins={"a": 2})
    assert "only once" in problem.what
    assert "read_all" in problem.remedy_text()


def test_a_merge_that_does_nothing_is_refused_with_near_values(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("work,sex\nPrivate,f\nState,m\n")
    with pytest.raises(ValuesError, match="Did you mean 'Private'") as caught:
        read(path, merge={"work": {"x": ["privat"]}}).count()
    assert "data.csv" in caught.value.problems[0].where
    assert read(path, merge={"work": {"x": ["Private", "Absent"]}}).count().rows == 2
