"""Columns read as another one is: which codings fit the values that occur."""

import pyarrow as pa
import pytest

from evenhand import Codings, read
from evenhand.rows.copied_codings import coded_as, read_without

MERGED = {"hired": {"yes": ["yes", "trial"], "no": ["no", "never"]}}
REST = {"hired": {"hi": ["yes"], "lo": ["*"]}}

FITTING = {
    "one old value": (MERGED, ["trial", "no"], {"yes": 1, "no": 1}),
    "merged already": (MERGED, ["yes", "no"], None),
    "other words": (MERGED, ["y", "n"], None),
    "the rest": (REST, ["yes", "maybe"], {"hi": 1, "lo": 1}),
    "the rest, merged already": (REST, ["hi", "lo"], None),
    "gaps": (MERGED, ["trial", None], {"yes": 1, "(missing)": 1}),
}


def said(values, codings):
    table = pa.table({"said": values, "hired": ["yes"] * len(values)})
    rows = coded_as(read(table, missing="level"), "hired", codings, ["said", "none"])
    return rows.requested, rows.only(["said"])


@pytest.mark.parametrize("case", FITTING)
def test_merges_go_for_values_that_they_change(case):
    merge, values, right = FITTING[case]
    requested, rows = said(values, Codings.of(merge=merge))
    assert requested.is_coded("said") is (right is not None)
    if right is not None:
        assert rows.count().values("said") == right


CLASSED = {
    "numbers": (["3", "3.5"], True),
    "classes": (["up to 3", "over 3"], False),
    "classes of whole numbers": (["up to 3", "4 or more"], False),
    "a word": (["3", "none"], True),
    "words": (["yes", "no"], False),
    "gaps alone": ([None, None], False),
}


@pytest.mark.parametrize("case", CLASSED)
def test_classes_go_for_numbers(case):
    values, right = CLASSED[case]
    requested, _ = said(pa.array(values, pa.string()), Codings.of(bins={"hired": [3]}))
    assert requested.is_coded("said") is right


def test_a_number_that_names_a_class_is_a_number():
    requested, rows = said(["2", "3", "4"], Codings.of(bins={"hired": [2, 3]}))
    assert requested.is_coded("said")
    assert rows.count().values("said") == {"up to 2": 1, "3": 1, "4 or more": 1}


def test_quantiles_of_an_absent_model_are_nobodys_classes():
    table = pa.table({"said": [1, 2, 3]})
    rows = read(table)
    coded = coded_as(rows, "hired", Codings.of(bins={"hired": 2}), ["said"])
    assert not coded.requested.is_coded("said")


def test_codings_of_columns_that_may_be_absent_go_with_them():
    table = pa.table({"sex": ["f"], "job": ["a"]})
    codings = Codings.of(columns=["sex", "hired"], merge=MERGED, missing="level")
    rows = read_without(table, codings, ["hired", "pay"], memory="1GB")
    assert (rows.columns, rows.requested.merge) == (("sex",), {})
    assert (rows.requested.missing, rows.memory) == ("level", 10**9)
    table = table.append_column("hired", pa.array(["trial"]))
    assert read_without(table, codings, ["hired"]).requested == codings
