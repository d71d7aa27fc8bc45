"""PostgreSQL: a live server that audits and releases a table."""

import pyarrow as pa
import pytest
from tests import several_groups
from tests.people_in_engines import (
    CODINGS,
    audit,
    changed,
    group_release,
    in_duckdb,
    lines_by_id,
    people,
    quiet,
)

import evenhand as eh
from evenhand import Verdict
from evenhand.errors import ColumnError, ResourceError
from evenhand.rows import ibis_tables

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


def made(postgres, name, columns, rows):
    """A new table of these columns, with their types, and rows."""
    postgres.raw_sql(f"drop table if exists {name}").connection.commit()
    cursor = postgres.raw_sql(f"create table {name} ({columns})")
    places = ",".join(["%s"] * len(rows[0]))
    cursor.executemany(f"insert into {name} values ({places})", rows)  # noqa: S608  # ours
    cursor.connection.commit()
    return postgres.table(name)


@pytest.fixture(scope="module")
def groups(ibis, postgres):
    """People of several groups in DuckDB and in PostgreSQL."""
    here = several_groups.people(600)
    columns = "id int primary key, sex text, race text, town text, score text, note text"
    lines = [*zip(*(here[name] for name in several_groups.PEOPLE), strict=True)]
    return in_duckdb(ibis, pa.table(here)), made(postgres, "groups", columns, lines)


@pytest.mark.parametrize("name", several_groups.RELEASED)
def test_many_groups_change_in_postgres_as_in_duckdb(postgres, groups, tmp_path, name):
    duck, there = groups
    postgres.raw_sql("drop table if exists released").connection.commit()
    release = group_release(there, name)
    release.write(tmp_path / "released")
    assert release.certificate.verdict is Verdict.CERTIFIED
    assert release.changed_rows > 0
    expected = group_release(duck, name).rows
    assert lines_by_id(postgres.table("released")) == lines_by_id(expected)


ODD = ["", "\\", '"', 'a "b"', "two\nlines", "\r\n", " ", "(x, y)", "é", "%s", None, "a\x1fb"]


@pytest.mark.parametrize("more", [[], ["day"]])
def test_odd_texts_come_from_postgres_as_they_are(postgres, more):
    """Also with a type that only Ibis can fetch."""
    lines = [(text, at % 2 == 0, at % 3, "2020-02-03") for at, text in enumerate(ODD * 3)]
    columns = "words text, yes boolean, few smallint, day date"
    there = made(postgres, "odd", columns, lines)
    names = ["words", "yes", "few", *more]
    here = pa.table(
        {
            "words": [line[0] for line in lines],
            "yes": [line[1] for line in lines],
            "few": pa.array([line[2] for line in lines], pa.int16()),
            "day": pa.array([18295] * len(lines), pa.int32()).cast(pa.date32()),
        }
    )
    options = {"columns": names, "missing": "level"}
    assert eh.read(there, **options).count() == eh.read(here, **options).count()


def test_a_released_table_has_the_types_of_the_table(postgres, here, tmp_path):
    postgres.raw_sql("drop table if exists typed, released").connection.commit()
    postgres.raw_sql("drop type if exists answer").connection.commit()
    postgres.raw_sql("create type answer as enum ('no', 'yes')").connection.commit()
    columns = "note varchar(40), sex char(1), degree text, hired answer, pay varchar(4), id int"
    lines = [*zip(*(here[name].to_pylist() for name in here.column_names), strict=True)]
    there = made(postgres, "typed", columns, lines)
    release = audit(there).release(seed=7, key="id")
    release.write(tmp_path / "released")
    kinds = [
        postgres.con.execute(
            "select attname, format_type(atttypid, atttypmod) from pg_attribute "
            "where attrelid = %s::regclass and attnum > 0 order by attnum",
            [name],
        ).fetchall()
        for name in ("typed", "released")
    ]
    assert kinds[0] == kinds[1]
    assert len(changed(there, postgres.table("released"))) == release.changed_rows


