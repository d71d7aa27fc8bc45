"""Graphs in files remember that they were learned, from which counts, and how."""

import json

import pytest

import evenhand as eh
from evenhand.errors import GraphError
from evenhand.evidence.graph_origin import GraphOrigin, saved_graph

ADULT = eh.datasets.adult()
ASKED = eh.datasets.question("adult")


@pytest.fixture(scope="module")
def learned():
    return eh.audit(ADULT, ASKED)


def test_a_saved_graph_is_the_one_that_was_learned(learned, tmp_path):
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(saved_graph(learned.graph)))
    graph = eh.load_graph(path)
    assert graph == learned.graph
    assert graph.doubtful == learned.graph.doubtful
    again = eh.audit(ADULT, ASKED, graph=graph)
    assert again.certificate.graph_origin == learned.certificate.graph_origin
    assert again.certificate.to_json() == learned.certificate.to_json()
    # The order of columns is no matter; another table is.
    turned = eh.audit(ADULT.marginal(ADULT.names[::-1]), ASKED, graph=graph)
    assert turned.certificate.graph_origin.rows == "same"
    part = ADULT.without("race", [next(iter(ADULT.values("race")))])
    elsewhere = eh.audit(part, ASKED, graph=graph)
    assert str(elsewhere.certificate.graph_origin).startswith("learned from other rows")
    assert "learned from other rows" in elsewhere.report().html


def test_a_certificate_of_any_size_is_a_graph(learned, tmp_path):
    text = learned.certificate.to_json()
    path = tmp_path / "large.json"
    path.write_text(text[:-1] + " " * 1_100_000 + text[-1:])
    assert eh.load_graph(path) == learned.graph


def test_a_graph_of_other_rows_is_said_to_be_that():
    part = ADULT.without("race", [next(iter(ADULT.values("race")))])
    elsewhere, here = (eh.discover(one, knowledge=ASKED.knowledge) for one in (part, ADULT))
    for given, rows in ((elsewhere, "other"), (here, "same")):
        again = eh.audit(ADULT, ASKED, graph=given)
        assert again.certificate.graph_origin.rows == rows
        assert eh.certify(ADULT, given, ASKED.question).graph_origin.rows == rows
        assert ("learned from other rows" in again.report().html) is (rows == "other")
    # Resamples learn a graph anew only where these rows gave the first.
    assert not eh.audit(ADULT, ASKED, graph=elsewhere).bootstrap(2).relearned
    assert eh.audit(ADULT, ASKED).bootstrap(2).relearned


def test_a_certificate_gives_its_graph(learned, tmp_path):
    path = learned.certificate.write(tmp_path / "c.json")
    again = eh.audit(ADULT, ASKED, graph=eh.load_graph(path))
    assert again.certificate.graph_origin.rows == "same"
    assert again.decision_causes == learned.decision_causes
    shared = learned.certificate.write_shared(tmp_path / "s.json")
    origin = eh.audit(ADULT, ASKED, graph=eh.load_graph(shared)).certificate.graph_origin
    assert origin.rows == "other"  # a shared copy has no digest to compare with


def test_a_release_is_judged_by_the_graph_of_its_certificate(tmp_path):
    counts, asked = eh.datasets.admissions(2), eh.datasets.question("admissions")
    release = eh.audit(counts, asked).release(seed=1)
    files = release.write(tmp_path / "new.csv")
    graph = eh.load_graph(files.certificate)
    again = eh.audit(release.rows, asked, graph=graph)
    assert again.verdict is eh.Verdict.CERTIFIED
    assert str(again.certificate.graph_origin).startswith(
        "learned from the rows before release"
    )


def test_graphs_without_an_origin_are_given(tmp_path):
    path = tmp_path / "graph.json"
    path.write_text('{"nodes": ["a", "b"], "arrows": [["a", "b"]], "undirected": []}')
    assert GraphOrigin.of(eh.load_graph(path)).kind == "given"
    path.write_text('{"nodes": ["a"], "origin": {"kind": "learned"}}')
    with pytest.raises(GraphError, match="origin of the graph cannot be read"):
        eh.load_graph(path)


@pytest.mark.parametrize("partitions", [[True], ["x"], "x", 3, {"x": []}, [[]], [None]])
def test_a_certificate_without_its_partitions_is_refused_in_words(tmp_path, partitions):
    counts, asked = eh.datasets.admissions(2), eh.datasets.question("admissions")
    document = json.loads(eh.audit(counts, asked).certificate.to_json())
    path = tmp_path / "c.json"
    path.write_text(json.dumps(document | {"partitions": partitions}))
    with pytest.raises(GraphError, match="origin of the graph cannot be read"):
        eh.load_graph(path)


@pytest.mark.parametrize(
    "triple", [["a", ["b"], "c"], ["a", None, "c"], ["a", "b", "x"], "abd"]
)
def test_a_triple_in_doubt_that_is_not_of_nodes_is_refused_in_words(tmp_path, triple):
    origin = {
        "kind": "learned",
        "algorithm": "PC-stable",
        "test": "chi-square",
        "significance": "0.01",
        "rows": "same",
        "decision_last": False,
    }
    graph = {"nodes": ["a", "b", "c"], "undirected": [["a", "b"], ["b", "c"]], "origin": origin}
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(graph | {"doubtful": [["a", "b", "c"]]}))
    assert eh.load_graph(path).doubtful == {("a", "b", "c")}
    path.write_text(json.dumps(graph | {"doubtful": [triple]}))
    with pytest.raises(GraphError, match="origin of the graph cannot be read"):
        eh.load_graph(path)
