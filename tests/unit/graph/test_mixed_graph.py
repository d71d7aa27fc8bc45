"""Nodes and edges: what is a graph, what it answers, and every format it is written in."""

import json
import sys
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evenhand import GraphEdit, Knowledge, Question, Tiers
from evenhand.errors import GraphError, ResourceError
from evenhand.graph import CausalGraph, PartialGraph
from evenhand.graph.edits import edited

ADMISSION = CausalGraph.parse("gender -> major -> admission; gender -> admission")
QUESTION = Question(protected="gender", group="F", decision="admission", favorable="yes")

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


def refusal(text):
    with pytest.raises(GraphError) as caught:
        CausalGraph.parse(text)
    return str(caught.value)


def test_graphs_are_equal_however_they_are_written():
    one = CausalGraph(("b", "a", "c"), frozenset({("a", "b"), ("c", "b")}))
    assert one == CausalGraph.parse("c -> b; a -> b")
    assert hash(one) == hash(CausalGraph.parse("a -> b <- c"))
    assert one != PartialGraph.parse("c -> b; a -> b")


def test_a_graph_cannot_be_changed():
    with pytest.raises(AttributeError):
        ADMISSION.nodes = ()


def test_a_cycle_is_printed_as_its_shortest_path():
    assert "cycle: a -> b -> a." in refusal("a -> b; b -> c -> d -> a; b -> a")
    assert "cycle: c -> d -> e -> c." in refusal("a -> b -> c -> d -> e -> c")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a -> b; a -> b", "a -> b is there 2 times"),
        ("a -> a", "'a' is joined to itself"),
        ("", "no nodes"),
    ],
)
def test_misdrawn_edges_are_named(text, said):
    assert said in refusal(text)


def test_an_arrow_to_an_unknown_node_says_which_node_it_may_mean():
    with pytest.raises(GraphError, match="Did you mean 'income'"):
        CausalGraph(("income", "sex"), frozenset({("sex", "incom")}))


def test_what_is_no_edge_is_refused():
    with pytest.raises(GraphError, match="an edge is a pair of names"):
        CausalGraph(("a", "b"), ["ab"])


def test_a_graph_may_not_be_boundless():
    with pytest.raises(GraphError, match="too large: 3,000 nodes"):
        CausalGraph(tuple(map(str, range(3000))))


def test_all_problems_are_raised_together():
    with pytest.raises(GraphError) as caught:
        CausalGraph(("a", "b"), [("a", "a"), ("a", "b"), ("a", "b"), ("b", "c")])
    assert len(caught.value.problems) == 3


def test_relations_are_read_off_the_arrows():
    graph = CausalGraph.parse("a -> b -> c; a -> d; e")
    assert graph.parents("c") == {"b"}
    assert graph.children("a") == {"b", "d"}
    assert graph.ancestors("c") == {"a", "b"}
    assert graph.descendants("a") == {"b", "c", "d"}
    assert graph.adjacent("a", "b")
    assert graph.adjacent("b", "a")
    assert not graph.adjacent("a", "c")


def test_an_unknown_node_is_answered_with_near_names():
    with pytest.raises(GraphError, match="Did you mean 'major'"):
        ADMISSION.parents("majr")


def test_a_graph_that_fits_passes_the_check():
    ADMISSION.check(
        ["admission", "gender", "major", "unused"],
        QUESTION,
        Tiers(["gender"], ..., ["admission"]),
    )


def test_a_node_that_is_no_column_is_named_with_near_columns():
    with pytest.raises(GraphError, match="'major', but there is no such column.*'majors'"):
        ADMISSION.check(["admission", "gender", "majors"])


def test_an_effect_through_what_is_no_node_cannot_be_asked_about():
    ADMISSION.check(question=replace(QUESTION, redlining=["major"]))
    asked = replace(QUESTION, redlining=["majr", "major"], explained=["score"])
    with pytest.raises(GraphError) as refused:
        ADMISSION.check(question=asked)
    one, other = refused.value.problems
    assert one.what == "The graph has no node 'majr', through which effects are asked about."
    assert one.found == "Did you mean 'major'?"
    assert "no node 'score'" in other.what
    assert other.found == "Its nodes are 'admission', 'gender', 'major'."


