"""Spark in local mode: one small job."""

import pyarrow.parquet as pq
import pytest
from tests.people_in_engines import audit, changed, in_duckdb, people

from evenhand import Verdict

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
