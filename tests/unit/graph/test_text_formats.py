"""Formats of text: what is read, what is refused by name."""

import gzip
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.networks import network, shipped_file

from evenhand.errors import GraphError
from evenhand.graph import CausalGraph, PartialGraph, load_graph

BIF = """// comment {
network "Dog-Problem" { property "x = {" ; }
variable "light-on" { type discrete[2] { "true" "false" }; /* } */ }
variable out { type discrete [ 3 ] { <5%, 5-10%, >10% }; }
variable family-out { type discrete [ 2 ] { yes, no }; }
probability ( "light-on"  out, "family-out" ) { (<5%, yes) 0.1, 0.9; table 1; }
probability ( out | family-out ) { }
probability ( family-out ) { table 0.15, 0.85; }
"""
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
TETRAD = "Graph Nodes:\n{}\n\nGraph Edges:\n1. a --> b\n"


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
        (BIF, "out -> light-on <- family-out -> out"),
        ("/// by GeNIe\n" + BIF, "out -> light-on <- family-out -> out"),
        ("# mine\n[A][B b]\n[C|A:B b]\n", "A -> C <- B b"),
        (SAVED, "X1 -> X 2 - X3 <- X4 a-b c"),
        *(
            (TETRAD.format(nodes), "a -> b; c")
            for nodes in ("a,b,c", "a b c ", "a\nb\nc", "a;b;c")
        ),
        ("Graph Nodes:\na;b\n\nGraph Edges:\n", "a; b"),
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


@pytest.mark.parametrize("name", ["asia", "alarm", "child", "hailfinder", "insurance", "sachs"])
def test_published_networks_are_read(tmp_path, name):
    truth = network(name)
    path = tmp_path / f"{name}.bif"
    path.write_bytes(gzip.decompress(shipped_file(f"{name}.bif.gz").read_bytes()))
    graph = load_graph(path)
    assert isinstance(graph, CausalGraph)
    assert {*graph.nodes} == {*truth.nodes}
    assert {node: graph.parents(node) for node in truth.nodes} == {
        node: frozenset(causes) for node, causes in truth.parents.items()
    }
    written = "".join(
        f"[{node}|{':'.join(causes)}]" if causes else f"[{node}]"
        for node, causes in truth.parents.items()
    )
    assert CausalGraph.parse(written) == graph


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
        ("[a][b|a", "'[b|a' is no part of a model string"),
        ("[a][b|a] c", "'c' is no part of a model string"),
        ("[a][b|a|c]", "is no part of a model string"),
        ("[a][]", "is no part of a model string"),
        ("[a][b|c]", "no node 'c'"),
        ("[a][b|a][b|a]", "The node 'b' is there 2 times"),
        ("[a|b][b|a]", "cycle"),
        ("network n {", "ends too early"),
        ("network n { } variable a", "ends too early"),
        ("network n { }\n}", "line 2: '}' has no counterpart"),
        ("network n { /* }", "'/*' has no counterpart"),
        ('network n { " }', "'\"' has no counterpart"),
        (
            "network n { } variable a { }",
            "'a' is not both a variable and first in a probability",
        ),
        (
            "network n { } variable a { } variable a { } probability (a) { }",
            "'a' is declared more than once as a variable",
        ),
        ("network n { } probability (a) { }", "'a' is not both a variable"),
        ("network n { } variable a { } probability (a | b) { }", "no node 'b'"),
        ("network n { }\nvariable a b { }", "'variable a b' is no part of a network"),
        ("network n { } probability (a b | c) { }", "is no part of a network"),
        ("network n { } probability a | b { }", "is no part of a network"),
        ("network n { } probability () { }", "is no part of a network"),
        ("network n { } { }", "is no part of a network"),
        *(
            (f"Graph Nodes:\n{text}\n", said)
            for text, said in (
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
                    "a;b\n\nGraph Edges:\n1. a --- b\nUnderline triples:\n<a, b, a>",
                    "triples that are in doubt",
                ),
            )
        ),
    ],
)
def test_what_is_not_read_is_named_with_a_remedy(text, said):
    with pytest.raises(GraphError) as caught:
        PartialGraph.parse(text)
    assert said in str(caught.value)
    assert all(problem.remedies for problem in caught.value.problems)