def test_an_arrow_against_the_tiers_is_named():
    with pytest.raises(
        GraphError, match="major -> admission .* 'major' stands in a later tier"
    ):
        ADMISSION.check(knowledge=Tiers(["gender"], ["admission"], ["major"]))


def test_a_forbidden_arrow_and_one_whose_opposite_is_required_are_named():
    with pytest.raises(GraphError, match="It is forbidden"):
        ADMISSION.check(knowledge=Knowledge(forbidden=["major -> admission"]))
    with pytest.raises(GraphError, match="The opposite arrow is required"):
        ADMISSION.check(knowledge=Knowledge(required=["major -> gender"]))


def test_a_required_arrow_must_be_there():
    with pytest.raises(
        GraphError, match="required arrow score -> admission is not in the graph"
    ):
        CausalGraph.parse("score; gender -> admission").check(
            knowledge=Knowledge(required=["score -> admission"])
        )


def test_a_question_about_absent_attributes_is_refused():
    with pytest.raises(GraphError, match="no node 'gender'"):
        CausalGraph.parse("sex -> admission").check(question=QUESTION)


def test_a_graph_describes_itself_in_a_notebook():
    html = CausalGraph.parse('"<b>" -> c')._repr_html_()
    assert "&lt;b&gt;" in html
    assert "Graph of 2 attributes" in html


def test_undirected_pairs_are_sorted():
    assert PartialGraph(("b", "a"), undirected=frozenset({("b", "a")})).undirected == {
        ("a", "b")
    }


def test_two_nodes_are_joined_once():
    with pytest.raises(GraphError, match="both by an arrow and without direction"):
        PartialGraph.parse("a -> b; b - a")
    with pytest.raises(GraphError, match="a - b is there 2 times"):
        PartialGraph.parse("a - b; b - a")


def test_the_arrows_of_a_partial_graph_form_no_cycle():
    with pytest.raises(GraphError, match="cycle: a -> b -> c -> a"):
        PartialGraph.parse("a -> b -> c -> a; c - d")


def test_neighbors_are_joined_without_direction():
    graph = PartialGraph.parse("a -> b; b - c")
    assert graph.neighbors("b") == {"c"}
    assert graph.adjacent("b", "c")
    assert graph.parents("b") == {"a"}


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


def test_json_is_plain_and_sorted():
    assert json.loads(PartialGraph.parse("b -> a; d - c").to_json()) == {
        "nodes": ["a", "b", "c", "d"],
        "arrows": [["b", "a"]],
        "undirected": [["c", "d"]],
    }


def test_many_problems_are_told_in_part():
    arrows = [[f"a{i}", f"b{i}"] for i in range(20_000)]
    with pytest.raises(GraphError) as caught:
        PartialGraph.from_dict({"nodes": [f"n{i}" for i in range(900)], "arrows": arrows})
    assert len(caught.value.problems) == 20


@pytest.mark.parametrize("library", ["networkx", "pandas"])
def test_a_library_that_is_not_installed_is_named_with_the_remedy(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    convert = getattr(PartialGraph.parse("a -> b"), f"to_{library}")
    with pytest.raises(ResourceError, match=f"{library} is not installed") as caught:
        convert()
    assert caught.value.problems[0].remedy == f"Install {library}."


def test_a_renamed_node_keeps_its_edges_and_the_edits_that_made_them():
    edits = (GraphEdit.parse("add", "b -> c: known"),)
    graph = edited(PartialGraph.parse("a - b; a -> c"), edits)
    renamed = graph.renamed("c", "z")
    assert renamed == PartialGraph.parse("a - b; a -> z; b -> z")
    assert [edit.arrow for edit in renamed.edits] == [("b", "z")]
    assert graph.renamed("a", "y").undirected == {("b", "y")}
    assert CausalGraph.parse("a -> b").renamed("b", "c") == CausalGraph.parse("a -> c")
