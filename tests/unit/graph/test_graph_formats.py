"""Graphs from files, JSON, matrices and objects are read, or refused by name."""

import json
from time import process_time

import networkx as nx
import pytest
from causallearn.graph.Edge import Edge
from causallearn.graph.Endpoint import Endpoint
from causallearn.graph.GeneralGraph import GeneralGraph
from causallearn.graph.GraphNode import GraphNode
from causallearn.graph.NodeType import NodeType
from hypothesis import given
from tests.strategies import dags

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
def test_json_of_another_shape_is_refused(content, tmp_path):
    path = tmp_path / "graph.json"
    path.write_text(content)
    with pytest.raises(GraphError):
        load_graph(path)


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


def test_marked_ends_of_undirected_networkx_edges_count():
    """So pgmpy keeps ancestral graphs; its edges have no direction for networkx."""
    graph = nx.Graph()
    graph.add_edge("b", "a", marks={"a": "-", "b": ">"})
    graph.add_edge("b", "c", marks={"b": "-", "c": "-"})
    graph.add_edge("c", "d", marks=3)
    assert PartialGraph.from_networkx(graph) == PartialGraph.parse("a -> b - c - d")
    graph.add_edge("a", "d", marks={"a": ">", "d": ">"})
    with pytest.raises(GraphError, match="stands for a common cause"):
        PartialGraph.from_networkx(graph)


def test_nodes_that_networkx_knows_as_unmeasured_are_refused():
    graph = nx.DiGraph([("u", "a"), ("u", "b")])
    graph.nodes["u"]["observed"] = "no"
    with pytest.raises(GraphError, match="nobody measured: 'u'"):
        CausalGraph.from_networkx(graph)


def causallearn_graph(*edges, nodes=("a", "b", "c")):
    graph = GeneralGraph([GraphNode(name) for name in nodes])
    for a, left, right, b in edges:
        graph.add_edge(Edge(graph.get_node(a), graph.get_node(b), left, right))
    return graph


TAIL, ARROW, CIRCLE = Endpoint.TAIL, Endpoint.ARROW, Endpoint.CIRCLE


def test_a_graph_of_causallearn_is_read():
    graph = causallearn_graph(("b", TAIL, ARROW, "a"), ("b", TAIL, TAIL, "c"))
    expected = PartialGraph.parse("b -> a; b - c")
    assert PartialGraph.from_causallearn(graph) == expected
    with pytest.raises(GraphError, match="no direction"):
        CausalGraph.from_causallearn(graph)


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        (ARROW, ARROW, "'a <-> b' stands for a common cause that nobody measured"),
        (CIRCLE, ARROW, "'a o-> b' leaves open"),
        (CIRCLE, CIRCLE, "'a o-o b' leaves open"),
        (TAIL, CIRCLE, "'a --o b' leaves open"),
    ],
)
def test_other_marks_of_causallearn_are_refused(left, right, said):
    with pytest.raises(GraphError, match="'") as caught:
        PartialGraph.from_causallearn(causallearn_graph(("a", left, right, "b")))
    assert said in str(caught.value)


def test_two_edges_between_nodes_of_causallearn_are_refused():
    both = causallearn_graph(("a", ARROW, ARROW, "b"), ("a", TAIL, ARROW, "b"))
    with pytest.raises(GraphError, match=r"'a \?-\? b'"):
        PartialGraph.from_causallearn(both)


def test_what_causallearn_says_beside_the_edges_is_refused():
    latent = causallearn_graph()
    latent.get_node("c").set_node_type(NodeType.LATENT)
    with pytest.raises(GraphError, match="nobody measured: 'c'"):
        PartialGraph.from_causallearn(latent)
    doubtful = causallearn_graph()
    doubtful.add_ambiguous_triple(*doubtful.get_nodes())
    with pytest.raises(GraphError, match="in doubt"):
        PartialGraph.from_causallearn(doubtful)


