"""Which files make one table, and what no table can be read from."""

import io
import os
import sys
from contextlib import suppress
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from pyarrow import feather
from tests.reading import CSV, EXPECTED, the_problem

from evenhand.errors import ColumnError, InputError, ResourceError
from evenhand.rows import read


def test_a_folder_is_one_table(tmp_path, table):
    for number in range(4):
        pq.write_table(table.slice(number, 1), tmp_path / f"part-{number}.parquet")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part.parquet.crc").touch()
    assert read(tmp_path).count() == EXPECTED
    assert read(str(tmp_path / "part-[0-3].parquet")).count() == EXPECTED


def test_files_may_store_the_same_texts_in_other_ways(tmp_path, table):
    pq.write_table(table.slice(0, 2), tmp_path / "1.parquet")
    coded = pa.table([column.dictionary_encode() for column in table], table.column_names)
    pq.write_table(coded.slice(2, 2), tmp_path / "2.parquet")
    assert read(tmp_path).count() == EXPECTED


def test_a_file_with_a_pattern_for_a_name_is_itself(tmp_path):
    (tmp_path / "a[1].csv").write_bytes(CSV)
    assert read(str(tmp_path / "a[1].csv")).count() == EXPECTED


@pytest.mark.skipif(sys.platform == "win32", reason="file names may not hold quotes there")
def test_paths_may_hold_odd_characters(tmp_path):
    for name in ["with space.csv", "quote'\".csv", "-rf.csv", "é😀.csv", "new\nline.csv"]:
        (tmp_path / name).write_bytes(CSV)
        assert read(tmp_path / name).count() == EXPECTED


def test_a_missing_file_is_named_with_one_that_differs_by_case(write_file, tmp_path):
    write_file("a,b\n1,2\n", "Data.csv")
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


def test_a_folder_without_data_files_is_refused(tmp_path, write_file):
    write_file("...", "notes.md")
    problem = the_problem(InputError, tmp_path)
    assert "'notes.md'" in problem.found
    assert ".parquet" in problem.remedy_text()


def test_a_pipe_and_a_device_are_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (tmp_path / "pipe.csv", "/dev/zero"):
        assert "a pipe, a device" in the_problem(InputError, path).what


@pytest.mark.parametrize("address", ["https://example.org/a.csv", "s3://bucket/a.parquet"])
def test_nothing_is_fetched_from_the_network(address):
    problem = the_problem(InputError, address)
    assert "network" in problem.what
    assert problem.where == address


def test_a_file_that_may_not_be_read_is_refused(write_file, monkeypatch):
    path = write_file("a,b\n1,2\n")

    as_it_is = Path.open

    def denied(opened, *arguments, **options):
        if opened == path:
            raise PermissionError(13, "Permission denied", str(path))
        return as_it_is(opened, *arguments, **options)

    monkeypatch.setattr(Path, "open", denied)
    assert "Permission denied" in the_problem(InputError, path).found


@pytest.mark.parametrize("name", ["people.csv.zip", "people.zip", "people.csv"])
def test_a_zip_with_one_text_is_read(tmp_path, name):
    text = "sex,hired\n" + "f,yes\nm,no\n" * 1000
    with ZipFile(tmp_path / name, "w", ZIP_DEFLATED) as archive:
        archive.mkdir("folder")
        archive.writestr("folder/people.csv", text)
        archive.writestr("__MACOSX/folder/._people.csv", "x")
    rows = read(tmp_path / name)
    assert dict(rows.count()) == {("f", "yes"): 1000, ("m", "no"): 1000}
    assert rows.marginal(["sex"]).values("sex") == {"f": 1000, "m": 1000}


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["one.csv", "two.csv"], "2 files. They are 'one.csv', 'two.csv'"),
        (["one.dta"], "'one.dta'. In an archive only text is read."),
        (["__MACOSX/one.csv"], "0 files. Unpack"),
    ],
)
def test_a_zip_with_several_files_or_another_kind_is_refused(tmp_path, names, said):
    with ZipFile(tmp_path / "a.zip", "w") as archive:
        for name in names:
            archive.writestr(name, "a,b\n")
    assert said in str(the_problem(InputError, tmp_path / "a.zip"))


