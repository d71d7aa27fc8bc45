"""Where a column determines the decision nothing is certified, however the graph came about."""

import json
from collections import Counter

import pytest
from tests.certificate_records import wrong
from tests.determined import question, scored

import evenhand as eh
from evenhand import checker
from evenhand.errors import CannotReleaseError, ColumnError, QuestionError
from evenhand.evidence import Verdict
from evenhand.evidence.determining_columns import met_by_construction
from evenhand.question import GraphEdit
from evenhand.recheck import RecordedCertificate

COUNTS = eh.CountTable.of(scored())


def audit(counts=COUNTS, asked=None, **options):
    return eh.audit(counts, asked or question(), **options)


@pytest.mark.parametrize(
    "graph",
    [None, "sex -> risk; score -> risk; education -> score", "sex -> risk; score - education"],
)
@pytest.mark.parametrize("judge", ["rows", "answer"])
def test_a_score_from_which_was_decided_certifies_nothing(graph, judge):
    given = graph and eh.PartialGraph.parse(graph)
    found = audit(graph=given, judge=judge)
    assert found.verdict is Verdict.CANNOT_DECIDE
    assert found.exit_status == 3
    assert found.certificate.determined_by == ("score",)
    (reason,) = found.certificate.reasons
    assert reason.what == "'score' alone determines 'risk': nothing is left to compare."
    leave, declare = reason.remedies
    assert (leave.argument, leave.value) == ("exclude", ["score"])
    assert (declare.argument, declare.value) == ("rule", ["score"])
    assert found.certificate.first_sentence() == reason.what
    assert not found.certificate.explained_by_chance
    assert not found.certificate.relaxed().claimed


def test_both_remedies_help():
    kept = audit(COUNTS.marginal(["sex", "education", "risk"]))
    assert kept.verdict is Verdict.NOT_CERTIFIED
    assert (
        audit(asked=question(rule=["score"]))
        .certificate.reasons[0]
        .what.endswith(f"{met_by_construction(question())}.")
    )


@pytest.mark.parametrize("graph", [None, "sex -> score -> risk; education -> score"])
def test_the_verdict_beside_a_rule_is_about_the_direct_effect(graph):
    given = graph and eh.CausalGraph.parse(graph)
    alone, through = (
        audit(asked=question(rule=["score"], **paths), graph=given).certificate.without_rule
        for paths in ({}, {"redlining": ["score"], "explained": ["education"]})
    )
    assert through == alone


def test_a_record_of_a_rule_and_of_paths_is_read_back():
    graph = eh.CausalGraph.parse("sex -> score -> risk; education -> score; education -> risk")
    asked = question(rule=["score"], redlining=["score"], explained=["education"], basis="all")
    found = audit(asked=asked, graph=graph).certificate
    assert wrong(found.to_json(), COUNTS) == []
    record = RecordedCertificate.parse(found.to_json())
    assert record.question.redlining == ("score",)


def test_columns_that_take_no_part_do_not_count():
    graph = eh.CausalGraph.parse("sex -> risk; education -> risk")
    assert audit(graph=graph).certificate.determined_by == ()
    # What the graph calls an effect of the decision is never compared by.
    effect = eh.CausalGraph.parse("sex -> risk; education -> risk; risk -> score")
    assert audit(graph=effect).verdict is Verdict.NOT_CERTIFIED


def test_a_copy_of_the_decision_and_one_of_the_protected_attribute():
    table = scored()
    table["copy"] = [value.upper() for value in table["risk"]]
    table["gender"] = [{"f": "w", "m": "m"}[value] for value in table["sex"]]
    del table["score"]
    assert audit(eh.CountTable.of(table)).certificate.determined_by == ("copy",)


def test_one_exception_is_no_determination_but_a_warning():
    counts = eh.CountTable.of(scored(exceptions=2))
    found = audit(counts)
    assert found.certificate.determined_by == ()
    (near,) = found.to_dict()["rules"]["near"]
    assert near["name"] == "score"
    assert near["exceptions"] == {"f": {"not low": 2}}
    assert any(
        " alone determines 'risk' but for 2 of 2,000 rows: f not low 2." in str(note)
        and "exclude=['score']" in str(note)
        for note in found.summary().notes
    )
    assert "f not low 2" in found.report().html
    assert "f not low 2" not in found.report(share=True).html


def test_under_a_rule_the_criterion_is_met_by_construction():
    found = audit(asked=question(rule=["score"]))
    assert (found.verdict, found.exit_status) == (Verdict.CANNOT_DECIDE, 3)
    assert found.decision_causes == ("score",)
    beside = found.certificate.without_rule
    assert beside.verdict is audit(COUNTS.marginal(["sex", "education", "risk"])).verdict
    rules = found.to_dict()["rules"]
    assert rules["declared"] == rules["determining"] == ["score"]
    assert rules["without"] == {"left_out": ["score"], "verdict": "not certified"}
    texts = (str(found), found.report().html)
    assert all(met_by_construction(question()) in text.lower() for text in texts)
    shared = found.report(share=True).html
    assert "score fully determines the decision." in shared
    assert met_by_construction(question()) not in shared.lower()
    assert "Without it: not certified." in found.certificate.first_sentence()


