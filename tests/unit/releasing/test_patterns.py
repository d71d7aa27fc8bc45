"""Finding the move of many rows at once, against looking each row up."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand import Question
from evenhand.releasing import patterns
from evenhand.releasing.patterns import Patterns
from evenhand.removal import Move

ASKED = Question(protected="sex", group="f", decision="hired", favorable="yes")
NAMES = ("sex", "age", "hired")
LABELS = ("f", "m", "x", "1", "2", "yes")


@dataclass
class Moves:
    moves: tuple[Move, ...]
    pooled: str | None = None
    names: tuple[str, ...] = NAMES
    question: Question = ASKED


def found(plan, rows):
    """Look the rows up through columns whose labels stand in an order of their own."""
    lookup = Patterns(plan)
    labels = [*LABELS[::-1], None]
    columns = {
        name: lookup.codes_of(name, labels)[[labels.index(row[at]) for row in rows]]
        for at, name in enumerate(NAMES)
    }
    return lookup.find(columns).tolist()


def one_by_one(plan, rows):
    wanted = [tuple(move.where[name] for name in NAMES) for move in plan.moves]

    def seen(row):
        sex, *rest = row
        pooled = plan.pooled and sex not in (None, "f")
        return (plan.pooled if pooled else sex, *rest)

    return [wanted.index(seen(row)) if seen(row) in wanted else -1 for row in rows]


ROWS = st.lists(
    st.tuples(*(st.sampled_from([*LABELS, None]) for _ in NAMES)), min_size=1, max_size=30
)
PATTERNS = st.sets(st.tuples(*(st.sampled_from(LABELS) for _ in NAMES)), max_size=12)


def planned(wheres, pooled=None):
    return Moves(
        tuple(Move(dict(zip(NAMES, where, strict=True)), 1, {}) for where in sorted(wheres)),
        pooled,
    )


@given(PATTERNS, ROWS)
def test_every_row_finds_its_move_and_no_other(wheres, rows):
    plan = planned(wheres)
    assert found(plan, rows) == one_by_one(plan, rows)


@given(PATTERNS, ROWS)
def test_pooled_groups_share_a_label(wheres, rows):
    plan = planned({("not f" if sex == "m" else "f", *rest) for sex, *rest in wheres}, "not f")
    assert found(plan, rows) == one_by_one(plan, rows)


@given(PATTERNS, ROWS)
def test_keys_that_would_overflow_are_ranked(wheres, rows):
    plan = planned(wheres)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "_LARGEST_KEY", 8)
        assert found(plan, rows) == one_by_one(plan, rows)


def test_without_moves_no_row_is_found():
    lookup = Patterns(planned(()))
    columns = {name: lookup.codes_of(name, ["f"])[np.zeros(3, int)] for name in NAMES}
    assert lookup.find(columns).tolist() == [-1, -1, -1]
