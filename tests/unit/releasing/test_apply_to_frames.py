"""Frames come back as they were, but for the cells that change."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.hiring import NAMES, QUESTION, released, table

import evenhand as eh
from evenhand.evidence import Verdict
from evenhand.removal import (
    LocalPreferentialSampling,
)

SEX_ALONE = eh.CausalGraph.parse("sex -> hired")
FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "batch": pa.RecordBatch.from_pydict,
    "lazy": lambda columns: pl.DataFrame(columns).lazy(),
}


def columns_of(frame):
    """The table as lists, whatever holds it."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pa.Table | pa.RecordBatch):
        return frame.to_pydict()
    lists = frame.to_dict("list") if isinstance(frame, pd.DataFrame) else frame.to_dict()
    return {name: list(values) for name, values in lists.items()}


@pytest.fixture(params=FRAMES)
def frame(request):
    return FRAMES[request.param](table())


def test_a_frame_comes_back_as_the_same_kind_certified_and_changed_only_in_decisions(frame):
    before, made = columns_of(frame), released(frame)
    assert type(made.rows) is type(frame)
    assert made.certificate.verdict is Verdict.CERTIFIED
    assert columns_of(frame) == before  # it stays as it was
    after = columns_of(made.rows)
    assert list(before) == list(after)
    for name in set(NAMES) - {"hired"}:
        assert before[name] == after[name]
    changed = sum(a != b for a, b in zip(before["hired"], after["hired"], strict=True))
    assert 0 < changed == made.changed_rows == made.plan.changed_rows


def test_pandas_keeps_types_index_and_attributes():
    frame = pd.DataFrame(table())
    frame["hired"] = pd.Categorical(frame["hired"], ["yes", "unused", "no"], ordered=True)
    frame["number"] = np.float32(1.5)
    frame["when"] = pd.Timestamp("2020-01-01", tz="Europe/Berlin")
    frame.index = pd.Index([f"p{row % 50}" for row in range(len(frame))], name="person")
    frame.attrs["origin"] = "here"
    rows = released(frame).rows
    assert (rows.dtypes == frame.dtypes).all()
    assert rows.index.equals(frame.index)
    assert rows.index.name == "person"
    assert rows.attrs == {"origin": "here"}
    pd.testing.assert_frame_equal(rows.drop(columns="hired"), frame.drop(columns="hired"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (np.array([0, 1], np.int8), ("0", "1")),
        (np.array([0.0, 1.0]), ("0", "1")),
        (np.array([False, True]), ("false", "true")),
        (pd.array([0, 1], "Int64"), ("0", "1")),
        (pd.array(["a", "b"], "string[pyarrow]"), ("a", "b")),
    ],
)
def test_decisions_of_any_type_keep_it(old, new):
    frame = pd.DataFrame(table())
    codes = (frame["hired"] == "yes").to_numpy().astype(int)
    frame["hired"] = (
        pd.Series(old).take(codes).to_numpy()
        if isinstance(old, np.ndarray)
        else old.take(codes)
    )
    rows = released(frame, question=replace(QUESTION, favorable=new[1])).rows
    assert rows["hired"].dtype == frame["hired"].dtype
    assert set(rows["hired"]) == set(frame["hired"])


def test_polars_keeps_enumerations():
    frame = pl.DataFrame(table()).with_columns(
        pl.col("hired").cast(pl.Enum(["yes", "x", "no"]))
    )
    rows = released(frame).rows
    assert rows.schema == frame.schema


def test_arrow_keeps_chunks_dictionaries_and_metadata():
    source = pa.table(table()).replace_schema_metadata({"made": "by hand"})
    coded = source.column("hired").dictionary_encode()
    source = source.set_column(3, "hired", coded)
    source = pa.concat_tables([source.slice(0, 150), source.slice(150)])
    rows = released(source).rows
    assert rows.schema.equals(source.schema, check_metadata=True)
    assert [len(c) for c in rows.column("hired").chunks] == [150, 250]


def test_views_of_texts_beside_the_question_are_released_too():
    source = pa.table(table())
    source = source.set_column(0, "note", source.column("note").cast(pa.string_view()))
    rows = released(source, missing="drop", na=["none"]).rows
    assert rows.schema == source.schema


def test_sampling_leaves_rows_out_and_doubles_others():
    frame = pd.DataFrame(table())
    made = released(frame, method=LocalPreferentialSampling(), uncertified=True)
    assert made.rows.index.has_duplicates
    assert set(made.rows.index) < set(frame.index)
    pd.testing.assert_frame_equal(made.rows, frame.loc[made.rows.index])


@pytest.mark.parametrize(
    "kind", ["str", "string", "string[python]", "category", "int8", "int32", "Int64", "float"]
)
@pytest.mark.parametrize("texts", [True, False])
def test_pandas_keeps_the_type_of_frequencies(kind, texts):
    people = [30, 30, 20, 40]
    column = pd.Series([str(many) for many in people] if texts else people).astype(kind)
    frame = pd.DataFrame({"sex": [*"fmfm"], "hired": [*"aabb"], "n": column})
    asked = eh.Question(protected="sex", decision="hired", favorable="b", threshold="0.01")
    rows = eh.read(frame, frequency="n")
    made = eh.release(rows, eh.audit(rows, asked, graph=SEX_ALONE).plan(), seed=1)
    assert made.certificate.verdict is Verdict.CERTIFIED
    assert [float(many) for many in made.rows["n"]] == [24, 26, 33, 37]
    after = made.rows["n"].dtype
    assert after.name == column.dtype.name
    if kind == "category":
        assert after.categories.dtype == column.dtype.categories.dtype
    assert eh.read(made.rows, frequency="n").count() == made.certificate.examined.counts


@pytest.mark.parametrize("last", ["yes", "no"])
@pytest.mark.parametrize("kind", ["polars", "arrow"])
def test_values_that_occur_first_in_a_later_batch_are_written(kind, last):
    """Women are in the first batch, where nobody has the other decision; they are fewer."""
    women = ["no" if last == "yes" else "yes"] * 40
    parts = [
        FRAMES[kind]({"sex": [sex] * len(hired), "hired": hired})
        for sex, hired in (("f", women), ("m", [last] * 60 + women))
    ]
    join = pa.concat_tables if kind == "arrow" else partial(pl.concat, rechunk=False)
    frame = join(parts)
    asked = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    made = eh.audit(frame, asked, graph=SEX_ALONE).release(seed=1)
    old, new = columns_of(frame)["hired"], columns_of(made.rows)["hired"]
    assert sum(map(str.__ne__, old, new)) == made.changed_rows > 0
    assert eh.audit(made.rows, asked, graph=SEX_ALONE).verdict is Verdict.CERTIFIED
