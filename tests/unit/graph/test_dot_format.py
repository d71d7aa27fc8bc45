"""DOT: what is read, what is refused by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import GraphError
from evenhand.graph import PartialGraph


@given(st.text(alphabet='ab ->;\n"-<\\#{}[]=:', max_size=20))
def test_any_dot_body_is_read_or_refused_as_a_graph(body):
    try:
        graph = PartialGraph.from_dot(f"digraph {{{body}}}")
    except GraphError:
        return
    assert PartialGraph.from_dot(graph.to_dot()) == graph


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
