"""The graphs that a partial graph may stand for: the search for them, and what hangs on which.

A graph is admissible if it keeps all edges and arrows, has no cycle, adds no collider but where
one is in doubt, and if the decision does not cause the protected attribute in it.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.d_separation import BitsetGraph
from evenhand.graph.orientation import Edge, Triple, both_ways, triple_of
from evenhand.graph.parent_sets import extend
from evenhand.question.knowledge import Arrow
from evenhand.question.question import Question


@dataclass(frozen=True, slots=True)
class Variant:
    """Graphs that a question does not tell apart: one of them, and how they direct open edges.

    Of an edge that they direct in different ways, or of which nobody asks, both arrows are in
    ``directions``.
    """

    graph: CausalGraph
    directions: frozenset[Arrow] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphVariants:
    """All variants; none, and not ``complete``, if there are too many."""

    question: Question
    variants: tuple[Variant, ...]
    complete: bool = True

    @property
    def graphs(self) -> tuple[CausalGraph, ...]:
        """A graph of each variant."""
        return tuple(variant.graph for variant in self.variants)

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


@dataclass(frozen=True)
class OpenEdges:
    """The edges of a graph that have no direction, and what a direction must respect.

    ``earlier`` holds pairs of which the second causes the first in no graph. With
    ``any_colliders`` colliders may arise everywhere.
    """

    nodes: Sequence[str]
    arrows: frozenset[Arrow]
    undirected: Collection[Edge]
    doubtful: frozenset[Triple]
    earlier: Collection[Arrow]
    any_colliders: bool = False

    def within(self, names: Collection[str]) -> "OpenEdges":
        """The edges between these nodes alone."""
        return replace(
            self,
            nodes=[node for node in self.nodes if node in names],
            arrows=frozenset(arrow for arrow in self.arrows if {*arrow} <= {*names}),
            undirected=sorted(edge for edge in self.undirected if {*edge} <= {*names}),
        )

    @cached_property
    def joined(self) -> set[Edge]:
        """Each edge and arrow, both ways."""
        return set(both_ways((*self.arrows, *self.undirected)))

    @cached_property
    def _parts(self) -> Mapping[str, "OpenEdges"]:
        """The part of each node: whatever can lie on one cycle with it, and its causes.

        No direction within one bears on a cycle or a collider in another.
        """
        both = (*self.arrows, *both_ways(self.undirected), *self.earlier)
        mixed = BitsetGraph.of(self.nodes, both)
        parts: dict[str, OpenEdges] = {}
        for name, _ in self.undirected:
            if name in parts:
                continue
            node = mixed.bits(name)
            names = mixed.names_in(mixed.descendants(node) & mixed.ancestors(node))
            arrows = frozenset(arrow for arrow in self.arrows if arrow[1] in names)
            ends = names.union(cause for cause, _ in arrows)
            part = replace(
                self,
                nodes=[node for node in self.nodes if node in ends],
                arrows=arrows,
                undirected=[edge for edge in self.undirected if edge[0] in names],
                earlier=[pair for pair in self.earlier if names.issuperset(pair)],
            )
            parts |= dict.fromkeys(names, part)
        return parts

    def extension(
        self, arrows: frozenset[Arrow], new: Arrow | None = None
    ) -> frozenset[Arrow] | None:
        """An admissible graph with these arrows, if there is one.

        With a ``new`` arrow among them there is one with the others, so that only colliders
        which it makes are looked for.
        """
        if new and self.adds_collider(arrows, new):
            return None
        ordered = BitsetGraph.of(self.nodes, arrows.union(self.earlier)).topological_order()
        if len(ordered) < len(self.nodes):
            return None
        rest = [edge for edge in self.undirected if arrows.isdisjoint((edge, edge[::-1]))]
        if self.any_colliders:
            place = {name: at for at, name in enumerate(ordered)}
            return arrows.union((a, b) if place[a] < place[b] else (b, a) for a, b in rest)
        whole, added = extend(self.nodes, arrows, rest, self.doubtful, earlier=self.earlier)
        return None if added else whole

    def adds_collider(self, arrows: frozenset[Arrow], new: Arrow) -> bool:
        """Whether the new arrow makes a collider with one of the others that may not be."""
        cause, effect = new
        others = (a for a, b in arrows if b == effect and a != cause)
        return not self.any_colliders and any(
            (a, cause) not in self.joined and triple_of(a, effect, cause) not in self.doubtful
            for a in others
        )

    def directed_ways(
        self, next_edge: Callable[[frozenset[Arrow]], Edge | None]
    ) -> Iterator[tuple[frozenset[Arrow], frozenset[Arrow]]]:
        """Every way to direct one edge after the other until there is no next one.

        Each with a graph that has these arrows. The next edge is chosen by the arrows there
        are. A branch is entered only with a graph in hand that lies in it.
        """
        branches = [(self.arrows, self.extension(self.arrows))]
        while branches:
            arrows, whole = branches.pop()
            if whole is None:
                continue
            edge = next_edge(arrows)
            if edge is None:
                yield arrows, whole
                continue
            ahead = edge if edge in whole else edge[::-1]
            back = ahead[::-1]
            turned, part = arrows | {back}, self._parts[back[0]]
            own = part.extension(turned & part.joined, back)
            other = None if own is None else whole.difference(part.joined) | own
            branches += [(turned, other), (arrows | {ahead}, whole)]
