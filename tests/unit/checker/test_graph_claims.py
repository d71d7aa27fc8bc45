"""Graphs that cannot be; block sets; the graphs that open edges allow."""

import json

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION
from tests.certificate_records import forged, verify
from tests.strategies import partial_graphs

from evenhand import CountTable, Question, checker, datasets
from evenhand.checker.graph_claims import (
    RecordedGraph,
    allowed_graphs,
    check_block_sets,
    check_graphs,
)
from evenhand.errors import GraphError
from evenhand.evidence import certify
from evenhand.graph import CausalGraph, PartialGraph
from evenhand.graph.admissible_graphs import ancestral_graphs


@pytest.mark.parametrize("scope", ["causes", "minimal", "all"])
def test_an_open_edge_at_the_decision_cannot_be_decided(scope):
    certificate = certify(datasets.admissions(1), OPEN_GRAPH, QUESTION, scope=scope)
    status, notes = verify(certificate.to_json())
    assert status == 3
    assert "an edge at the decision is open" in notes[0]
    further = [note.split(":")[0] for note in notes[1:]]
    assert further == ["scope.complete"] * (scope != "causes")


def test_possible_causes_that_disagree_are_not_certified():
    """Of Example 2 the major alone shows nothing, the major and the score show differences."""
    certificate = certify(datasets.admissions(2), OPEN_GRAPH, QUESTION)
    text = certificate.to_json()
    status, notes = verify(text)
    assert (status, len(notes)) == (3, 1)
    status, notes = forged(lambda document: document.update(verdict="certified"), text)
    assert notes == ["verdict: it says 'certified', but should say 'cannot decide'"]


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


@pytest.mark.parametrize("scope", ["minimal", "all"])
def test_where_edges_are_open_a_difference_in_some_graphs_can_leave_the_verdict_open(scope):
    certificate = certify(datasets.admissions(2), OPEN_GRAPH, QUESTION, scope=scope)
    assert str(certificate.verdict) == "cannot decide"
    assert verify(certificate.to_json())[0] == 3

    def praise(document):
        document["verdict"] = "certified"

    assert forged(praise, certificate.to_json())[0] == 1


def test_open_edges_elsewhere_leave_only_completeness_open():
    counts = datasets.admissions(1)
    lines = {name: [labels[at] for labels, _ in counts] for at, name in enumerate(counts.names)}
    lines |= {"p": lines["major"], "r": lines["test_score"]}
    counts = CountTable.of(lines, [count for _, count in counts])
    graph = PartialGraph((*GRAPH.nodes, "p", "r"), GRAPH.arrows, frozenset({("p", "r")}))
    text = certify(counts, graph, QUESTION, scope="all").to_json()
    status, notes = verify(text)
    assert (status, [note.split(":")[0] for note in notes]) == (3, ["scope.complete"])

    def accuse(document):
        document["partitions"][-1]["names"] = ["test_score"]

    status, notes = forged(accuse, text)
    assert status == 1
    assert "partitions: ['test_score'] is not a block set" in notes
    assert verify(certify(counts, graph, QUESTION).to_json()) == (0, [])


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_where_a_limit_left_some_out_the_smallest_must_be_there(limit):
    counts, graph = datasets.admissions(2), CausalGraph.parse("gender -> admission; major")
    graph = CausalGraph((*graph.nodes, "test_score"), graph.arrows)
    text = certify(counts, graph, QUESTION, scope="all", limit=limit).to_json()
    answer = checker.verify(text)
    assert answer.status == 0
    assert answer.stated["scope.complete"].startswith("how many block sets")
    # Of sets of one size one may not be there without the others.
    names = [["major", "test_score"], ["major"], ["test_score"]]
    record = json.loads(certify(counts, graph, QUESTION, scope="all").to_json())
    assert [one["names"] for one in record["partitions"][1:]] == names

    def chosen(*places):
        def choose(document):
            document["partitions"] = [record["partitions"][at] for at in (0, *places)]

        return forged(choose, text)

    unlike = "partitions: these are not the smallest block sets"
    assert unlike in chosen(1)[1]
    assert unlike in chosen(2)[1]
    assert unlike not in chosen(2, 3)[1]


def test_block_sets_stand_in_their_order():
    graph = CausalGraph((*GRAPH.nodes, "x", "y"), GRAPH.arrows)
    counts = datasets.admissions(1)
    lines = {name: [labels[at] for labels, _ in counts] for at, name in enumerate(counts.names)}
    lines |= {"x": lines["major"], "y": lines["test_score"]}
    counts = CountTable.of(lines, [count for _, count in counts])
    text = certify(counts, graph, QUESTION, scope="all").to_json()
    assert verify(text) == (0, [])
    status, notes = forged(lambda d: d["partitions"].append(d["partitions"].pop(1)), text)
    wrong = "partitions: larger block sets come first, and then those by name"
    assert (status, wrong in notes) == (1, True)


