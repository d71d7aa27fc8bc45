"""What a partly directed graph leaves open: the possible parents of a node, and whole graphs.

A graph without undirected edges extends a partly directed one if it has the same edges, keeps
all arrows, has no cycle and adds no collider. Colliders at triples that are in doubt, because
votes were even or edges contested, are not held against it: the data do not exclude them.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from evenhand.display import Described, Summary
from evenhand.errors import ResourceError
from evenhand.graph.d_separation import BitsetGraph, members
from evenhand.graph.orientation import Edge, Triple, both_ways, triple_of
from evenhand.question.knowledge import Arrow

_MOST_NEIGHBORS = 12
_CONTRADICTION = (
    "The graph contradicts itself: every way to direct its edges adds a collider. "
    "The sets keep its arrows and make no cycle."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentSets(Described):
    """All sets that may be the parents of a node.

    ``consistent`` is false when the graph contradicts itself, so that no graph extends it; the
    sets then only keep its arrows and make no cycle.
    """

    node: str
    sets: tuple[frozenset[str], ...]
    consistent: bool = True

    @property
    def definite(self) -> frozenset[str]:
        """Parents in every set."""
        return frozenset.intersection(*self.sets)

    @property
    def ambiguous(self) -> frozenset[str]:
        """Parents in some sets only."""
        return frozenset.union(*self.sets) - self.definite

    def summary(self) -> Summary:
        """Say it in words."""
        return Summary(
            title=f"{len(self.sets)} possible sets of parents of {self.node}",
            facts=(
                ("parents in all", ", ".join(sorted(self.definite)) or "none"),
                ("in some", ", ".join(sorted(self.ambiguous)) or "none"),
            ),
            notes=() if self.consistent else (_CONTRADICTION,),
        )


def possible_parent_sets(
    node: str,
    nodes: Collection[str],
    arrows: Collection[Arrow],
    undirected: Collection[Edge],
    doubtful: Collection[Triple] = (),
    *,
    earlier: Collection[Arrow] = (),
) -> ParentSets:
    """Try every way to direct the undirected edges at the node; keep what can be extended.

    ``earlier`` holds pairs of which the second causes the first in no graph, joined or not.
    """
    neighbors = sorted({name for edge in undirected if node in edge for name in edge} - {node})
    if len(neighbors) > _MOST_NEIGHBORS:
        raise ResourceError.of(
            f"{len(neighbors)} edges at {node!r} have no direction.",
            f"All their directions together are tried for at most {_MOST_NEIGHBORS}.",
            "Give tiers, require arrows, or give a graph.",
        )
    known = frozenset(cause for cause, effect in arrows if effect == node)
    elsewhere = [edge for edge in undirected if node not in edge]
    joined = set(both_ways((*arrows, *undirected)))
    seen = colliders(arrows, joined).union(doubtful)
    possible, acyclic = [], []
    for size in range(len(neighbors) + 1):
        for chosen in combinations(neighbors, size):
            outward = {(node, name) for name in neighbors if name not in chosen}
            directed = {*arrows, *((name, node) for name in chosen), *outward}
            if BitsetGraph.of(nodes, directed.union(earlier)).cycle():
                continue
            acyclic.append(known.union(chosen))
            if colliders(directed, joined) <= seen:
                _, added = extend(nodes, directed, elsewhere, doubtful, earlier=earlier)
                if not added:
                    possible.append(known.union(chosen))
    return ParentSets(node=node, sets=tuple(possible or acyclic), consistent=bool(possible))


def extend(
    nodes: Collection[str],
    arrows: Collection[Arrow],
    undirected: Collection[Edge],
    doubtful: Collection[Triple] = (),
    *,
    earlier: Collection[Arrow] = (),
) -> tuple[frozenset[Arrow], tuple[Triple, ...]]:
    """Direct every edge; return the arrows and the colliders that had to be added, if any.

    A node without outgoing arrows at which no collider arises when all its undirected edges
    point to it is taken away with its edges, and the rest is treated likewise (Dor and Tarsi).
    Where there is none, the graph contradicts itself, and a node with the fewest such colliders
    is taken. Among equals the last of ``nodes`` is taken first.

    Of a pair in ``earlier`` the first is not taken before the second, so that no arrows lead
    from the second to the first.
    """
    # By place, the last node first: among equals the lowest bit is taken.
    names = [*nodes][::-1]
    graph = BitsetGraph.of(names, arrows)
    linked = BitsetGraph.of(names, both_ways((*arrows, *undirected))).children
    order = BitsetGraph.of(names, (*arrows, *earlier))
    doubts = frozenset(doubtful)

    def new_colliders(sink: int) -> Iterator[Triple]:
        """The colliders that come about when all undirected edges at the node point to it."""
        inward = linked[sink] & rest
        for a in members(inward & ~graph.parents[sink]):
            for b in members(inward & ~linked[a] & ~(1 << a)):
                if a < b or graph.parents[sink] >> b & 1:
                    triple = triple_of(names[a], names[sink], names[b])
                    if triple not in doubts:
                        yield triple

    def ready(candidates: int) -> int:
        """Those of the nodes that have no effect left and get no new collider."""
        last = (x for x in members(candidates & rest) if not order.children[x] & rest)
        return sum(1 << x for x in last if next(new_colliders(x), None) is None)

    directed: set[Arrow] = set()
    added: list[Triple] = []
    rest = (1 << len(names)) - 1
    # What gets no new collider will get none later: only what loses an edge is looked at again.
    sinks = ready(rest)
    while rest:
        if not sinks:
            last = (x for x in members(rest) if not order.children[x] & rest)
            least = min(last, key=lambda x: sum(1 for _ in new_colliders(x)))
            added += sorted(new_colliders(least))
            sinks = 1 << least
        sink = next(members(sinks))
        directed |= {(names[cause], names[sink]) for cause in members(linked[sink] & rest)}
        rest &= ~(1 << sink)
        sinks = (sinks | ready((linked[sink] | order.parents[sink]) & ~sinks)) & rest
    return frozenset(directed), tuple(added)


def colliders(arrows: Iterable[Arrow], joined: set[Edge]) -> set[Triple]:
    """The triples of which the outer two point to the centre and are not joined."""
    causes: dict[str, list[str]] = {}
    for cause, effect in arrows:
        causes.setdefault(effect, []).append(cause)
    return {
        triple_of(a, centre, b)
        for centre, around in causes.items()
        for a, b in combinations(around, 2)
        if (a, b) not in joined
    }
