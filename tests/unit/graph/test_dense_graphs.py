"""Among many columns that stay joined, all that follows is found in few steps."""

from itertools import combinations, islice

import numpy as np
import pytest

from evenhand.graph import PartialGraph, dag_extensions
from evenhand.graph.admissible_graphs import admissible_graphs, ancestral_graphs
from evenhand.graph.dag_extensions import OpenGraph
from evenhand.question import Knowledge, Question

NAMES = [f"c{at:02}" for at in range(60)]
QUESTION = Question(protected=NAMES[0], group="a", decision=NAMES[-1], favorable="b")


def dense(doubted: float) -> PartialGraph:
    """Half of all edges, none of which has a direction; so many triples are in doubt."""
    rng, pairs = np.random.default_rng(1), [*combinations(NAMES, 2)]
    edges = frozenset(pair for pair in pairs if rng.random() < 0.5)
    triples = ((a, c, b) for c in NAMES for a, b in pairs if c not in (a, b))
    doubts = (one for one in triples if rng.random() < doubted)
    return PartialGraph(tuple(NAMES), frozenset(), edges, doubts=frozenset(doubts))


@pytest.fixture
def steps(monkeypatch):
    """How many sets of nodes were walked through."""
    counted = []

    def members(nodes):
        counted.append(nodes.bit_count())
        return original(nodes)

    original = dag_extensions.members
    monkeypatch.setattr(dag_extensions, "members", members)
    return counted


@pytest.mark.parametrize("doubted", [0, 0.5, 1])
def test_an_extension_takes_no_more_steps_than_edges_times_columns(doubted, steps):
    graph = OpenGraph.of(dense(doubted))
    steps.clear()
    _, added = graph.extension()
    assert bool(added) == (doubted < 1)
    assert sum(steps) < 2 * len(graph.undirected) * len(NAMES)


def test_a_way_to_direct_edges_is_looked_for_once_an_edge_is_turned(monkeypatch):
    calls = []
    extend = OpenGraph.extend
    monkeypatch.setattr(
        OpenGraph, "extend", lambda self, *given: calls.append(1) or extend(self, *given)
    )
    graph = OpenGraph.of(dense(1))

    def next_edge(parents):
        return dag_extensions.first_open(graph.undirected, parents)

    found = list(islice(graph.directed_ways(next_edge), 20))
    assert len({parents for parents, _ in found}) == 20
    assert len(calls) < 2 * len(found)


def parents_of_the_decision(graph, question, *, progress):
    """Twelve edges at the decision are open; so many directions of them are tried."""
    edges = {edge for edge in graph.undirected if question.decision not in edge}
    edges |= {(name, question.decision) for name in NAMES[:12]}
    few = PartialGraph(graph.nodes, frozenset(), frozenset(edges), doubts=graph.doubts)
    return few.parent_sets(question.decision, progress=progress)


@pytest.mark.parametrize(
    "search", [admissible_graphs, ancestral_graphs, parents_of_the_decision]
)
def test_whoever_is_told_of_the_directions_can_cancel(search):
    told = []

    def cancel(progress):
        told.append(progress.done)
        if progress.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search(dense(1), QUESTION, progress=cancel)
    assert told == [1, 2, 3]


def test_knowledge_is_applied_to_all_edges_at_once():
    known = dense(1).with_knowledge(Knowledge(tiers=[NAMES[:-1], NAMES[-1:]]))
    assert {effect for _, effect in known.arrows} == {NAMES[-1]}
