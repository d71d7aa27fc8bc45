"""Policies of ModifyData, and certificates that it refuses."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests import loans
from tests.admission import GRAPH, QUESTION
from tests.many_groups import score_audit

from evenhand import Codings, CountTable, Question, datasets
from evenhand.errors import CannotReleaseError, QuestionError
from evenhand.evidence import Verdict, certify
from evenhand.graph import CausalGraph, PartialGraph
from evenhand.removal import ModifyData, check_plan, plan_removal
from evenhand.removal.modify_data import check_releasable

HIRED = Question(protected="sex", group="f", decision="hired", favorable="yes")
HIRED_GRAPH = CausalGraph.parse("sex -> hired")


def test_ambiguous_causes_are_refused_with_the_open_edge():
    graph = PartialGraph.parse("gender -> admission; gender -> major; major - admission")
    certificate = certify(
        datasets.admissions(2), graph, datasets.question("admissions").question
    )
    with pytest.raises(CannotReleaseError, match="ambiguous") as caught:
        check_releasable(certificate)
    assert caught.value.exit_status == 3
    (problem,) = caught.value.problems
    assert problem.found == "The graph does not direct major - admission."
    assert [one.value for one in problem.remedies[:2]] == [
        ["major -> admission"],
        ["admission -> major"],
    ]


def test_the_open_edge_is_named_also_where_no_verdict_hangs_on_it():
    counts = CountTable.of(
        {"sex": ["f", "m"] * 2, "town": ["a", "a", "b", "b"], "hired": ["no", "yes"] * 2},
        [50, 50, 60, 60],
    )
    graph = PartialGraph.parse("sex -> hired; sex -> town; town - hired")
    certificate = certify(counts, graph, HIRED)
    assert certificate.ambiguous
    assert not certificate.deciding_edges
    with pytest.raises(CannotReleaseError, match="does not direct town - hired") as caught:
        check_releasable(certificate)
    assert caught.value.problems[0].remedies[0].value == ["town -> hired"]


def test_groups_that_are_pooled_and_defined_by_two_columns_are_refused():
    counts = CountTable.of(
        {"sex": ["f", "f", "m", "m"], "town": ["a", "b"] * 2, "hired": ["yes", "no"] * 2}
    )
    question = replace(HIRED, protected=("sex", "town"), group=("f", "a"), other="rest")
    certificate = certify(counts, CausalGraph.parse("sex -> hired; town -> hired"), question)
    with pytest.raises(
        CannotReleaseError, match="are pooled, and several columns define groups"
    ):
        check_releasable(certificate)


def test_a_decision_of_merged_values_is_refused():
    counts = CountTable.of({"sex": ["f", "m"], "hired": ["no", "yes"]})
    codings = Codings.of(merge={"hired": {"no": ["never", "later"]}})
    certificate = certify(counts, HIRED_GRAPH, HIRED, codings=codings)
    with pytest.raises(CannotReleaseError, match="merged values.*name several as favorable"):
        check_releasable(certificate)


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
    with pytest.raises(QuestionError, match="Choose one of minimal, rows, group"):
        ModifyData(policy="fair")


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
    ("towns", "more"), [(1, ""), (5, ""), (6, "and 1 more"), (7, "and 2 more")]
)
def test_a_plan_that_misses_the_criterion_is_refused_with_where(towns, more):
    """In each town one woman is hired, and of two men one."""
    lines = [
        (f"t{town}", *one)
        for town in range(towns)
        for one in (("f", "yes"), ("m", "yes"), ("m", "no"))
    ]
    counts = CountTable.of(
        dict(zip(("town", "sex", "hired"), zip(*lines, strict=True), strict=True))
    )
    graph = CausalGraph.parse("town -> hired; sex -> hired")
    plan = plan_removal(certify(counts, graph, HIRED), method=ModifyData(policy="group"))
    check_plan(plan, uncertified=True)
    with pytest.raises(CannotReleaseError, match="does not reach the criterion") as refused:
        check_plan(plan, uncertified=False)
    found = str(refused.value)
    assert [f"t{town}" in found for town in range(towns)] == [town < 5 for town in range(towns)]
    assert ("more." in found) == bool(more)
    assert more in found


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


def test_with_many_values_it_cannot_be_said_whose_decisions_change():
    certificate = score_audit(criterion="every").certificate
    with pytest.raises(CannotReleaseError, match="all groups may change") as refused:
        ModifyData(only=("red",)).plan(certificate)
    assert [one.argument for one in refused.value.problems[0].remedies] == ["only", "criterion"]


TABLE = {
    "race": [g for g in "abc" for _ in range(3)],
    "score": ["Low", "Medium", "High"] * 3,
}
COUNTS_RACES = TABLE["race"]
COUNTS = CountTable.of(TABLE, [10, 6, 4, 9, 20, 21, 5, 5, 40])
ARROW = CausalGraph.parse("race -> score")
ORDER = ("Low", "Medium", "High")


def of_scores(**asked):
    return certify(COUNTS, ARROW, Question(protected="race", decision="score", **asked))


@pytest.mark.parametrize(
    ("asked", "policies"),
    [
        ({"criterion": "every"}, ["minimal"]),
        ({"criterion": "cumulative", "order": ORDER}, ["minimal", "rows"]),
        ({"favorable": ("Low", "Medium"), "other": "b"}, ["minimal", "raise"]),
        ({"favorable": "Low", "min_rows": 60}, ["minimal"]),
    ],
)
def test_many_groups_and_values_reach_the_criterion(asked, policies):
    for policy in policies:
        plan = ModifyData(policy=policy).plan(of_scores(**asked))
        assert plan.reaches_criterion
        assert plan.after.rows.tolist() == plan.partition.rows.tolist()


def test_the_fewest_rows_of_ordered_values_are_no_more_than_those_of_the_fewest_steps():
    found = of_scores(criterion="cumulative", order=ORDER)
    rows, steps = (ModifyData(policy=one).plan(found) for one in ("rows", "minimal"))
    assert rows.changed_rows <= steps.changed_rows


@pytest.mark.parametrize(
    ("asked", "options", "words"),
    [
        ({"criterion": "every"}, {"policy": "raise"}, "does not apply to decisions of many"),
        ({"favorable": "Low"}, {"policy": "rows"}, "does not apply to a favorable decision"),
        ({"favorable": "Low"}, {"policy": "group"}, "none is named"),
    ],
)
def test_a_policy_that_cannot_be_is_refused(asked, options, words):
    with pytest.raises(CannotReleaseError, match=words):
        ModifyData(**options).plan(of_scores(**asked))


def test_only_groups_that_are_compared_can_be_named():
    with pytest.raises(QuestionError, match="'d' is no group that is compared"):
        ModifyData(only=("d",)).plan(of_scores(favorable="Low"))
    with pytest.raises(QuestionError, match="says itself whose decisions change"):
        ModifyData(only=("a",), policy="group")


def test_named_groups_alone_change_and_suffice():
    plan = ModifyData(only=["a", "b"]).plan(of_scores(favorable="Low"))
    assert plan.reaches_criterion
    assert {move.where["race"] for move in plan.moves} == {"a", "b"}
    assert ModifyData(only=["a", "b"]).only == ("a", "b")


def test_against_a_reference_others_may_differ_by_more():
    rates = {"a": 10, "b": 14, "c": 18}
    columns = {"race": [*rates] * 2, "score": ["Low"] * 3 + ["High"] * 3}
    counts = CountTable.of(columns, [*rates.values(), *(100 - n for n in rates.values())])
    asked = Question(protected="race", decision="score", favorable="Low", other="b")
    near = ModifyData().plan(certify(counts, ARROW, asked))
    pairs = ModifyData().plan(certify(counts, ARROW, replace(asked, other=None)))
    assert (near.changed_rows, pairs.reaches_criterion) == (0, True)
    assert pairs.changed_rows > 0


@pytest.mark.parametrize("asked", [{"favorable": "Low"}, {"criterion": "every"}])
def test_groups_with_too_few_rows_are_as_if_they_were_not_there(asked):
    few = CountTable.of(
        {"race": [*COUNTS_RACES, "d", "d"], "score": [*TABLE["score"], "Low", "High"]},
        [10, 6, 4, 9, 20, 21, 5, 5, 40, 3, 1],
    )
    question = Question(protected="race", decision="score", min_rows=20, **asked)
    plan = ModifyData().plan(certify(few, ARROW, question))
    same = ModifyData().plan(certify(COUNTS, ARROW, replace(question, min_rows=1)))
    assert plan.reaches_criterion
    assert plan.changed_rows == same.changed_rows
    assert "d" not in {move.where["race"] for move in plan.moves}
    larger = replace(question, min_rows=21)  # now group a, of twenty rows, is too small as well
    without = ModifyData().plan(certify(few, ARROW, larger))
    assert "a" not in {move.where["race"] for move in without.moves}


def test_the_papers_rule_is_for_two_groups():
    with pytest.raises(CannotReleaseError, match="for two groups .* are 3 groups"):
        ModifyData(policy="paper").plan(of_scores(favorable="Low"))


@pytest.fixture(scope="module")
def loan_certificate():
    return certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION)


def test_differences_and_effects_are_removed_together(loan_certificate):
    plan = ModifyData().plan(loan_certificate)
    assert (plan.changed_rows, plan.lower_bound) == (7, 7)
    assert plan.after.violating == 0
    assert plan.indirect.verdict is Verdict.CERTIFIED
    upwards = ModifyData(policy="raise").plan(loan_certificate)
    assert all(fall == 0 for _, fall in upwards.changed_decisions.groups)
    assert upwards.reaches_criterion
    others = ModifyData(only=("w",)).plan(loan_certificate)
    assert sum(others.changed_decisions.groups[0]) == 0
    assert others.reaches_criterion


def test_a_group_that_cannot_remove_effects_alone_is_refused(loan_certificate):
    with pytest.raises(CannotReleaseError, match="may change meet the criterion") as caught:
        ModifyData(policy="group").plan(loan_certificate)
    assert caught.value.problems[0].remedies[0].value == "minimal"


def test_policies_that_do_not_apply_to_effects_are_refused(loan_certificate):
    with pytest.raises(CannotReleaseError, match="does not apply"):
        ModifyData(policy="rows").plan(loan_certificate)


def test_a_margin_holds_for_effects_too(loan_certificate):
    plan = ModifyData(margin="0.03").plan(loan_certificate)
    for direction in plan.indirect.graphs[0].directions.values():
        assert direction.through.bounds.within(Fraction(1, 50))
    strict = certify(loans.loans(), loans.ZIP_FIRST, loans.asking(redlining_threshold="0.02"))
    with pytest.raises(QuestionError, match="leaves nothing"):
        ModifyData(margin="0.03").plan(strict)


def test_scores_are_named_by_their_column():
    assert plan_removal(example_2(), method=ModifyData(rank="score")).rank == "score"
    with pytest.raises(QuestionError, match="reproduced by a column's name"):
        ModifyData(rank=[0.1, 0.9])


def test_where_every_value_is_compared_no_score_ranks_rows():
    certificate = score_audit(criterion="every").certificate
    with pytest.raises(CannotReleaseError, match="cannot be chosen by a score"):
        ModifyData(rank="score").plan(certificate)
