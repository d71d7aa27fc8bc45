"""Batches, the sets they condition on, and the table that they are counted in."""

from itertools import combinations

import numpy as np
import pytest

from evenhand import CountTable
from evenhand.counts import Attribute
from evenhand.graph.kernels import batch
from evenhand.graph.kernels.batch import Batch, BatchPlan, CodedTable, batches_of


@pytest.mark.parametrize("short", [0, 2**16])
def test_a_plan_holds_each_set_once_and_every_test(short, monkeypatch):
    monkeypatch.setattr(batch, "_SHORT", short)
    generator = np.random.default_rng(2)
    chosen = np.array([generator.permutation(60)[:5] for _ in range(200)])
    ends = np.sort(chosen[:, :2], axis=1)
    tests = Batch(ends[:, 0], ends[:, 1], np.sort(chosen[:, 2:], axis=1))
    plan = BatchPlan.of(tests, 60)
    rows = [tuple(row) for row in plan.members.tolist()]
    assert len(set(rows)) == len(rows)
    assert rows == sorted(rows)
    assert sorted(plan.order.tolist()) == list(range(200))
    for number, members in enumerate(rows):
        for test in range(plan.start[number], plan.start[number + 1]):
            at = plan.order[test]
            ends = [members[plan.x[test]], members[plan.y[test]]]
            assert ends == [tests.x[at], tests.y[at]]
            assert sorted([*ends, *tests.given[at]]) == list(members)


@pytest.mark.parametrize("depth", range(5))
def test_every_pair_gets_each_set_of_either_end_once(depth):
    generator = np.random.default_rng(depth)
    pairs = np.triu(generator.random((7, 7)) < 0.6, 1)
    pairs |= pairs.T
    offers = (generator.random((7, 7)) < 0.7) & ~np.eye(7, dtype=bool)
    expected = {
        (x, y, given)
        for x, y in combinations(range(7), 2)
        if pairs[x, y]
        for a, b in ((x, y), (y, x))
        for given in combinations(np.flatnonzero(offers[a] & (np.arange(7) != b)), depth)
    }
    found = [
        (x, y, tuple(given))
        for part in batches_of(pairs, offers, depth)
        for x, y, given in zip(part.x, part.y, part.given, strict=True)
    ]
    assert sorted(found) == sorted(expected)
    assert sum([*batch.tests_by_depth(pairs, offers)][depth : depth + 1]) == len(expected)


def test_many_pairs_are_taken_some_at_a_time(monkeypatch):
    generator = np.random.default_rng(9)
    pairs = np.triu(generator.random((20, 20)) < 0.5, 1)
    pairs |= pairs.T
    whole = [*batch.tests_by_depth(pairs, pairs)][2], list(batches_of(pairs, pairs, 0))
    monkeypatch.setattr(batch, "_MOST_PAIRS", 7)
    monkeypatch.setattr(batch, "_MOST_TESTS", 7)
    parts = list(batches_of(pairs, pairs, 0))
    assert [*batch.tests_by_depth(pairs, pairs)][2] == whole[0]
    assert max(map(len, parts)) == 7
    assert Batch.joined(parts).y.tolist() == whole[1][0].y.tolist()


@pytest.mark.parametrize("short", [4, 2**16])
@pytest.mark.parametrize("columns", [1, 4, 90])
def test_lines_are_sorted_by_the_first_attribute_then_the_next(columns, short, monkeypatch):
    monkeypatch.setattr(batch, "_SHORT", short)
    generator = np.random.default_rng(columns)
    cards = generator.integers(1, 6, columns)
    attributes = [
        Attribute(f"a{at:02}", tuple(map(str, range(card)))) for at, card in enumerate(cards)
    ]
    codes = generator.integers(0, cards[:, None], (columns, 300))
    counts = CountTable.build(attributes, codes, generator.integers(1, 9, 300))
    names = generator.permutation(counts.names).tolist()
    table = CodedTable.of(counts, names)
    lines = zip(*(counts.column(name).tolist() for name in names), strict=True)
    expected = sorted(zip(lines, counts.counts.tolist(), strict=True))
    assert [tuple(line) for line in table.codes.T.tolist()] == [line for line, _ in expected]
    assert table.rows.tolist() == [often for _, often in expected]
    assert table.codes.flags.c_contiguous
