"""Every source of the same table gives the same counts, whatever it is called."""

import datetime as dt
import gzip
import sys
from dataclasses import astuple
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evenhand import CountTable
from evenhand.question import as_label
from evenhand.rows import read

COLUMNS = {"sex": ["f", "m", "f", "f"], "hired": ["no", "yes", "no", "yes"]}
EXPECTED = CountTable.of(COLUMNS)
CSV = b"sex,hired\nf,no\nm,yes\nf,no\nf,yes\n"


@pytest.fixture
def table():
    return pa.table(COLUMNS)


def zstd(content):
    return pa.Codec("zstd").compress(content, asbytes=True)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", CSV),
        ("a.tsv", CSV.replace(b",", b"\t")),
        ("a.txt", CSV.replace(b",", b";")),
        ("a.data", CSV.replace(b",", b"|")),
        ("no-suffix", CSV),
        ("crlf.csv", CSV.replace(b"\n", b"\r\n")),
        ("cr.csv", CSV.replace(b"\n", b"\r")),
        ("mixed.csv", CSV.replace(b"\n", b"\r\n", 2)),
        ("no-last-newline.csv", CSV.rstrip()),
        ("blank-lines.csv", b"\n\n" + CSV.replace(b"f,", b"\nf,") + b"\n\n"),
        ("byte-order-mark.csv", b"\xef\xbb\xbf" + CSV),
        ("quoted.csv", CSV.replace(b"sex", b'"sex"').replace(b"f", b'"f"')),
        ("a.csv.gz", gzip.compress(CSV, mtime=0)),
        ("members.csv.gz", gzip.compress(CSV[:20], mtime=0) + gzip.compress(CSV[20:], mtime=0)),
        ("a.csv.zst", zstd(CSV)),
        ("gzip-by-another-name.csv", gzip.compress(CSV, mtime=0)),
    ],
)
def test_delimited_text_is_read_however_it_is_written(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert read(tmp_path / name).count() == EXPECTED


@pytest.mark.parametrize(
    ("content", "dialect"),
    [
        (CSV, (",", "\n", False, None)),
        (b"\xef\xbb\xbf" + CSV.replace(b"\n", b"\r\n"), (",", "\r\n", True, None)),
        (gzip.compress(CSV.replace(b",", b";"), mtime=0), (";", "\n", False, "gzip")),
    ],
)
def test_how_text_was_written_is_known(tmp_path, content, dialect):
    (tmp_path / "a.csv").write_bytes(content)
    assert astuple(read(tmp_path / "a.csv").sources[0].dialect) == dialect


def test_a_delimiter_inside_quotes_does_not_mislead(tmp_path):
    (tmp_path / "a.csv").write_text('"a;b;c",d\n"1;2;3",x\n')
    assert read(tmp_path / "a.csv").columns == ("a;b;c", "d")


def test_a_field_stays_the_text_that_it_is(tmp_path):
    fields = ["007", "1.0", "NA", "None", "true", " x ", "1e3", "-0", "2020-01-01", "x\ny"]
    (tmp_path / "a.csv").write_text("a,b\n" + "".join(f'"{f}",1\n' for f in fields))
    assert set(read(tmp_path / "a.csv").count().values("a")) == set(fields)


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


@pytest.mark.parametrize(
    "make",
    [
        lambda table: table,
        lambda table: table.to_batches()[0],
        lambda table: table.to_reader(),
        lambda table: table.to_pandas(),
        lambda table: table.to_pandas().astype("category").set_index([[9, 8, 7, 6]]),
        lambda table: pa.table([c.dictionary_encode() for c in table], table.column_names),
        lambda table: pa.table([c.cast(pa.large_string()) for c in table], table.column_names),
        lambda table: pa.table([c.cast(pa.string_view()) for c in table], table.column_names),
    ],
)
def test_tables_in_memory_are_read(table, make):
    assert read(make(table)).count() == EXPECTED


def test_polars_frames_are_read_eager_and_lazy(table, polars):
    frame = polars.from_arrow(table)
    for each in (frame, frame.lazy(), frame.cast(polars.Categorical)):
        assert read(each).count() == EXPECTED


def test_relations_are_read_again_when_asked_again(table, duckdb):
    relation = duckdb.from_arrow(table)
    for _ in range(2):
        assert read(relation).count() == EXPECTED


def test_whatever_speaks_arrow_is_read(table):
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return table.__arrow_c_stream__(requested_schema)

    assert read(Stream()).count() == EXPECTED


def test_a_relation_tells_names_apart_that_differ_by_case(duckdb):
    relation = duckdb.sql("""select 'x' as a, 'y' as "A", 'z' as "a b""c" """)
    assert list(read(relation, columns=['a b"c', "A"]).count()) == [(("z", "y"), 1)]


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


def test_columns_that_are_not_chosen_are_not_decoded(tmp_path):
    (tmp_path / "a.csv").write_bytes(CSV.replace(b"yes", b"\xff"))
    assert read(tmp_path / "a.csv", columns=["sex"]).count().values("sex") == {"f": 3, "m": 1}


def test_columns_come_in_the_order_asked_for(table):
    assert read(table, columns=["hired", "sex"]).count() == EXPECTED.marginal(["hired", "sex"])


def test_a_column_may_have_the_beginning_of_anothers_name(tmp_path):
    pq.write_table(pa.table({"a": ["1"], "a.b": ["2"], "c": ["3"]}), tmp_path / "a.parquet")
    assert list(read(tmp_path / "a.parquet", columns=["c", "a"]).count()) == [(("3", "1"), 1)]


@pytest.mark.parametrize(
    "values",
    [
        [1, 0, -5, 2**62],
        [1.0, 0.5, -0.0, 0.1, 1e15, 1e16, 1e22, 1e-5, 1e-7, 123456789012345.6, float("inf")],
        [True, False],
        [dt.date(2020, 1, 31), dt.date(1, 1, 1)],
        [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 12, 30, 0, 5)],  # noqa: DTZ001
        [dt.datetime(2020, 1, 1, tzinfo=dt.UTC)],
        [dt.time(12, 30), dt.time(1, 2, 3, 4)],
        [Decimal("1.00"), Decimal("0.10"), Decimal("-3.50")],
        ["1", "1.0", "x"],
    ],
    ids=lambda values: type(values[0]).__name__,
)
def test_values_of_all_types_get_the_label_of_the_question(values):
    labels = set(map(as_label, values))
    table = pa.table({"a": values})
    assert set(read(table).count().values("a")) == labels
    coded = pa.table({"a": table["a"].dictionary_encode()})
    assert set(read(coded).count().values("a")) == labels


