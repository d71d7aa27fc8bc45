"""The people of ``tests.hiring`` in engines that Ibis reaches."""

import numpy as np
import pyarrow as pa
import pytest
from tests import several_groups
from tests.hiring import COLUMNS, GRAPH, QUESTION, table

import evenhand as eh

# Ibis 12 calls DuckDB 2 by an old name.
quiet = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")
CODINGS = eh.Codings.of(columns=COLUMNS)


def people(rows=3000, *, seed=0, **more):
    """The people with an id, in no order, as an Arrow table."""
    columns = table(rows, seed=seed) | more
    columns["id"] = (np.random.default_rng(seed).permutation(rows) * 7 + 3).tolist()
    return pa.table(columns)


def in_duckdb(ibis, source):
    """A table of DuckDB that holds some rows."""
    connection = ibis.duckdb.connect()
    connection.con.register("source", source)
    connection.con.execute("create table people as select * from source")
    return connection.table("people")


def run_sql(source, statement):
    """The rows that a statement gives where a table of DuckDB is."""
    return source.get_backend().con.execute(statement).fetchall()


def table_names(source):
    """The tables there are beside the registered one."""
    return {name for (name,) in run_sql(source, "show tables")} - {"source"}


def audit(source, *, codings=CODINGS, question=QUESTION, graph=GRAPH):
    """What the engine counts, certified."""
    return eh.audit(source, question, graph=graph, codings=codings)


def decisions(source):
    """The decision of each person, by id."""
    found = source.select("id", "hired").to_pyarrow()
    return dict(zip(found["id"].to_pylist(), found["hired"].to_pylist(), strict=True))


def changed(before, after):
    """The ids of the people whose decision was changed, and of nobody else."""
    old, new = decisions(before), decisions(after)
    assert old.keys() == new.keys()
    return {person for person in old if old[person] != new[person]}


def group_release(source, name, **options):
    """The release of a table of several groups, for one of the questions about them."""
    found = eh.audit(
        source,
        several_groups.RELEASED[name],
        graph=several_groups.GRAPH,
        codings=several_groups.CODINGS,
    )
    return found.release(seed=7, key="id", **options)


def lines_by_id(source):
    """All rows of a table, in the order of their ids."""
    return source.to_pyarrow().sort_by("id").to_pylist()
