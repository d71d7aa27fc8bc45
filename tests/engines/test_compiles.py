"""Engines that the tests cannot run: what they are asked compiles for them."""

from dataclasses import replace

import pytest
from tests.hiring import COLUMNS
from tests.people_in_engines import CODINGS, audit, in_duckdb, people, quiet

from evenhand import Codings
from evenhand.releasing import apply_in_engine
from evenhand.releasing.apply_in_engine import EngineChange
from evenhand.rows.ibis_tables import distinct_lines

pytestmark = quiet
DIALECTS = ("postgres", "bigquery", "snowflake", "trino", "databricks")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_counting_with_bins_and_missing_values_compiles(ibis, dialect):
    kinds = dict.fromkeys(COLUMNS, "string") | {"age": "int64", "score": "float64"}
    table = ibis.table(kinds, name="people")
    codings = Codings.of(bins={"age": [30, 45], "score": ["0.1"]}, na=["25"], missing="level")
    lines = distinct_lines(table, table.columns, codings, "rows")
    text = ibis.to_sql(lines, dialect=dialect)
    assert "GROUP BY" in text
    assert "over 45" in text


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("missing", ["error", "drop"])
def test_the_released_table_compiles(ibis, dialect, missing, monkeypatch):
    asked, fetch = [], apply_in_engine.fetch
    monkeypatch.setattr(
        apply_in_engine,
        "fetch",
        lambda *arguments: asked.append(arguments[0]) or fetch(*arguments),
    )
    found = audit(in_duckdb(ibis, people(400)), codings=replace(CODINGS, missing=missing))
    change = EngineChange(found.rows, found.plan(), 7, "id")
    text = ibis.to_sql(change.released, dialect=dialect)
    assert "CASE" in text
    assert "JOIN" not in text
    _key, reach = asked
    assert "PARTITION BY" in ibis.to_sql(reach, dialect=dialect)