@pytest.mark.parametrize("number", [12, 13])
def test_more_block_sets_than_can_be_tried_are_not_counted(number):
    causes = [f"cause_{number:02}" for number in range(number)]
    columns = {name: ["0", "1", "0", "1"] for name in causes}
    columns |= {"gender": ["female", "female", "male", "male"]}
    graph = CausalGraph.parse("; ".join(f"{name} -> admission" for name in columns))
    columns["admission"] = ["admitted", "rejected", "admitted", "rejected"]
    counts = CountTable.of(columns, [9, 9, 9, 9])
    certificate = certify(counts, graph, QUESTION, scope="minimal")
    status, notes = verify(certificate.to_json())
    left_open = ["scope.complete"] * (number > 12)
    assert (status, [note.split(":")[0] for note in notes]) == (3 * (number > 12), left_open)


def test_a_block_set_of_all_other_attributes_is_missed_too():
    graph = RecordedGraph(
        ["sex", "job", "hired"],
        {("sex", "job"), ("job", "hired"), ("sex", "hired")},
        [],
        ["sex"],
        "hired",
    )
    assert check_block_sets(graph, "all", frozenset({"job"})) == (True, [])
    assert check_block_sets(graph, "all", frozenset()) == (False, [])


def graph_of(arrows, undirected=(), doubtful=()):
    pairs = [tuple(edge.split("-")) for edge in arrows.split()]
    nodes = sorted({n for edge in (*pairs, *undirected) for n in edge} | {"c", "e"})
    triples = frozenset(map(tuple, doubtful))
    return RecordedGraph(nodes, {*pairs}, [*map(list, undirected)], ["c"], "e", triples)


def arrows(text):
    return frozenset(tuple(edge.split("-")) for edge in text.split())


def test_new_colliders_are_allowed_only_where_they_are_in_doubt():
    graph = graph_of("c-e x-e", ["xy", "yz"])
    # x <- y -> z, x <- y <- z, x -> y -> z: the node z is above the decision in one of them.
    whole = {arrows("c-e x-e"), arrows("c-e x-e y-x"), arrows("c-e x-e y-x z-y")}
    assert allowed_graphs(graph) == (whole, True)
    joined = graph_of("c-e", ["xe", "ye"])
    assert allowed_graphs(joined)[1] is True
    doubtful = graph_of("c-e", ["xe"], ["cex"])
    assert allowed_graphs(doubtful) == ({arrows("c-e"), arrows("c-e x-e")}, True)


def test_where_no_graph_fits_all_without_a_cycle_are_allowed():
    graph = graph_of("c-e", ["ab", "bd", "dg", "ga"])  # a square without chords
    found, consistent = allowed_graphs(graph)
    assert (found, consistent) == ({arrows("c-e")}, False)


@given(partial_graphs(), st.data())
def test_they_are_those_of_the_engine(partial, data):
    protected, decision = data.draw(st.permutations(partial.nodes))[:2]
    question = Question(protected=protected, group="0", decision=decision, favorable="1")
    try:
        right = ancestral_graphs(partial, question)
    except GraphError:
        reject()
    graph = RecordedGraph(
        [*partial.nodes],
        {*partial.arrows},
        [*map(list, partial.undirected)],
        [protected],
        decision,
        frozenset(partial.doubtful),
    )
    expected = {one.arrows for one in right.graphs}
    assert allowed_graphs(graph) == (expected, right.consistent)
    assert check_graphs(graph, [*expected]) == (right.consistent, [])


@pytest.mark.parametrize(
    ("recorded", "words"),
    [
        (["c-e", "c-e x-e"], []),
        (["c-e"], ["[('c', 'e'), ('x', 'e')] is missing or not allowed"]),
        (["c-e", "c-e", "c-e x-e"], ["there twice"]),
        (["c-e", "c-e x-e", "c-e z-e"], ["[('c', 'e'), ('z', 'e')] is missing or not allowed"]),
    ],
)
def test_missing_graphs_others_and_those_that_are_there_twice_are_named(recorded, words):
    graph = graph_of("c-e", ["xe"], ["cex"])
    consistent, errors = check_graphs(graph, [*map(arrows, recorded)])
    assert consistent
    assert len(errors) == len(words)
    assert all(word in error for word, error in zip(words, errors, strict=True))
