"""A graph: what it says of its nodes, what it leaves open, and how it is written."""

import json
import sys
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.strategies import dags

from evenhand import GraphEdit, Knowledge, Question, Tiers
from evenhand.errors import ColumnError, GraphError, KnowledgeError, ResourceError
from evenhand.graph import CausalGraph, Conflict, DiscoveryRecord, PartialGraph
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a -> b; a -> b", "a -> b is there 2 times"),
        ("a - b; b - a", "a - b is there 2 times"),
        ("a -> b; b - a", "both by an arrow and without direction"),
        ("a - b; b -> c", "a - b has no direction"),
        ("a -> b; b -> c -> d -> a; b -> a", "cycle: a -> b -> a."),
        ("a -> b -> c -> d -> e -> c", "cycle: c -> d -> e -> c."),
        ("a -> a", "'a' is joined to itself"),
        ("", "no nodes"),
    ],
)
def test_misdrawn_edges_are_named(text, said):
    assert said in refusal(text)


def test_nodes_and_edges_of_another_kind_are_refused():
    with pytest.raises(GraphError, match="Did you mean 'income'"):
        CausalGraph(("income", "sex"), frozenset({("sex", "incom")}))
    with pytest.raises(GraphError, match="an edge is a pair of names"):
        CausalGraph(("a", "b"), ["ab"])
    with pytest.raises(GraphError, match="too large: 3,000 nodes"):
        CausalGraph(tuple(map(str, range(3000))))
    names = tuple(f"{'x' * 300} {end}" for end in "abc")  # that begin alike
    assert CausalGraph(names, frozenset({names[:2]})).arrows == {names[:2]}


def test_all_problems_are_raised_together():
    with pytest.raises(GraphError) as caught:
        CausalGraph(("a", "b"), [("a", "a"), ("a", "b"), ("a", "b"), ("b", "c")])
    assert len(caught.value.problems) == 3


def test_relations_are_read_off_the_arrows():
    graph = PartialGraph.parse("a -> b -> c; a -> d; e - d")
    assert graph.neighbors("d") == {"e"}
    assert graph.adjacent("d", "e")
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


@pytest.mark.parametrize(
    ("knowledge", "said"),
    [
        (Tiers(["gender"], ["admission"], ["major"]), "'major' stands in a later tier"),
        (Knowledge(forbidden=["major -> admission"]), "It is forbidden"),
        (Knowledge(required=["major -> gender"]), "The opposite arrow is required"),
        (Knowledge(required=["score -> admission"]), "score -> admission is not in the graph"),
    ],
)
def test_what_contradicts_knowledge_is_named(knowledge, said):
    graph = CausalGraph.parse(f"{ADMISSION}; score")
    with pytest.raises(GraphError) as refused:
        graph.check(knowledge=knowledge)
    assert said in str(refused.value)
    with pytest.raises(GraphError):
        graph.with_knowledge(knowledge)


def test_a_question_about_absent_attributes_is_refused():
    with pytest.raises(GraphError, match="no node 'gender'"):
        CausalGraph.parse("sex -> admission").check(question=QUESTION)


def test_a_graph_describes_itself_in_a_notebook():
    html = CausalGraph.parse('"<b>" -> c')._repr_html_()
    assert "&lt;b&gt;" in html
    assert "Graph of 2 attributes" in html


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
    assert PartialGraph.parse(graph.to_json()) == graph
    assert PartialGraph.from_dict(graph.to_dict()) == graph
    assert PartialGraph.parse(graph.to_dot()) == graph
    assert PartialGraph.from_networkx(graph.to_networkx()) == graph


@given(st.text(alphabet='ab ->;\n"-<\\#{}[]=', max_size=30))
def test_any_text_is_read_or_refused_as_a_graph(text):
    with suppress(GraphError):
        graph = PartialGraph.parse(text)
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
    with suppress(GraphError):
        PartialGraph.parse(text)


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


def test_a_library_that_is_not_installed_is_named_with_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ResourceError, match="networkx is not installed") as caught:
        PartialGraph.parse("a -> b").to_networkx()
    assert caught.value.problems[0].remedy == "Install networkx."


def test_a_renamed_node_keeps_its_edges_and_the_edits_that_made_them():
    edits = (GraphEdit.parse("add", "b -> c: known"),)
    graph = edited(PartialGraph.parse("a - b; a -> c"), edits)
    renamed = graph.renamed("c", "z")
    assert renamed == PartialGraph.parse("a - b; a -> z; b -> z")
    assert [edit.arrow for edit in renamed.edits] == [("b", "z")]
    assert graph.renamed("a", "y").undirected == {("b", "y")}
    assert CausalGraph.parse("a -> b").renamed("b", "c") == CausalGraph.parse("a -> c")


@given(dags(max_nodes=9))
def test_causes_come_before_effects(graph):
    order = graph.topological_order()
    assert sorted(order) == list(graph.nodes)
    assert all(order.index(cause) < order.index(effect) for cause, effect in graph.arrows)


