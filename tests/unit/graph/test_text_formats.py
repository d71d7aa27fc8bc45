"""Formats of text: what is read, what is refused by name."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.networks import shipped_file

from evenhand.errors import GraphError
from evenhand.graph import PartialGraph, load_graph

DOT = """
strict digraph "my graph" { // first
  rankdir=LR; node [shape=box, label="x"]
  a -> "b c" -> d [color="red";penwidth=2.5]
  /* then */ e -> d [dir=none]
  1.5
}"""
DAGITTY = """dag {
  bb="-3,-0.5,2,1.2"
  x.1 [exposure,pos="-2.000,1.000"]
  "pay, now" [outcome, pos="1,1"] 10 [adjusted]
  x.1 -> m -> "pay, now" <- 10 [beta=0.4]
  {k 10} <- x.1 [pos="0,0"] }"""


@pytest.mark.parametrize(
    ("text", "graph"),
    [
        (
            "# mine\nn-c -> b <- c; d - e -- f\n\n  lone ;",
            '"n-c" -> b; c -> b; d - e - f; lone',
        ),
        ("[A] -> b; {c}", '"[A]" -> b; "{c}"'),
        (DOT, 'a -> "b c" -> d; e - d; 1.5'),
        ("graph { a -- b }", "a - b"),
        (
            "digraph { a -> {b -> c, d} -> e; {f} }",
            "a -> b -> c; a -> c; a -> d; b -> e; c -> e; d -> e; f",
        ),
        (
            'digraph { node [shape=box] a [observed="yes"]; b [latent=no]; a -> b [latent] }',
            "a -> b",
        ),
        (DAGITTY, 'x.1 -> m -> "pay, now" <- 10 <- x.1; x.1 -> k'),
        ("pdag { a -- b; c -> b }", "a - b; c -> b"),
    ],
)
def test_a_text_is_read_in_the_format_that_it_shows(text, graph, tmp_path):
    read = PartialGraph.parse(text)
    assert read == PartialGraph.parse(graph)
    assert PartialGraph.parse(str(read)) == read
    path = tmp_path / "graph.txt"
    path.write_text(text, "utf-8")
    assert (load_graph(path).arrows, load_graph(path).undirected) == (
        read.arrows,
        read.undirected,
    )


@given(st.text(alphabet='ab ->;\n"-<\\#{}[]=:', max_size=20))
def test_any_dot_body_is_read_or_refused_as_a_graph(body):
    try:
        graph = PartialGraph.parse(f"digraph {{{body}}}")
    except GraphError:
        return
    assert PartialGraph.parse(graph.to_dot()) == graph


@pytest.mark.parametrize(
    "name",
    ["Acid_1996", "Kampen_2014", "Polzer_2012", "Sebastiani_2005", "Shrier_2008", "paths"],
)
def test_published_dagitty_graphs_are_read(name):
    path = shipped_file(f"{name}.txt")
    lines = path.read_text("utf-8").splitlines()
    edges = [re.fullmatch(r"(\S+) -> (\S+)(?: \[.*)?", line) for line in lines]
    nodes = [re.fullmatch(r"(\S+) \[.*", line) for line in lines]
    graph = load_graph(path)
    assert graph.arrows == {edge.groups() for edge in edges if edge}
    assert {*graph.nodes} == {node[1] for node in nodes if node}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("M-bias", "'D <-> Z'"),
        ("Thoemmes_2013", "measured: 'e0'"),
        ("Didelez_2010", "'S' decides"),
    ],
)
def test_published_graphs_with_more_than_columns_are_refused(name, said):
    with pytest.raises(GraphError, match=said):
        load_graph(shipped_file(f"{name}.txt"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a <-> b", "'a <-> b' stands for a common cause that nobody measured"),
        ("a ->", "Nothing follows 'a ->'"),
        ("a -> b\n-> c", "line 2"),
        ('a "b"', "'b' cannot stand there"),
        ('"a', "cannot stand there"),
        ("digraph { a:n -> b }", "a port"),
        ("digraph { subgraph x { a } }", "subgraph"),
        ("digraph { a -> " + "{" * 60, "groups are nested deeper than 50"),
        ("digraph { a <-> b }", "'a <-> b' stands for a common cause"),
        ("digraph { a [label=<b>] }", "HTML text"),
        ("digraph { a -- b }", "edges of a digraph are '->'"),
        ("digraph { a -> b [dir=both] }", "dir=both"),
        ("digraph { edge [dir=none] a -> b }", "'dir' is set for all edges"),
        ("digraph { a -> b", "nothing stands there"),
        ("digraph { a } digraph { b }", "one file holds one graph"),
        ("digraph {\n a -> b;\n c:p -> d }", "line 3"),
        ("dag { a -> b; a <-> b }", "'a <-> b' stands for a common cause that nobody measured"),
        (
            'dag {\n a -> b\n u [latent, pos="1,1"] }',
            "line 3: The graph has nodes that nobody measured: 'u'",
        ),
        ("dag { {u [l]} -> b }", "nobody measured: 'u'"),
        ("dag { s [selected] a -> s }", "'s' decides who is in the table"),
        ("dag { a -- b }", "edges of a dag are '->', '<-'"),
        ("pdag { a @-> b }", "edges of a pdag are '->', '<-', '--'"),
        ("pag { a @-> b }", "it leaves open what nobody measured"),
        ("mag { a <-> b }", "it leaves open what nobody measured"),
        ("dag { a -> b", "nothing stands there"),
        ("dag { a -> b }}", "one file holds one graph"),
        ("dag { a -> a%20b }", "at '%'"),
        ("dag { a -> b -> a }", "cycle"),
        ('digraph { U [observed="no"]; U -> y; a -> y }', "nobody measured: 'U'"),
        ('digraph { U [label="U", Observed="No"]; U -> y }', "nobody measured: 'U'"),
        ("digraph {\n U [latent]\n U -> y }", "line 2: The graph has nodes that nobody"),
        ("digraph { {U V} [unobserved=true] U -> y <- V }", "nobody measured: 'U', 'V'"),
        ("graph { U [latent=1]; U -- y }", "nobody measured: 'U'"),
        ("digraph { S [selected]; y -> S }", "'S' decides who is in the table"),
        ("digraph { node [latent]; U -> y }", "'latent' is set for all nodes"),
    ],
)
def test_what_is_not_read_is_named_with_a_remedy(text, said):
    with pytest.raises(GraphError) as caught:
        PartialGraph.parse(text)
    assert said in str(caught.value)
    assert all(problem.remedies for problem in caught.value.problems)
