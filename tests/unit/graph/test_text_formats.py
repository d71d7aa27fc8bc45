"""Formats of text: what is read, what is refused by name."""

import gzip
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.networks import network, shipped_file

from evenhand.errors import GraphError
from evenhand.graph import CausalGraph, PartialGraph, load_graph


def test_the_notation_knows_chains_both_marks_comments_and_lone_nodes():
    graph = PartialGraph.parse("# mine\nnative-country -> b <- c; d - e -- f\n\n  lone ;")
    assert graph.arrows == {("native-country", "b"), ("c", "b")}
    assert graph.undirected == {("d", "e"), ("e", "f")}
    assert "lone" in graph.nodes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a <-> b", "'a <-> b' stands for a common cause that nobody measured"),
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
        ("digraph { a -> " + "{" * 60, "groups are nested deeper than 50"),
        ("digraph { a <-> b }", "'a <-> b' stands for a common cause"),
        ("digraph { a [label=<b>] }", "HTML text"),
        ("digraph { a -- b }", "edges of a digraph are '->'"),
        ("digraph { a -> b [dir=both] }", "dir=both"),
        ("digraph { edge [dir=none] a -> b }", "'dir' is set for all edges"),
        ("digraph { a -> b", "nothing stands there"),
        ("digraph { a } digraph { b }", "one file holds one graph"),
        ("<graphml/>", "one of 'graph', 'digraph', 'dag', 'pdag' should stand there"),
        ("digraph {\n a -> b;\n c:p -> d }", "line 3"),
    ],
)
def test_dot_that_is_not_read_is_named(text, said):
    with pytest.raises(GraphError) as caught:
        PartialGraph.from_dot(text)
    assert said in str(caught.value)


def test_a_group_is_joined_with_all_that_it_mentions():
    graph = PartialGraph.from_dot("digraph { a -> {b -> c, d} -> e; {f} }")
    assert graph == PartialGraph.parse("a -> b -> c; a -> c; a -> d; b -> e; c -> e; d -> e; f")


def test_dagitty_is_read_with_positions_marks_chains_groups_and_quoted_names():
    graph = CausalGraph.parse("""dag {
        bb="-3,-0.5,2,1.2"
        x.1 [exposure,pos="-2.000,1.000"]
        "pay, now" [outcome, pos="1,1"] 10 [adjusted]
        x.1 -> m -> "pay, now" <- 10 [beta=0.4]
        {k 10} <- x.1 [pos="0,0"] }""")
    assert graph == CausalGraph.parse('x.1 -> m -> "pay, now" <- 10 <- x.1; x.1 -> k')


def test_a_pdag_has_edges_without_direction():
    text = "pdag { a -- b; c -> b }"
    assert PartialGraph.parse(text) == PartialGraph.parse("a - b; c -> b")
    with pytest.raises(GraphError, match="no direction"):
        CausalGraph.parse(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
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
    ],
)
def test_dagitty_that_is_not_read_is_named_with_a_remedy(text, said):
    with pytest.raises(GraphError) as caught:
        PartialGraph.parse(text)
    assert said in str(caught.value)
    assert all(problem.remedies for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('digraph { U [observed="no"]; U -> y; a -> y }', "nobody measured: 'U'"),
        ('digraph { U [label="U", Observed="No"]; U -> y }', "nobody measured: 'U'"),
        ("digraph {\n U [latent]\n U -> y }", "line 2: The graph has nodes that nobody"),
        ("digraph { {U V} [unobserved=true] U -> y <- V }", "nobody measured: 'U', 'V'"),
        ("graph { U [latent=1]; U -- y }", "nobody measured: 'U'"),
        ("digraph { S [selected]; y -> S }", "'S' decides who is in the table"),
        ("digraph { node [latent]; U -> y }", "'latent' is set for all nodes"),
    ],
)
def test_nodes_that_dot_itself_calls_unmeasured_are_refused(text, said):
    with pytest.raises(GraphError) as caught:
        PartialGraph.parse(text)
    assert said in str(caught.value)
    assert all(problem.remedies for problem in caught.value.problems)


def test_nodes_that_dot_calls_measured_are_read():
    text = 'digraph { node [shape=box] a [observed="yes"]; b [latent=false]; a -> b [latent] }'
    assert CausalGraph.parse(text) == CausalGraph.parse("a -> b")


