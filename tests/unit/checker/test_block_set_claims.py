"""Block sets that are none, and those that are missing."""

import json

import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION
from tests.certificate_records import CERTIFICATE, CERTIFIED, forged, verify

from evenhand import CountTable, checker, datasets
from evenhand.checker.graph_claims import RecordedGraph, check_block_sets
from evenhand.evidence import certify
from evenhand.graph import CausalGraph, PartialGraph


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


def test_a_partition_that_is_no_block_set_is_false():
    def change(document):
        document["graph"]["arrows"].append(["gender", "age"])
        document["graph"]["arrows"].append(["age", "major"])
        document["graph"]["nodes"].append("age")
        document["partitions"][1]["names"] = ["age"]

    status, notes = forged(change)
    assert status == 1
    assert any("['age'] is not a block set" in note for note in notes)


def a_block_set_less(document):
    del document["partitions"][1]


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


def a_scope_that_was_not_examined(document):
    document["scope"]["asked"] = "all"


def an_accusation(document):
    document["graph"]["undirected"] = [["zz", "zzz"]]
    document["graph"]["nodes"] += ["zz", "zzz"]
    entry = json.loads(CERTIFICATE.to_json())["partitions"][1]
    document["partitions"].append(entry | {"names": ["test_score"]})
    document["verdict"] = "not certified"


@pytest.mark.parametrize("forgery", [a_scope_that_was_not_examined, an_accusation])
def test_what_was_not_asked_for_or_not_examined_is_found(forgery):
    assert forged(forgery, CERTIFIED.to_json())[0] == 1


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


def test_a_block_set_less_is_found():
    text = certify(datasets.admissions(1), GRAPH, QUESTION, scope="all").to_json()
    assert forged(a_block_set_less, text)[0] == 1


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
