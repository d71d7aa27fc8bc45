"""Giving edges their direction: what is known, then colliders, then what follows from both.

The skeleton says which pairs are joined. Tiers and arrows that are known come first and are
final. Then every collider ``x -> z <- y`` proposes its two arrows. Then Meek's four rules
propose arrows without which there would be a cycle or a collider that was not seen.

All proposals of a round are weighed together, so neither the order nor the names of the nodes
change the result. Finite samples contradict themselves: an edge that colliders propose both
ways, or whose arrow would close a cycle together with others, stays undirected for good. So
does one that rules propose both ways, unless one reading is better supported. Each is kept as a
``Conflict``.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

from evenhand.errors import KnowledgeError, Problem
from evenhand.graph.d_separation import BitsetGraph
from evenhand.question.knowledge import Arrow, KnownOrder

Edge: TypeAlias = tuple[str, str]
Triple: TypeAlias = tuple[str, str, str]
Reason: TypeAlias = Literal["both ways", "outweighed", "against knowledge", "cycle"]
_Proposals: TypeAlias = dict[Arrow, set[Triple]]


@dataclass(frozen=True, slots=True, order=True)
class Conflict:
    """An edge about which the evidence disagrees, and the triples whose reading is in doubt.

    A triple ``(x, centre, y)`` was read as a collider or, by Meek's rules, as none.
    """

    edge: Edge
    reason: Reason
    claims: tuple[Triple, ...]

    def __str__(self) -> str:
        why = {
            "both ways": "is claimed in both directions",
            "outweighed": "is claimed in both directions, one of them better supported",
            "against knowledge": "is claimed against what is known",
            "cycle": "would close a cycle",
        }[self.reason]
        read = ", ".join(f"{x} - {centre} - {y}" for x, centre, y in self.claims)
        return f"{' - '.join(self.edge)} {why}" + (f" (read from {read})" if read else "")


@dataclass(frozen=True, slots=True)
class Orientation:
    """The edges of a skeleton, directed as far as the evidence goes."""

    arrows: frozenset[Arrow]
    undirected: frozenset[Edge]
    conflicts: tuple[Conflict, ...]


def orient(
    nodes: Collection[str],
    edges: Collection[Edge],
    *,
    colliders: Collection[Triple] = (),
    ambiguous: Collection[Triple] = (),
    support: Mapping[Triple, float] | None = None,
    order: KnownOrder,
) -> Orientation:
    """Direct the edges by what is known, by the colliders and by Meek's rules.

    A triple is ``(x, centre, y)`` with ``x < y`` not adjacent. An ambiguous one is read neither
    as a collider nor as none, so no rule draws on it. A collider that contradicts what is known
    is refused whole. ``support`` says how well a triple's reading is supported, as by the p of
    the independence that it is read from: where rules, not colliders, contradict each other,
    the best supported reading is followed; without it, none.

    >>> from evenhand.question.knowledge import Knowledge
    >>> free = Knowledge().about("abcd")
    >>> found = orient("abcd", [("a", "c"), ("b", "c"), ("c", "d")],
    ...                colliders=[("a", "c", "b")], order=free)
    >>> sorted(found.arrows)
    [('a', 'c'), ('b', 'c'), ('c', 'd')]
    """
    state = _OrientationState(nodes, edges, ambiguous)
    state.direct(known_arrows(nodes, edges, order))
    state.direct(state.forced())
    state.settle(state.collider_arrows(colliders), {})
    while proposals := state.meek_arrows():
        state.settle(proposals, support or {})
    _check(nodes, state.arrows, order)
    return Orientation(
        frozenset(state.arrows), frozenset(state.undirected), tuple(sorted(state.conflicts))
    )


def known_arrows(
    nodes: Collection[str], edges: Collection[Edge], order: KnownOrder
) -> frozenset[Arrow]:
    """The edges that knowledge alone directs; raises if they break it or form a cycle."""
    arrows = frozenset((a, b) for a, b in both_ways(edges) if not order.may_cause(b, a))
    _check(nodes, arrows, order)
    return arrows


class _OrientationState:
    """The arrows, open edges and conflicts so far; lives within one call of ``orient``."""

    def __init__(
        self, nodes: Collection[str], edges: Collection[Edge], ambiguous: Collection[Triple]
    ) -> None:
        self.nodes = tuple(nodes)
        self.arrows: set[Arrow] = set()
        self.undirected = set(edges)
        self.conflicts: list[Conflict] = []
        self.contested: set[Edge] = set()
        self.ambiguous = frozenset(ambiguous)
        self.adjacent: dict[str, set[str]] = {node: set() for node in nodes}
        for a, b in edges:
            self.adjacent[a].add(b)
            self.adjacent[b].add(a)
        self.parents: dict[str, set[str]] = {node: set() for node in nodes}
        self.free = {node: set(around) for node, around in self.adjacent.items()}

    def direct(self, arrows: Iterable[Arrow]) -> None:
        for cause, effect in arrows:
            self.arrows.add((cause, effect))
            self.undirected.discard(edge_of(cause, effect))
            self.parents[effect].add(cause)
            self.free[cause].discard(effect)
            self.free[effect].discard(cause)

    def collider_arrows(self, colliders: Iterable[Triple]) -> _Proposals:
        """The arrows of the colliders that knowledge leaves possible."""
        proposals: _Proposals = {}
        for triple in colliders:
            x, centre, y = triple
            known = [side for side in (x, y) if (centre, side) in self.arrows]
            for side in known:
                self.contest((side, centre), "against knowledge", {triple})
            for side in () if known else (x, y):
                if side in self.free[centre]:
                    proposals.setdefault((side, centre), set()).add(triple)
        return proposals

    def meek_arrows(self) -> _Proposals:
        """The arrows that Meek's rules 1, 3 and 4 draw, with the triples that they rely on."""
        return {
            (a, b): claims
            for a, b in both_ways(self.undirected - self.contested)
            if (claims := self.claims(a, b))
        }

    def claims(self, a: str, b: str) -> set[Triple]:
        """Triples that are no colliders, but would be, or need a cycle, unless a -> b."""
        parents, adjacent, free = self.parents, self.adjacent, self.free
        relied_on = [(c, b) for c in parents[a] - adjacent[b]]  # rule 1
        relied_on += [  # rule 3
            (c, d) for c, d in combinations(free[a] & parents[b], 2) if d not in adjacent[c]
        ]
        relied_on += [  # rule 4
            (d, b) for c in parents[b] & adjacent[a] for d in parents[c] & free[a] - adjacent[b]
        ]
        return {triple_of(x, a, y) for x, y in relied_on} - self.ambiguous

    def forced(self) -> list[Arrow]:
        """The edges whose other direction would close a cycle: Meek's rule 2."""
        graph = BitsetGraph.of(self.nodes, self.arrows)
        below = {
            node: graph.names_in(graph.descendants(graph.bits(node))) for node in graph.names
        }
        open_edges = self.undirected - self.contested
        return [(a, b) for a, b in both_ways(open_edges) if b in below[a]]

    def settle(self, proposals: _Proposals, support: Mapping[Triple, float]) -> None:
        """Accept the proposed arrows that no other contradicts and that close no cycle."""
        agreed = set()
        for arrow, claims in proposals.items():
            opposite = proposals.get(arrow[::-1])
            if opposite is None:
                agreed.add(arrow)
                continue
            here, there = (
                max(support.get(claim, 0.0) for claim in side) for side in (claims, opposite)
            )
            if here > there:
                agreed.add(arrow)
                self.record(arrow, "outweighed", claims | opposite)
            elif here == there and arrow == edge_of(*arrow):
                self.contest(arrow, "both ways", claims | opposite)
        graph = BitsetGraph.of(self.nodes, self.arrows | agreed)
        for cause, effect in agreed:
            if graph.descendants(graph.bits(effect)) & graph.bits(cause):
                self.contest((cause, effect), "cycle", proposals[cause, effect])
        self.direct(arrow for arrow in agreed if edge_of(*arrow) not in self.contested)
        # That nothing causes itself is no evidence: a claim against it does not hold it up.
        forced = self.forced()
        for a, b in forced:
            if claims := self.claims(b, a):
                self.record((a, b), "cycle", claims)
        self.direct(forced)

    def contest(self, arrow: Arrow, reason: Reason, claims: set[Triple]) -> None:
        """Leave the edge undirected for good, and say why."""
        self.record(arrow, reason, claims)
        self.contested.add(edge_of(*arrow))

    def record(self, arrow: Arrow, reason: Reason, claims: set[Triple]) -> None:
        self.conflicts.append(Conflict(edge_of(*arrow), reason, tuple(sorted(claims))))