def test_under_a_given_graph_the_causes_of_the_rule_take_its_place():
    graph = eh.CausalGraph.parse("education -> score; sex -> score; score -> risk")
    beside = audit(asked=question(rule=["score"]), graph=graph).certificate.without_rule
    assert beside.decision_causes == ("education",)
    assert beside.direct_arrow


def test_two_columns_may_be_the_rule_together():
    table = scored()
    table["quota"] = [str(at % 2) for at in range(len(table["sex"]))]
    points = map(int, table["score"])
    table["risk"] = [
        "low" if score + 2 * (quota == "1") < 6 else "high"
        for score, quota in zip(points, table["quota"], strict=True)
    ]
    counts = eh.CountTable.of(table)
    found = audit(counts, question(rule=["score", "quota"]))
    assert found.certificate.determined_by == ()
    assert found.certificate.reasons[0].what.startswith("Under the rule 'score', 'quota'")
    with pytest.raises(QuestionError, match="does not determine"):
        audit(counts, question(rule=["score"]))


def test_a_rule_with_exceptions_is_refused_with_their_number_by_group():
    table = scored()
    groups = Counter()
    by_level = {}
    for level, sex, risk in zip(table["education"], table["sex"], table["risk"], strict=True):
        by_level.setdefault(level, []).append((sex, risk == "low"))
    for people in by_level.values():
        yes = sum(low for _, low in people)
        usual = yes * 2 > len(people)
        groups.update((sex, low) for sex, low in people if low is not usual)
    with pytest.raises(QuestionError) as error:
        audit(asked=question(rule=["education"]))
    (problem,) = error.value.problems
    for (sex, low), rows in groups.items():
        part = next(p for p in problem.found.partition(": ")[2].split("; ") if p[:1] == sex)
        assert f"{'low' if low else 'not low'} {rows:,}" in part


def test_rules_that_cannot_be_one_are_refused():
    with pytest.raises(ColumnError):
        audit(asked=question(rule=["points"]))
    with pytest.raises(QuestionError, match="protected attribute or the decision"):
        question(rule=["sex"])
    with pytest.raises(QuestionError, match="no list"):
        question(rule="score")
    graph = eh.CausalGraph.parse("sex -> risk; education -> risk; score -> education")
    with pytest.raises(QuestionError, match="does not say that the rule 'score' causes"):
        audit(asked=question(rule=["score"]), graph=graph)
    numbered = scored()
    numbered["id"] = [str(at) for at in range(len(numbered["sex"]))]
    with pytest.raises(QuestionError, match="hardly occur twice"):
        audit(eh.CountTable.of(numbered), question(rule=["id"]))


def test_nothing_is_released_where_nothing_can_be_certified():
    table = scored()
    table["risk"] = ["low" if value == "low" else "high" for value in table["risk"]]
    with pytest.raises(CannotReleaseError, match="nothing is left to compare"):
        audit(eh.CountTable.of(table)).release(seed=1)


def test_the_record_holds_the_one_without_the_rule():
    found = audit(asked=question(rule=["score"]))
    text = found.certificate.to_json()
    assert RecordedCertificate.parse(text).question.rule == ("score",)
    assert wrong(text, COUNTS) == []
    assert checker.verify(text).status == 0
    content = json.loads(text)
    assert content["rules"]["without"]["record"]["verdict"] == "not certified"
    shared = json.loads(found.certificate.to_shared_json())
    assert shared["rules"] == {"declared": ["score"]}
    assert shared["verdict"] == "withheld"


def test_question_files_hold_the_rule():
    asked = eh.QuestionFile(question=question(rule=["score"]))
    assert eh.QuestionFile.parse(str(asked)) == asked


def edits(*texts):
    return [GraphEdit.parse(*text.split(maxsplit=1)) for text in texts]


def test_the_verdict_without_the_rule_has_the_edits_that_fit_it():
    made = edits("add town -> risk: it is on the form", "add town -> score: it is in the score")
    columns = scored() | {"town": list("ab" * 1000)}
    counts = eh.CountTable.of(columns)
    found = audit(counts, question(rule=["score"]), edits=made).certificate
    beside = found.without_rule
    assert found.graph_origin.edits == tuple(made)
    assert beside.graph_origin.edits == (made[0],)
    assert "town" in beside.decision_causes
    # It is judged as a table without the column would be, with the same edit.
    del columns["score"]
    alone = audit(eh.CountTable.of(columns), edits=made[:1]).certificate
    assert (alone.graph, alone.digest) == (beside.graph, beside.digest)


def test_an_edit_that_the_graph_without_the_rule_has_already_is_not_made_again():
    made = edits("add education -> risk: it is on the form")
    beside = audit(asked=question(rule=["score"]), edits=made).certificate.without_rule
    assert "education" in beside.decision_causes
    assert beside.graph_origin.edits == ()


def test_a_given_graph_keeps_its_edits_without_the_rule():
    graph = eh.CausalGraph.parse("sex -> score -> risk; education -> score")
    made = edits("add education -> risk: it is on the form", "remove sex -> score: it is not")
    beside = audit(asked=question(rule=["score"]), graph=graph, edits=made).certificate
    beside = beside.without_rule
    assert beside.graph_origin.edits == (made[0],)
    assert beside.decision_causes == ("education",)
