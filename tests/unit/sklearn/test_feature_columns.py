"""Columns of whatever people give to scikit-learn."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evenhand.sklearn.feature_columns import feature_table, target_column


def test_columns_have_the_names_that_scikit_learn_gives_them():
    frame = pd.DataFrame({"a": [1, 2], "b": ["u", "v"]}, index=[5, 5])
    for kind in (
        frame,
        pl.from_pandas(frame),
        pa.Table.from_pandas(frame, preserve_index=False),
    ):
        assert feature_table(kind).to_pydict() == {"a": [1, 2], "b": ["u", "v"]}
        assert feature_table(kind, "b".__eq__).column_names == ["b"]
    assert feature_table(frame["a"]).column_names == ["a"]
    assert feature_table(pl.Series([1, 2])).column_names == ["x0"]
    assert feature_table(np.eye(2)).to_pydict() == {"x0": [1, 0], "x1": [0, 1]}
    assert feature_table([[1, 2], [3, 4]]).to_pydict() == {"x0": [1, 3], "x1": [2, 4]}
    assert feature_table(["u", "v"], unnamed="y").to_pydict() == {"y0": ["u", "v"]}


def test_nan_is_a_missing_value():
    for values in ([1.0, np.nan], np.array(["a", None], object), pd.Series([1.0, np.nan])):
        assert target_column(values, "y").null_count == 1


@pytest.mark.parametrize("gap", [np.nan, None])
def test_nan_in_a_list_of_texts_is_a_missing_value(gap):
    assert target_column(["a", gap], "y").to_pylist() == ["a", None]
    lines = feature_table([["a", gap, 1], [gap, "b", 2]])
    assert lines.to_pydict() == {"x0": ["a", None], "x1": [None, "b"], "x2": [1, 2]}
    assert feature_table(["nan", gap], unnamed="y").to_pydict() == {"y0": ["nan", None]}
    assert target_column(np.array(["a", "nan"]), "y").to_pylist() == ["a", "nan"]
