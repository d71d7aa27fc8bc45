"""Graphs that cannot be, and the causes that follow from a graph."""

import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION
from tests.certificate_records import CERTIFIED, forged, verify

from evenhand import datasets
from evenhand.checker.graph_claims import RecordedGraph
from evenhand.evidence import certify


@pytest.mark.parametrize("scope", ["causes", "minimal", "all"])
def test_an_open_edge_at_the_decision_cannot_be_decided(scope):
    certificate = certify(datasets.admissions(1), OPEN_GRAPH, QUESTION, scope=scope)
    status, notes = verify(certificate.to_json())
    assert status == 3
    assert "an edge at the decision is open" in notes[0]
    further = [note.split(":")[0] for note in notes[1:]]
    assert further == ["scope.complete"] * (scope != "causes")


def test_causes_that_are_not_those_of_the_graph_are_false():
    def change(document):
        document["graph"]["arrows"].remove(["test_score", "admission"])

    status, notes = forged(change)
    assert status == 1
    assert any(note.startswith("possible_decision_causes") for note in notes)


def test_a_direct_arrow_that_is_not_in_the_graph_is_false():
    status, notes = forged(lambda document: document.update(direct_arrow=False))
    assert (status, notes) == (1, ["direct_arrow: it says False, but should say True"])


def a_cycle(document):
    document["graph"]["arrows"].append(["admission", "major"])


def a_decision_that_comes_first(document):
    document["graph"]["arrows"].remove(["gender", "admission"])
    document["graph"]["arrows"].append(["admission", "gender"])
    document["direct_arrow"] = False


def no_nodes(document):
    document["graph"]["nodes"] = []


def an_edge_drawn_twice(document):
    document["graph"]["undirected"] = [["admission", "gender"]]


def test_a_set_of_causes_that_is_kept_back_is_not_accepted():
    def change(document):
        document["graph"]["arrows"].remove(["test_score", "admission"])
        document["graph"]["undirected"] = [["admission", "test_score"]]

    status, notes = forged(change, CERTIFIED.to_json())
    assert status == 3
    assert "open" in notes[0]


def test_possible_causes_that_disagree_are_not_certified():
    """Of Example 2 the major alone shows nothing, the major and the score show differences."""
    certificate = certify(datasets.admissions(2), OPEN_GRAPH, QUESTION)
    text = certificate.to_json()
    status, notes = verify(text)
    assert (status, len(notes)) == (3, 1)
    status, notes = forged(lambda document: document.update(verdict="certified"), text)
    assert notes == ["verdict: it says 'certified', but should say 'cannot decide'"]


@pytest.mark.parametrize(
    "forgery", [a_cycle, a_decision_that_comes_first, no_nodes, an_edge_drawn_twice]
)
def test_a_forgery_is_found_though_sealed(forgery):
    text = certify(datasets.admissions(1), GRAPH, QUESTION, scope="all").to_json()
    assert verify(text) == (0, [])
    status, notes = forged(forgery, text)
    assert status == 1
    assert notes


@pytest.mark.parametrize(
    "arrows",
    [
        [["a", "b"], ["b", "a2"], ["a2", "a"]],
        [["hired", "a"], ["a", "sex"]],
        [["hired", "sex"]],
        [["sex", "hired"], ["hired", "a"], ["a", "b"], ["b", "a2"], ["a2", "hired"]],
    ],
)
def test_arrows_in_a_circle_or_back_from_the_decision_are_refused_wherever_they_are(arrows):
    record = {
        "question": {"protected": "sex", "decision": "hired"},
        "graph": {"nodes": ["sex", "a", "b", "a2", "hired"], "undirected": [], "arrows": []},
    }
    assert RecordedGraph.of(record).arrows == set()
    record["graph"]["arrows"] = arrows
    with pytest.raises(ValueError, match="form a cycle, or lead back"):
        RecordedGraph.of(record)
