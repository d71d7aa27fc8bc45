"""Every causal graph that a partial graph may stand for, as far as a question tells them apart.

A graph is admissible if it keeps all edges and arrows, has no cycle, adds no collider but where
one is in doubt, and if the decision does not cause the protected attribute in it. Two of them
with the same effects of the decision and, once the arrow between the two is gone, the same
colliders have the same block sets (Verma and Pearl); together they are one variant.

Edges that make no difference to that are not tried both ways. What is found depends neither on
the names nor on the order of the nodes.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from evenhand.graph.block_sets import PrunedGraph
from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.d_separation import BitsetGraph, members, reachable, union
from evenhand.graph.orientation import Edge, Triple, both_ways
from evenhand.graph.parent_sets import colliders, extend
from evenhand.question.knowledge import Arrow
from evenhand.question.question import Question

MOST_GRAPHS = 1000


@dataclass(frozen=True, slots=True)
class Variant:
    """Graphs with the same block sets: one of them, and how each directs the open edges."""

    graph: CausalGraph
    directions: tuple[frozenset[Arrow], ...] = (frozenset(),)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissibleGraphs:
    """The variants; none if the graph contradicts itself or, not ``complete``, has too many."""

    question: Question
    variants: tuple[Variant, ...]
    complete: bool = True

    @property
    def graphs(self) -> tuple[CausalGraph, ...]:
        """A graph of each variant."""
        return tuple(variant.graph for variant in self.variants)

    @property
    def pruned(self) -> tuple[PrunedGraph, ...]:
        """The same without the arrow from the protected attribute to the decision."""
        bitsets = (BitsetGraph.of(graph.nodes, graph.arrows) for graph in self.graphs)
        return tuple(PrunedGraph.of(graph, self.question) for graph in bitsets)

    def deciding_edges(self, outcomes: Sequence[Hashable]) -> tuple[Edge, ...]:
        """The open edges on whose direction the variants' outcomes hang; none if all agree.

        An edge that settles the outcome alone goes before those that only bear on it.
        """
        if len(set(outcomes)) < 2:
            return ()
        decision = self.question.decision
        seen: dict[Arrow, set[Hashable]] = {}
        for variant, outcome in zip(self.variants, outcomes, strict=True):
            for arrow in frozenset().union(*variant.directions):
                seen.setdefault(arrow, set()).add(outcome)
        # Each edge once, the decision last in its own.
        edges = sorted(
            (a, b)
            for a, b in seen
            if (b, a) in seen and (a == decision, a) < (b == decision, b)
        )
        telling = [edge for edge in edges if seen[edge] != seen[edge[::-1]]]
        settling = [edge for edge in telling if len(seen[edge]) == len(seen[edge[::-1]]) == 1]
        return tuple(settling or telling or edges)


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
    joined = set(both_ways((*arrows, *undirected)))
    allowed = colliders(arrows, joined).union(doubtful)

    def extension(
        directed: frozenset[Arrow], rest: Collection[Edge]
    ) -> frozenset[Arrow] | None:
        """An admissible graph with these arrows, if there is one."""
        if BitsetGraph.of(nodes, directed.union(earlier)).cycle():
            return None
        if not colliders(directed, joined) <= allowed:
            return None
        whole, added = extend(nodes, directed, rest, doubtful, earlier=earlier)
        return None if added else whole

    active = _active_edges(nodes, arrows, undirected, doubtful, question)
    found = [
        *islice(_search(frozenset(arrows), active, undirected, extension), MOST_GRAPHS + 1)
    ]
    if len(found) > MOST_GRAPHS:
        return AdmissibleGraphs(question=question, variants=(), complete=False)
    variants: dict[Hashable, list[frozenset[Arrow]]] = {}
    for whole in found:
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
                tuple(whole & open_arrows for whole in graphs),
            )
            for graphs in variants.values()
        ),
    )


def _search(
    arrows: frozenset[Arrow],
    active: Sequence[Edge],
    rest: Collection[Edge],
    extension: Callable[[frozenset[Arrow], Collection[Edge]], frozenset[Arrow] | None],
) -> Iterator[frozenset[Arrow]]:
    """Every way to direct the active edges, each with one way to direct the rest.

    A branch is entered only with a graph in hand that lies in it.
    """
    branches = [(arrows, 0, extension(arrows, rest))]
    while branches:
        directed, place, whole = branches.pop()
        if whole is None:
            continue
        if place == len(active):
            yield whole
            continue
        edge = active[place]
        ahead = edge if edge in whole else edge[::-1]
        undecided = [other for other in rest if other not in active[: place + 1]]
        turned = directed | {ahead[::-1]}
        branches += [
            (turned, place + 1, extension(turned, undecided)),
            (directed | {ahead}, place + 1, whole),
        ]


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
