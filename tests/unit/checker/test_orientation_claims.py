"""Every graph that the open edges of a record allow."""

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from tests.brute_force import is_acyclic
from tests.strategies import partial_graphs

from evenhand import Question
from evenhand.checker import graph_claims
from evenhand.checker.graph_claims import (
    RecordedGraph,
    allowed_graphs,
    check_graphs,
    is_allowed,
)
from evenhand.errors import GraphError
from evenhand.graph.admissible_graphs import ancestral_graphs


def graph_of(arrows, undirected=(), doubtful=()):
    pairs = [tuple(edge.split("-")) for edge in arrows.split()]
    nodes = sorted({n for edge in (*pairs, *undirected) for n in edge} | {"c", "e"})
    triples = frozenset(map(tuple, doubtful))
    return RecordedGraph(nodes, {*pairs}, [*map(list, undirected)], ["c"], "e", triples)


def arrows(text):
    return frozenset(tuple(edge.split("-")) for edge in text.split())


def test_without_open_edges_there_is_one_graph():
    assert allowed_graphs(graph_of("c-x x-e e-y")) == ({arrows("c-x x-e")}, True)


def test_the_decision_does_not_cause_the_protected_attribute():
    assert allowed_graphs(graph_of("", ["ce"])) == ({arrows("c-e")}, True)


def test_new_colliders_are_allowed_only_where_they_are_in_doubt():
    graph = graph_of("c-e x-e", ["xy", "yz"])
    # x <- y -> z, x <- y <- z, x -> y -> z: the node z is above the decision in one of them.
    whole = {arrows("c-e x-e"), arrows("c-e x-e y-x"), arrows("c-e x-e y-x z-y")}
    assert allowed_graphs(graph) == (whole, True)
    joined = graph_of("c-e", ["xe", "ye"])
    assert allowed_graphs(joined)[1] is True
    doubtful = graph_of("c-e", ["xe"], ["cex"])
    assert allowed_graphs(doubtful) == ({arrows("c-e"), arrows("c-e x-e")}, True)


def test_where_no_graph_fits_all_without_a_cycle_are_allowed():
    graph = graph_of("c-e", ["ab", "bd", "dg", "ga"])  # a square without chords
    found, consistent = allowed_graphs(graph)
    assert (found, consistent) == ({arrows("c-e")}, False)


@given(partial_graphs(), st.data())
def test_they_are_those_of_the_engine(partial, data):
    protected, decision = data.draw(st.permutations(partial.nodes))[:2]
    question = Question(protected=protected, group="0", decision=decision, favorable="1")
    try:
        right = ancestral_graphs(partial, question)
    except GraphError:
        reject()
    graph = RecordedGraph(
        [*partial.nodes],
        {*partial.arrows},
        [*map(list, partial.undirected)],
        [protected],
        decision,
        frozenset(partial.doubtful),
    )
    expected = {one.arrows for one in right.graphs}
    assert allowed_graphs(graph) == (expected, right.consistent)
    assert check_graphs(graph, [*expected], consistent=not right.consistent) == (
        right.consistent,
        [],
    )
    # Without the list of all, each of them is allowed, and no other one.
    known = right.consistent
    assert all(is_allowed(graph, one, known_colliders=known) for one in expected)
    either = sorted(graph.arrows | graph.either_way)
    trial = data.draw(st.sets(st.sampled_from(either)) if either else st.just(set()))
    is_one = is_allowed(graph, frozenset(trial), known_colliders=known)
    assert is_one <= is_acyclic(trial)
    if is_one and not known:
        assert frozenset(trial) in expected


@pytest.mark.parametrize(
    ("recorded", "words"),
    [
        (["c-e", "c-e x-e"], []),
        (["c-e"], ["[('c', 'e'), ('x', 'e')] is missing or not allowed"]),
        (["c-e", "c-e", "c-e x-e"], ["there twice"]),
        (["c-e", "c-e x-e", "c-e z-e"], ["[('c', 'e'), ('z', 'e')] is missing or not allowed"]),
    ],
)
def test_missing_graphs_others_and_those_that_are_there_twice_are_named(recorded, words):
    graph = graph_of("c-e", ["xe"], ["cex"])
    consistent, errors = check_graphs(graph, [*map(arrows, recorded)], consistent=True)
    assert consistent
    assert len(errors) == len(words)
    assert all(word in error for word, error in zip(words, errors, strict=True))


@pytest.mark.parametrize(
    ("own", "consistent", "expected"),
    [
        ("c-e", True, True),
        ("c-e x-e", True, False),  # c and x are not joined
        ("c-e x-e", False, True),
        ("c-e x-e e-x", False, False),
        ("c-e z-e", False, False),
        ("e-c", False, False),
        ("c-e x-y", False, False),  # y leads nowhere
        ("", False, False),
    ],
)
def test_with_very_many_open_edges_each_graph_is_looked_at(
    monkeypatch, own, consistent, expected
):
    monkeypatch.setattr(graph_claims, "MOST_OPEN", 0)
    graph = graph_of("c-e", ["xe", "xy"])
    found, errors = check_graphs(graph, [arrows(own)], consistent=consistent)
    assert found is consistent
    assert (not errors) is expected


def test_as_many_open_edges_as_can_be_worked_out_are():
    for most, is_found in ((12, True), (13, False)):
        pairs = [f"{mark}{mark.upper()}" for mark in "fghijklmnopq"[: most - 1]]
        graph = graph_of("c-e", ["xe", *pairs], ["cex"])
        assert bool(check_graphs(graph, [arrows("c-e")], consistent=True)[1]) is is_found


def test_an_open_edge_between_ancestors_must_be_directed():
    graph = graph_of("c-e x-e y-e", ["xy"])
    assert not is_allowed(graph, arrows("c-e x-e y-e"), known_colliders=True)
    assert is_allowed(graph, arrows("c-e x-e y-e x-y"), known_colliders=True)
