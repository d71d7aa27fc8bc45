"""All sources of one table are counted alike, and as a plain loop over its rows would."""

import csv
import gzip
import io
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.repetitions import repetitions

from evenhand.checker.people_in_csv import spelling
from evenhand.errors import EvenhandError
from evenhand.question import Codings
from evenhand.rows import read
from evenhand.rows.count_rows import count

NASTY = [
    "",
    " ",
    '"',
    "a,b",
    "a;b\tc|d",
    "line\nbreak",
    "line\r\nbreak",
    "bare\rreturn",
    "'; DROP TABLE t; --",
    'x" FROM y',
    "😀",
    "\u202eright",
    "e\u0301",
    "é",
    "NULL",
    "NA",
    "nan",
    "007",
    "1.0",
    "=1+1",
    "%s {} $1",
    "#1",
    "\\N",
]
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
texts = st.sampled_from(NASTY) | st.text(characters, max_size=5)
names = texts.map(lambda text: f"c{text}")


@st.composite
def tables(draw, *, missing=True):
    """Columns of adversarial texts under adversarial names, some of them missing."""
    width = draw(st.integers(1, 4))
    heads = draw(st.lists(names, min_size=width, max_size=width, unique_by=str.casefold))
    pools = [draw(st.lists(texts, min_size=1, max_size=4)) for _ in heads]
    rows = draw(st.integers(1, 25))
    column = [
        st.lists(
            st.sampled_from([*pool, *([None] if missing else [])]),
            min_size=rows,
            max_size=rows,
        )
        for pool in pools
    ]
    return {name: draw(values) for name, values in zip(heads, column, strict=True)}


def by_loop(columns):
    """Counts by a loop over the rows; an empty text is a missing value.

    Numbers are spelled by the checker, which shares no code with the reader.
    """
    return Counter(
        tuple(spelling(value) if value else "(missing)" for value in row)
        for row in zip(*columns.values(), strict=True)
    )


def as_csv(columns, delimiter=",", quoting=csv.QUOTE_ALL, newline="\r\n"):
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator=newline)
    writer.writerow(columns)
    writer.writerows(
        [value or "" for value in row] for row in zip(*columns.values(), strict=True)
    )
    return file.getvalue().encode()


def as_ipc(columns, opener):
    file, table = io.BytesIO(), pa.table(columns, schema=schema(columns))
    with opener(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=3)
    return file.getvalue()


def as_parquet(columns, **options):
    file = io.BytesIO()
    pq.write_table(pa.table(columns, schema=schema(columns)), file, **options)
    return file.getvalue()


def schema(columns):
    return pa.schema([(name, pa.string()) for name in columns])


def in_type(table, kind):
    return pa.table([column.cast(kind) for column in table], table.column_names)


FILES = {
    "a.csv": as_csv,
    "b.csv": lambda columns: b"\xef\xbb\xbf" + as_csv(columns),
    "c.csv.gz": lambda columns: gzip.compress(as_csv(columns), mtime=0),
    "d.csv.zst": lambda columns: pa.compress(as_csv(columns), "zstd", asbytes=True),
    "e.parquet": as_parquet,
    "f.parquet": lambda columns: as_parquet(columns, row_group_size=2, use_dictionary=False),
    "g.arrow": lambda columns: as_ipc(columns, pa.ipc.new_file),
    "h.arrow": lambda columns: as_ipc(columns, pa.ipc.new_stream),
}
FRAMES = {
    "Arrow": lambda table: table,
    "batches": lambda table: pa.Table.from_batches(table.to_batches(max_chunksize=2)),
    "reader": lambda table: table.to_reader(max_chunksize=3),
    "batch": lambda table: table.combine_chunks().to_batches()[0],
    "long texts": lambda table: in_type(table, pa.large_string()),
    "views": lambda table: in_type(table, pa.string_view()),
    "dictionaries": lambda table: pa.table(
        [column.dictionary_encode() for column in table], table.column_names
    ),
    "pandas": lambda table: table.to_pandas(),
    "categories": lambda table: table.to_pandas().astype("category"),
    "polars": pl.from_arrow,
    "lazy": lambda table: pl.from_arrow(table).lazy(),
    "polars categories": lambda table: pl.from_arrow(table).cast(pl.Categorical),
    "DuckDB": lambda table: duckdb.connect().from_arrow(table),
}


