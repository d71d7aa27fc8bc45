"""What a partly directed graph leaves open: the possible parents of a node, and whole graphs.

A graph without undirected edges extends a partly directed one if it has the same edges, keeps
all arrows, has no cycle and adds no collider. Colliders at triples that are in doubt, because
votes were even or edges contested, are not held against it: the data do not exclude them.

Nodes are bits here, as in ``d_separation``; arrows are the parents of each node.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import ResourceError
from evenhand.graph.d_separation import BitsetGraph, members, transposed
from evenhand.graph.orientation import Triple, both_ways, triple_of
from evenhand.question.knowledge import Arrow
from evenhand.question.question import Question

_MOST_NEIGHBORS = 12

# For each node the set of its parents; an edge, and a triple with its centre in the middle.
Parents: TypeAlias = tuple[int, ...]
BitEdge: TypeAlias = tuple[int, int]
BitTriple: TypeAlias = tuple[int, int, int]


class ParentSets(NamedTuple):
    """All sets that may be the parents of a node.

    ``consistent`` is false when the graph contradicts itself, so that no graph extends it; the
    sets then only keep its arrows and make no cycle.
    """

    sets: tuple[frozenset[str], ...]
    consistent: bool = True


@dataclass(frozen=True)
class OpenGraph:
    """A graph of which some edges have no direction, and what a direction must respect.

    ``linked`` are the nodes that an edge joins to each node, whatever its direction; what a
    node has ``earlier`` it causes in no graph. ``doubtful`` holds, by a centre and a node, the
    nodes with which that node may form a collider there. With ``any_colliders`` colliders may
    arise everywhere.
    """

    names: tuple[str, ...]
    parents: Parents
    linked: Parents
    earlier: Parents
    doubtful: Mapping[BitEdge, int]
    any_colliders: bool = False

    @classmethod
    def of(
        cls,
        graph: Any,  # noqa: ANN401  # a ``PartialGraph``, of a module that imports this one
        question: Question | None = None,
    ) -> "OpenGraph":
        """What a graph leaves open, as bits in the order of its nodes.

        With a question, its decision does not cause its protected attribute, be it through
        others: whoever asks it takes that for granted.
        """
        bits = BitsetGraph.of(graph.nodes, graph.arrows)
        joined = both_ways((*graph.arrows, *graph.undirected))
        protected = question.protected_names if question else ()
        earlier = [(name, question.decision) for name in protected if question]
        place = {name: at for at, name in enumerate(bits.names)}
        doubtful: dict[BitEdge, int] = {}
        for a, centre, b in graph.doubtful:
            for end, other in ((a, b), (b, a)):
                key = place[centre], place[end]
                doubtful[key] = doubtful.get(key, 0) | 1 << place[other]
        return cls(
            bits.names,
            bits.parents,
            BitsetGraph.of(bits.names, joined).parents,
            BitsetGraph.of(bits.names, earlier).parents,
            doubtful,
        )

    @cached_property
    def undirected(self) -> tuple[BitEdge, ...]:
        """The open edges, the lower end first."""
        children = transposed(self.parents)
        return tuple(
            (a, b)
            for a, linked in enumerate(self.linked)
            for b in members(linked & ~self.parents[a] & ~children[a])
            if a < b
        )

    @cached_property
    def mixed(self) -> BitsetGraph:
        """The graph with each open edge as arrows both ways."""
        children = transposed(self.parents)
        both = (linked & ~below for linked, below in zip(self.linked, children, strict=True))
        return BitsetGraph.with_parents(self.names, both)

    def within(self, nodes: int) -> "OpenGraph":
        """The edges between these nodes alone."""
        parents, linked = (
            tuple(near & nodes if nodes >> at & 1 else 0 for at, near in enumerate(each))
            for each in (self.parents, self.linked)
        )
        return replace(self, parents=parents, linked=linked)

    def arrows(self, parents: Parents) -> frozenset[Arrow]:
        """The arrows by their names."""
        return frozenset(
            (self.names[cause], self.names[effect])
            for effect, causes in enumerate(parents)
            for cause in members(causes)
        )

    def extension(self) -> tuple[frozenset[Arrow], tuple[Triple, ...]]:
        """The arrows once every edge has a direction, and colliders that had to be added."""
        added: list[BitTriple] = []
        parents = self.extend(self.parents, added=added) or self.parents
        names = (triple_of(*(self.names[at] for at in triple)) for triple in added)
        return self.arrows(parents), tuple(names)

    def extend(
        self,
        parents: Parents,
        within: int | None = None,
        added: list[BitTriple] | None = None,
    ) -> Parents | None:
        """An admissible graph with these arrows, if there is one.

        A node without outgoing arrows at which no collider arises when all its undirected edges
        point to it is taken away with its edges, and the rest is treated likewise (Dor and
        Tarsi). Where there is none, the graph contradicts itself: nothing is returned, or if
        colliders may be ``added``, a node with the fewest is taken and they are listed there.
        Among equals the last one is taken first. What a node has ``earlier`` is not taken
        before it, so that no arrows lead there. Only edges that end ``within`` some nodes are
        directed, if any are given.
        """
        linked = self.linked
        after = [own | before for own, before in zip(parents, self.earlier, strict=True)]
        effects = transposed(after)
        whole = (1 << len(self.names)) - 1
        rest = whole if within is None else within
        outside = whole & ~rest

        def new_colliders(sink: int) -> Iterator[tuple[int, int]]:
            """The colliders that come about when all undirected edges point to the node.

            Each end with those beside it, so that none is there twice.
            """
            known = parents[sink]
            inward = linked[sink] & rest | known & outside
            for a in members(inward & ~known):
                inward ^= 1 << a
                if beside := inward & ~self._allowed_beside(sink, a):
                    yield a, beside

        def ready(candidates: int) -> int:
            """Those of the nodes that have no effect left and get no new collider."""
            last = (x for x in members(candidates & rest) if not effects[x] & rest)
            return sum(1 << x for x in last if next(new_colliders(x), None) is None)

        directed = [0] * len(self.names)
        # What gets no new collider will get none later: only what loses an edge is seen again.
        sinks = ready(rest)
        while rest:
            if not sinks:
                if added is None:
                    return None
                last = (x for x in members(rest) if not effects[x] & rest)
                least = min(
                    last, key=lambda x: (sum(b.bit_count() for _, b in new_colliders(x)), -x)
                )
                added += sorted(
                    (min(a, b), least, max(a, b))
                    for a, beside in new_colliders(least)
                    for b in members(beside)
                )
                sinks = 1 << least
            sink = sinks.bit_length() - 1
            directed[sink] = linked[sink] & rest | parents[sink] & outside
            rest &= ~(1 << sink)
            sinks = (sinks | ready((linked[sink] | after[sink]) & ~sinks)) & rest
        return tuple(directed)

    def colliders(self, parents: Parents) -> set[BitTriple]:
        """The triples of which the outer two point to the centre and are not joined."""
        return {
            (a, centre, b)
            for centre, causes in enumerate(parents)
            for a, b in combinations(members(causes), 2)
            if not self.linked[a] >> b & 1
        }

    def parent_sets(self, node: str, progress: ProgressCallback | None = None) -> ParentSets:
        """Try every way to direct the undirected edges at a node; keep what can be extended."""
        at = self.names.index(node)
        edges = [edge for edge in self.undirected if at in edge]
        if len(edges) > _MOST_NEIGHBORS:
            raise ResourceError.of(
                f"{len(edges)} edges at {node!r} have no direction.",
                f"All their directions together are tried for at most {_MOST_NEIGHBORS}.",
                "Give tiers, require arrows, or give a graph.",
            )
        next_edge = partial(first_open, edges)
        consistent = self.extend(self.parents) is not None
        opened = self if consistent else replace(self, any_colliders=True)
        ways = opened.directed_ways(next_edge, progress)
        causes = {parents[at] for parents, _ in ways}
        by_size = sorted(causes, key=lambda nodes: (nodes.bit_count(), [*members(nodes)]))
        names = BitsetGraph.with_parents(self.names, self.parents).names_in
        return ParentSets((*map(names, by_size),), consistent)

    def adds_collider(self, parents: Parents, cause: int, effect: int) -> bool:
        """Whether a new arrow makes a collider with one of the others that may not be."""
        others = parents[effect] & ~(1 << cause)
        return bool(others & ~self._allowed_beside(effect, cause))

    def _allowed_beside(self, centre: int, cause: int) -> int:
        """The nodes that may point to a centre together with a cause of it."""
        if self.any_colliders:
            return -1
        return self.linked[cause] | self.doubtful.get((centre, cause), 0)

    def directed_ways(
        self,
        next_edge: Callable[[Parents], BitEdge | None],
        progress: ProgressCallback | None = None,
    ) -> Iterator[tuple[Parents, Parents]]:
        """Every way to direct one edge after the other until there is no next one.

        Each with a graph that has these arrows. The next edge is chosen by the arrows there
        are. The graph in hand says which direction to try first, so a new graph is searched for
        only when an edge is turned. Each search is reported: with a hundred columns it takes a
        while.
        """
        reporter = ProgressReporter(progress)
        branches = [(self.parents, partial(self.extend, self.parents))]
        while branches:
            parents, find = branches.pop()
            whole = find()
            if parents is not self.parents:
                reporter.advance("directing the open edges", 1)
            if whole is None:
                continue
            while edge := next_edge(parents):
                effect, cause = edge if whole[edge[0]] >> edge[1] & 1 else edge[::-1]
                turned = _with_arrow(parents, effect, cause)
                branches.append((turned, partial(self._turned, turned, whole, effect, cause)))
                parents = _with_arrow(parents, cause, effect)
            yield parents, whole

    def _turned(
        self, parents: Parents, whole: Parents, cause: int, effect: int
    ) -> Parents | None:
        """A whole graph like that one, but with an arrow that is among these, if there is one.

        Only what can lie on one cycle with the arrow is directed anew: no direction there bears
        on a cycle or a collider elsewhere.
        """
        if self.adds_collider(parents, cause, effect):
            return None
        node = 1 << cause
        part = self.cyclic.descendants(node) & self.cyclic.ancestors(node)
        anew = self.extend(parents, part)
        return anew and tuple(
            new if part >> at & 1 else old
            for at, (new, old) in enumerate(zip(anew, whole, strict=True))
        )

    @cached_property
    def cyclic(self) -> BitsetGraph:
        """The graph in which open edges run both ways, and earlier nodes lead to later ones."""
        pairs = zip(self.mixed.parents, self.earlier, strict=True)
        return BitsetGraph.with_parents(self.names, (own | before for own, before in pairs))


def first_open(edges: Iterable[BitEdge], parents: Parents) -> BitEdge | None:
    """The first edge that has no direction yet."""
    return next(((a, b) for a, b in edges if not (parents[a] >> b | parents[b] >> a) & 1), None)


def _with_arrow(parents: Parents, cause: int, effect: int) -> Parents:
    return (*parents[:effect], parents[effect] | 1 << cause, *parents[effect + 1 :])
