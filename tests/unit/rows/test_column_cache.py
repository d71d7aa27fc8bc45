"""Small sets of columns, cached and counted on demand."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from tests.reading import MANY_LINES, MEGABYTE

import evenhand as eh
from evenhand.errors import InputError, MissingValueError, ResourceError, ValuesError
from evenhand.rows.column_cache import ColumnCache

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
    """A cache, and which columns it has read in each pass."""
    (origin,) = eh.read(source).sources
    passes = []

    def open_and_note(columns, *, coded):
        passes.append(list(columns))
        return origin.open(columns, coded=coded)

    watching = replace(origin, open=open_and_note)
    return ColumnCache([watching], columns, eh.Codings(missing="level"), memory=memory), passes


def test_only_columns_that_are_asked_for_are_read_and_each_once(tmp_path):
    pq.write_table(TABLE, tmp_path / "t.parquet")
    cache, passes = watched(tmp_path / "t.parquet", "abcn")
    cache.source(["a", "n"])
    cache.source(["n"])
    cache.source(["n", "b"])
    assert passes == [["a", "n"], ["b"]]


def test_text_is_parsed_once_for_all_columns_that_fit(tmp_path):
    pa.csv.write_csv(TABLE, tmp_path / "t.csv")
    cache, passes = watched(tmp_path / "t.csv", "abcn")
    cache.source(["b"])
    cache.source(["a", "c", "n"])
    assert passes == [["b", "a", "c", "n"]]


def test_columns_that_were_not_asked_for_the_longest_are_forgotten(tmp_path):
    pq.write_table(TABLE, tmp_path / "t.parquet")
    cache, passes = watched(tmp_path / "t.parquet", "abcn", memory=2 * LINES + 500)
    for name in ("a", "b", "a", "n", "a", "b"):
        cache.source([name])
    assert passes == [["a"], ["b"], ["n"], ["b"]]


def test_missing_values_of_columns_that_are_asked_for_are_refused(source):
    rows = eh.read(source)
    assert rows.marginal(["a"]).row_count == LINES
    with pytest.raises(MissingValueError, match="'c' has"):
        rows.marginal(["a", "c"])


def test_texts_that_cannot_be_binned_are_refused(source):
    with pytest.raises(ValuesError, match="'a' is to be binned"):
        eh.read(source, bins={"a": [3]}, missing="level").marginal(["a"])


def test_few_texts_that_do_not_fit_into_the_memory_are_not_kept(essays):
    cache = ColumnCache(
        eh.read(essays).sources, ("sex", "essay"), eh.Codings(), memory=MEGABYTE
    )
    cache.source(["sex"])
    with pytest.raises(ResourceError, match="do not fit into 2 MB"):
        cache.source(["essay"])


def test_columns_read_ahead_are_kept_only_as_far_as_they_fit(many_lines):
    cache, passes = watched(many_lines, "abcd", memory=3 * MANY_LINES)
    cache.source(["d"])
    cache.source(["a", "d"])
    assert passes == [["d", "a", "b", "c"]]
    cache.source(["c"])
    assert len(passes) == 2


@pytest.mark.parametrize("frequency", [None, "n"])
def test_more_rows_than_can_be_kept_are_refused(many_lines, frequency):
    codings = eh.Codings(frequency=frequency)
    cache = ColumnCache(
        eh.read(many_lines).sources, "abcd", codings, memory=MANY_LINES * 4 // 5
    )
    with pytest.raises(ResourceError, match="do not fit into 2 MB") as caught:
        cache.source(["a", "b"])
    assert f"The column {frequency or 'b'!r} takes " in caught.value.problems[0].found


@pytest.mark.parametrize("frequency", [None, "n"])
def test_a_table_without_rows_has_none_to_be_kept(tmp_path, frequency):
    nothing = {"a": pa.array([], pa.string()), "n": pa.array([], pa.int64())}
    pq.write_table(pa.table(nothing), tmp_path / "t.parquet")
    rows = eh.read(tmp_path / "t.parquet", columns=["a"], frequency=frequency)
    with pytest.raises(InputError, match="There are no rows"):
        rows.marginal(["a"])
