"""Possible parents and extensions against all graphs that a partial graph stands for."""

from itertools import combinations, permutations

from hypothesis import given, settings
from tests.brute_force import (
    colliders,
    descendants,
    equivalent,
    extensions,
    is_acyclic,
    subsets,
)
from tests.repetitions import repetitions
from tests.strategies import known_dags, partial_graphs, tiered_dags

from evenhand import Knowledge, Question
from evenhand.graph import PartialGraph, orient


def pattern_of(graph, knowledge):
    """What a causal graph's edges, colliders and the knowledge about it show of it."""
    order = Knowledge.of(knowledge).about(graph.nodes)
    edges = {(min(arrow), max(arrow)) for arrow in graph.arrows}
    found = orient(graph.nodes, edges, colliders=colliders(graph.arrows), order=order)
    return PartialGraph(graph.nodes, found.arrows, found.undirected)


def class_of(graph, knowledge):
    """All graphs that show the same."""
    return equivalent(graph.arrows, Knowledge.of(knowledge).about(graph.nodes).may_cause)


def parents(arrows, node):
    return frozenset(cause for cause, effect in arrows if effect == node)


@given(known_dags(min_nodes=3, max_nodes=6))
def test_the_possible_parents_are_those_of_all_graphs_of_the_class(known):
    partial, graphs = pattern_of(*known), class_of(*known)
    for node in partial.nodes:
        found = partial.parent_sets(node)
        assert found.consistent
        assert len(found.sets) == len(set(found.sets))
        assert set(found.sets) == {parents(arrows, node) for arrows in graphs}


@given(tiered_dags(min_nodes=3, max_nodes=8))
def test_under_tiers_the_possible_parents_are_the_sure_ones_with_a_clique_of_the_others(tiered):
    partial = pattern_of(*tiered)
    for node in partial.nodes:
        cliques = {
            partial.parents(node) | chosen
            for chosen in subsets(partial.neighbors(node))
            if all(partial.adjacent(a, b) for a, b in combinations(chosen, 2))
        }
        assert set(partial.parent_sets(node).sets) == cliques


@given(known_dags(min_nodes=3, max_nodes=6))
def test_knowledge_that_comes_later_gives_the_same_sets_as_knowledge_that_came_first(known):
    graph, knowledge = known
    blind = pattern_of(graph, None)
    assert blind.with_knowledge(knowledge) == pattern_of(graph, knowledge)
    for node in graph.nodes:
        assert set(blind.with_knowledge(knowledge).parent_sets(node).sets) == {
            parents(arrows, node) for arrows in class_of(graph, knowledge)
        }


@given(known_dags(min_nodes=3, max_nodes=7))
def test_a_graph_made_of_a_partial_one_has_the_same_partial_graph(known):
    graph, knowledge = known
    partial = pattern_of(graph, knowledge)
    made, _ = partial.extension()
    assert made.arrows >= partial.arrows
    assert pattern_of(made, knowledge) == partial


@settings(max_examples=repetitions(300))
@given(partial_graphs())
def test_on_any_partial_graph_the_possible_parents_are_those_of_its_extensions(partial):
    graphs = extensions(partial)
    for node in partial.nodes:
        found = partial.parent_sets(node)
        assert found.consistent == bool(graphs)
        if graphs:
            assert set(found.sets) == {parents(arrows, node) for arrows in graphs}


@settings(max_examples=repetitions(100))
@given(partial_graphs())
def test_the_causes_of_a_decision_are_those_of_extensions_where_it_does_not_cause_the_protected(
    partial,
):
    every = extensions(partial)
    for protected, decision in permutations(partial.nodes, 2):
        if protected in partial.descendants(decision):
            continue
        question = Question(protected=protected, group="0", decision=decision, favorable="1")
        found = partial.parent_sets(decision, question=question)
        graphs = [arrows for arrows in every if protected not in descendants(arrows, decision)]
        assert found.consistent == bool(graphs)
        if graphs:
            assert set(found.sets) == {parents(arrows, decision) for arrows in graphs}
        assert found.sets


@settings(max_examples=repetitions(300))
@given(partial_graphs())
def test_an_extension_adds_no_collider_exactly_when_it_can_avoid_it(partial):
    graph, named = partial.extension()
    assert (not named) == bool(extensions(partial))
    assert graph.arrows >= partial.arrows
    added = colliders(graph.arrows) - colliders(partial.arrows) - partial.doubtful
    assert added <= set(named)


@settings(max_examples=repetitions(300))
@given(partial_graphs())
def test_even_where_a_graph_contradicts_itself_the_sets_keep_its_arrows_and_make_no_cycle(
    partial,
):
    for node in partial.nodes:
        sets = partial.parent_sets(node).sets
        assert sets
        for chosen in sets:
            assert chosen >= partial.parents(node)
            outward = {(node, name) for name in partial.neighbors(node) - chosen}
            assert is_acyclic(partial.arrows | {(name, node) for name in chosen} | outward)