@pytest.fixture(scope="module")
def folder():
    with TemporaryDirectory() as name:
        yield Path(name)


@pytest.mark.parametrize("name", FILES)
@given(columns=tables())
@settings(max_examples=repetitions(25))
def test_a_file_is_counted_as_by_a_loop(folder, name, columns):
    (folder / name).write_bytes(FILES[name](columns))
    counts = read(folder / name, missing="level", delimiter=",").count()
    assert dict(counts) == by_loop(columns)
    assert counts.names == tuple(columns)


@pytest.mark.parametrize("kind", FRAMES)
@given(columns=tables())
@settings(max_examples=repetitions(25))
def test_a_frame_is_counted_as_by_a_loop(kind, columns):
    source = FRAMES[kind](pa.table(columns, schema=schema(columns)))
    counts = read(source, missing="level").count()
    assert dict(counts) == by_loop(columns)
    assert counts.names == tuple(columns)


damages = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.binary(max_size=3), st.integers(0, 3)),
    min_size=1,
    max_size=5,
)


@pytest.mark.parametrize("name", FILES)
@given(damages=damages, keep=st.floats(0.05, 1))
def test_a_damaged_file_is_refused_or_read(folder, name, damages, keep):
    content = FILES[name]({"a": ["x", "y\n", None] * 50, "b": ['"', "é", "1"] * 50})
    for place, inserted, removed in damages:
        at = int(place * len(content))
        content = content[:at] + inserted + content[at + removed :]
    (folder / name).write_bytes(content[: int(keep * len(content))])
    remedies = []
    try:
        read(folder / name, missing="level", delimiter=",").count()
    except EvenhandError as error:
        remedies = [problem.remedy for problem in error.problems]
    assert all(remedies)


@given(columns=tables(), delimiter=st.sampled_from(",;\t|~ "))
def test_any_delimiter_will_do(folder, columns, delimiter):
    (folder / "x.csv").write_bytes(as_csv(columns, delimiter, csv.QUOTE_MINIMAL))
    counts = read(folder / "x.csv", missing="level", delimiter=delimiter).count()
    assert dict(counts) == by_loop(columns)


@given(
    columns=tables(missing=False),
    cut=st.integers(0, 25),
    kind=st.sampled_from(["csv", "parquet"]),
)
def test_it_does_not_matter_how_rows_are_split_into_files(columns, cut, kind):
    write = {"csv": as_csv, "parquet": as_parquet}[kind]
    with TemporaryDirectory() as name:
        for number, part in enumerate((slice(cut), slice(cut, None))):
            piece = {head: values[part] for head, values in columns.items()}
            (Path(name) / f"{number}.{kind}").write_bytes(write(piece))
        counts = read(name, missing="level", delimiter="," if kind == "csv" else None).count()
    assert dict(counts) == by_loop(columns)


@given(columns=tables(), size=st.integers(1, 7))
def test_it_does_not_matter_how_rows_come_in_batches(columns, size):
    whole = pa.table(columns, schema=schema(columns))
    expected = read(whole, missing="level").count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evenhand.rows.count_rows.BATCH_ROWS", size)
        patch.setattr("evenhand.rows.frame_sources.BATCH_ROWS", size + 1)
        patch.setattr("evenhand.rows.count_rows.MOST_PENDING", size)
        assert read(whole, missing="level").count() == expected


@given(columns=tables())
def test_it_does_not_matter_how_keys_are_added_up(columns):
    rows = read(pa.table(columns, schema=schema(columns)))
    codings = Codings(missing="level")
    expected = count(rows.sources, rows.columns, codings).table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evenhand.rows.key_counter._CELLS_PER_KEY", 2**20)  # by a table
        assert count(rows.sources, rows.columns, codings).table == expected
        patch.setattr("evenhand.rows.key_counter._MOST_IN_TABLE", 3)
        assert count(rows.sources, rows.columns, codings).table == expected
        patch.setattr("evenhand.rows.key_counter._CELLS_PER_KEY", 0)  # by sorting
        assert count(rows.sources, rows.columns, codings).table == expected
        patch.setattr("evenhand.rows.key_counter._LARGEST_WORD", 8)
        assert count(rows.sources, rows.columns, codings).table == expected


