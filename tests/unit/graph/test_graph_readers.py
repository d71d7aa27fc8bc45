"""Graphs in and out: every format gives back what it was given, or refuses it by name."""

import json
from contextlib import suppress

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evenhand.errors import GraphError
from evenhand.graph import CausalGraph, PartialGraph, load_graph

NAMES = st.text(min_size=1, max_size=8) | st.sampled_from(
    [
        'a"b',
        "a;b",
        "a - b",
        "a->b",
        "native-country",
        "#x",
        " x ",
        "digraph",
        "-",
        "a\\",
        "日本",
    ]
)


@st.composite
def graphs(draw):
    """Partial graphs with any names at all."""
    nodes = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    pairs = [(a, b) for i, a in enumerate(nodes) for b in nodes[i + 1 :]]
    kinds = draw(st.lists(st.integers(0, 2), min_size=len(pairs), max_size=len(pairs)))
    drawn = list(zip(pairs, kinds, strict=True))
    return PartialGraph(
        tuple(nodes),
        frozenset(pair for pair, kind in drawn if kind == 1),
        frozenset(pair for pair, kind in drawn if kind == 2),
    )


@given(graphs())
@example(PartialGraph((",", "-"), frozenset(), frozenset({(",", "-")})))
def test_every_format_gives_back_the_graph(graph):
    assert PartialGraph.parse(str(graph)) == graph
    assert PartialGraph.parse(graph.to_edge_list()) == graph
    assert PartialGraph.from_json(graph.to_json()) == graph
    assert PartialGraph.from_dict(graph.to_dict()) == graph
    assert PartialGraph.from_dot(graph.to_dot()) == graph
    assert PartialGraph.from_networkx(graph.to_networkx()) == graph
    assert PartialGraph.from_matrix(graph.to_matrix(), graph.nodes) == graph
    assert PartialGraph.from_matrix(graph.to_pandas()) == graph


@given(st.text(alphabet='ab ->;\n"-<\\#{}[]=', max_size=30))
def test_any_text_is_read_or_refused_as_a_graph(text):
    for read in (PartialGraph.parse, PartialGraph.from_dot, PartialGraph.from_json):
        try:
            graph = read(text)
        except GraphError:
            continue
        assert PartialGraph.parse(str(graph)) == graph


@given(st.text(alphabet='ab ->;\n"-<\\#{}[]=:', max_size=20))
def test_any_dot_body_is_read_or_refused_as_a_graph(body):
    try:
        graph = PartialGraph.from_dot(f"digraph {{{body}}}")
    except GraphError:
        return
    assert PartialGraph.from_dot(graph.to_dot()) == graph


def test_the_notation_knows_chains_both_marks_comments_and_lone_nodes():
    graph = PartialGraph.parse("# mine\nnative-country -> b <- c; d - e -- f\n\n  lone ;")
    assert graph.arrows == {("native-country", "b"), ("c", "b")}
    assert graph.undirected == {("d", "e"), ("e", "f")}
    assert "lone" in graph.nodes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a <-> b", "'<->' cannot stand there"),
        ("a ->", "Nothing follows 'a ->'"),
        ("a -> b\n-> c", "line 2"),
        ('a "b"', "'b' cannot stand there"),
        ('"a', "cannot stand there"),
    ],
)
def test_what_the_notation_does_not_know_is_named(text, said):
    with pytest.raises(GraphError) as caught:
        PartialGraph.parse(text)
    assert said in str(caught.value)


def test_plain_dot_is_read_with_comments_and_attributes():
    graph = PartialGraph.from_dot("""
        strict digraph "my graph" { // first
          rankdir=LR; node [shape=box, label="x"]
          a -> "b c" -> d [color="red";penwidth=2.5]
          /* then */ e -> d [dir=none]
          1.5
        }""")
    assert graph == PartialGraph.parse('a -> "b c" -> d; e - d; 1.5')


def test_an_undirected_dot_graph_has_no_arrows():
    assert PartialGraph.from_dot("graph { a -- b }") == PartialGraph.parse("a - b")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("digraph { a:n -> b }", "a port"),
        ("digraph { subgraph x { a } }", "subgraph"),
        ("digraph { a -> {b c} }", "a nested group"),
        ("digraph { a [label=<b>] }", "HTML text"),
        ("digraph { a -- b }", "edges of this graph are written '->'"),
        ("digraph { a -> b [dir=both] }", "dir=both"),
        ("digraph { edge [dir=none] a -> b }", "'dir' is set for all edges"),
        ("digraph { a -> b", "nothing stands there"),
        ("digraph { a } digraph { b }", "one file holds one graph"),
        ("<graphml/>", "'graph' or 'digraph'"),
        ("digraph {\n a -> b;\n c:p -> d }", "line 3"),
    ],
)
def test_dot_that_is_not_read_is_named(text, said):
    with pytest.raises(GraphError) as caught:
        PartialGraph.from_dot(text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{",
        '{"nodes": "ab"}',
        '{"nodes": ["a"], "arows": []}',
        '{"nodes": ["a", 1]}',
        '{"nodes": ["a", "b"], "arrows": ["ab"]}',
        '{"nodes": ["a", "b"], "arrows": [["a", "b", "a"]]}',
        '{"nodes": ["a", "a"]}',
        '{"nodes": ["a", NaN]}',
        "[" * 100_000,
    ],
)
def test_json_of_another_shape_is_refused(content):
    with pytest.raises(GraphError):
        PartialGraph.from_json(content)


