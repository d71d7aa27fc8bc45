"""Edits on top of a graph: what they change, what they leave, where they are told."""

import json
from dataclasses import replace

import pytest

import evenhand as eh
from evenhand import checker
from evenhand.errors import GraphError, KnowledgeError, QuestionError
from evenhand.evidence import RecordedCertificate
from evenhand.graph.edited_graphs import edited, fitting_edits
from evenhand.question import GraphEdit

GRAPH = eh.PartialGraph.parse("a -> d; b - d; c -> a")
FILE = """
[question]
protected = "gender"
group = "female"
decision = "admission"
favorable = "admitted"

[graph]
remove = ["major -> admission: the major was not known to the committee"]
"""


def edit(kind, text):
    return GraphEdit.parse(kind, f"{text}: because")


@pytest.mark.parametrize(
    ("kind", "arrow", "result"),
    [
        ("add", "c -> d", "a -> d; b - d; c -> a; c -> d"),
        ("add", "d -> b", "a -> d; d -> b; c -> a"),
        ("remove", "d -> b", "a -> d; b; c -> a"),
        ("remove", "c -> a", "a -> d; b - d; c"),
        ("reverse", "c -> a", "a -> d; b - d; a -> c"),
    ],
)
def test_an_edit_changes_one_edge(kind, arrow, result):
    assert edited(GRAPH, [edit(kind, arrow)]) == eh.PartialGraph.parse(result)


@pytest.mark.parametrize(
    ("kind", "arrow"),
    [
        ("add", "a -> d"),
        ("add", "d -> a"),
        ("remove", "c -> d"),
        ("reverse", "b -> d"),
        ("add", "d -> c"),
        ("add", "a -> x"),
    ],
)
def test_edits_that_do_not_fit_are_refused(kind, arrow):
    with pytest.raises(GraphError):
        edited(GRAPH, [edit(kind, arrow)])


def test_an_edit_needs_a_reason():
    with pytest.raises(KnowledgeError, match="no reason"):
        GraphEdit.parse("add", "a -> b")
    with pytest.raises(KnowledgeError, match="no reason, or is of no kind"):
        GraphEdit.parse("turn", "a -> b: because")
    with pytest.raises(QuestionError, match="has no reason"):
        eh.QuestionFile.parse(FILE.replace(": the major was not known to the committee", ""))


@pytest.mark.parametrize("cause", ["a", "sex:s", "a -> b", " a"])
@pytest.mark.parametrize("effect", ["b", "b:c", "-> b"])
@pytest.mark.parametrize("reason", ["because", "so: it follows, as b -> c does"])
def test_every_edit_can_be_written_in_a_question_file(cause, effect, reason):
    made = GraphEdit(kind="add", arrow=(cause, effect), reason=reason)
    asked = replace(eh.QuestionFile.parse(FILE), edits=(made,))
    assert eh.QuestionFile.parse(str(asked)).edits == (made,)
    if (cause, effect) == ("sex:s", "b"):
        assert made == GraphEdit.parse("add", f"sex:s -> b: {reason}")


def test_edits_are_told_in_audit_certificate_and_report(tmp_path):
    asked = eh.QuestionFile.parse(FILE)
    assert eh.QuestionFile.parse(str(asked)) == asked
    counts = eh.datasets.admissions(2)
    plain = eh.audit(counts, asked, edits=())
    found = eh.audit(counts, asked)
    assert {*plain.decision_causes} - {*found.decision_causes} == {"major"}
    reason = "removed major -> admission: the major was not known to the committee"
    assert f"then edited ({reason})" in str(found)
    assert "The reason given: the major was not known" in found.report().html
    text = found.certificate.to_json()
    (told,) = json.loads(text)["graph"]["origin"]["edits"]
    assert told["arrow"] == ["major", "admission"]
    record = RecordedCertificate.parse(text)
    assert record.own_differences() == record.differences(counts) == ()
    assert checker.verify(text).status == 0
    again = eh.audit(
        counts,
        asked,
        graph=eh.load_graph(found.certificate.write(tmp_path / "c.json")),
        edits=(),
    )
    assert again.certificate.graph_origin == found.certificate.graph_origin
    assert again.certificate.to_json() == text


@pytest.mark.parametrize("given", [None, "gender -> admission <- major; test_score -> major"])
def test_a_saved_graph_is_not_edited_twice(given, tmp_path):
    asked = eh.QuestionFile.parse(FILE)
    counts = eh.datasets.admissions(2)
    graph = given and eh.CausalGraph.parse(given)
    found = eh.audit(counts, asked, graph=graph)
    saved = eh.load_graph(found.certificate.write(tmp_path / "c.json"))
    again = eh.audit(counts, asked, graph=saved)
    assert again.graph == found.graph
    assert again.certificate.graph_origin.edits == asked.edits
    other = GraphEdit(kind="add", arrow=asked.edits[0].arrow, reason="it was known")
    both = eh.audit(counts, asked, graph=saved, edits=[*asked.edits, other])
    assert both.certificate.graph_origin.edits == (*asked.edits, other)
    assert ("major", "admission") in both.graph.arrows


def test_turning_an_arrow_at_a_decision_that_nobody_put_last_asks_for_tiers():
    asked = eh.datasets.question("admissions").question
    turned = [edit("reverse", "major -> admission")]
    with pytest.raises(GraphError, match="No tiers were given: 'admission' is taken") as caught:
        eh.audit(eh.datasets.admissions(2), asked, edits=turned)
    (problem,) = caught.value.problems
    assert "later tier" not in str(problem)
    assert problem.remedies[-1].argument == "tiers"


def test_of_edits_those_that_fit_are_made():
    some = [edit("remove", "a -> d"), edit("add", "a -> d"), edit("add", "c -> a")]
    graph = fitting_edits(GRAPH, [*some, edit("add", "d -> c"), edit("add", "x -> d")])
    assert (graph.arrows, graph.undirected) == (GRAPH.arrows, GRAPH.undirected)
    assert graph.edits == (some[0], some[1])