@pytest.mark.parametrize("graph", [None, "a -> b", nx.DiGraph([("a", "b")]), {"G": 1}])
def test_what_is_no_graph_of_causallearn_is_refused(graph):
    with pytest.raises(GraphError, match="no graph of causal-learn"):
        PartialGraph.from_causallearn(graph)


def test_files_are_read_by_their_ending(tmp_path):
    graph = PartialGraph.parse("a -> b; b - c")
    written = {"json": graph.to_json(), "dot": graph.to_dot(), "txt": str(graph)}
    for ending, text in written.items():
        path = tmp_path / f"graph.{ending}"
        path.write_text(text, "utf-8")
        assert load_graph(path) == graph
    for ending, text in (*written.items(), ("txt", "// drawn\npdag { a -> b -- c }")):
        path = tmp_path / f"graph.{ending}"
        path.write_text(text, "utf-8-sig")
        assert load_graph(path) == graph
    path.write_text("a -> b", "utf-8")
    assert load_graph(path) == CausalGraph.parse("a -> b")


def test_a_certificate_of_any_size_is_read_as_its_graph(tmp_path):
    graph = CausalGraph.parse("a -> b")
    path = tmp_path / "certificate.json"
    table = ["a line of counts"] * 100_000
    content = {"format": 3, "graph": graph.to_dict(), "table": table}
    path.write_text(json.dumps(content))
    assert path.stat().st_size > 1_000_000
    assert load_graph(path).arrows == graph.arrows


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


@given(graph=dags())
def test_a_dagitty_text_is_known_by_its_content(graph):
    nodes = [f'"{node}" [pos="1,2"]' for node in graph.nodes]
    lines = [*nodes, *(f'"{b}" <- "{a}"' for a, b in graph.arrows)]
    assert CausalGraph.parse("dag {\n" + "\n".join(lines) + "\n}") == graph


BEGINNINGS = [
    "dag {",
    "strict digraph " + "a" * 1000 + " {",
    "dag",
    "",
]
REST = [
    "{",
    "}",
    " ",
    "\n",
    '"',
    '\\"',
    "/*",
    "{a ",
    "a;",
    "a -> ",
    "a:",
    "# \n",
]


@pytest.mark.parametrize("rest", REST)
@pytest.mark.parametrize("begin", BEGINNINGS)
def test_a_long_text_is_read_or_refused_in_time_and_in_a_few_words(begin, rest):
    start, said = process_time(), ""
    try:
        PartialGraph.parse((begin + rest * 100_000)[:100_000])
    except GraphError as error:
        said = str(error)
    assert process_time() - start < 3
    assert len(said) < 10_000


def test_long_names_that_do_not_fit_are_not_compared_letter_by_letter():
    letters = "".join(map(chr, range(0x4E00, 0x9E00))) * 10
    with pytest.raises(GraphError, match="no node"):
        CausalGraph.from_dict({"nodes": [letters], "arrows": [[letters[::-1], letters]]})


def test_groups_do_not_multiply_into_more_edges_than_fit():
    group = "{" + " ".join(f"n{at}" for at in range(900)) + "}"
    text = f"dag {{ {group} -> {group.replace('n', 'm')} }}"
    with pytest.raises(GraphError, match="more than 100,000 edges"):
        PartialGraph.parse(text)


@pytest.mark.parametrize("what", [5, None, "a -> b", [1, 2], object()])
def test_what_is_no_graph_of_a_library_is_refused_in_words(what):
    with pytest.raises(GraphError, match="is no graph of networkx"):
        CausalGraph.from_networkx(what)
    if not isinstance(what, str):
        with pytest.raises(GraphError, match="no text of a graph"):
            CausalGraph.parse(what)


def test_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(GraphError, match="nope.txt: There is no such file"):
        load_graph(tmp_path / "nope.txt")
    (tmp_path / "folder.txt").mkdir()
    with pytest.raises(GraphError) as refusal:
        load_graph(tmp_path / "folder.txt")
    assert "Errno" not in str(refusal.value)
