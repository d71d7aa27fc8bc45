"""Tables in an engine are counted there, and count as files do."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.people_in_engines import audit, in_duckdb, people, quiet

import evenhand as eh
from evenhand.errors import ColumnError, MissingValueError, ResourceError, ValuesError
from evenhand.rows.ibis_tables import (
    has_plain_types,
    parse_lines,
    repeating_columns,
    speaks_directly,
)

ibis = pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")
pytestmark = quiet

GENERATOR = np.random.default_rng(3)
LINES = 400
TABLE = pa.table(
    {
        "text": GENERATOR.choice(["a", "b", "", "?", "é"], LINES),
        "whole": pa.array(
            [None if x == 0 else int(x) for x in GENERATOR.integers(0, 9, LINES)]
        ),
        "number": pa.array(
            [None if x > 0.9 else float(round(x, 1)) for x in GENERATOR.random(LINES)]
        ),
        "third": GENERATOR.choice([1 / 3, 0.1, 0.3, np.nan, 1e300], LINES),
        "single": pa.array(GENERATOR.choice([0.1, 0.5], LINES), pa.float32()),
        "yes": pa.array(GENERATOR.choice([True, False], LINES)),
        "day": pa.array(GENERATOR.choice([0, 20000], LINES).astype(np.int32), pa.date32()),
        "written": GENERATOR.choice(["1", "2.50", "30"], LINES),
    }
)


@pytest.fixture
def table():
    return in_duckdb(ibis, TABLE)


def test_columns_that_hardly_repeat_are_found_by_an_estimate(monkeypatch):
    there = in_duckdb(ibis, people())
    assert repeating_columns(there, ["id", "degree", "note"], 0.75) == ["degree", "note"]
    # An engine without estimates answers with an error.
    monkeypatch.setattr(ibis.expr.types.Column, "approx_nunique", lambda _: 1 / 0)
    assert repeating_columns(there, ["id", "degree"], 0.75) == ["id", "degree"]


@pytest.mark.parametrize(
    "codings",
    [
        {},
        {"na": ["?", "3", "0.3", "0.1"]},
        {"merge": {"text": {"first": ["a", "b"], "rest": ["*"]}}},
        {"bins": {"whole": [3, "5.5"], "number": ["0.3"], "third": ["0.1", "1/3"]}},
        {"bins": {"single": ["0.1"], "written": ["2.5"]}},
        {"bins": {"whole": [3], "number": ["0.3"]}, "na": ["3", "0.1"]},
        {"bins": {"whole": 3, "number": 4, "written": 2}},
        {"columns": ["text", "yes"]},
    ],
)
@pytest.mark.parametrize("missing", ["level", "drop"])
def test_an_engine_counts_as_an_arrow_table_is_counted(table, codings, missing):
    there, here = (eh.read(x, missing=missing, **codings) for x in (table, TABLE))
    assert there.count() == here.count()
    assert there.dropped == here.dropped
    assert there.codings == here.codings


def test_a_frequency_is_added_up_in_the_engine():
    source = pa.table({"a": ["x", "y", "x"], "n": [2, 3, 5]})
    counts = eh.read(in_duckdb(ibis, source), frequency="n").count()
    assert counts.values("a") == {"x": 7, "y": 3}


@pytest.mark.parametrize("numbers", [[1, -1], [1, None], [0.5, 1.0]])
def test_a_frequency_that_is_no_whole_number_is_refused(numbers):
    source = in_duckdb(ibis, pa.table({"a": ["x", "y"], "n": numbers}))
    with pytest.raises(ValuesError, match="not a whole number in every row"):
        eh.read(source, frequency="n").count()


def test_missing_values_are_named_with_their_column(table):
    with pytest.raises(MissingValueError, match="'whole' 42"):
        eh.read(table).count()


def test_an_infinite_number_has_no_class():
    source = in_duckdb(ibis, pa.table({"a": [1.0, float("inf")], "b": ["x", "y"]}))
    with pytest.raises(ValuesError, match="'a' is to be binned"):
        eh.read(source, bins={"a": [3]}).count()


def test_a_column_of_identifiers_is_refused():
    with pytest.raises(ColumnError, match="'id' looks like an identifier"):
        eh.read(in_duckdb(ibis, people()), missing="level").count()


def test_a_table_that_is_gone_is_an_error_of_ours(table):
    table.get_backend().con.execute("drop table people")
    with pytest.raises(ResourceError, match="The engine could not do its part") as raised:
        eh.read(table, missing="level").count()
    assert raised.value.problems[0].where == "people"


def test_what_an_engine_says_is_passed_on_without_secrets():
    from evenhand.rows.ibis_tables import engine_errors  # noqa: PLC0415

    said = "cannot reach postgresql://me:hunter2@host/db password=hunter2"
    with pytest.raises(ResourceError) as raised, engine_errors("people"):
        raise OSError(said)
    assert "hunter2" not in str(raised.value)


def test_only_counts_come_back(table, monkeypatch):
    from evenhand.rows import ibis_tables  # noqa: PLC0415

    lines = []
    stream_batches = ibis_tables.stream_batches

    def watched(*arguments, **options):
        for batch in stream_batches(*arguments, **options):
            lines.append(batch.num_rows)
            yield batch

    monkeypatch.setattr(ibis_tables, "stream_batches", watched)
    counts = eh.read(table, columns=["yes", "day"]).count()
    assert sum(lines) == len(counts) == 4


def test_a_few_columns_are_counted_by_a_query_of_their_own(table):
    rows, local = eh.read(table, missing="level"), eh.read(TABLE, missing="level")
    assert rows.marginal(["yes", "day"]) == local.count().marginal(["yes", "day"])


def test_an_answer_that_asks_for_finer_classes_is_that_of_the_rows():
    here = people(900).append_column("age", [[20 + at % 40 for at in range(900)]])
    codings = eh.Codings.of(columns=["sex", "degree", "hired", "age"], bins={"age": [30, 45]})
    graph = eh.CausalGraph.parse("sex -> hired; degree -> hired; age -> hired")
    audits = (audit(x, codings=codings, graph=graph) for x in (here, in_duckdb(ibis, here)))
    local, there = (found.answer.to_dict() for found in audits)
    assert local == there


def test_a_table_may_have_a_column_of_any_name():
    source = pa.table({"rows": ["x", "y"], "rows_0": ["x", "x"], "evenhand_left": ["a", "b"]})
    assert eh.read(in_duckdb(ibis, source)).count() == eh.read(source).count()


def test_an_expression_is_a_table_too(table):
    rows = eh.read(table.filter(table.yes), columns=["yes", "day"])
    assert rows.count().values("yes") == {"true": rows.count().row_count}
    assert rows.where == "Ibis table"


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
