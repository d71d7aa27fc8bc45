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
    InputError,
    QuestionError,
)
from evenhand.releasing import apply_in_engine
from evenhand.releasing.apply_in_engine import KEYS, EngineChange, Shuffle

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


NAMES = ("sex", "degree", "hired")


@pytest.fixture(scope="module")
def rows():
    return people(3000)


@pytest.fixture(scope="module")
def change(rows):
    found = audit(in_duckdb(ibis, rows))
    plan = found.plan()
    assert {*plan.names} == {*NAMES}
    return EngineChange(found.rows, plan, 7, "id")


def places(rows, names, seed):
    """The places of the rows of each pattern, in order."""
    shuffle, found = Shuffle.of(seed), {}
    for line in rows.to_pylist():
        pattern = tuple(line[name] for name in names)
        found.setdefault(pattern, []).append(shuffle.place(line["id"]))
    return {pattern: sorted(here) for pattern, here in found.items()}


def asked(change, rows, seed, shares):
    """Reaches for shares of each pattern's rows, and what they should be."""
    expected = places(rows, change.plan.names, seed)
    sizes = {pattern: len(here) for pattern, here in expected.items()}
    levels = [
        {pattern: max(1, round(share * size)) for pattern, size in sizes.items()}
        for share in shares
    ]
    found = change.find_reach(Shuffle.of(seed), sizes, levels)
    right = [
        {pattern: expected[pattern][rows - 1] + 1 for pattern, rows in level.items()}
        for level in levels
    ]
    return found, right


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shares", [[0], [0.07], [0.5], [1], [0.1, 0.4], [0, 0.9, 1]])
def test_so_many_rows_lie_before_the_reach_of_each_pattern(change, rows, seed, shares):
    found, right = asked(change, rows, seed, shares)
    assert found == right


def test_only_the_ends_come_back(change, rows, monkeypatch):
    fetched, fetch = [], apply_in_engine.fetch
    monkeypatch.setattr(
        apply_in_engine, "fetch", lambda *asked: fetched.append(fetch(*asked)) or fetched[-1]
    )
    asked(change, rows, 1, [0.1, 0.4])
    (ends,) = fetched
    assert len(ends) <= 2 * len(places(rows, NAMES, 1))


def test_fewer_rows_than_were_counted_are_refused(change, rows):
    sizes = {pattern: len(here) for pattern, here in places(rows, change.plan.names, 1).items()}
    sizes[next(iter(sizes))] += 1
    with pytest.raises(InputError, match="A move finds other rows than were counted"):
        change.find_reach(Shuffle.of(1), sizes, [sizes])


def test_no_two_keys_come_to_the_same_place():
    keys = np.concatenate([np.arange(200_000), KEYS - 1 - np.arange(200_000)])
    places = Shuffle.of(1).place(keys)
    assert places[:9].tolist() == [Shuffle.of(1).place(key) for key in range(9)]
    assert len(np.unique(places)) == len(keys)
    assert places.min() >= 0
    assert places.max() < KEYS


def test_no_number_on_the_way_is_too_large_for_a_float():
    class Number(int):
        def __new__(cls, value):
            assert 0 <= value < 2**53
            return super().__new__(cls, value)

    for name in ("__add__", "__sub__", "__mul__", "__mod__", "__floordiv__"):
        plain = getattr(int, name)
        setattr(Number, name, lambda a, b, plain=plain: Number(plain(a, b)))
    for key in (0, 1, 2**20 - 1, KEYS - 1):
        for seed in range(20):
            Shuffle.of(seed).place(Number(key))


@pytest.mark.parametrize("step", [1, 1024, 2**20 - 1, 2**20])
def test_a_tenth_of_the_keys_is_chosen_as_if_at_random(step):
    # Of 5,000 keys in a row a tenth is taken, with 200 seeds: how often each, and each two
    # neighbors together, lies within five standard errors of what chance would do.
    keys = np.arange(5000) * step
    taken = np.zeros((200, 5000), bool)
    for seed in range(200):
        taken[seed, np.argsort(Shuffle.of(seed).place(keys))[:500]] = True
    assert abs(taken.mean(axis=0) - 0.1).max() < 5 * np.sqrt(0.09 / 200)
    together = (taken[:, 1:] & taken[:, :-1]).mean()
    assert abs(together - 0.01) < 5 * np.sqrt(0.01 / (200 * 5000))
