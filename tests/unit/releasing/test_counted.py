"""Plans carried out on counts."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from evenhand import CountTable, Question, datasets
from evenhand.evidence import certify
from evenhand.graph.conditional_tables import ConditionalTable
from evenhand.graph.dag import CausalGraph
from evenhand.releasing.counted import change_counts, redraw
from evenhand.removal import ModifyGraph, Move, plan_removal

ASKED = Question(protected="sex", group="f", decision="hired", favorable="yes")
PEOPLE = CountTable.of(
    {
        "sex": ["f", "f", "f", "m", "m"],
        "age": ["old", "young", "young", "old", "young"],
        "hired": ["no", "no", "yes", "yes", "no"],
    },
    [30, 20, 10, 25, 15],
)


@dataclass
class Moves:
    """A plan of nothing but moves."""

    moves: tuple[Move, ...]
    method: str = "by hand"
    policy: str = ""
    question: Question = ASKED
    pooled: str | None = None
    redrawn: tuple[ConditionalTable, ...] = ()

    @property
    def names(self):
        return tuple(self.moves[0].where)


def carried_out(counts, plan, seed=0):
    return change_counts(counts, plan, np.random.default_rng(seed))


def test_rows_that_match_become_what_the_move_says():
    move = Move({"sex": "f", "hired": "no"}, 12, {"hired": "yes"})
    after = carried_out(PEOPLE, Moves((move,)))
    assert after.count(sex="f", hired="no") == 38
    assert after.count(sex="f", hired="yes") == 22
    assert after.given({"sex": "m"}) == PEOPLE.given({"sex": "m"})
    assert after.marginal(["sex", "age"]) == PEOPLE.marginal(["sex", "age"])


@pytest.mark.parametrize(("times", "rows"), [(0, 28), (1, 30), (2, 32)])
def test_rows_can_be_left_out_and_doubled(times, rows):
    move = Move({"sex": "f", "age": "old", "hired": "no"}, 2, {}, times=times)
    after = carried_out(PEOPLE, Moves((move,)))
    assert after.count(sex="f", age="old") == rows
    assert after.rows == PEOPLE.rows + rows - 30


def test_the_same_seed_gives_the_same_rows_and_another_gives_others():
    plan = Moves((Move({"sex": "f", "hired": "no"}, 25, {"hired": "yes"}),))
    assert carried_out(PEOPLE, plan, 1) == carried_out(PEOPLE, plan, 1)
    assert len({carried_out(PEOPLE, plan, seed) for seed in range(20)}) > 5


def test_rows_are_drawn_uniformly_among_those_that_match():
    """30 of 50 who match are old, so on average 3 of 5 who change are."""
    plan = Moves((Move({"sex": "f", "hired": "no"}, 5, {"hired": "yes"}),))
    old = [carried_out(PEOPLE, plan, seed).count(age="old", hired="no") for seed in range(400)]
    assert 30 - np.mean(old) == pytest.approx(3, abs=0.2)


def test_a_pooled_group_is_found_under_any_of_its_labels():
    counts = PEOPLE.recoded("sex", {"m": "x"})
    move = Move({"sex": "not f", "hired": "no"}, 15, {"hired": "yes"})
    after = carried_out(counts, Moves((move,), pooled="not f"))
    assert after.count(sex="x", hired="yes") == 40


def test_effects_are_drawn_from_their_table_given_the_new_decision():
    """Bonus follows hired exactly, so in a changed row it changes with it."""
    counts = CountTable.of(
        {"sex": ["f", "m"], "hired": ["no", "yes"], "bonus": ["0", "1"]}, [40, 60]
    )
    bonus = ConditionalTable.estimate(counts, "bonus", ["hired"])
    move = Move({"sex": "f", "hired": "no"}, 9, {"hired": "yes"})
    after = carried_out(counts, Moves((move,), redrawn=(bonus,)))
    assert after.count(hired="yes", bonus="1") == 69
    assert after.count(hired="yes", bonus="0") == 0


def test_pooled_labels_have_the_shares_of_the_pool_when_effects_are_drawn():
    """Among the pooled "not f" the bonus is always 1; "f" never has one."""
    asked = replace(ASKED, other="rest")
    columns = {
        "sex": ["f", "f", "m", "x", "m", "x"],
        "hired": ["yes", "no", "no", "no", "yes", "yes"],
        "bonus": ["0", "0", "1", "1", "1", "1"],
    }
    counts = CountTable.of(columns, [50, 50, 50, 50, 1, 1])
    graph = CausalGraph.parse("sex -> hired -> bonus; sex -> bonus")
    plan = plan_removal(certify(counts, graph, asked), by=ModifyGraph())
    after = carried_out(counts, plan)
    assert plan.changed_rows
    assert after.marginal(["sex", "bonus"]) == counts.marginal(["sex", "bonus"])


def test_redrawing_splits_the_rows_by_the_shares_of_their_parents():
    counts = CountTable.of({"a": ["0", "1"], "b": ["0", "1"]}, [4000, 4000])
    table = ConditionalTable.estimate(
        CountTable.of({"a": ["0", "0", "1", "1"], "b": ["0", "1", "0", "1"]}, [1, 3, 9, 1]),
        "b",
        ["a"],
    )
    after = redraw(counts, table, np.random.default_rng(0))
    assert after.marginal(["a"]) == counts.marginal(["a"])
    assert after.count(a="0", b="1") == pytest.approx(3000, abs=120)
    assert after.count(a="1", b="1") == pytest.approx(400, abs=90)


def test_a_plan_without_moves_changes_nothing():
    graph = CausalGraph.parse(
        "gender -> admission; major -> admission; test_score -> admission"
    )
    counts = datasets.admissions(1)
    plan = plan_removal(certify(counts, graph, datasets.question("admissions").question))
    assert carried_out(counts, plan) == counts
