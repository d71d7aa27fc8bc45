"""A release carried out by an engine, which is DuckDB here."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.hiring import COLUMNS, QUESTION, table
from tests.people_in_engines import CODINGS, audit, changed, in_duckdb, people, quiet

import evenhand as eh
from evenhand import Verdict
from evenhand.errors import (
    CannotReleaseError,
    ColumnError,
    InputError,
    QuestionError,
    ResourceError,
)

ibis = pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")
pytestmark = quiet


@pytest.fixture
def source():
    return in_duckdb(ibis, people())


def sql(source, statement):
    return source.get_backend().con.execute(statement).fetchall()


def tables(source):
    return {name for (name,) in sql(source, "show tables")} - {"source"}


def test_a_new_table_is_certified_and_differs_in_the_decisions_that_the_plan_changes(
    source, tmp_path
):
    release = audit(source).release(seed=7, key="id")
    written = release.write(tmp_path / "released")
    after = source.get_backend().table("released")
    assert release.certificate.verdict is Verdict.CERTIFIED
    assert audit(after).verdict is Verdict.CERTIFIED
    assert 0 < len(changed(source, after)) == release.changed_rows == release.plan.changed_rows
    assert after.schema() == source.schema()
    others = [name for name in source.columns if name != "hired"]
    old, new = (x.select(*others).order_by("id").to_pyarrow() for x in (source, after))
    assert old.equals(new)
    assert tables(source) == {"people", "released"}
    assert {path.name for path in tmp_path.iterdir()} == {
        "released.certificate.json",
        "released.manifest.json",
    }
    assert written.certificate.stat().st_mode & 0o777 == 0o600


def test_the_table_before_stays_as_it_was(source, tmp_path):
    before = source.to_pyarrow()
    audit(source).release(seed=7, key="id").write(tmp_path / "released")
    assert source.to_pyarrow().equals(before)


def test_a_seed_chooses_the_same_people_whatever_order_they_stand_in(source):
    shuffled = in_duckdb(ibis, people().take(np.random.default_rng(1).permutation(3000)))
    first, again = (audit(x).release(seed=7, key="id").rows for x in (source, shuffled))
    assert changed(source, first) == changed(shuffled, again)
    other = audit(source).release(seed=8, key="id").rows
    assert changed(source, first) != changed(source, other)


def test_a_name_with_an_ending_is_a_file(source, tmp_path):
    release = audit(source).release(seed=7, key="id")
    written = release.write(tmp_path / "released.parquet")
    after = pq.read_table(written.data)
    assert after.column_names == list(source.columns)
    assert after["hired"].equals(release.rows.to_pyarrow()["hired"])
    assert tables(source) == {"people"}


@pytest.mark.parametrize(
    "codings",
    [
        {"merge": {"degree": {"none": ["none"], "any": ["*"]}}},
        {"bins": {"age": [30, "45.5"]}, "na": ["25"]},
        {"bins": {"score": ["0.1", "1/3"]}},
        {"bins": {"age": 3, "written": [2]}},
    ],
)
@pytest.mark.parametrize("missing", ["level", "drop"])
def test_codings_choose_the_rows_that_they_counted(codings, missing):
    generator = np.random.default_rng(5)
    rows = people(
        age=[None if x < 20 else int(x) for x in generator.integers(18, 70, 3000)],
        score=generator.choice([0.1, 1 / 3, np.nan, 2.5], 3000).tolist(),
        written=generator.choice(["1", "2.50", "30"], 3000).tolist(),
    )
    column = next(iter(next(iter(codings.values()))))
    columns = list(dict.fromkeys(["sex", "degree", "hired", column]))
    graph = eh.CausalGraph.parse("; ".join(f"{n} -> hired" for n in columns if n != "hired"))
    read = eh.Codings.of(columns=columns, missing=missing, **codings)
    there = in_duckdb(ibis, rows)
    found = audit(there, codings=read, graph=graph)
    assert found.verdict is Verdict.NOT_CERTIFIED
    release = found.release(seed=7, key="id")
    assert release.certificate.verdict is Verdict.CERTIFIED
    kept = release.rows.select("id").to_pyarrow()["id"].to_pylist()
    assert len(kept) == 3000 - (found.rows.dropped if missing == "drop" else 0)
    old = there.filter(there.id.isin(kept))
    assert len(changed(old, release.rows)) == release.changed_rows


def test_other_groups_may_be_pooled():
    rows = pa.table(table(2000, groups="fmd") | {"id": list(range(2000))})
    found = audit(in_duckdb(ibis, rows), question=replace(QUESTION, other="rest"))
    release = found.release(seed=7, key="id")
    _ = release.rows
    assert release.certificate.verdict is Verdict.CERTIFIED


@pytest.mark.parametrize(
    ("decisions", "favorable"),
    [
        (pa.array([0, 1], pa.int8()), "1"),
        (pa.array([False, True]), "true"),
        (pa.array([0.0, 2.5]), "2.5"),
        (pa.array(["it's no", 'a "yes"']), 'a "yes"'),
    ],
)
def test_decisions_of_any_type_keep_it(decisions, favorable):
    rows = people(800)
    codes = pa.array([int(x == "yes") for x in rows["hired"].to_pylist()])
    rows = rows.set_column(rows.schema.get_field_index("hired"), "hired", decisions.take(codes))
    source = in_duckdb(ibis, rows)
    release = audit(source, question=replace(QUESTION, favorable=favorable)).release(
        seed=7, key="id"
    )
    assert release.rows.schema() == source.schema()
    assert len(changed(source, release.rows)) == release.changed_rows


def test_names_that_look_like_sql_are_names(tmp_path):
    odd = '"; DROP TABLE people; --'
    rows = people(800).rename_columns({"degree": odd})
    graph = eh.CausalGraph(
        ("sex", odd, "hired"), frozenset({("sex", "hired"), (odd, "hired"), ("sex", odd)})
    )
    source = in_duckdb(ibis, rows)
    found = audit(source, codings=eh.Codings.of(columns=["sex", odd, "hired"]), graph=graph)
    found.release(seed=7, key="id").write(tmp_path / 'a "new" one')
    assert tables(source) == {"people", 'a "new" one'}


def test_a_key_must_be_named(source):
    with pytest.raises(QuestionError, match="tells the rows apart"):
        audit(source).release(seed=7)


@pytest.mark.parametrize(
    ("key", "complaint"),
    [
        ("person", "no column 'person'"),
        ("note", "Its type is string"),
        ("half", "3,000 rows have 1,500 different values"),
        ("null", "It is null in 1 rows"),
        ("negative", "It goes from -1 to"),
        ("large", "to 1,099,511,627,776"),
    ],
)
def test_a_column_that_does_not_tell_rows_apart_is_no_key(key, complaint):
    count = list(range(3000))
    source = in_duckdb(
        ibis,
        people(
            half=[number // 2 for number in count],
            null=[None, *count[1:]],
            negative=[-1, *count[1:]],
            large=[2**40, *count[1:]],
        ),
    )
    with pytest.raises(ColumnError, match=complaint):
        audit(source).release(seed=7, key=key)


@pytest.mark.parametrize(
    "change",
    [
        "delete from people where id < 1000",
        "insert into people select * replace (id + 100000 as id) from people limit 5",
        "update people set hired = 'yes' where id < 1000",
        "update people set pay = 'low' where pay = 'high' and id < 1000",
    ],
)
@pytest.mark.parametrize("planned", [False, True])
def test_a_table_that_changed_after_the_count_is_refused(source, tmp_path, change, planned):
    found = audit(source)
    release = found.release(seed=7, key="id") if planned else None
    sql(source, change)
    with pytest.raises(InputError, match="not those that were counted"):
        (release or found.release(seed=7, key="id")).write(tmp_path / "released")
    assert tables(source) == {"people"}
    assert list(tmp_path.iterdir()) == []


def test_a_table_is_never_written_over(source, tmp_path):
    release = audit(source).release(seed=7, key="id")
    with pytest.raises(QuestionError, match="already"):
        release.write(tmp_path / "people", overwrite=True)


@pytest.mark.parametrize("moment", ["create_table", "raw_sql"])
def test_an_engine_that_fails_leaves_nothing(source, tmp_path, monkeypatch, moment):
    release = audit(source).release(seed=7, key="id")
    engine = source.get_backend()
    works = getattr(engine, moment)

    def fails(first, *more):
        if "DROP" in first:
            return works(first, *more)
        if moment == "create_table":
            works(first, *more)
        raise OSError("the connection was reset")

    monkeypatch.setattr(engine, moment, fails)
    with pytest.raises(ResourceError, match="the connection was reset"):
        release.write(tmp_path / "released")
    assert tables(source) == {"people"}
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_cannot_be_cleared_away_is_named(source, tmp_path, monkeypatch):
    release = audit(source).release(seed=7, key="id")
    monkeypatch.setattr(source.get_backend(), "raw_sql", lambda _: 1 / 0)
    with pytest.raises(ResourceError, match="drop it: it was not certified"):
        release.write(tmp_path / "released")
    assert list(tmp_path.iterdir()) == []


def test_files_that_cannot_be_written_leave_no_table(source, tmp_path, monkeypatch):
    from evenhand.releasing.transaction import Transaction  # noqa: PLC0415

    release = audit(source).release(seed=7, key="id")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Transaction, "commit", full)
    with pytest.raises(ResourceError, match="no room"):
        release.write(tmp_path / "released")
    assert tables(source) == {"people"}


def test_what_draws_other_values_anew_is_not_done_in_an_engine(source):
    with pytest.raises(CannotReleaseError, match="only decisions can be changed"):
        audit(source).release(method=eh.ModifyGraph(), seed=7, key="id")


def test_counted_lines_are_not_released_in_an_engine():
    rows = people(800).append_column("n", [[1] * 800])
    codings = eh.Codings.of(columns=COLUMNS, frequency="n")
    with pytest.raises(CannotReleaseError, match="counted lines"):
        audit(in_duckdb(ibis, rows), codings=codings).release(seed=7, key="id")


def test_codings_are_taken_over_by_the_certificate(source, tmp_path):
    release = audit(source, codings=CODINGS).release(seed=7, key="id")
    release.write(tmp_path / "released")
    assert release.certificate.codings == CODINGS
