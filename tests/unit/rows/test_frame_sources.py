"""Tables that are no files: Arrow objects, frames, relations."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.reading import EXPECTED, the_problem

from evenhand.errors import ColumnError, InputError
from evenhand.rows import read
from evenhand.rows.frame_sources import with_columns

TABLE = pd.DataFrame({"a": [1, 2, 3]}, index=[7, 8, 9])


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


def test_a_relation_that_counts_can_be_read(duckdb):
    relation = duckdb.sql(
        "select i % 3 as a, count(*) as n, sum(1) as s from range(10) t(i) group by 1"
    )
    for frequency in ("n", "s"):
        counts = read(relation, columns=["a"], frequency=frequency).count()
        assert counts.values("a") == {"0": 4, "1": 3, "2": 3}


@pytest.mark.parametrize("kind", ["relation", "pandas", "table", "reader", "batch"])
def test_repeated_names_get_a_number(pandas, duckdb, kind):
    arrow = pa.table([["x", "y"], ["u", "u"]], names=["a", "a"])
    frame = pandas.DataFrame([["x", "u"], ["y", "u"]], columns=["a", "a"])
    sources = {
        "relation": duckdb.sql("select unnest(['x', 'y']) as a, 'u' as a"),
        "pandas": frame,
        "table": arrow,
        "reader": arrow.to_reader(),
        "batch": arrow.to_batches()[0],
    }
    rows = read(sources[kind])
    assert rows.columns == ("a", "a.1")
    assert rows.count().values("a.1") == {"u": 2}
    (note,) = rows.notes
    assert "2 columns are called 'a'; the later one is read as 'a.1'" in note.what
    assert [*frame.columns] == ["a", "a"]


def test_names_that_are_no_texts_are_refused(pandas):
    problem = the_problem(ColumnError, pandas.DataFrame([[1, 2]]))
    assert "'0', '1'" in problem.what


def test_what_is_no_table_is_refused():
    assert "dict" in the_problem(InputError, {"a": [1]}).what


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


def test_a_reader_is_read_once():
    reader = pa.table({"a": [1, 2, 3, 4]}).to_reader()
    problem = the_problem(InputError, reader, bins={"a": 2})
    assert "only once" in problem.what
    assert "read_all" in problem.remedy_text()


HALF = "b\udc80"
OBJECTS = {"dtype": object}


@pytest.mark.parametrize("at", ["value", "category", "name"])
@pytest.mark.parametrize("act", [lambda rows: rows.count(), lambda rows: rows.inspect()])
def test_half_a_character_is_refused_in_words(at, act):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([["a", "1"], ["b", "0"]], **OBJECTS)
    frame.columns = pandas.Index([HALF if at == "name" else "s", "d"], **OBJECTS)
    if at == "category":
        categories = pandas.Index(["a", HALF], **OBJECTS)
        frame["s"] = pandas.Categorical.from_codes([0, 1], categories=categories)
    elif at == "value":
        frame.loc[1, "s"] = HALF
    with pytest.raises(InputError, match="half a character"):
        act(read(frame))


def added(values, table=TABLE):
    source, names = with_columns(table, {"said": values})
    assert names == {"said": "said"}
    return source


FLAT = {
    "list": ["x", "y", "z"],
    "array": np.array(["x", "y", "z"]),
    "tuple": ("x", "y", "z"),
    "polars": pl.Series(["x", "y", "z"]),
    "Arrow": pa.chunked_array([["x"], ["y", "z"]]),
    "same index": pd.Series(["x", "y", "z"], index=[7, 8, 9]),
    "categories": pd.Categorical(["x", "y", "z"]),
}


@pytest.mark.parametrize("kind", FLAT)
def test_values_are_put_beside_the_rows_in_their_order(kind):
    assert [str(value) for value in added(FLAT[kind])["said"]] == ["x", "y", "z"]
    assert "said" not in TABLE.columns


def test_gaps_keep_the_type_of_a_series():
    values = pd.Series([0.5, None, 1.0], dtype="Float64", index=TABLE.index)
    assert added(values)["said"].dtype == "Float64"
    assert (
        added(pl.Series([1, 2, 3]), pl.DataFrame({"a": [1, 2, 3]})).schema["said"] == pl.Int64
    )


@pytest.mark.parametrize("index", [[9, 8, 7], [0, 1, 2], [7, 7, 8]])
def test_a_series_with_another_index_is_refused(index):
    values = pd.Series(["x", "y", "z"], index=index)
    with pytest.raises(InputError, match="another index than the table") as refusal:
        added(values)
    assert "values.to_numpy()" in str(refusal.value)
    # Where the table has no index there is none to go by.
    assert added(values, pl.DataFrame({"a": [1, 2, 3]}))["said"].to_list() == ["x", "y", "z"]


UNFIT = {
    "number": (5, "of the type int, no single column"),
    "0-d array": (np.array("x"), "of the type ndarray, no single column"),
    "generator": ((letter for letter in "xyz"), "of the type generator, no single column"),
    "set": ({"x", "y", "z"}, "of the type set, no single column"),
    "mapping": ({0: "x", 1: "y", 2: "z"}, "of the type dict, no single column"),
    "bytes": (b"xyz", "of the type bytes, no single column"),
    "frame": (pd.DataFrame({"p": ["x", "y", "z"]}), r"DataFrame \(3 × 1\), no single"),
    "probabilities": (np.zeros((3, 2)), r"ndarray \(3 × 2\), no single"),
    "lists": ([["x"], ["y"], ["z"]], "list of lists, no single column"),
    "too few": (["x"], "There are 1 values of said, and the table has 3 rows"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_what_is_no_column_of_values_is_refused_in_words(case):
    values, words = UNFIT[case]
    with pytest.raises(InputError, match=words):
        added(values)


def test_a_name_alone_leaves_a_table_of_any_kind_as_it_is():
    twice = pd.concat([TABLE, TABLE], axis=1)
    for source in (twice, "people.csv", object()):
        assert with_columns(source, {"said": "a", "score": None})[0] is source


@pytest.mark.parametrize("to", [lambda frame: frame, pa.Table.from_pandas])
def test_values_beside_columns_of_one_name_are_refused(to):
    names = ["b", "b"]
    table = to(TABLE.assign(b=1))
    table = (
        table.rename_columns([*names, "i"])
        if isinstance(table, pa.Table)
        else table.set_axis(names, axis=1)
    )
    with pytest.raises(ColumnError, match="'b' occurs 2 times"):
        added(["x", "y", "z"], table)


@pytest.mark.parametrize("source", [pl.DataFrame({"a": [1]}).lazy(), "people.csv", 5])
def test_values_beside_what_is_no_frame_in_memory_are_refused(source):
    with pytest.raises(InputError, match="cannot be put beside this table"):
        added(["x"], source)


FRAMES = {
    "pandas": TABLE,
    "polars": pl.DataFrame({"a": [1, 2, 3]}),
    "Arrow": pa.table({"a": [1, 2, 3]}),
}


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize(
    "values",
    [
        ["x", float("nan"), "y"],
        np.array(["x", np.nan, "y"], object),
        [0.5, float("nan"), 1],
        [1, None, 0],
    ],
)
def test_nan_is_a_missing_value_beside_every_kind_of_frame(kind, values):
    column = added(values, FRAMES[kind])["said"]
    gaps = column.isna().sum() if kind == "pandas" else column.null_count
    assert (gaps() if callable(gaps) else gaps) == 1


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("values", [[1, "x", 2.5], ["x", 0.5, "y"], [1j, 2j, 3j]])
def test_values_of_several_types_are_refused_in_words(kind, values):
    with pytest.raises(InputError, match="The values of said are of several types") as refusal:
        added(values, FRAMES[kind])
    assert refusal.value.problems[0].remedies


@pytest.mark.parametrize("kind", FRAMES)
def test_numbers_of_two_kinds_are_numbers(kind):
    values = added([1, 0.5, np.float32(2)], FRAMES[kind])["said"]
    assert [float(str(value)) for value in values] == [1, 0.5, 2]
