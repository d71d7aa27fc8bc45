"""Changed decisions as columns: who gains, who loses, and what counts become."""

import numpy as np
import pytest

from evenhand import Question
from evenhand.removal.decision_changes import ByDirection, ChangedDecisions, DecisionChanges


def random_changes(seed, *, values=4, groups=3, lines=5):
    rng = np.random.default_rng(seed)
    old, new = rng.integers(0, values, (2, 40))
    other = np.where(old == new, (new + 1) % values, new)
    return DecisionChanges(
        group=rng.integers(0, groups, 40),
        line=rng.integers(0, lines, 40),
        old=old,
        new=other,
        rows=rng.integers(1, 9, 40),
    )


def listed(changes):
    columns = (changes.group, changes.line, changes.old, changes.new, changes.rows)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_who_gains_and_who_loses_is_counted_group_by_group(seed):
    changes = random_changes(seed)
    rank = np.random.default_rng(seed).permutation(4)
    expected = [[0, 0] for _ in range(3)]
    for group, _, old, new, rows in listed(changes):
        expected[group][0 if rank[new] < rank[old] else 1] += rows
    assert changes.by_group(rank, 3) == tuple(ByDirection(*ways) for ways in expected)


def test_values_of_one_rank_gain_nothing():
    changes = DecisionChanges(**{name: np.array([1]) for name in ("group", "line", "rows")},
                              old=np.array([0]), new=np.array([2]))  # fmt: skip
    assert changes.by_group(np.array([0, 1, 0]), 2) == (ByDirection(0, 0), ByDirection(0, 0))


@pytest.mark.parametrize("seed", range(5))
def test_counts_lose_what_they_give_and_get_what_they_take(seed):
    changes = random_changes(seed)
    kinds = np.array([0, 1, 1, 0])
    expected = np.zeros((2, 3, 5), int)
    for group, line, old, new, rows in listed(changes):
        expected[kinds[old], group, line] -= rows
        expected[kinds[new], group, line] += rows
    assert changes.count_change(kinds, (2, 3, 5)).tolist() == expected.tolist()


GROUPS = (ByDirection(3, 0), ByDirection(0, 2), ByDirection(1, 1))


@pytest.mark.parametrize(
    ("question", "facts"),
    [
        (
            {"favorable": "Low"},
            (
                ("to favorable", "4 (race=a: 3, race=b: 0, race=c: 1)"),
                ("to unfavorable", "3 (race=a: 0, race=b: 2, race=c: 1)"),
            ),
        ),
        (
            {"criterion": "cumulative", "order": ("Low", "High")},
            (
                ("to a better value", "4 (race=a: 3, race=b: 0, race=c: 1)"),
                ("to a worse value", "3 (race=a: 0, race=b: 2, race=c: 1)"),
            ),
        ),
        (
            {"criterion": "every"},
            (("to another value", "7 (race=a: 3, race=b: 2, race=c: 2)"),),
        ),
    ],
)
def test_directions_are_told_by_what_was_asked(question, facts):
    changed = ChangedDecisions(
        groups=GROUPS,
        labels=("a", "b", "c"),
        question=Question(protected="race", decision="score", **question),
    )
    assert changed.facts() == facts
    assert changed.row_count == 7
    assert changed.to_dict() == {
        "a": {"to_favorable": 3, "to_unfavorable": 0},
        "b": {"to_favorable": 0, "to_unfavorable": 2},
        "c": {"to_favorable": 1, "to_unfavorable": 1},
    }


@pytest.mark.parametrize("criterion", ["favorable", "every"])
def test_no_change_is_said_in_words(criterion):
    none = ChangedDecisions(
        groups=(ByDirection(0, 0),) * 2,
        labels=("a", "b"),
        question=Question(
            protected="race",
            group="a",
            decision="score",
            criterion=criterion,
            favorable="Low" if criterion == "favorable" else None,
        ),
    )
    told = [text for _, text in none.facts()]
    assert told == (["none", "none: nobody loses"] if criterion == "favorable" else ["none"])
    assert [*none.to_dict()] == ["group", "other"]
