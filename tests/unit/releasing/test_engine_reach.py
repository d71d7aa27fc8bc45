"""How far moves reach; the oracle sorts the places of each pattern's rows."""

import pytest
from tests.people_in_engines import audit, in_duckdb, people, quiet

from evenhand.errors import InputError
from evenhand.releasing import apply_in_engine
from evenhand.releasing.apply_in_engine import LabelConditions, find_reach
from evenhand.releasing.engine_shuffle import Shuffle

ibis = pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")
pytestmark = quiet
NAMES = ("sex", "degree", "hired")


@pytest.fixture(scope="module")
def rows():
    return people(3000)


@pytest.fixture(scope="module")
def conditions(rows):
    found = audit(in_duckdb(ibis, rows))
    plan = found.plan()
    assert {*plan.names} == {*NAMES}
    return LabelConditions(found.rows, plan)


def places(rows, names, seed):
    """The places of the rows of each pattern, in order."""
    shuffle, found = Shuffle.of(seed), {}
    for line in rows.to_pylist():
        pattern = tuple(line[name] for name in names)
        found.setdefault(pattern, []).append(shuffle.place(line["id"]))
    return {pattern: sorted(here) for pattern, here in found.items()}


def asked(conditions, rows, seed, shares):
    """Reaches for shares of each pattern's rows, and what they should be."""
    expected = places(rows, conditions.plan.names, seed)
    sizes = {pattern: len(here) for pattern, here in expected.items()}
    levels = [
        {pattern: max(1, round(share * size)) for pattern, size in sizes.items()}
        for share in shares
    ]
    found = find_reach(conditions, Shuffle.of(seed), "id", sizes, levels)
    right = [
        {pattern: expected[pattern][rows - 1] + 1 for pattern, rows in level.items()}
        for level in levels
    ]
    return found, right


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shares", [[0], [0.07], [0.5], [1], [0.1, 0.4], [0, 0.9, 1]])
def test_so_many_rows_lie_before_the_reach_of_each_pattern(conditions, rows, seed, shares):
    found, right = asked(conditions, rows, seed, shares)
    assert found == right


def test_only_the_ends_come_back(conditions, rows, monkeypatch):
    fetched, fetch = [], apply_in_engine.fetch
    monkeypatch.setattr(
        apply_in_engine, "fetch", lambda *asked: fetched.append(fetch(*asked)) or fetched[-1]
    )
    asked(conditions, rows, 1, [0.1, 0.4])
    (ends,) = fetched
    assert len(ends) <= 2 * len(places(rows, NAMES, 1))


def test_fewer_rows_than_were_counted_are_refused(conditions, rows):
    sizes = {
        pattern: len(here) for pattern, here in places(rows, conditions.plan.names, 1).items()
    }
    sizes[next(iter(sizes))] += 1
    with pytest.raises(InputError, match="A move finds other rows than were counted"):
        find_reach(conditions, Shuffle.of(1), "id", sizes, [sizes])
