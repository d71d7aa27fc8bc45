"""Every causal graph that a partial graph may stand for, as far as a question tells them apart.

A graph is admissible if it keeps all edges and arrows, has no cycle, adds no collider but where
one is in doubt, and if the decision does not cause the protected attribute in it. Edges that
make no difference to the question are not tried both ways. What is found depends neither on
the names nor on the order of the nodes.

*By block sets*: two graphs with the same effects of the decision and, once the arrow between
the protected attribute and the decision is gone, the same colliders have the same block sets
(Verma and Pearl).

*By effects*: the distribution of the decision and of the protected attribute, under any change
of what the attributes read, is a sum over their ancestors. So two graphs with the same arrows
among the ancestors of the two are one.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import islice
from operator import or_

from evenhand.display import ProgressCallback
from evenhand.graph.block_sets import PrunedGraph
from evenhand.graph.d_separation import BitsetGraph, members, reachable, transposed, union
from evenhand.graph.dag_extensions import BitEdge, OpenGraph, Parents, first_open
from evenhand.graph.graph import CausalGraph, PartialGraph
from evenhand.graph.orientation import Edge, both_ways
from evenhand.question.knowledge import Arrow
from evenhand.question.question import Question

MOST_GRAPHS = 1000
MOST_ORIENTATIONS = 4096


@dataclass(frozen=True, slots=True)
class Variant:
    """Graphs that a question does not tell apart: one of them, and how they direct open edges.

    Of an edge that they direct in different ways, or of which nobody asks, both arrows are in
    ``directions``.
    """

    graph: PartialGraph
    directions: frozenset[Arrow] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissibleGraphs:
    """All variants; none, and not ``complete``, if there are too many.

    ``consistent`` is false when the graph contradicts itself, so that no graph is admissible:
    by block sets there is none then, and by effects the graphs may have any colliders.
    """

    question: Question
    variants: tuple[Variant, ...]
    complete: bool = True
    consistent: bool = True

    @property
    def graphs(self) -> tuple[PartialGraph, ...]:
        """A graph of each variant."""
        return tuple(variant.graph for variant in self.variants)

    @property
    def pruned(self) -> tuple[PrunedGraph, ...]:
        """The graphs without the arrow from the protected attribute to the decision."""
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
            for arrow in variant.directions:
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


def admissible_graphs(
    graph: PartialGraph, question: Question, *, progress: ProgressCallback | None = None
) -> AdmissibleGraphs:
    """The graphs that a graph may stand for by block sets, if at most ``MOST_GRAPHS``."""
    graph.check(question=question)
    if graph.is_directed:
        return AdmissibleGraphs(question=question, variants=(Variant(graph),))
    opened = OpenGraph.of(graph, question)
    bits = opened.mixed.bits
    protected, decision = bits(*question.protected_names), bits(question.decision)
    active = _active_edges(opened, protected, decision)
    ways = opened.directed_ways(lambda parents: first_open(active, parents), progress)
    wholes = [whole for _, whole in islice(ways, MOST_GRAPHS + 1)]
    if len(wholes) > MOST_GRAPHS:
        return AdmissibleGraphs(question=question, variants=(), complete=False)
    direct = {decision: protected} | {1 << node: decision for node in members(protected)}
    pruned = replace(opened, linked=_less(opened.linked, direct))
    alike: dict[Hashable, list[Parents]] = {}
    for whole in wholes:
        effects = reachable(decision, transposed(whole))
        seen = pruned.colliders(_less(whole, {decision: protected}))
        alike.setdefault((effects, frozenset(seen)), []).append(whole)
    names = graph.nodes
    asked = frozenset(both_ways((names[a], names[b]) for a, b in active))
    variants = tuple(
        Variant(
            CausalGraph(graph.nodes, opened.arrows(graphs[0])),
            asked.intersection(opened.arrows(_together(graphs))),
        )
        for graphs in alike.values()
    )
    return AdmissibleGraphs(question=question, variants=variants, consistent=bool(variants))


def ancestral_graphs(
    graph: PartialGraph, question: Question, *, progress: ProgressCallback | None = None
) -> AdmissibleGraphs:
    """The graphs that a graph may stand for by effects, if at most ``MOST_ORIENTATIONS``.

    Each has the ancestors of decision and protected attribute alone. An edge is directed only
    once one of its ends is known to be such an ancestor: each way to do so ends in another
    graph.
    """
    graph.check(question=question)
    opened = OpenGraph.of(graph, question)
    asked = opened.mixed.bits(*question.columns)
    consistent = opened.extend(opened.parents) is not None
    edges = opened.within(opened.mixed.ancestors(asked))
    edges = replace(edges, any_colliders=not consistent)

    def next_edge(parents: Parents) -> BitEdge | None:
        """An open edge at an ancestor."""
        near = reachable(asked, parents)
        return first_open(((a, b) for a, b in open_edges if near & (1 << a | 1 << b)), parents)

    open_edges = edges.undirected
    found = edges.directed_ways(next_edge, progress)
    ways = [parents for parents, _ in islice(found, MOST_ORIENTATIONS + 1)]
    complete = len(ways) <= MOST_ORIENTATIONS
    tried = edges.arrows(_together(ways)) - edges.arrows(edges.parents)
    variants = []
    for parents in ways if complete else ():
        arrows, names = edges.arrows(parents), opened.mixed.names_in(reachable(asked, parents))
        # An edge that ends at no ancestor here may have both directions.
        unasked = (arrow for arrow in tried if arrows.isdisjoint((arrow, arrow[::-1])))
        possible = (
            (a, b)
            for a, b in unasked
            if not edges.adds_collider(parents, graph.nodes.index(a), graph.nodes.index(b))
        )
        variants.append(
            Variant(
                CausalGraph(tuple(names), frozenset(a for a in arrows if a[1] in names)),
                tried.intersection(arrows).union(possible),
            )
        )
    return AdmissibleGraphs(
        question=question, variants=tuple(variants), complete=complete, consistent=consistent
    )


def _active_edges(opened: OpenGraph, protected: int, decision: int) -> list[BitEdge]:
    """The open edges whose direction can change what the block sets are.

    Whatever can lie on one cycle is directed together. Such a part makes no difference if no
    effect of the decision can lie in it, no collider in it is in doubt, and none of its nodes
    is joined to both the protected attribute and the decision, where these are joined: for then
    every way to direct it has the same colliders, those of its arrows.
    """
    cyclic, linked = opened.cyclic, opened.linked
    telling = cyclic.descendants(decision)
    for centre, _ in opened.doubtful:
        telling |= 1 << centre
    if union(linked, protected) & decision:
        telling |= union(linked, protected) & union(linked, decision)
    active = 0
    for node in members(telling):
        active |= cyclic.descendants(1 << node) & cyclic.ancestors(1 << node)
    return [(a, b) for a, b in opened.undirected if active >> a & active >> b & 1]


def _together(graphs: Sequence[Parents]) -> Parents:
    """All arrows of some graphs."""
    return tuple(reduce(or_, sets) for sets in zip(*graphs, strict=True))


def _less(sets: Parents, left_out: Mapping[int, int]) -> Parents:
    """The sets of the nodes, less what is left out at some of them."""
    return tuple(near & ~left_out.get(1 << at, 0) for at, near in enumerate(sets))