def test_single_precision_numbers_have_their_own_shortest_text():
    table = pa.table({"a": pa.array([0.1, 1e10, 1e-7], pa.float32())})
    assert set(read(table).count().values("a")) == {"0.1", "10000000000", "1e-07"}


def test_timestamps_keep_their_nanoseconds():
    table = pa.table({"a": pa.array([1, 10**9], pa.timestamp("ns"))})
    labels = set(read(table).count().values("a"))
    assert labels == {"1970-01-01 00:00:00.000000001", "1970-01-01 00:00:01"}


def test_times_beyond_those_of_python_are_told_apart():
    table = pa.table({"a": pa.array([0, 10**12, 10**13], pa.timestamp("s"))})
    assert read(table).count().cards == (3,)


def test_all_batches_come_back_in_order_and_in_their_own_types(tmp_path):
    table = pa.table(
        {"n": range(300_000), "text": ["a", "b", "c"] * 100_000, "x": [0.5, None, 1] * 100_000}
    )
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=70_000)
    rows = read(tmp_path / "a.parquet", columns=["text"])
    assert pa.Table.from_batches(rows.batches()).equals(table)


def test_batches_of_text_are_text(tmp_path):
    (tmp_path / "a.csv").write_bytes(CSV)
    batches = pa.Table.from_batches(read(tmp_path / "a.csv").batches())
    assert batches.to_pydict() == COLUMNS
    assert batches.schema.types == [pa.string(), pa.string()]


def test_counting_reads_the_rows_once(table):
    rows = read(table.to_reader())
    assert rows.count() is rows.count()


def test_rows_describe_themselves_without_being_read(table):
    rows = read(table.to_reader())
    assert "sex, hired" in str(rows)
    assert rows.where == "Arrow reader"


def test_a_profile_shows_values_before_anything_is_decided():
    table = pa.table({"a": ["x", None] * 60, "id": range(120)})
    assert read(table).profile() == {"a": {"x": 60, "(missing)": 60}, "id": None}


@pytest.mark.skipif(sys.platform == "win32", reason="file names may not hold quotes there")
def test_paths_may_hold_odd_characters(tmp_path):
    for name in ["with space.csv", "quote'\".csv", "-rf.csv", "é😀.csv", "new\nline.csv"]:
        (tmp_path / name).write_bytes(CSV)
        assert read(tmp_path / name).count() == EXPECTED
