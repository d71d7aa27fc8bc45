"""PartialGraph: what discovery hands on."""

import pytest

from evenhand import Knowledge, Question, Tiers
from evenhand.errors import ColumnError, GraphError, KnowledgeError
from evenhand.graph import CausalGraph, Conflict, DiscoveryRecord, PartialGraph


def recorded(text, **doubts):
    record = DiscoveryRecord(algorithm="PC", test="chi-square", significance=0.01, **doubts)
    graph = PartialGraph.parse(text)
    return PartialGraph(graph.nodes, graph.arrows, graph.undirected, record)


def test_how_a_graph_was_found_does_not_count_in_comparisons():
    assert recorded("a -> b; b - c") == PartialGraph.parse("a -> b; b - c")


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
    assert graph.to_dag(order) == CausalGraph.parse("b -> a")


def test_knowledge_against_an_arrow_is_refused():
    with pytest.raises(GraphError, match="a -> b contradicts"):
        PartialGraph.parse("a -> b").with_knowledge(Tiers(["b"], ["a"]))


def test_knowledge_that_forbids_both_directions_of_an_edge_is_refused():
    with pytest.raises(KnowledgeError, match="neither may cause the other"):
        PartialGraph.parse("a - b").with_knowledge(Knowledge(forbidden=["a->b", "b->a"]))


def test_the_causes_of_the_decision_leave_the_protected_attribute_out():
    question = Question(protected="sex", group="F", decision="income", favorable="high")
    graph = PartialGraph.parse("sex - income; age -> income; age - sex")
    assert graph.possible_decision_causes(question) == ({"age"},)


def test_the_question_takes_for_granted_that_the_decision_comes_later():
    question = Question(protected="sex", group="F", decision="income", favorable="high")
    graph = PartialGraph.parse("sex - income; income - job")
    assert graph.possible_parents("income") == (frozenset(), {"job"}, {"sex"})
    assert graph.possible_decision_causes(question) == (frozenset(),)
    with pytest.raises(GraphError, match="income -> sex"):
        PartialGraph.parse("income -> sex; sex - job").possible_decision_causes(question)


def test_a_partial_graph_becomes_a_causal_one():
    graph = PartialGraph.parse("a - b; b - c")
    assert graph.to_dag() == CausalGraph.parse("a -> b -> c")
    assert graph.to_dag(Tiers(["b"], ...)) == CausalGraph.parse("a <- b -> c")


def test_a_square_without_diagonal_extends_to_no_graph_and_says_so():
    graph = PartialGraph.parse("a - b; b - c; c - d; a - d")
    with pytest.raises(GraphError, match="contradicts itself"):
        graph.to_dag()
    found = graph.extension()
    assert not found.consistent
    assert len(found.added) == 1
    sets = graph.parent_sets("a")
    assert not sets.consistent
    assert sets.sets == (frozenset(), {"b"}, {"d"}, {"b", "d"})
    assert "contradicts itself" in str(sets)


def test_contested_triples_are_doubtful():
    conflict = Conflict(("a", "m"), "both ways", (("a", "m", "b"), ("m", "a", "x")))
    graph = recorded("a - m", conflicts=(conflict,), ambiguous=(("p", "q", "r"),))
    assert graph.doubtful == {("a", "m", "b"), ("m", "a", "x"), ("p", "q", "r")}
