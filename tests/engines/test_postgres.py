"""PostgreSQL: a live server that audits and releases a table."""

import pytest
from tests.people_in_engines import CODINGS, audit, changed, in_duckdb, people, quiet

import evenhand as eh
from evenhand import Verdict
from evenhand.errors import ResourceError

pytestmark = quiet


@pytest.fixture
def here():
    return people(900)


@pytest.fixture
def there(postgres, here):
    """The people in a table with numbers, nulls and a key that the server knows."""
    for name in ("people", "released"):
        postgres.raw_sql(f"drop table if exists {name}").connection.commit()
    statement = (
        "create table people (note text, sex varchar(5) not null, degree text, hired text, "
        "pay text, id bigint primary key, age int, score double precision)"
    )
    cursor = postgres.raw_sql(statement)
    lines = zip(*(here[name].to_pylist() for name in here.column_names), strict=True)
    lines = [(*line, *extra) for line, extra in zip(lines, numbers(), strict=False)]
    cursor.executemany("insert into people values (%s,%s,%s,%s,%s,%s,%s,%s)", lines)
    cursor.connection.commit()
    return postgres.table("people")


def numbers():
    """Ages and scores, some of them absent."""
    for at in range(900):
        yield (None if at % 7 == 0 else 18 + at % 50, (0.1, float("nan"), 1 / 3, None)[at % 4])


def test_postgres_counts_as_files_are_counted(here, there):
    ages, scores = zip(*numbers(), strict=True)
    local = here.append_column("age", [list(ages)]).append_column("score", [list(scores)])
    options = {
        "columns": ["sex", "degree", "hired", "age", "score"],
        "bins": {"age": [30, "45.5"], "score": ["0.1", "1/3"]},
        "missing": "level",
        "na": ["25"],
    }
    assert eh.read(there, **options).count() == eh.read(local, **options).count()


def test_postgres_releases_a_certified_table(ibis, postgres, here, there, tmp_path):
    release = audit(there).release(seed=7, key="id")
    written = release.write(tmp_path / "released")
    assert release.certificate.verdict is Verdict.CERTIFIED
    assert written.certificate.is_file()
    after = postgres.table("released")
    ids = changed(there, after)
    assert len(ids) == release.changed_rows
    duck = in_duckdb(ibis, here)
    assert ids == changed(duck, audit(duck).release(seed=7, key="id").rows)
    assert after.schema().names == there.schema().names
    assert [n for n in postgres.list_tables() if n.startswith("evenhand")] == []


def test_rows_that_changed_after_the_count_leave_no_table(postgres, there, tmp_path):
    found = audit(there)
    postgres.raw_sql("update people set sex = 'f' where id < 2000").connection.commit()
    with pytest.raises(eh.EvenhandError, match="not those that were counted"):
        found.release(seed=7, key="id").write(tmp_path / "released")
    assert "released" not in postgres.list_tables()
    assert [n for n in postgres.list_tables() if n.startswith("evenhand")] == []
    assert list(tmp_path.iterdir()) == []


def test_a_lost_connection_is_an_error_of_ours_and_leaves_nothing(
    ibis, postgres, there, tmp_path
):
    address = postgres.con.info
    other = ibis.postgres.connect(
        host="127.0.0.1", port=address.port, user="evenhand", database="postgres"
    )
    found = eh.audit(
        other.table("people"), audit(there).question, graph=audit(there).graph, codings=CODINGS
    )
    release = found.release(seed=7, key="id")
    cursor = postgres.raw_sql(f"select pg_terminate_backend({other.con.info.backend_pid})")
    cursor.connection.commit()
    with pytest.raises(ResourceError, match="connection"):
        release.write(tmp_path / "released")
    assert "released" not in postgres.list_tables()
    assert list(tmp_path.iterdir()) == []
