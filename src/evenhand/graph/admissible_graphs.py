"""Every causal graph that a partial graph may stand for, as far as a question tells them apart.

Two of them with the same effects of the decision and, once the arrow between the protected
attribute and the decision is gone, the same colliders have the same block sets (Verma and
Pearl); together they are one variant.

Edges that make no difference to that are not tried both ways. What is found depends neither on
the names nor on the order of the nodes.
"""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from itertools import islice

from evenhand.graph.block_sets import PrunedGraph
from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.d_separation import BitsetGraph, members, reachable, union
from evenhand.graph.graph_variants import GraphVariants, OpenEdges, Variant
from evenhand.graph.orientation import Edge, Triple, both_ways
from evenhand.graph.parent_sets import colliders
from evenhand.question.knowledge import Arrow
from evenhand.question.question import Question

MOST_GRAPHS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissibleGraphs(GraphVariants):
    """Variants by their block sets; none if the graph contradicts itself or has too many."""

    @property
    def pruned(self) -> tuple[PrunedGraph, ...]:
        """The graphs without the arrow from the protected attribute to the decision."""
        bitsets = (BitsetGraph.of(graph.nodes, graph.arrows) for graph in self.graphs)
        return tuple(PrunedGraph.of(graph, self.question) for graph in bitsets)


def direct_every_way(
    nodes: Sequence[str],
    arrows: Collection[Arrow],
    undirected: Collection[Edge],
    doubtful: Collection[Triple],
    question: Question,
) -> AdmissibleGraphs:
    """Direct the open edges in every admissible way, if there are at most ``MOST_GRAPHS``."""
    decision = question.decision
    earlier = [(name, decision) for name in question.protected_names]
    active = _active_edges(nodes, arrows, undirected, doubtful, question)
    edges = OpenEdges(nodes, frozenset(arrows), undirected, frozenset(doubtful), earlier)

    def next_edge(directed: frozenset[Arrow]) -> Edge | None:
        return next((e for e in active if directed.isdisjoint((e, e[::-1]))), None)

    ways = [whole for _, whole in islice(edges.directed_ways(next_edge), MOST_GRAPHS + 1)]
    if len(ways) > MOST_GRAPHS:
        return AdmissibleGraphs(question=question, variants=(), complete=False)
    joined = set(both_ways((*arrows, *undirected)))
    variants: dict[Hashable, list[frozenset[Arrow]]] = {}
    for whole in ways:
        pruned = whole.difference(earlier)
        graph = BitsetGraph.of(nodes, whole)
        effects = graph.descendants(graph.bits(decision))
        pruned_joined = joined.difference(both_ways(earlier))
        key = effects, frozenset(colliders(pruned, pruned_joined))
        variants.setdefault(key, []).append(whole)
    open_arrows = frozenset(both_ways(active))
    return AdmissibleGraphs(
        question=question,
        variants=tuple(
            Variant(
                CausalGraph(tuple(nodes), graphs[0]),
                open_arrows.intersection(frozenset().union(*graphs)),
            )
            for graphs in variants.values()
        ),
    )


def _active_edges(
    nodes: Sequence[str],
    arrows: Collection[Arrow],
    undirected: Collection[Edge],
    doubtful: Collection[Triple],
    question: Question,
) -> list[Edge]:
    """The open edges whose direction can change what the block sets are.

    Whatever can lie on one cycle is directed together. Such a part makes no difference if no
    effect of the decision can lie in it, no collider in it is in doubt, and none of its nodes
    is joined to both the protected attribute and the decision, where these are joined: for then
    every way to direct it has the same colliders, those of its arrows.
    """
    direct = ((name, question.decision) for name in question.protected_names)
    mixed = BitsetGraph.of(nodes, {*arrows, *both_ways(undirected), *direct})
    linked = BitsetGraph.of(nodes, both_ways((*arrows, *undirected)))
    protected, decision = mixed.bits(*question.protected_names), mixed.bits(question.decision)
    telling = mixed.descendants(decision) | mixed.bits(*(centre for _, centre, _ in doubtful))
    if union(linked.children, protected) & decision:
        telling |= union(linked.children, protected) & union(linked.children, decision)
    active = 0
    for node in members(telling):
        part = 1 << node
        active |= reachable(part, mixed.children) & reachable(part, mixed.parents)
    names = mixed.names_in(active)
    return sorted(edge for edge in undirected if names.issuperset(edge))
