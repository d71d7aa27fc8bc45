"""How far moves reach; the oracle sorts the places of each pattern's rows."""

import numpy as np
import pytest
from tests.people_in_engines import audit, in_duckdb, people, quiet

from evenhand.errors import InputError
from evenhand.releasing import engine_reach
from evenhand.releasing.engine_conditions import LabelConditions
from evenhand.releasing.engine_reach import find_reach
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


def asked(conditions, rows, seed, shares, **options):
    """Reaches for shares of each pattern's rows, and what they should be."""
    expected = places(rows, conditions.plan.names, seed)
    sizes = {pattern: len(here) for pattern, here in expected.items()}
    levels = [
        {pattern: max(1, round(share * size)) for pattern, size in sizes.items()}
        for share in shares
    ]
    found = find_reach(conditions, Shuffle.of(seed), "id", sizes, levels, **options)
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


def test_one_pass_is_enough(conditions, rows, monkeypatch):
    passes, fetch = [], engine_reach.fetch
    monkeypatch.setattr(
        engine_reach, "fetch", lambda *arguments: passes.append(1) or fetch(*arguments)
    )
    for seed in range(5):
        asked(conditions, rows, seed, [0.1, 0.4])
    assert len(passes) == 5


@pytest.mark.parametrize("seed", range(5))
def test_stretches_that_miss_are_widened(conditions, rows, seed):
    found, right = asked(conditions, rows, seed, [0.2, 0.7], width=0)
    assert found == right


def test_only_places_near_the_end_come_back(conditions, rows, monkeypatch):
    fetched, fetch = [], engine_reach.fetch

    def watched(*arguments):
        fetched.append(fetch(*arguments))
        return fetched[-1]

    monkeypatch.setattr(engine_reach, "fetch", watched)
    asked(conditions, rows, 1, [0], width=2)
    assert sum(len(table) for table in fetched) < 400
    assert np.sum([table["evenhand_rows"].to_numpy().sum() for table in fetched]) == 3000


def test_other_rows_than_were_counted_are_refused(conditions, rows):
    sizes = {pattern: len(here) for pattern, here in places(rows, NAMES, 1).items()}
    by_plan = {
        tuple(dict(zip(NAMES, pattern, strict=True))[n] for n in conditions.plan.names): size
        for pattern, size in sizes.items()
    }
    first = next(iter(by_plan))
    by_plan[first] += 1
    with pytest.raises(InputError, match="A move finds other rows than were counted"):
        find_reach(conditions, Shuffle.of(1), "id", by_plan, [dict.fromkeys(by_plan, 1)])