def triple_of(a: str, centre: str, b: str) -> Triple:
    """The triple with its outer nodes sorted."""
    return (a, centre, b) if a < b else (b, centre, a)


def edge_of(a: str, b: str) -> Edge:
    """The edge between two nodes, its ends sorted."""
    return (a, b) if a < b else (b, a)


def both_ways(edges: Iterable[Edge]) -> list[Arrow]:
    """Each edge as the two arrows it may become."""
    return [arrow for a, b in edges for arrow in ((a, b), (b, a))]


def _check(nodes: Collection[str], arrows: Collection[Arrow], order: KnownOrder) -> None:
    """Refuse a graph that breaks what is known or has a cycle.

    Only knowledge can bring that about: no later arrow is drawn against it or into a cycle.
    """
    problems = [
        Problem(
            f"{cause!r} and {effect!r} are joined, but neither may cause the other.",
            remedy="Allow one direction, or leave the edge out.",
        )
        for cause, effect in sorted(arrows)
        if cause < effect and not order.may_cause(cause, effect)
    ]
    cycle = BitsetGraph.of(nodes, arrows).cycle()
    if cycle and not problems:
        problems.append(
            Problem(
                f"What is known makes a cycle of the edges found: {' -> '.join(cycle)}.",
                remedy="Drop one of the tiers or arrows that force it.",
            )
        )
    if problems:
        raise KnowledgeError(*problems)
