"""Decisions as they are stored, and which of them become which, against dictionaries."""

from collections import Counter

import numpy as np
import pytest
from tests import naive_groups

from evenhand import CausalGraph, certify
from evenhand.removal.stored_decisions import StoredDecisions

GRAPH = CausalGraph.parse("race -> score; place -> score")


def certified(seed, number):
    cells, question, groups, values = [*naive_groups.cases(seed, number + 1)][number]
    found = certify(naive_groups.table_of(cells), GRAPH, question, min_coverage=0)
    return cells, found, groups, values


def named(changes, found, groups):
    """Rows by place, group, old and new decision."""
    values = found.examined.counts.attribute("score").values
    places = [found.partition.where(at)["place"] for at in range(len(found.partition))]
    rows = Counter()
    columns = (changes.line, changes.group, changes.old, changes.new, changes.rows)
    for line, group, old, new, many in zip(*(c.tolist() for c in columns), strict=True):
        rows[places[line], groups[group], values[old], values[new]] += many
    return rows


@pytest.mark.parametrize("number", range(8))
def test_counts_are_those_of_the_cells_in_the_order_of_values(number):
    cells, found, groups, values = certified(1, number)
    stored = StoredDecisions.of(found)
    question = found.question
    order = question.order or tuple(sorted(naive_groups.VALUES[:values]))
    places = sorted({place for place, _, _ in cells})
    assert stored.counts.tolist() == [
        [
            [cells.get((place, label, value), 0) for place in places]
            for label in naive_groups.GROUPS[:groups]
        ]
        for value in order
    ]
    assert stored.is_ordered == bool(question.order)
    column = found.examined.counts.attribute("score").values
    assert [column[at] for at in stored.place] == [*order]
    kinds = found.partition.decisions
    for value, kind in zip(order, stored.kinds, strict=True):
        expected = value
        if question.favorable:
            expected = kinds[0] if value in question.favorable_values else kinds[1]
        assert kinds[kind] == expected


@pytest.mark.parametrize("seed", range(12))
def test_so_many_decisions_become_favorable_and_no_more_move(seed):
    cells, found, groups, _ = certified(seed, 3 if seed % 2 else 0)
    favorable = {*found.question.favorable_values}
    rng = np.random.default_rng(seed)
    partition = found.partition
    yes, rows = partition.favorable[0], partition.rows
    change = rng.integers(-yes, rows - yes + 1)
    moves = named(StoredDecisions.of(found).changes_across(change), found, partition.groups)
    for line in range(len(partition)):
        place = partition.where(line)["place"]
        for at, label in enumerate(naive_groups.GROUPS[:groups]):
            own = {key[2:]: n for key, n in moves.items() if key[:2] == (place, label)}
            gained = sum(n for (old, new), n in own.items() if new in favorable)
            lost = sum(n for (old, new), n in own.items() if old in favorable)
            assert gained - lost == change[at, line]
            assert sum(own.values()) == abs(change[at, line])
            for value in naive_groups.VALUES:
                left = sum(n for (old, _), n in own.items() if old == value)
                assert left <= cells.get((place, label, value), 0)


@pytest.mark.parametrize("seed", range(12))
def test_new_counts_of_every_value_are_reached_with_the_fewest_rows(seed):
    cells, found, groups, values = certified(seed, 1 + seed % 2)
    rng = np.random.default_rng(seed)
    partition = found.partition
    new = np.stack(
        [
            [rng.multinomial(n, np.ones(values) / values) for n in line]
            for line in partition.rows.tolist()
        ]
    ).transpose(2, 0, 1)
    moves = named(StoredDecisions.of(found).changes_to(new), found, partition.groups)
    after = Counter(cells)
    for (place, label, old, became), n in moves.items():
        after[place, label, old] -= n
        after[place, label, became] += n
    for line in range(len(partition)):
        place = partition.where(line)["place"]
        for at, label in enumerate(naive_groups.GROUPS[:groups]):
            for kind, value in enumerate(partition.decisions):
                assert after[place, label, value] == new[kind, at, line]
    assert sum(moves.values()) == int(abs(new - partition.counts).sum()) // 2