def test_a_damaged_or_encrypted_zip_is_refused(tmp_path):
    with ZipFile(tmp_path / "a.zip", "w", ZIP_DEFLATED) as archive:
        archive.writestr("one.csv", "a,b\n" + "x,y\n" * 5000)
    content = (tmp_path / "a.zip").read_bytes()
    for damage, word in ((content[:60], "cannot be read"), (b"PK\x03\x04....", "cannot be")):
        (tmp_path / "b.zip").write_bytes(damage)
        assert word in the_problem(InputError, tmp_path / "b.zip").what
    flagged = content.replace(b"PK\x03\x04\x14\0\0", b"PK\x03\x04\x14\0\1")
    flagged = flagged.replace(b"PK\x01\x02\x14\x03\x14\0\0", b"PK\x01\x02\x14\x03\x14\0\1")
    (tmp_path / "b.zip").write_bytes(flagged)
    assert "encrypted" in the_problem(InputError, tmp_path / "b.zip").what
    wrong = content[:60] + bytes([content[60] ^ 255]) + content[61:]
    (tmp_path / "b.zip").write_bytes(wrong)
    assert "cannot be read" in the_problem(InputError, tmp_path / "b.zip").what


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ({"a": ["1"], "b": ["2"]}, {"a": ["1"], "c": ["2"]}, ["'c'", "'b'", "1.parquet"]),
        ({"a": [1], "b": ["x"]}, {"a": [1.5], "b": ["x"]}, ["'a'", "double", "int64"]),
        ("a,b\n1,2\n", {"a": ["1"], "b": ["2"]}, ["Parquet", "1.csv", "pattern"]),
        ("a,b\n1,2\n", "a,c\n1,2\n", ["'c'", "'b'", "1.csv"]),
    ],
    ids=["columns", "types", "kinds", "headers"],
)
def test_files_that_are_not_alike_are_refused_by_file(
    tmp_path, write_file, first, second, said
):
    for number, content in enumerate((first, second), 1):
        if isinstance(content, str):
            other = write_file(content, f"{number}.csv")
        else:
            other = tmp_path / f"{number}.parquet"
            pq.write_table(pa.table(content), other)
    problem = the_problem(ColumnError, tmp_path)
    assert problem.where == str(other)
    assert [words for words in said if words not in str(problem)] == []


@pytest.mark.parametrize(
    ("name", "content", "thing", "remedy"),
    [
        ("a.dta", b"<stata_dta><header>", "Stata", 'pandas.read_stata("a.dta").to_csv("a.csv"'),
        ("a.dta", b"\x72\x02\x01\x00", "Stata", "pandas.read_stata"),
        ("a.sav", b"$FL2@(#) SPSS DATA FILE", "SPSS", "pyreadstat"),
        ("a.sas7bdat", b"\0" * 12 + b"\xc2\xea\x81\x60", "SAS", "pandas.read_sas"),
        ("a.xpt", b"HEADER RECORD*******LIBRARY HEADER", "SAS transport", "xport"),
        ("a.jsonl", b'{"a": 1}\n{"a": 2}\n', "JSON", "polars.read_ndjson"),
        ("a.json", b'[{"a": 1}, {"a": 2}]', "JSON", "pandas.read_json"),
        ("a.orc", b"ORC\n", "ORC", "pandas.read_orc"),
        ("a.h5", b"\x89HDF\r\n", "HDF5", "pandas.read_hdf"),
        ("a.rds", b"\x1f\x8b\x08", "R data", '"a.csv", row.names = FALSE)'),
        ("a", b"RDX3\nX", "R data", '"a.csv", row.names = FALSE)'),
        ("a.xml", b"<?xml version=", "XML", "CSV"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c", "7z", "Unpack"),
        ("a.pkl", b"\x80\x04", "pickle", "Parquet"),
        ("a.feather", b"FEA1\0\0\0\0", "Feather", "version 2"),
        ("a.parquet", b"PARE\x20\x01\0\0", "encrypted", "Decrypt"),
        ("a.parquet", b"a,b\n1,2\n", ".parquet", ".csv"),
        ("a.csv", b"", "0 bytes", "written"),
        ("a.csv", b"BZh91AY&SY...", "bzip2", "Unpack"),
        ("a.csv", b"SQLite format 3\x00", "SQLite", "Export"),
        ("a.csv", b"\n<!DOCTYPE html><p>Not found", "HTML", "download"),
        ("a.csv", b"%PDF-1.7", "PDF", "Export"),
    ],
)
def test_what_is_not_read_is_named_with_how_to_convert_it(
    write_file, name, content, thing, remedy
):
    path = write_file(content, name)
    problem = the_problem(InputError, path)
    assert problem.where == str(path)
    assert thing in problem.what
    assert remedy in problem.remedy_text()


@pytest.mark.parametrize("column", ["ORCID", "PARENT", "FEA1", "Rare", "BZh", "HEADER", "RDX3"])
def test_a_text_that_begins_alike_is_read(write_file, column):
    assert read(write_file(f"{column},b\nx,y\n")).columns == (column, "b")


@pytest.mark.parametrize("name", ["a.parquet", "a.pq", "parquet-by-another-name.csv"])
def test_parquet_is_read_whatever_its_name(tmp_path, table, name):
    pq.write_table(table, tmp_path / name)
    assert read(tmp_path / name).count() == EXPECTED


def test_a_column_may_have_the_beginning_of_anothers_name(tmp_path):
    pq.write_table(pa.table({"a": ["1"], "a.b": ["2"], "c": ["3"]}), tmp_path / "a.parquet")
    assert list(read(tmp_path / "a.parquet", columns=["c", "a"]).count()) == [(("3", "1"), 1)]


def test_a_parquet_file_without_rows_is_refused(tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.string())}), tmp_path / "a.parquet")
    assert "no rows" in the_problem(InputError, tmp_path / "a.parquet").what


