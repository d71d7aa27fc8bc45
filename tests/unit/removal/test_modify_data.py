"""Which decisions each policy changes, and what it leaves."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests.admission import GRAPH, QUESTION

from evenhand import CountTable, Question, datasets
from evenhand.errors import QuestionError
from evenhand.evidence import Verdict, certify
from evenhand.graph.causal_graph import CausalGraph
from evenhand.removal import ModifyData, plan_removal


def example_2(threshold="0.05"):
    question = replace(QUESTION, threshold=Fraction(threshold))
    return certify(datasets.admissions(2), GRAPH, question)


@pytest.mark.paper("alg:md")
def test_example_2_needs_fifteen_changes_all_among_males():
    plan = plan_removal(example_2())
    assert plan.changed_rows == 15
    assert plan.reaches_criterion
    assert {
        (move.where["major"], move.where["test_score"]): (move.where["gender"], move.row_count)
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
    plan = plan_removal(example_2(), method=ModifyData(policy="printed"))
    assert plan.changed_rows == 35
    assert plan.after.violating == 3
    left = [abs(plan.after.risk_difference(at)) for at in np.flatnonzero(plan.after.side)]
    assert left == [Fraction(1, 20)] * 3


def test_changing_only_the_group_costs_38_on_example_2():
    plan = plan_removal(example_2(), method=ModifyData(policy="group"))
    assert plan.changed_rows == 38
    assert plan.reaches_criterion
    assert {move.where["gender"] for move in plan.moves} == {"female"}


def test_raising_only_makes_decisions_favorable():
    plan = plan_removal(example_2(), method=ModifyData(policy="raise"))
    assert plan.reaches_criterion
    assert {move.becomes["admission"] for move in plan.moves} == {"admitted"}


@pytest.mark.parametrize("policy", ["minimal", "group", "raise"])
def test_a_margin_is_kept(policy):
    plan = plan_removal(example_2(), method=ModifyData(policy=policy, margin="0.02"))
    assert all(abs(plan.after.risk_difference(at)) < Fraction(3, 100) for at in range(4))


@pytest.mark.parametrize("margin", ["0.05", "1", "-0.01", "x"])
def test_a_margin_that_leaves_no_threshold_is_refused(margin):
    with pytest.raises(QuestionError, match="margin"):
        plan_removal(example_2(), method=ModifyData(margin=margin))


def test_an_unknown_policy_is_refused():
    with pytest.raises(QuestionError, match="Choose one of minimal, group"):
        ModifyData(policy="fair")


def test_what_is_certified_stays_as_it_is():
    certificate = certify(datasets.admissions(1), GRAPH, QUESTION)
    assert certificate.verdict is Verdict.CERTIFIED
    assert plan_removal(certificate).changed_rows == 0


def test_a_group_too_small_to_reach_the_criterion_is_said():
    """One woman against two men of whom one is hired: a woman's rate is 0 or 1."""
    counts = CountTable.of(
        {"sex": ["f", "m", "m"], "hired": ["no", "yes", "no"]},
    )
    question = Question(protected="sex", group="f", decision="hired", favorable="yes")
    certificate = certify(counts, CausalGraph.parse("sex -> hired"), question)
    plan = plan_removal(certificate, method=ModifyData(policy="group"))
    assert not plan.reaches_criterion
    assert plan.changed_rows == 0
    assert "no plan for a release" in str(plan)
    assert plan_removal(certificate).reaches_criterion


@pytest.mark.parametrize(
    ("group", "others", "changed"),
    # 10 points beyond a threshold of 5: 5 % of the smaller group, to the letter of the paper.
    [(100, 200, {"f": 5}), (200, 100, {"m": 5}), (200, 200, {"f": 10})],
)
@pytest.mark.parametrize("ahead", ["f", "m"])
def test_the_papers_rule_changes_the_smaller_group(group, others, changed, ahead):
    rate = {sex: 6 if sex == ahead else 5 for sex in "fm"}
    sizes = {"f": group, "m": others}
    yes = {sex: sizes[sex] * rate[sex] // 10 for sex in "fm"}
    counts = CountTable.of(
        {"sex": ["f", "f", "m", "m"], "hired": ["no", "yes"] * 2},
        [n for sex in "fm" for n in (sizes[sex] - yes[sex], yes[sex])],
    )
    question = Question(protected="sex", group="f", decision="hired", favorable="yes")
    certificate = certify(counts, CausalGraph.parse("sex -> hired"), question)
    plan = plan_removal(certificate, method=ModifyData(policy="paper"))
    assert {move.where["sex"]: move.row_count for move in plan.moves} == changed
    assert plan.after.risk_difference(0) == Fraction(-1 if ahead == "f" else 1, 20)


@pytest.mark.parametrize("policy", ["minimal", "group", "raise", "paper", "printed"])
def test_only_the_papers_own_rules_promise_nothing(policy):
    assert ModifyData(policy=policy).guaranteed == (policy not in {"paper", "printed"})
