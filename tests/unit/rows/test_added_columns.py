import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evenhand.errors import ColumnError, InputError
from evenhand.rows.added_columns import with_columns

TABLE = pd.DataFrame({"a": [1, 2, 3]}, index=[7, 8, 9])


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
    "number": (5, "of the type int, no list"),
    "0-d array": (np.array("x"), "of the type ndarray, no list"),
    "generator": ((letter for letter in "xyz"), "of the type generator, no list"),
    "set": ({"x", "y", "z"}, "of the type set, no list"),
    "mapping": ({0: "x", 1: "y", 2: "z"}, "of the type dict, no list"),
    "bytes": (b"xyz", "of the type bytes, no list"),
    "frame": (pd.DataFrame({"p": ["x", "y", "z"]}), r"a table \(3 × 1\), no single column"),
    "probabilities": (np.zeros((3, 2)), r"a table \(3 × 2\), no single column"),
    "lists": ([["x"], ["y"], ["z"]], r"a list of lists"),
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
    with pytest.raises(ColumnError, match="'b' occur more than once"):
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
