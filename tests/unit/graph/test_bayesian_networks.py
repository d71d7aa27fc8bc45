"""Model strings, BIF and NET: what is read, what is refused by name."""

import gzip

import pytest
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
