"""Spark in local mode: one small job."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests import several_groups
from tests.people_in_engines import (
    audit,
    changed,
    group_release,
    in_duckdb,
    lines_by_id,
    people,
)

from evenhand import Verdict
from evenhand.errors import ColumnError

pytestmark = pytest.mark.slow  # Spark takes ten seconds to start


@pytest.fixture(scope="module")
def here():
    return people(600)


@pytest.fixture(scope="module")
def there(spark, here, tmp_path_factory):
    path = tmp_path_factory.mktemp("people") / "people.parquet"
    pq.write_table(here, path)
    spark._session.read.parquet(str(path)).write.saveAsTable("people")
    return spark.table("people")


@pytest.mark.filterwarnings("ignore")  # Spark's own
def test_spark_counts_and_changes_what_duckdb_does(ibis, spark, here, there, tmp_path):
    duck = in_duckdb(ibis, here)
    in_spark, in_duck = audit(there), audit(duck)
    assert in_spark.counts == in_duck.counts
    release = in_spark.release(seed=7, key="id")
    release.write(tmp_path / "released")
    assert release.certificate.verdict is Verdict.CERTIFIED
    ids = changed(there, spark.table("released"))
    assert ids == changed(duck, in_duck.release(seed=7, key="id").rows)
    assert len(ids) == release.changed_rows
    assert spark.table("released").schema() == there.schema()
    assert {name for name in spark.list_tables() if name.startswith("evenhand")} == set()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("id - id % 14", "600 rows have 300 different values"),
        ("if(id = 3, null, id)", "null in 1 rows"),
        ("id - 10", "It goes from -7 to"),
    ],
)
def test_a_key_that_is_none_in_spark(spark, there, tmp_path, key, reason):
    columns = ", ".join(name for name in there.columns if name != "id")
    spark.raw_sql("drop view if exists other")
    statement = f"create temporary view other as select {columns}, {key} as id from people"  # noqa: S608
    spark.raw_sql(statement)
    with pytest.raises(ColumnError, match=reason):
        audit(spark.table("other")).release(seed=7, key="id").write(tmp_path / "refused")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def groups(spark, tmp_path_factory):
    """People of several groups, here and there."""
    here = pa.table(several_groups.people(600))
    path = tmp_path_factory.mktemp("groups") / "groups.parquet"
    pq.write_table(here, path)
    spark._session.read.parquet(str(path)).write.saveAsTable("groups")
    return here, spark.table("groups")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["pairs", "crossed", "cumulative"])
def test_many_groups_change_in_spark_as_in_duckdb(ibis, spark, groups, tmp_path, name):
    here, there = groups
    release = group_release(there, name)
    release.write(tmp_path / f"released_{name}")
    assert release.certificate.verdict is Verdict.CERTIFIED
    assert release.changed_rows > 0
    after = lines_by_id(spark.table(f"released_{name}"))
    expected = group_release(in_duckdb(ibis, here), name).rows
    assert after == lines_by_id(expected)