@pytest.mark.parametrize(
    "name",
    ["Acid_1996", "Kampen_2014", "Polzer_2012", "Sebastiani_2005", "Shrier_2008", "paths"],
)
def test_published_dagitty_graphs_are_read(name):
    path = shipped_file(f"{name}.txt")
    lines = path.read_text("utf-8").splitlines()
    edges = [re.fullmatch(r"(\S+) -> (\S+)(?: \[.*)?", line) for line in lines]
    nodes = [re.fullmatch(r"(\S+) \[.*", line) for line in lines]
    graph = CausalGraph.load(path)
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
        CausalGraph.load(shipped_file(f"{name}.txt"))


BIF = """// comment {
network "Dog-Problem" { property "x = {" ; }
variable "light-on" { type discrete[2] { "true" "false" }; /* } */ }
variable out { type discrete [ 3 ] { <5%, 5-10%, >10% }; }
variable family-out { type discrete [ 2 ] { yes, no }; }
probability ( "light-on"  out, "family-out" ) { (<5%, yes) 0.1, 0.9; table 1; }
probability ( out | family-out ) { }
probability ( family-out ) { table 0.15, 0.85; }
"""
NET = """net
{
    node_size = (76 36);
}
node A { label = "A {100 %}"; states = ("no" "yes"); }
discrete node B { states = ("no" "yes"); }
node C { states = ("no" "yes"); }
potential (A |) { data = (0.2 0.8); }
potential (C | A B)
{
    data = (((0.1 0.9)   %  A=no } B=no
             (0.1 0.9)) ((0.1 0.9) (0.1 0.9)));
}
potential ( B ) { }
"""


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
    ("name", "text", "edges"),
    [
        ("a.bif", BIF, "out -> light-on <- family-out -> out"),
        ("a.net", NET, "A -> C <- B"),
        ("a.net", "% by hand\n" + NET, "A -> C <- B"),
        ("a.NET", "/// Produced by GeNIe\n" + NET, "A -> C <- B"),
        ("a.txt", "# mine\n" + NET, "A -> C <- B"),
        ("a.txt", BIF, "out -> light-on <- family-out -> out"),
        ("a.txt", "# mine\n[A][B b]\n[C|A:B b]\n", "A -> C <- B b"),
    ],
)
def test_files_are_read(tmp_path, name, text, edges):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    assert load_graph(path) == CausalGraph.parse(edges)


def test_names_in_brackets_are_still_names():
    graph = PartialGraph.parse("[A] -> b; {c}")
    assert graph.arrows == {("[A]", "b")}
    assert PartialGraph.parse(str(graph)) == graph
    alone = PartialGraph(("[A]",))
    assert PartialGraph.parse(str(alone)) == alone


@pytest.mark.parametrize(
    ("text", "said"),
    [
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
        (
            "net { } node a { } node a { } potential (a) { }",
            "'a' is declared more than once as a node",
        ),
        ("network n { } probability (a) { }", "'a' is not both a variable"),
        ("network n { } variable a { } probability (a | b) { }", "no node 'b'"),
        ("network n { }\nvariable a b { }", "'variable a b' is no part of a network"),
        ("network n { } probability (a b | c) { }", "is no part of a network"),
        ("network n { } probability a | b { }", "is no part of a network"),
        ("network n { } probability () { }", "is no part of a network"),
        ("network n { } { }", "is no part of a network"),
        ("net { } decision d { }", "'decision d' is no part of a network"),
        ("net { } continuous node d { }", "'continuous node d' is no part of a network"),
    ],
)
def test_what_is_not_read_is_named_with_a_remedy(text, said):
    with pytest.raises(GraphError) as caught:
        PartialGraph.parse(text)
    assert said in str(caught.value)
    assert all(problem.remedies for problem in caught.value.problems)


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
def test_what_is_no_text_of_tetrad_is_named_with_a_remedy(text, said):
    with pytest.raises(GraphError) as caught:
        PartialGraph.parse(f"Graph Nodes:\n{text}\n")
    assert said in str(caught.value)
    assert all(problem.remedies for problem in caught.value.problems)