@pytest.fixture
def sent(monkeypatch):
    """The statements that reach the server."""
    import psycopg  # noqa: PLC0415  # there where the server is

    sent = []

    def logged(kind):
        run = kind.execute

        def execute(self, statement, *more, **options):
            sent.append(" ".join(str(statement).split()))
            return run(self, statement, *more, **options)

        monkeypatch.setattr(kind, "execute", execute)

    for kind in (psycopg.Cursor, psycopg.ServerCursor):
        logged(kind)
    return sent


def told(sent):
    """Statements that concern rows."""
    return [one for one in sent if "pg_" not in one and "CURRENT_SCHEMA" not in one]


def test_the_statements_of_a_release(there, tmp_path, sent):
    """The key is checked; then come the reach of moves, the new table, its count, its name."""
    found = audit(there)
    sent.clear()
    release = found.release(seed=7, key="id")
    assert sent == []
    with pytest.raises(eh.EvenhandError, match="already"):
        release.write(tmp_path / "people")
    assert not [one for one in sent if 'FROM "people"' in one]
    sent.clear()
    release.write(tmp_path / "released")
    key, reach, new, count, rename = told(sent)
    assert "MIN(" in key
    assert "COUNT(DISTINCT" in key
    assert new.startswith('CREATE TABLE "evenhand_')
    assert [one.count('FROM "people"') for one in told(sent)] == [1, 1, 1, 0, 0]
    assert reach.count("ORDER BY") == 1  # of the few rows that can be taken
    assert not [one for one in (reach, new) if "JOIN" in one]
    assert "GROUP BY" in count
    assert 'FROM "evenhand_' in count
    assert rename.endswith('RENAME TO "released"')


def test_a_key_of_repeated_values_is_refused(postgres, there, tmp_path):
    postgres.con.execute("alter table people drop constraint people_pkey")
    postgres.con.execute("update people set id = 3 where id = 10")
    with pytest.raises(ColumnError, match="900 rows have 899 different values"):
        audit(there).release(seed=7, key="id").write(tmp_path / "again")


@pytest.mark.parametrize("end", ["-1", "1099511627776"])
def test_a_key_of_the_server_is_within_bounds(postgres, there, tmp_path, end):
    postgres.con.execute("update people set id = %s where id = 3", [int(end)])
    with pytest.raises(ColumnError, match="It goes from"):
        audit(there).release(seed=7, key="id").write(tmp_path / "released")
    assert list(tmp_path.iterdir()) == []


def test_a_count_that_is_refused_leaves_no_transaction_open(
    postgres, there, tmp_path, monkeypatch
):
    monkeypatch.setattr(ibis_tables, "BATCH_ROWS", 100)
    columns = eh.Codings.of(columns=["id", "sex"], missing="level")
    with pytest.raises(ColumnError, match="identifier") as refused:
        eh.read(there, codings=columns).count()
    assert postgres.con.info.transaction_status.name == "IDLE"
    audit(there).release(seed=7, key="id").write(tmp_path / "released")
    assert refused.value.problems


def test_settings_last_as_long_as_a_statement(postgres, there):
    before = (
        postgres.con.execute("show work_mem").fetchone(),
        postgres.con.execute("show jit").fetchone(),
    )
    audit(there)
    after = (
        postgres.con.execute("show work_mem").fetchone(),
        postgres.con.execute("show jit").fetchone(),
    )
    assert before == after


def test_what_was_not_committed_stays_so(ibis, postgres, there):
    """Also counted: the rows of an open transaction of the user."""
    address = postgres.con.info
    other = ibis.postgres.connect(
        host="127.0.0.1",
        port=address.port,
        user="evenhand",
        database="postgres",
        autocommit=False,
    )
    other.con.execute("delete from people where id < 2000")
    left = eh.read(other.table("people"), columns=["sex", "hired"]).count().row_count
    other.con.rollback()
    assert left < eh.read(there, columns=["sex", "hired"]).count().row_count == 900
    other.disconnect()
