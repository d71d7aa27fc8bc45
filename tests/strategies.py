"""Hypothesis strategies that tests of several rooms share."""

from itertools import combinations, pairwise

from hypothesis import strategies as st

from evenhand import Knowledge, Question, Tiers
from evenhand.graph import CausalGraph, DiscoveryRecord, PartialGraph

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@st.composite
def dags(draw, *, min_nodes=2, max_nodes=6, density=None):
    """Causal graphs on nodes named by letters, in any topological order.

    ``density`` is the share of pairs that are joined; left out, it is drawn too.
    """
    size = draw(st.integers(min_nodes, max_nodes))
    order = draw(st.permutations(LETTERS[:size]))
    pairs = list(combinations(order, 2))
    threshold = draw(st.sampled_from((3, 5, 8))) if density is None else round(10 * density)
    rolls = draw(st.lists(st.integers(0, 9), min_size=len(pairs), max_size=len(pairs)))
    arrows = [pair for pair, roll in zip(pairs, rolls, strict=True) if roll < threshold]
    return CausalGraph(tuple(order), frozenset(arrows))


@st.composite
def tiers_of(draw, graph, *, most=4):
    """Tiers that the graph keeps: its topological order, cut at random places."""
    order = graph.topological_order()
    cuts = (
        draw(st.sets(st.integers(1, len(order) - 1), max_size=most - 1)) if order[1:] else set()
    )
    bounds = [0, *sorted(cuts), len(order)]
    return Tiers(*(order[a:b] for a, b in pairwise(bounds)))


@st.composite
def questions_about(draw, graph):
    """A question whose decision does not cause its protected attribute."""
    protected, decision = draw(
        st.sampled_from(
            [
                (a, b)
                for a in graph.nodes
                for b in graph.nodes
                if a != b and a not in graph.descendants(b)
            ]
        )
    )
    return Question(protected=protected, group="0", decision=decision, favorable="1")


@st.composite
def asked_dags(draw, **limits):
    """A causal graph and a question that it can answer."""
    graph = draw(dags(**limits))
    return graph, draw(questions_about(graph))


@st.composite
def tiered_dags(draw, **limits):
    """A causal graph and tiers that it keeps."""
    graph = draw(dags(**limits))
    return graph, draw(tiers_of(graph))


@st.composite
def known_dags(draw, **limits):
    """A causal graph and knowledge that it keeps: tiers, required and forbidden arrows."""
    graph = draw(dags(**limits))
    tiers = draw(st.none() | tiers_of(graph))
    arrows = sorted(graph.arrows)
    some = st.sets(st.sampled_from(arrows), max_size=3) if arrows else st.just(set())
    required, turned = draw(some), draw(some)
    forbidden = [(effect, cause) for cause, effect in turned]
    return graph, Knowledge(tiers=tiers, required=required, forbidden=forbidden)


@st.composite
def partial_graphs(draw, *, max_nodes=5):
    """Any partial graph without a directed cycle, with some triples in doubt."""
    names = LETTERS[: draw(st.integers(3, max_nodes))]
    arrows, undirected = set(), set()
    order = draw(st.permutations(names))
    for a, b in combinations(order, 2):
        kind = draw(st.integers(0, 2))
        if kind == 1:
            arrows.add((a, b))
        elif kind == 2:
            undirected.add((min(a, b), max(a, b)))
    triples = [(a, m, b) for a, b in combinations(names, 2) for m in names if m not in (a, b)]
    doubtful = draw(st.sets(st.sampled_from(triples), max_size=3))
    record = DiscoveryRecord(
        algorithm="PC", test="chi-square", significance=0.01, ambiguous=tuple(sorted(doubtful))
    )
    return PartialGraph(tuple(names), frozenset(arrows), frozenset(undirected), record)
