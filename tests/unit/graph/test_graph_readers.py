"""Graphs from files, JSON, matrices and networkx are read, or refused by name."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

from evenhand.errors import GraphError
from evenhand.graph import CausalGraph, PartialGraph, load_graph


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
    written = {"json": graph.to_json(), "dot": graph.to_dot(), "txt": str(graph)}
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


def test_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(GraphError, match="cannot be read"):
        load_graph(tmp_path / "none.json")
