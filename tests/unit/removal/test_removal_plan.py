"""A plan as moves, as plain values and in words."""

import numpy as np
import pytest
from tests.admission import GRAPH, QUESTION

from evenhand import CountTable, Question, datasets
from evenhand.evidence import certify
from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.conditional_tables import Network
from evenhand.removal import Move, RemovalPlan


def planned(group_change, other_change, **further):
    """A plan for Example 2, whose subpopulations are CS-H, CS-L, EE-H and EE-L."""
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION)
    return RemovalPlan(
        method="by-hand",
        policy="none",
        certificate=certificate,
        unfavorable="rejected",
        group_change=np.array(group_change),
        other_change=np.array(other_change),
        **further,
    )


def test_a_positive_change_makes_decisions_favorable_and_a_negative_one_the_reverse():
    plan = planned([3, 0, 0, 0], [0, -2, 0, 0])
    first, second = (plan.partition.where(line) for line in (0, 1))
    assert list(plan.moves) == [
        Move(
            first | {"gender": "female", "admission": "rejected"}, 3, {"admission": "admitted"}
        ),
        Move(
            second | {"gender": "male", "admission": "admitted"}, 2, {"admission": "rejected"}
        ),
    ]
    assert plan.changed_rows == 5
    assert plan.names == (*plan.partition.names, "gender", "admission")
    assert plan.pooled is None


def test_the_partition_afterwards_has_the_changed_counts_and_the_same_rows():
    plan = planned([3, 0, 0, 0], [0, -2, 0, 0])
    before, after = plan.partition, plan.after
    assert (after.group_yes - before.group_yes).tolist() == [3, 0, 0, 0]
    assert (after.other_yes - before.other_yes).tolist() == [0, -2, 0, 0]
    assert (after.group + after.other).tolist() == before.row_counts.tolist()


def test_plain_values_and_words_tell_every_move():
    plan = planned([3, 0, 0, 0], [0, -2, 0, 0])
    values = plan.to_dict()
    assert values["changed_rows"] == sum(move["rows"] for move in values["moves"]) == 5
    assert not values["reaches_criterion"]
    assert values["still_violating"] == plan.after.violating
    assert "5 of 2,200 decisions would change" in str(plan)


def test_who_gains_and_who_loses_is_told_by_group_and_direction():
    plan = planned([3, -4, 0, 0], [0, -2, 1, 5])
    expected = {
        "group": {"to_favorable": 3, "to_unfavorable": 4},
        "other": {"to_favorable": 6, "to_unfavorable": 2},
    }
    assert plan.to_dict()["changed_decisions"] == expected
    facts = dict(plan.summary().facts)
    assert facts["to favorable"] == "9 (gender=female: 3, gender=male: 6)"
    assert facts["to unfavorable"] == "6 (gender=female: 4, gender=male: 2)"
    raised = dict(planned([3, 0, 0, 0], [0] * 4).summary().facts)
    assert raised["to unfavorable"] == "none: nobody loses"


def test_a_plan_that_leaves_differences_is_called_no_plan_for_a_release():
    assert "no plan for a release" in str(planned([0] * 4, [0] * 4))


def test_effects_that_are_sampled_again_are_named():
    network = Network.estimate(datasets.admissions(2), GRAPH)
    plan = planned([3, 0, 0, 0], [0] * 4, redrawn=(network.tables["major"],))
    assert "effects are drawn anew: major." in str(plan)


@pytest.mark.parametrize(("lines", "note"), [(5, False), (6, True)])
def test_ten_moves_are_listed_and_the_rest_counted(lines, note):
    jobs = [str(job) for job in range(lines)]
    counts = CountTable.of(
        {
            "sex": ["f", "f", "m", "m"] * lines,
            "job": [job for job in jobs for _ in range(4)],
            "hired": ["no", "yes"] * 2 * lines,
        },
        [5] * 4 * lines,
    )
    question = Question(protected="sex", group="f", decision="hired", favorable="yes")
    plan = RemovalPlan(
        method="by-hand",
        policy="none",
        certificate=certify(counts, CausalGraph.parse("sex -> hired; job -> hired"), question),
        unfavorable="no",
        group_change=np.ones(lines, int),
        other_change=np.ones(lines, int),
    )
    assert len(plan.summary().lines) == 10
    assert ("… and 2 smaller moves" in str(plan)) is note
