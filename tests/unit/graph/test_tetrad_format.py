"""Tetrad's text: what is read, what is refused by name."""

import pytest

from evenhand.errors import GraphError
from evenhand.graph import PartialGraph

SAVED = """Graph Nodes:
X1;X 2;X3;X4 a-b c

Graph Edges:
1. X1 --> X 2
2. X 2 --- X3
3. X3 <-- X4 a-b c [X4 --> X3]:0.93;[no edge]:0.07;

Graph Attributes:
Score: -12.5

Graph Node Attributes:
Score: [X1: -3;X 2: -4]
"""


def test_nodes_and_edges_are_read_and_attributes_left_out():
    assert PartialGraph.parse(SAVED) == PartialGraph.parse("X1 -> X 2 - X3 <- X4 a-b c")


@pytest.mark.parametrize("nodes", ["a,b,c", "a b c ", "a\nb\nc", "a;b;c"])
def test_nodes_are_told_apart_as_in_older_versions(nodes):
    graph = PartialGraph.parse(f"\nGraph Nodes: \n{nodes}\n\nGraph Edges: \n1. a --> b\n")
    assert graph == PartialGraph.parse("a -> b; c")


def test_an_undirected_edge_may_run_to_the_left_of_the_alphabet():
    assert PartialGraph.parse("Graph Nodes:\nb;a\n\nGraph Edges:\n1. b --- a").undirected == {
        ("a", "b")
    }


@pytest.mark.parametrize(
    ("nodes", "edge", "arrow"),
    [
        ("a;b", "a --> b dd nl", ("a", "b")),
        ("a;b", "a <-- b pd nl", ("b", "a")),
        ("a;b", "a --> b dd nl [a --> b]:0.93;[no edge]:0.07;", ("a", "b")),
        ("a[1];b", "b --> a[1]", ("b", "a[1]")),
        ("a[1];b", "b --> a[1] dd [b --> a[1]]:1.0;", ("b", "a[1]")),
        ("a;a [x];b", "b --> a [x]", ("b", "a [x]")),
        ("a;b dd;b", "a --> b dd nl", ("a", "b dd")),
    ],
)
def test_remarks_behind_an_edge_are_told_from_the_name_by_the_nodes(nodes, edge, arrow):
    text = f"Graph Nodes:\n{nodes}\n\nGraph Edges:\n1. {edge}\n"
    assert PartialGraph.parse(text) == PartialGraph((*nodes.split(";"),), {arrow})


def test_a_graph_without_edges_has_their_heading():
    assert PartialGraph.parse("Graph Nodes:\na;b\n\nGraph Edges:\n") == (
        PartialGraph(("a", "b"))
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "a;b\n\nGraph Edges:\n1. a <-> b",
            "line 5: The edge 'a <-> b' stands for a common cause",
        ),
        ("a;b\n\nGraph Edges:\n1. a o-> b", "leaves open whether a common cause"),
        ("a;b\n\nGraph Edges:\n1. a o-o b", "leaves open whether a common cause"),
        ("a;(L1)\n\nGraph Edges:\n1. L1 --> a", "nobody measured: '(L1)'"),
        ("a;b\n\nGraph Edges:\n1. a --> c dd nl", "no node 'c'"),
        ("a;b\n\nGraph Edges:\n1. a --> c [a --> c]:0.9;", "no node 'c'"),
        ("a;b\n\nGraph Edges:\n1. a --> b[1]", "no node 'b[1]'"),
        (
            "a;b\n\nGraph Edges:\n1. a --> b dd pl",
            "line 5: The edge '1. a --> b dd pl' leaves open whether a common cause",
        ),
        ("s;q;y", "There is no 'Graph Edges:' below the nodes."),
        ("s;q;y\n\nGraph Edg", "There is no 'Graph Edges:' below the nodes."),
        ("a;b\n\nGraph Edges:\n1. a --> c", "no node 'c'"),
        ("a;b\n\nGraph Edges:\na --> b", "line 5: 'a --> b' cannot be read as an edge"),
        (
            "a;b;c\n\nGraph Edges:\n1. a --- b\n2. b --- c\nUnderline triples:\n<a, b, c>",
            "triples that are in doubt",
        ),
    ],
)
def test_what_is_not_read_is_named_with_a_remedy(text, said):
    with pytest.raises(GraphError) as caught:
        PartialGraph.parse(f"Graph Nodes:\n{text}\n")
    assert said in str(caught.value)
    assert all(problem.remedies for problem in caught.value.problems)