def test_it_does_not_matter_where_blocks_of_text_end(folder, monkeypatch):
    columns = {
        "a": [NASTY[i % len(NASTY)] for i in range(1_000)],
        "b": [NASTY[i * i % 7] for i in range(1_000)],
    }
    for block, newline in product((64, 100, 1_000, 4_097), ("\n", "\r", "\r\n")):
        (folder / "blocks.csv").write_bytes(as_csv(columns, newline=newline))
        monkeypatch.setattr("evenhand.rows.csv_files._BLOCK", block)
        counts = read(folder / "blocks.csv", missing="level", delimiter=",").count()
        assert dict(counts) == by_loop(columns)


@given(columns=tables())
def test_dropping_leaves_the_complete_rows(columns):
    expected = {row: n for row, n in by_loop(columns).items() if "(missing)" not in row}
    rows = read(pa.table(columns, schema=schema(columns)), missing="drop")
    if expected:
        assert dict(rows.count()) == expected
        assert rows.dropped == len(next(iter(columns.values()))) - sum(expected.values())


@given(
    columns=tables(missing=False),
    frequencies=st.lists(st.integers(0, 2**40), min_size=25, max_size=25),
)
def test_frequencies_repeat_rows(columns, frequencies):
    expected = Counter()
    for row, n in zip(zip(*columns.values(), strict=True), frequencies, strict=False):
        expected[tuple(spelling(value) if value else "(missing)" for value in row)] += n
    expected = {row: n for row, n in expected.items() if n}
    length = len(next(iter(columns.values())))
    table = pa.table({**columns, "n": frequencies[:length]})
    if expected:
        counts = read(table, missing="level", frequency="n").count()
        assert dict(counts) == expected


numbers = st.one_of(
    st.integers(-100, 100).map(str),
    st.decimals(allow_nan=False, allow_infinity=False, places=2).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
)


@given(
    texts=st.lists(numbers, min_size=1, max_size=30),
    cuts=st.sets(st.integers(-50, 50).map(lambda n: Decimal(n) / 4), min_size=1, max_size=4),
)
def test_numbers_fall_between_the_cuts_that_a_person_would_say(texts, cuts):
    cuts = sorted(cuts)
    classes = Counter(
        sum(Fraction(text) > cut for cut in map(Fraction, cuts)) for text in texts
    )
    found = read(pa.table({"a": texts}), bins={"a": cuts}).count().values("a")
    assert sorted(found.values()) == sorted(classes.values())
    highest = max(classes)
    if highest == len(cuts):
        last = next(label for label in found if label.endswith("more") or " to " not in label)
        assert found[last] == classes[highest]


@given(
    values=st.lists(st.integers(-5, 5), min_size=2, max_size=40).filter(
        lambda v: len({*v}) > 1
    ),
    classes=st.integers(2, 6),
)
def test_quantiles_reach_their_share_of_the_rows(values, classes):
    ordered = sorted(values)
    ranks = [-(-len(values) * i // classes) - 1 for i in range(1, classes)]
    expected = sorted({ordered[rank] for rank in ranks} - {ordered[-1]})
    rows = read(pa.table({"a": values}), bins={"a": classes})
    if expected:
        assert rows.codings.bins["a"].cuts == tuple(expected)
        assert rows.count().row_count == len(values)


typed = st.one_of(
    st.lists(st.none() | st.integers(-(2**53), 2**53), min_size=1, max_size=20),
    st.lists(st.none() | st.booleans(), min_size=1, max_size=20),
    st.lists(st.none() | st.floats(allow_nan=False), min_size=1, max_size=20),
    st.lists(st.none() | st.dates(), min_size=1, max_size=20),
)


@given(typed)
@settings(max_examples=repetitions(40))
def test_engines_agree_on_the_labels_of_typed_values(values):
    table = pa.table({"a": values})
    expected = read(table, missing="level").count()
    for kind in ("pandas", "polars", "DuckDB"):
        if kind == "pandas" and table.schema.types[0] == pa.null():
            continue
        assert read(FRAMES[kind](table), missing="level").count() == expected
