from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from evenhand import CountTable, Question, datasets
from evenhand.errors import CannotReleaseError, QuestionError
from evenhand.evidence import Verdict, certify
from evenhand.graph.dag import CausalGraph
from evenhand.graph.partial_graph import PartialGraph
from evenhand.removal import ModifyData, plan_removal

ADMISSION = CausalGraph.parse(
    "gender -> major; gender -> admission; major -> admission; test_score -> admission"
)


def example_2(threshold="0.05"):
    question = replace(datasets.question("admissions").question, threshold=Fraction(threshold))
    return certify(datasets.admissions(2), ADMISSION, question)


@pytest.mark.paper("alg:md")
def test_example_2_needs_fifteen_changes_all_among_males():
    plan = plan_removal(example_2())
    assert plan.changed_rows == 15
    assert plan.reaches_criterion
    assert {
        (move.where["major"], move.where["test_score"]): (move.where["gender"], move.rows)
        for move in plan.moves
    } == {
        ("CS", "L"): ("male", 2),
        ("CS", "H"): ("male", 6),
        ("EE", "L"): ("male", 1),
        ("EE", "H"): ("male", 6),
    }


@pytest.mark.paper("alg:md")
def test_the_printed_algorithm_fails_its_own_certify_on_example_2():
    """35 changes, and three of four subpopulations still differ by 1/20 exactly."""
    plan = plan_removal(example_2(), by=ModifyData(policy="printed"))
    assert plan.changed_rows == 35
    assert plan.after.violating == 3
    left = [abs(plan.after.risk_difference(at)) for at in np.flatnonzero(plan.after.side)]
    assert left == [Fraction(1, 20)] * 3


def test_changing_only_the_group_costs_38_on_example_2():
    plan = plan_removal(example_2(), by=ModifyData(policy="group"))
    assert plan.changed_rows == 38
    assert plan.reaches_criterion
    assert {move.where["gender"] for move in plan.moves} == {"female"}


def test_raising_only_makes_decisions_favorable():
    plan = plan_removal(example_2(), by=ModifyData(policy="raise"))
    assert plan.reaches_criterion
    assert {move.becomes["admission"] for move in plan.moves} == {"admitted"}


@pytest.mark.parametrize("policy", ["minimal", "group", "raise"])
def test_a_margin_is_kept(policy):
    plan = plan_removal(example_2(), by=ModifyData(policy=policy, margin="0.02"))
    assert all(abs(plan.after.risk_difference(at)) < Fraction(3, 100) for at in range(4))


@pytest.mark.parametrize("margin", ["0.05", "1", "-0.01", "x"])
def test_a_margin_that_leaves_no_threshold_is_refused(margin):
    with pytest.raises(QuestionError, match="margin"):
        plan_removal(example_2(), by=ModifyData(margin=margin))


def test_an_unknown_policy_is_refused():
    with pytest.raises(QuestionError, match="Choose one of minimal, group"):
        ModifyData(policy="fair")


def test_what_is_certified_stays_as_it_is():
    question = datasets.question("admissions").question
    certificate = certify(datasets.admissions(1), ADMISSION, question)
    assert certificate.verdict is Verdict.CERTIFIED
    assert plan_removal(certificate).changed_rows == 0


def test_a_group_too_small_to_reach_the_criterion_is_said():
    """One woman against two men of whom one is hired: a woman's rate is 0 or 1."""
    counts = CountTable.of(
        {"sex": ["f", "m", "m"], "hired": ["no", "yes", "no"]},
    )
    question = Question(protected="sex", group="f", decision="hired", favorable="yes")
    certificate = certify(counts, CausalGraph.parse("sex -> hired"), question)
    plan = plan_removal(certificate, by=ModifyData(policy="group"))
    assert not plan.reaches_criterion
    assert "no plan for a release" in str(plan)
    assert plan_removal(certificate).reaches_criterion


def test_ambiguous_causes_give_no_plan():
    counts = datasets.admissions(2)
    graph = PartialGraph.parse("gender -> admission; gender -> major; major - admission")
    certificate = certify(counts, graph, datasets.question("admissions").question)
    with pytest.raises(CannotReleaseError, match="ambiguous") as caught:
        plan_removal(certificate)
    assert caught.value.exit_status == 3
    assert caught.value.problems[0].remedies[0].argument == "required"


def test_a_decision_of_three_values_gives_no_plan():
    counts = CountTable.of(
        {"sex": ["f", "f", "m", "m"], "grade": ["a", "b", "c", "a"]}, [5, 5, 5, 5]
    )
    question = Question(protected="sex", group="f", decision="grade", favorable="a")
    certificate = certify(counts, CausalGraph.parse("sex -> grade"), question)
    with pytest.raises(CannotReleaseError, match="has 3 values"):
        plan_removal(certificate)


def test_a_plan_is_told_in_words_and_in_values():
    plan = plan_removal(example_2())
    assert "15 of 2,200 decisions would change" in str(plan)
    assert sum(move["rows"] for move in plan.to_dict()["moves"]) == 15