def test_a_decision_that_causes_the_protected_attribute_is_refused_with_the_path():
    graph = CausalGraph.parse("admission -> job -> gender")
    with pytest.raises(GraphError, match="admission -> job -> gender"):
        graph.check(question=QUESTION)
    with pytest.raises(GraphError, match="admission -> job -> gender"):
        graph.check_block_set(QUESTION, set())
    with pytest.raises(GraphError, match="admission -> job -> gender"):
        graph.block_sets(QUESTION)
    with pytest.raises(GraphError, match="admission -> job -> gender"):
        graph.decision_causes(QUESTION)


def recorded(text, **doubts):
    record = DiscoveryRecord(algorithm="PC", test="chi-square", significance=0.01, **doubts)
    graph = PartialGraph.parse(text)
    return PartialGraph(graph.nodes, graph.arrows, graph.undirected, record)


def test_knowledge_directs_edges_and_what_follows():
    graph = PartialGraph.parse("a - b; b - c")
    assert graph.with_knowledge(Knowledge(required=["a -> b"])) == (
        PartialGraph.parse("a -> b -> c")
    )
    assert graph.with_knowledge(Tiers(["c"], ...)) == PartialGraph.parse("c -> b -> a")


def test_nothing_follows_from_what_is_known_of_a_graph_that_contradicts_itself():
    graph = PartialGraph.parse("a -> c; a - b; b - d; c - d")
    known = graph.with_knowledge(Knowledge(required=["a -> b"]))
    assert known == PartialGraph.parse("a -> c; a -> b; b - d; c - d")
    assert not known.parent_sets("d").consistent
    settled = graph.with_knowledge(Knowledge(required=["b -> d", "c -> d"]))
    assert settled == PartialGraph.parse("a -> c -> d; a - b; b -> d")
    assert settled.parent_sets("b").consistent


def test_knowledge_of_a_column_that_is_no_node_is_a_slip_unless_the_columns_are_named():
    graph, tiers = PartialGraph.parse("a - b"), Tiers(["b"], ["a", "other"])
    with pytest.raises(ColumnError, match="no column 'other'"):
        graph.with_knowledge(tiers)
    order = Knowledge(tiers=tiers).about(["a", "b", "other"])
    assert graph.with_knowledge(order) == PartialGraph.parse("b -> a")


def test_knowledge_that_forbids_both_directions_of_an_edge_is_refused():
    with pytest.raises(KnowledgeError, match="neither may cause the other"):
        PartialGraph.parse("a - b").with_knowledge(Knowledge(forbidden=["a->b", "b->a"]))


def test_the_question_takes_for_granted_that_the_decision_comes_later():
    question = Question(protected="sex", group="F", decision="income", favorable="high")
    graph = PartialGraph.parse("sex - income; income - job")
    assert graph.parent_sets("income").sets == (frozenset(), {"job"}, {"sex"})
    found = graph.parent_sets(
        "income", question=question
    )  # no income -> job, for sex -> income
    assert found.sets == ({"sex"},)


def test_a_partial_graph_becomes_a_causal_one():
    graph = PartialGraph.parse("a - b; b - c")
    assert graph.extension() == (CausalGraph.parse("a -> b -> c"), ())
    known = graph.with_knowledge(Tiers(["b"], ...))
    assert known.extension() == (CausalGraph.parse("a <- b -> c"), ())


def test_a_square_without_diagonal_extends_to_no_graph_and_says_so():
    graph = PartialGraph.parse("a - b; b - c; c - d; a - d")
    _, added = graph.extension()
    assert len(added) == 1
    every = (frozenset(), {"b"}, {"d"}, {"b", "d"})
    assert graph.parent_sets("a") == (every, False)


def test_contested_triples_are_doubtful():
    conflict = Conflict(("a", "m"), "both ways", (("a", "m", "b"), ("m", "a", "x")))
    graph = recorded("a - m", conflicts=(conflict,), ambiguous=(("p", "q", "r"),))
    assert graph.doubtful == {("a", "m", "b"), ("m", "a", "x"), ("p", "q", "r")}


def sets(text, node="e", ambiguous=()):
    graph = PartialGraph.parse(text)
    record = DiscoveryRecord(
        algorithm="PC", test="chi-square", significance=0.01, ambiguous=ambiguous
    )
    graph = PartialGraph(graph.nodes, graph.arrows, graph.undirected, record)
    return {"".join(sorted(one)) for one in graph.parent_sets(node).sets}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a - e", {"", "a"}),
        pytest.param("a - e; b - e", {"", "a", "b"}, id="no collider that was not seen"),
        ("a - e; b - e; a - b", {"", "a", "b", "ab"}),
        ("a -> e; b - e", {"a"}),
        pytest.param("a -> b -> e; a - e", {"ab"}, id="no cycle"),
        pytest.param("x -> a; a - b; b - e", {"b"}, id="a far arrow"),
    ],
)
def test_the_parents_are_those_of_every_way_to_direct_the_edges(text, expected):
    assert sets(text) == expected


def test_a_triple_in_doubt_may_be_a_collider():
    assert sets("a - e; b - e", ambiguous=[("a", "e", "b")]) == {"", "a", "b", "ab"}


def test_too_many_open_edges_are_refused_with_a_remedy():
    spokes = "; ".join(f"n{i} - e" for i in range(13))
    with pytest.raises(ResourceError, match="13 edges at 'e' have no direction.*Give tiers"):
        PartialGraph.parse(spokes).parent_sets("e")
