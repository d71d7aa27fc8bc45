"""Parquet and Arrow files are read; truncated and damaged ones are refused."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.reading import EXPECTED, the_problem

from evenhand.errors import InputError
from evenhand.rows import read


@pytest.mark.parametrize("name", ["a.parquet", "a.pq", "parquet-by-another-name.csv"])
def test_parquet_is_read_whatever_its_name(tmp_path, table, name):
    pq.write_table(table, tmp_path / name)
    assert read(tmp_path / name).count() == EXPECTED


@pytest.mark.parametrize("opener", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_arrow_files_are_read(tmp_path, table, opener, compression):
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with opener(tmp_path / "a.arrow", table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=3)
    assert read(tmp_path / "a.arrow").count() == EXPECTED


def test_a_column_may_have_the_beginning_of_anothers_name(tmp_path):
    pq.write_table(pa.table({"a": ["1"], "a.b": ["2"], "c": ["3"]}), tmp_path / "a.parquet")
    assert list(read(tmp_path / "a.parquet", columns=["c", "a"]).count()) == [(("3", "1"), 1)]


def test_a_parquet_file_without_rows_is_refused(tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.string())}), tmp_path / "a.parquet")
    assert "no rows" in the_problem(InputError, tmp_path / "a.parquet").what


def parquet_bytes():
    file = io.BytesIO()
    pq.write_table(pa.table({"a": [str(i % 7) for i in range(10_000)]}), file)
    return file.getvalue()


@pytest.mark.parametrize("end", [4, 8, 50, -1, -8])
def test_a_truncated_parquet_file_is_refused(write_file, end):
    path = write_file(parquet_bytes()[:end], "a.parquet")
    problem = the_problem(InputError, path)
    assert problem.where == str(path)
    assert "complete" in problem.remedy_text()


def test_parquet_damaged_inside_is_refused(write_file):
    damaged = bytearray(parquet_bytes())
    damaged[20:400] = b"\xff" * 380
    assert the_problem(InputError, write_file(bytes(damaged), "a.parquet")).found


def ipc_bytes(opener):
    file = io.BytesIO()
    batch = pa.record_batch({"a": ["x", "y"] * 100})
    with opener(file, batch.schema) as writer:
        for _ in range(5):
            writer.write(batch)
    return file.getvalue()


@pytest.mark.parametrize("opener", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.99])
def test_a_truncated_arrow_file_is_refused(write_file, opener, share):
    whole = ipc_bytes(opener)
    the_problem(InputError, write_file(whole[: int(len(whole) * share)], "a.arrow"))


def test_an_arrow_stream_cut_between_batches_is_refused(write_file):
    whole = ipc_bytes(pa.ipc.new_stream)
    path = write_file(whole[:-8], "a.arrow")
    assert "breaks off" in the_problem(InputError, path).what


def test_text_that_is_not_utf_8_is_refused_in_tables(tmp_path):
    broken = pa.array([b"\xff", b"a"]).view(pa.string())
    pq.write_table(pa.table({"a": broken}), tmp_path / "a.parquet")
    assert "UTF8" in the_problem(InputError, tmp_path / "a.parquet").found
    assert "UTF-8" in the_problem(InputError, pa.table({"a": broken})).what


@pytest.mark.parametrize("codes", [[0, 2], [-1, 0], [0, None, 2]])
def test_codes_that_have_no_value_are_refused(tmp_path, codes):
    damaged = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), ["x", "y"], safe=False)
    batch = pa.record_batch({"a": damaged})
    with pa.ipc.new_file(tmp_path / "a.arrow", batch.schema) as writer:
        writer.write(batch)
    assert the_problem(InputError, tmp_path / "a.arrow").found
