"""Small sets of columns, counted on demand."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import evenhand as eh
from evenhand.errors import MissingValueError, QuestionError, ResourceError, ValuesError
from evenhand.rows.column_cache import ColumnCache
from evenhand.rows.memory_limit import memory_in_bytes

GENERATOR = np.random.default_rng(11)
LINES = 5000
TABLE = pa.table(
    {
        "a": GENERATOR.choice(["x", "y", "z"], LINES),
        "b": GENERATOR.integers(0, 50, LINES),
        "c": pa.array([None if x > 0.9 else round(x, 1) for x in GENERATOR.random(LINES)]),
        "n": GENERATOR.integers(0, 4, LINES),
    }
)
CODINGS = {
    "bins": {"b": [10, 30], "c": 3},
    "merge": {"a": {"xy": ["x", "y"]}},
    "missing": "level",
}


@pytest.fixture(params=["parquet", "csv", "frame"])
def source(request, tmp_path):
    if request.param == "parquet":
        pq.write_table(TABLE, tmp_path / "t.parquet", row_group_size=700)
        return tmp_path / "t.parquet"
    if request.param == "csv":
        pa.csv.write_csv(TABLE, tmp_path / "t.csv")
        return tmp_path / "t.csv"
    return TABLE


@pytest.mark.parametrize("frequency", [None, "n"])
def test_a_few_columns_are_counted_as_in_the_whole_table(source, frequency):
    rows = eh.read(source, columns=["a", "b", "c"], frequency=frequency, **CODINGS)
    for names in (["a"], ["b", "a"], ["c", "b"], ["a", "b", "c"]):
        assert rows.marginal(names) == rows.count().marginal(names)


def watched(source, columns, *, memory=10**9):
    """Columns that are kept, and which ones were read each time."""
    (part,) = eh.read(source).sources
    read = []

    def open_and_tell(columns, *, coded):
        read.append(list(columns))
        return part.open(columns, coded=coded)

    from dataclasses import replace  # noqa: PLC0415

    watching = replace(part, open=open_and_tell)
    return ColumnCache([watching], columns, eh.Codings(missing="level"), memory=memory), read


def test_only_columns_that_are_asked_for_are_read_and_each_once(tmp_path):
    pq.write_table(TABLE, tmp_path / "t.parquet")
    kept, read = watched(tmp_path / "t.parquet", "abcn")
    kept.source(["a", "n"])
    kept.source(["n"])
    kept.source(["n", "b"])
    assert read == [["a", "n"], ["b"]]


def test_text_is_parsed_once_for_all_columns_that_fit(tmp_path):
    pa.csv.write_csv(TABLE, tmp_path / "t.csv")
    kept, read = watched(tmp_path / "t.csv", "abcn")
    kept.source(["b"])
    kept.source(["a", "c", "n"])
    assert read == [["b", "a", "c", "n"]]


def test_columns_that_were_not_asked_for_the_longest_are_forgotten(tmp_path):
    pq.write_table(TABLE, tmp_path / "t.parquet")
    kept, read = watched(tmp_path / "t.parquet", "abcn", memory=2 * LINES + 500)
    for name in ("a", "b", "a", "n", "a", "b"):
        kept.source([name])
    assert read == [["a"], ["b"], ["n"], ["b"]]


def test_missing_values_of_columns_that_are_asked_for_are_refused(source):
    rows = eh.read(source)
    assert rows.marginal(["a"]).rows == LINES
    with pytest.raises(MissingValueError, match="'c' has"):
        rows.marginal(["a", "c"])


def test_texts_that_cannot_be_binned_are_refused(source):
    with pytest.raises(ValuesError, match="'a' is to be binned"):
        eh.read(source, bins={"a": [3]}, missing="level").marginal(["a"])


def test_counts_that_do_not_fit_into_the_memory_are_refused():
    wide = pa.table({f"x{at}": GENERATOR.integers(0, 999, 2_000_000) for at in range(4)})
    with pytest.raises(ResourceError, match="do not fit into 256 MB") as raised:
        eh.read(wide, memory="256MB").count()
    assert raised.value.problems[0].remedies[-1].argument == "memory"


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2 * 10**9), ("1.5 GiB", 3 * 2**29), (10**9, 10**9), ("500m", 5 * 10**8)],
)
def test_memory_is_read_as_people_write_it(text, size):
    assert memory_in_bytes(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1GB", "1..5GB", "100MB", "2 XB", True])
def test_what_is_no_amount_of_memory_is_refused(text):
    with pytest.raises(QuestionError, match="no amount of memory"):
        memory_in_bytes(text)


def test_without_a_word_half_of_the_memory_may_be_used():
    assert 10**8 < memory_in_bytes(None) < 10**13


def test_rows_are_told_as_they_go_by(tmp_path):
    pq.write_table(TABLE, tmp_path / "t.parquet", row_group_size=2000)
    seen = []
    eh.read(tmp_path / "t.parquet", missing="level", progress=seen.append).count()
    assert [passed.rows for passed in seen] == sorted({passed.rows for passed in seen})
    assert (seen[-1].rows, seen[-1].total) == (LINES, LINES)
    assert seen[-1].seconds_left == 0
    assert seen[0].rate > 0
