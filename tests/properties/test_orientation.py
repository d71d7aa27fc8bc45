"""Orientation against the class of all graphs that it stands for, and against renaming."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.brute_force import all_dags, colliders, equivalent, is_acyclic
from tests.repetitions import repetitions
from tests.strategies import LETTERS, dags, known_dags, tiered_dags

from evenhand import Knowledge
from evenhand.graph import Conflict, orient


def edges_of(arrows):
    return frozenset((min(arrow), max(arrow)) for arrow in arrows)


def common(graphs):
    """What all graphs of a class agree on, and what they do not."""
    arrows = frozenset.intersection(*graphs)
    return arrows, frozenset.union(*map(edges_of, graphs)) - edges_of(arrows)


def oriented(graph, knowledge):
    order = Knowledge.of(knowledge).about(graph.nodes)
    found = orient(
        graph.nodes, edges_of(graph.arrows), colliders=colliders(graph.arrows), order=order
    )
    return found, common(equivalent(graph.arrows, order.may_cause))


@given(tiered_dags(min_nodes=3, max_nodes=6))
def test_true_colliders_and_tiers_give_what_all_graphs_of_the_class_share(tiered):
    graph, tiers = tiered
    found, shared = oriented(graph, tiers)
    assert (found.arrows, found.undirected) == shared
    assert not found.conflicts


@given(dags(min_nodes=3, max_nodes=6))
def test_true_colliders_alone_give_what_all_graphs_of_the_class_share(graph):
    found, shared = oriented(graph, None)
    assert (found.arrows, found.undirected) == shared


@settings(max_examples=repetitions(150))
@given(known_dags(min_nodes=4, max_nodes=6, density=0.8))
def test_any_true_knowledge_gives_what_all_graphs_of_the_class_share(known):
    graph, knowledge = known
    found, shared = oriented(graph, knowledge)
    assert (found.arrows, found.undirected) == shared


@st.composite
def contradictory(draw, *, max_nodes=7):
    """A skeleton whose unshielded triples are read at random: colliders, none, or in doubt."""
    names = LETTERS[: draw(st.integers(3, max_nodes))]
    pairs = list(combinations(names, 2))
    edges = draw(st.sets(st.sampled_from(pairs)))
    triples = sorted(
        (x, centre, y)
        for x, y in set(pairs) - edges
        for centre in names
        if {tuple(sorted((x, centre))), tuple(sorted((y, centre)))} <= edges
    )
    readings = draw(st.lists(st.integers(0, 3), min_size=len(triples), max_size=len(triples)))
    read = dict(zip(triples, readings, strict=True))
    tiers = {name: draw(st.integers(0, 2)) for name in names} if draw(st.booleans()) else None
    support = {triple: draw(st.sampled_from((0.0, 0.02, 0.5))) for triple in triples}
    return (
        names,
        frozenset(edges),
        frozenset(triple for triple, reading in read.items() if reading > 2),
        frozenset(triple for triple, reading in read.items() if reading == 1),
        tiers,
        support,
    )


def run(case, rename=lambda name: name, *, reverse=False):
    names, edges, seen, doubtful, tiers, support = case

    def pair(a, b):
        return tuple(sorted((rename(a), rename(b))))

    def triple(x, centre, y):
        a, b = pair(x, y)
        return a, rename(centre), b

    nodes = [rename(name) for name in (reversed(names) if reverse else names)]
    forbidden = [
        (rename(a), rename(b))
        for a in names
        for b in names
        if tiers is not None and tiers[a] > tiers[b]
    ]
    return orient(
        nodes,
        sorted((pair(*edge) for edge in edges), reverse=reverse),
        colliders=sorted((triple(*one) for one in seen), reverse=reverse),
        ambiguous=[triple(*one) for one in doubtful],
        support={triple(*one): p for one, p in support.items()},
        order=Knowledge(forbidden=forbidden).about(nodes),
    )


@settings(max_examples=repetitions(200))
@given(contradictory(), st.permutations(LETTERS[:7]))
def test_names_and_order_change_nothing_even_where_colliders_conflict(case, other):
    renaming = dict(zip(LETTERS, other, strict=False))
    plain, renamed = run(case), run(case, renaming.__getitem__, reverse=True)

    def pair(a, b):
        return tuple(sorted((renaming[a], renaming[b])))

    def triple(x, centre, y):
        a, b = pair(x, y)
        return a, renaming[centre], b

    assert renamed.arrows == {(renaming[a], renaming[b]) for a, b in plain.arrows}
    assert renamed.undirected == {pair(a, b) for a, b in plain.undirected}
    assert set(renamed.conflicts) == {
        Conflict(pair(*one.edge), one.reason, tuple(sorted(triple(*c) for c in one.claims)))
        for one in plain.conflicts
    }


@settings(max_examples=repetitions(200))
@given(contradictory())
def test_whatever_the_evidence_says_no_edge_is_lost_no_cycle_made_no_knowledge_broken(case):
    _, edges, _, _, tiers, _ = case
    found = run(case)
    assert edges_of(found.arrows) | found.undirected == edges
    assert not edges_of(found.arrows) & found.undirected
    assert is_acyclic(found.arrows)
    if tiers is not None:
        assert all(tiers[a] <= tiers[b] for a, b in found.arrows)
        assert all(tiers[a] == tiers[b] for a, b in found.undirected)


@settings(max_examples=repetitions(200))
@given(contradictory())
def test_an_edge_that_colliders_direct_both_ways_stays_undirected_and_is_logged(case):
    _, _, seen, _, tiers, _ = case
    if tiers is not None:
        return
    claimed = {(side, centre) for x, centre, y in seen for side in (x, y)}
    found = run(case)
    logged = {conflict.edge for conflict in found.conflicts if conflict.reason == "both ways"}
    for a, b in claimed:
        if a < b and (b, a) in claimed:
            assert (a, b) in found.undirected & logged


def test_all_graphs_of_four_nodes_orient_to_their_class():
    order = Knowledge().about("abcd")
    for arrows in all_dags("abcd"):
        found = orient("abcd", edges_of(arrows), colliders=colliders(arrows), order=order)
        shared = common(equivalent(arrows, order.may_cause))
        assert (found.arrows, found.undirected) == shared