def test_long_texts_that_are_repeated_are_decoded_in_parts(tmp_path):
    """A file of 3 kB has texts of 200 MB: no batch of them is held as a whole."""
    codes = pa.array([0, None, 1, 1, 1] * 1_000, pa.int32())
    notes = pa.DictionaryArray.from_arrays(codes, ["short", "long" * 10_000])
    columns = {
        "note": notes,
        "pay": pa.array(range(5_000)),
        "sex": pa.array([*"fmfmf"] * 1_000),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet", store_schema=False)
    rows = read(tmp_path / "a.parquet")
    found = [*rows.batches()]
    assert max(batch.nbytes for batch in found) < 70e6
    whole = pa.Table.from_batches(found)
    assert whole.schema.types == [pa.string(), pa.int64(), pa.string()]
    lengths = pa.compute.binary_length(whole["note"])
    assert lengths.to_pylist() == [5, None, 40_000, 40_000, 40_000] * 1_000
    assert whole["pay"].to_pylist() == [*range(5_000)]


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


HUGE = 300_000_000  # bytes, more than the memory that is allowed; packed they are few
LARGE_TEXT = pa.LargeStringArray.from_buffers(
    1, pa.py_buffer(np.array([0, HUGE])), pa.py_buffer(np.zeros(HUGE, np.int8))
)


@pytest.mark.parametrize("opener", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("codec", ["zstd", "lz4"])
@pytest.mark.parametrize("is_dictionary", [False, True])
def test_an_arrow_batch_that_unpacks_to_more_than_the_memory_is_refused(
    tmp_path, opener, codec, is_dictionary
):
    """Arrow decodes the chosen columns of a batch whole, whatever the size of the file."""
    path, column = tmp_path / "a.arrow", LARGE_TEXT
    if is_dictionary:
        column = pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), LARGE_TEXT)
    batch = pa.record_batch({"nothing": pa.nulls(1), "large": column, "small": ["x"]})
    options = pa.ipc.IpcWriteOptions(compression=codec)
    with opener(path, batch.schema, options=options) as writer:
        writer.write(batch)
    assert path.stat().st_size < HUGE / 100
    with pytest.raises(ResourceError, match="one batch do not fit into 256 MB"):
        read(path, columns=["large"], memory="256MB").count()
    if not is_dictionary:
        assert read(path, columns=["small"], memory="256MB").count().row_count == 1


@pytest.mark.parametrize("opener", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("codec", [None, "zstd"])
def test_arrow_batches_of_any_types_are_read(tmp_path, opener, codec):
    columns = {
        "nested": pa.array([{"a": [1, None]}, None]),
        "views": pa.array(["a long text that is no part of its view", "b"], pa.string_view()),
        "nothing": pa.nulls(2),
        "sex": pa.array(["f", "m"]).dictionary_encode(),
    }
    batch = pa.record_batch(columns)
    options = pa.ipc.IpcWriteOptions(compression=codec)
    with opener(tmp_path / "a.arrow", batch.schema, options=options) as writer:
        for _ in range(3):
            writer.write(batch)
    assert read(tmp_path / "a.arrow", columns=["views", "sex"]).count().row_count == 6


@pytest.mark.parametrize("opener", [pa.ipc.new_file, pa.ipc.new_stream])
def test_an_arrow_file_damaged_anywhere_is_read_or_refused(write_file, opener):
    whole = ipc_bytes(opener)
    for place in range(8, len(whole), 13):
        damaged = whole[:place] + b"\x7f" + whole[place + 1 :]
        with suppress(InputError, ResourceError):
            read(write_file(damaged, "a.arrow")).count()
