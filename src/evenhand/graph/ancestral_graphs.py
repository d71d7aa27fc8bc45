"""Every causal graph that a partial graph may stand for, as far as effects on the decision go.

The distribution of the decision and of the protected attribute, under any change of what the
attributes read, is a sum over their ancestors. So two graphs with the same arrows among the
ancestors of the two are one, and an edge is directed only once one of its ends is known to be
such an ancestor: each way to do so ends in another graph.
"""

from dataclasses import dataclass, replace
from itertools import islice

from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.d_separation import BitsetGraph, reachable
from evenhand.graph.graph_variants import GraphVariants, OpenEdges, Variant
from evenhand.graph.orientation import Edge, both_ways
from evenhand.graph.partial_graph import PartialGraph
from evenhand.question.knowledge import Arrow
from evenhand.question.question import Question

MOST_ORIENTATIONS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class AncestralGraphs(GraphVariants):
    """The graphs among the ancestors of decision and protected attribute, each of them once.

    ``consistent`` is false when the graph contradicts itself, so that no graph is admissible;
    the graphs then may have any colliders. There are none, and ``complete`` is false, if there
    would be more than ``MOST_ORIENTATIONS``.
    """

    consistent: bool = True


def ancestral_graphs(graph: CausalGraph | PartialGraph, question: Question) -> AncestralGraphs:
    """Direct the edges among possible ancestors in every admissible way."""
    graph.check(question=question)
    doubtful = graph.doubtful if isinstance(graph, PartialGraph) else frozenset()
    earlier = [(name, question.decision) for name in question.protected_names]
    edges = OpenEdges(graph.nodes, graph.arrows, graph.undirected, doubtful, earlier)
    consistent = edges.extension(graph.arrows) is not None
    mixed = BitsetGraph.of(graph.nodes, graph.arrows.union(both_ways(graph.undirected)))
    possible = mixed.names_in(mixed.ancestors(mixed.bits(*question.columns)))
    edges = replace(edges.within(possible), any_colliders=not consistent)
    known = BitsetGraph.of(edges.nodes, edges.arrows)
    place = {name: at for at, name in enumerate(edges.nodes)}

    def ancestors(directed: frozenset[Arrow]) -> int:
        """What causes the decision or the protected attribute, and these."""
        parents = [*known.parents]
        for cause, effect in directed.difference(edges.arrows):
            parents[place[effect]] |= 1 << place[cause]
        return reachable(known.bits(*question.columns), parents)

    def next_edge(directed: frozenset[Arrow]) -> Edge | None:
        """An open edge at an ancestor."""
        nodes = ancestors(directed)
        return next(
            (
                (a, b)
                for a, b in edges.undirected
                if (nodes >> place[a] | nodes >> place[b]) & 1
                and not ((a, b) in directed or (b, a) in directed)
            ),
            None,
        )

    ways = [
        directed
        for directed, _ in islice(edges.directed_ways(next_edge), MOST_ORIENTATIONS + 1)
    ]
    complete = len(ways) <= MOST_ORIENTATIONS
    tried = frozenset().union(*ways).difference(edges.arrows)
    variants = []
    for directed in ways if complete else ():
        names = known.names_in(ancestors(directed))
        # An edge that ends at no ancestor here may have both directions.
        unasked = (arrow for arrow in tried if directed.isdisjoint((arrow, arrow[::-1])))
        possible_arrows = (a for a in unasked if not edges.adds_collider(directed, a))
        variants.append(
            Variant(
                CausalGraph(tuple(names), frozenset(a for a in directed if a[1] in names)),
                tried.intersection(directed).union(possible_arrows),
            )
        )
    return AncestralGraphs(
        question=question, variants=tuple(variants), complete=complete, consistent=consistent
    )
