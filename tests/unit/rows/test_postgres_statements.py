"""PostgreSQL's lines are read as it writes them; what Ibis must prepare is left to Ibis."""

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.people_in_engines import in_duckdb, people, quiet

from evenhand.rows.ibis_tables import (
    has_plain_types,
    parse_lines,
    speaks_directly,
)

pytestmark = quiet
SCHEMA = pa.schema({"a": pa.string(), "b": pa.string(), "n": pa.int64()})
# No surrogates, which are no text, and no NUL, which PostgreSQL's text cannot hold.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)
ODD = st.sampled_from(["", "\\", '"', "\n", "\r\n", ",", "(", ")", " ", "\\\\", '\\"', "null"])


def written(line):
    """A line as the manual says that composite values are written."""

    def field(value):
        if value is None:
            return ""
        text = str(value)
        if text and not any(mark.isspace() or mark in '",()\\' for mark in text):
            return text
        return '"' + text.replace("\\", "\\\\").replace('"', '""') + '"'

    return "(" + ",".join(map(field, line)) + ")"


def read(lines, schema):
    return [tuple(row.values()) for row in parse_lines(lines, schema).to_pylist()]


@given(
    st.lists(
        st.tuples(
            st.none() | TEXTS | ODD, st.none() | TEXTS | ODD, st.none() | st.integers(-9, 2**62)
        ),
        min_size=1,
        max_size=30,
    )
)
def test_any_text_comes_back_as_it_was(lines):
    assert read([written(line) for line in lines], SCHEMA) == lines


@given(st.lists(st.none() | TEXTS | ODD, min_size=1))
def test_a_line_of_one_column_may_be_empty(values):
    schema, lines = pa.schema({"a": pa.string()}), [written([value]) for value in values]
    assert read(lines, schema) == [(value,) for value in values]


def test_numbers_and_truth_values_are_parsed():
    schema = pa.schema(
        {"x": pa.float64(), "y": pa.float32(), "z": pa.int16(), "yes": pa.bool_()}
    )
    lines = ["(0.1,0.1,-3,t)", "(NaN,Infinity,,f)", "(-Infinity,1e-30,7,)", "(1e+300,,0,t)"]
    first, second, third, fourth = read(lines, schema)
    assert first == (0.1, pytest.approx(0.1), -3, True)
    assert math.isnan(second[0])
    assert second[1:] == (math.inf, None, False)
    assert (third[0], third[2], third[3]) == (-math.inf, 7, None)
    assert fourth == (1e300, None, 0, True)


def test_other_engines_are_not_spoken_to_in_postgresql():
    ibis = pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")
    table = in_duckdb(ibis, people(10))
    assert not speaks_directly(table)


@pytest.mark.parametrize(
    ("kind", "plain"),
    [("string", True), ("int16", True), ("float64", True), ("boolean", True), ("date", False)],
)
def test_types_whose_text_depends_on_settings_are_left_to_ibis(kind, plain):
    ibis = pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")
    assert has_plain_types(ibis.table({"a": "string", "b": kind}, name="people")) is plain