def test_a_graph_from_a_report_is_read_with_its_origin():
    content = {**CausalGraph.parse("a -> b").to_dict(), "origin": "given"}
    assert CausalGraph.from_dict(content) == CausalGraph.parse("a -> b")


def test_arcs_both_ways_are_an_undirected_edge_which_a_causal_graph_refuses():
    arcs = nx.DiGraph([("a", "b"), ("b", "a")])
    assert PartialGraph.from_networkx(arcs) == PartialGraph.parse("a - b")
    with pytest.raises(GraphError, match="no direction"):
        CausalGraph.from_networkx(arcs)


def test_an_undirected_networkx_graph_has_no_arrows():
    assert PartialGraph.from_networkx(nx.Graph([("a", "b")])) == PartialGraph.parse("a - b")


@pytest.mark.parametrize("graph", [nx.MultiDiGraph([("a", "b")]), nx.DiGraph([(1, "b")])])
def test_networkx_graphs_of_another_kind_are_refused(graph):
    with pytest.raises(GraphError):
        PartialGraph.from_networkx(graph)


def test_a_matrix_reads_rows_as_causes():
    assert CausalGraph.from_matrix([[0, 1], [0, 0]], ["a", "b"]) == CausalGraph.parse("a -> b")
    assert CausalGraph.from_matrix(pl.DataFrame({"a": [0, 0], "b": [1, 0]})) == (
        CausalGraph.parse("a -> b")
    )


@pytest.mark.parametrize(
    "matrix",
    [
        np.zeros((2, 3)),
        np.zeros((3, 3)),
        [[0, 2], [0, 0]],
        [[0, float("nan")], [0, 0]],
    ],
)
def test_what_is_no_adjacency_matrix_is_refused(matrix):
    with pytest.raises(GraphError, match="no adjacency matrix"):
        CausalGraph.from_matrix(matrix, ["a", "b"])


def test_a_frame_whose_rows_are_named_otherwise_is_refused():
    frame = pd.DataFrame([[0, 1], [0, 0]], index=["b", "a"], columns=["a", "b"])
    with pytest.raises(GraphError, match="same order"):
        CausalGraph.from_matrix(frame)


def test_files_are_read_by_their_ending(tmp_path):
    graph = PartialGraph.parse("a -> b; b - c")
    written = {"json": graph.to_json(), "dot": graph.to_dot(), "txt": graph.to_edge_list()}
    for ending, text in written.items():
        path = tmp_path / f"graph.{ending}"
        path.write_text(text, "utf-8")
        assert load_graph(path) == graph
    path.write_text("a -> b", "utf-8")
    assert load_graph(path) == CausalGraph.parse("a -> b")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("graph.pkl", b"\x80\x04", "not read as graphs"),
        ("graph.json", b"\xff\xfe", "UTF-8"),
        ("graph.txt", b"a -> b -> a", "graph.txt: The arrows form a cycle: a -> b -> a"),
        ("graph.json", b" " * 1_000_001, "too large"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path, name, content, said):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(GraphError) as caught:
        load_graph(path)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "digraph { a" + "/*" * 499_000,
        "digraph {" + '"' * 499_001,
        "digraph {" + "[" * 999_000,
        "".join(f"n{i};" for i in range(100_000)),
        "".join(f"n{i} -> n{i + 1};" for i in range(900)) + "n900 -> n0",
        '"' * 999_999,
    ],
    ids=["comments", "quotes", "brackets", "nodes", "cycle", "text quotes"],
)
def test_a_text_made_to_be_slow_is_read_or_refused(text):
    """A parser that looked back at every mark would not come to an end here."""
    for read in (PartialGraph.from_dot, PartialGraph.parse):
        with suppress(GraphError):
            read(text)


def test_many_problems_are_told_in_part():
    arrows = [[f"a{i}", f"b{i}"] for i in range(20_000)]
    with pytest.raises(GraphError) as caught:
        PartialGraph.from_dict({"nodes": [f"n{i}" for i in range(900)], "arrows": arrows})
    assert len(caught.value.problems) == 20


def test_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(GraphError, match="cannot be read"):
        load_graph(tmp_path / "none.json")


def test_json_is_plain_and_sorted():
    assert json.loads(PartialGraph.parse("b -> a; d - c").to_json()) == {
        "nodes": ["a", "b", "c", "d"],
        "arrows": [["b", "a"]],
        "undirected": [["c", "d"]],
    }
