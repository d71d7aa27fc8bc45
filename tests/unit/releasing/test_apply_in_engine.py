"""Plans applied by an engine, which is DuckDB here."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests import several_groups
from tests.hiring import COLUMNS, QUESTION, table
from tests.people_in_engines import audit, changed, in_duckdb, people, quiet

import evenhand as eh
from evenhand import Verdict
from evenhand.errors import (
    CannotReleaseError,
    ColumnError,
    QuestionError,
)

ibis = pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")


pytestmark = quiet


def test_a_seed_chooses_the_same_people_whatever_order_they_stand_in(persons):
    shuffled = in_duckdb(ibis, people().take(np.random.default_rng(1).permutation(3000)))
    first, again = (audit(x).release(seed=7, key="id").rows for x in (persons, shuffled))
    assert changed(persons, first) == changed(shuffled, again)
    other = audit(persons).release(seed=8, key="id").rows
    assert changed(persons, first) != changed(persons, other)


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
    persons = in_duckdb(ibis, rows)
    release = audit(persons, question=replace(QUESTION, favorable=favorable)).release(
        seed=7, key="id"
    )
    assert release.rows.schema() == persons.schema()
    assert len(changed(persons, release.rows)) == release.changed_rows


def test_a_key_must_be_named(persons):
    with pytest.raises(QuestionError, match="tells the rows apart"):
        audit(persons).release(seed=7)


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
    persons = in_duckdb(
        ibis,
        people(
            half=[number // 2 for number in count],
            null=[None, *count[1:]],
            negative=[-1, *count[1:]],
            large=[2**40, *count[1:]],
        ),
    )
    with pytest.raises(ColumnError, match=complaint):
        _ = audit(persons).release(seed=7, key=key).rows


def test_what_draws_other_values_anew_is_not_done_in_an_engine(persons):
    with pytest.raises(CannotReleaseError, match="only decisions can be changed"):
        audit(persons).release(method=eh.ModifyGraph(), seed=7, key="id")


def test_counted_lines_are_not_released_in_an_engine():
    rows = people(800).append_column("n", [[1] * 800])
    codings = eh.Codings.of(columns=COLUMNS, frequency="n")
    with pytest.raises(CannotReleaseError, match="counted lines"):
        audit(in_duckdb(ibis, rows), codings=codings).release(seed=7, key="id")


@pytest.mark.parametrize("name", several_groups.RELEASED)
def test_many_groups_and_values_change_in_an_engine_as_they_were_planned(name):
    """The same people whatever order they stand in; only their scores; certified by rows."""
    rows = pa.table(several_groups.people())
    shuffled = rows.take(np.random.default_rng(1).permutation(len(rows)))
    question, old = several_groups.RELEASED[name], several_groups.decisions(rows)
    changes = []
    for source in (rows, shuffled):
        found = eh.audit(
            in_duckdb(ibis, source),
            question,
            graph=several_groups.GRAPH,
            codings=several_groups.CODINGS,
        )
        made = found.release(seed=7, key="id")
        after = made.rows.to_pyarrow()
        assert made.certificate.verdict is Verdict.CERTIFIED
        for column in set(after.column_names) - {"score"}:
            assert several_groups.decisions(after, column) == several_groups.decisions(
                rows, column
            )
        new = several_groups.decisions(after)
        changes.append({one: new[one] for one in old if new[one] != old[one]})
        moves = Counter()
        for move in made.plan.moves:
            moves[move.where["score"], move.becomes["score"]] += move.row_count
        assert Counter((old[one], value) for one, value in changes[-1].items()) == moves
        again = eh.audit(
            after, question, graph=several_groups.GRAPH, codings=several_groups.CODINGS
        )
        assert again.verdict is Verdict.CERTIFIED
    assert changes[0] == changes[1]


class LoggedConnection:
    """A connection to DuckDB that notes the statements it is given."""

    def __init__(self, connection, sent):
        self.connection, self.sent = connection, sent

    def __getattr__(self, name):
        method = getattr(self.connection, name)
        if name not in {"sql", "execute"}:
            return method

        def run(statement, *more, **options):
            self.sent.append(" ".join(str(statement).split()))
            result = method(statement, *more, **options)
            # What executes a statement returns itself, for the next one.
            return LoggedConnection(result, self.sent) if name == "execute" else result

        return run

    @property
    def passes(self):
        """The statements that read rows of people, before or after the release."""
        return [
            one for one in self.sent if re.search(r'FROM ("[a-z]+"\.)*"(people|evenhand_)', one)
        ]


def test_the_statements_of_a_release(persons, tmp_path, monkeypatch):
    """None before the target is known to be free; then one pass each."""
    found, engine = audit(persons), persons.get_backend()
    release = found.release(seed=7, key="id")
    log = LoggedConnection(engine.con, [])
    monkeypatch.setattr(engine, "con", log)
    with pytest.raises(QuestionError, match="already"):
        release.write(tmp_path / "people")
    assert log.passes == []
    release.write(tmp_path / "released")
    key, reach, new, count = log.passes
    assert "COUNT(DISTINCT" in key
    assert "PARTITION BY" in reach  # and only the few rows that can be taken are sorted
    assert re.search("INSERT INTO|CREATE TABLE", new)
    assert "GROUP BY" in count
    assert "JOIN" not in reach
    assert not re.search("JOIN|ORDER BY|OVER", new)
