"""The claims about the graph: no cycle, the causes of the decision, block sets, orientations.

Only the arrows among the ancestors of decision and protected attribute bear on effects. A way
to direct the open edges is allowed if it has no cycle, no new collider of unjoined causes but
where that is in doubt, and if the decision does not cause the protected attribute. If there is
none, any colliders may be.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, product

from .record_fields import Record, listed


@dataclass(frozen=True)
class RecordedGraph:
    """The arrows and open edges of a record, and the attributes that it is about."""

    nodes: list[str]
    arrows: set[tuple[str, str]]
    undirected: list[list[str]]
    protected: list[str]
    decision: str
    doubtful: frozenset[tuple[str, ...]] = frozenset()

    @classmethod
    def of(cls, record: Record) -> "RecordedGraph":
        """Read the graph; refuse one that no graph can be."""
        graph, question = record["graph"], record["question"]
        protected, decision = listed(question["protected"]), question["decision"]
        ends = {*protected, decision}
        edges = [{a, b} for a, b in (*graph["arrows"], *graph["undirected"])]
        distinct, nodes = {frozenset(e) for e in edges if len(e) == 2}, graph["nodes"]
        if len(distinct) < len(edges) or sorted({*nodes, *ends}.union(*edges)) != sorted(nodes):
            raise ValueError("graph: a node or an edge is there twice, or an end is no node")
        arrows = {(cause, effect) for cause, effect in graph["arrows"]}
        ordered = arrows | {(name, decision) for name in protected}
        if not is_acyclic(ordered):
            raise ValueError("graph: arrows form a cycle, or lead back from the decision")
        doubtful = frozenset((*triple,) for triple in graph.get("doubtful", ()))
        return cls(nodes, arrows, graph["undirected"], protected, decision, doubtful)

    @property
    def direct(self) -> set[tuple[str, str]]:
        """The arrows from the protected attributes to the decision."""
        return {(name, self.decision) for name in self.protected}

    @property
    def ends(self) -> set[str]:
        """The protected attributes and the decision."""
        return {*self.protected, self.decision}

    @property
    def has_direct_edge(self) -> bool:
        """Whether the protected attribute and the decision are joined."""
        return bool(self.direct & (self.arrows | self.either_way))

    @property
    def either_way(self) -> set[tuple[str, str]]:
        """The open edges as arrows in both directions."""
        return {pair for a, b in self.undirected for pair in ((a, b), (b, a))}

    @property
    def causes(self) -> list[str] | None:
        """The causes of the decision but for the protected attribute; None if they are open."""
        if any(self.decision in edge for edge in self.undirected):
            return None
        return sorted(a for a, b in self.arrows - self.direct if b == self.decision)

    @property
    def possible_effects(self) -> set[str]:
        """What the decision may cause, however the open edges are directed."""
        return reachable({self.decision}, self.arrows | self.either_way) - {self.decision}


def reachable(nodes: set[str], arrows: set[tuple[str, str]]) -> set[str]:
    """The nodes and all descendants of them."""
    while more := {effect for cause, effect in arrows if cause in nodes} - nodes:
        nodes = nodes | more
    return nodes


MOST_ATTRIBUTES = 12  # 4096 combinations


def check_scope(
    record: Record, graph: RecordedGraph, causes: list[list[str]], others: list[list[str]]
) -> tuple[bool, list[str], str]:
    """Whether all was examined that was asked for, what is wrong, and why it is open."""
    asked, written = record["scope"]["asked"], bool(record["scope"]["complete"])
    if asked == "causes":
        return True, ["partitions: only the causes should be there"] * bool(others), ""
    if record["copy"] != "full":
        return written, [], "whether all block sets were examined"
    complete, wrong = check_block_sets(graph, asked, *map(frozenset[str], causes + others))
    if others != sorted(others, key=lambda names: (-len(names), names)):
        wrong.append("partitions: larger block sets come first, and then those by name")
    if complete is not None:
        return complete, wrong, ""
    why = (
        "whether all block sets are here, and whether those above open edges are block sets: "
        f"not worked out with open edges or over {MOST_ATTRIBUTES} attributes"
    )
    return written, wrong, why


def check_block_sets(
    graph: RecordedGraph, asked: str, causes: frozenset[str], *others: frozenset[str]
) -> tuple[bool | None, list[str]]:
    """Whether no block set is missing (None if not worked out), and which sets are none.

    Where some are missing the smallest must be there, as many layers as the limit allowed.
    """
    free = {*graph.nodes} - graph.ends
    complete, sets = None, {names for names in others if is_block_set(graph, names)}
    errors = []
    if not graph.undirected and len(free) <= MOST_ATTRIBUTES:
        trials = chain(*(combinations(free, size) for size in range(len(free) + 1)))
        sets = {names for names in map(frozenset, trials) if is_block_set(graph, names)}
        sets = {s for s in sets if asked == "all" or not any(t < s for t in sets)}
        complete = sets <= {causes, *others}
        chosen = [{*layer} - {causes} for layer in smallest_first(sets)]
        if not complete and {*others} & sets not in chosen:
            errors = ["partitions: these are not the smallest block sets"]
    return complete, [
        *errors,
        *(f"partitions: {sorted(s)} is not a block set" for s in {*others} - sets),
    ]


def smallest_first(sets: set[frozenset[str]]) -> Iterator[set[frozenset[str]]]:
    """No set, then the minimal ones, then besides those with one more attribute, and so on."""
    chosen = set[frozenset[str]]()
    layer = {s for s in sets if not any(t < s for t in sets)}
    yield chosen
    while layer:
        chosen = chosen | layer
        yield chosen
        layer = {s for s in sets - chosen if any(s - {name} in layer for name in s)}


def is_block_set(graph: RecordedGraph, names: frozenset[str]) -> bool:
    """Whether names block all paths but the direct arrow, as far as edges are directed."""
    arrows, side = graph.arrows - graph.direct, {*graph.protected}
    above = reachable({*names, *graph.ends}, {(b, a) for a, b in arrows})
    families = [{node, *(a for a, b in arrows if b == node)} for node in above]
    while more := set().union(*(f for f in families if f & side)) - side - names:
        side |= more
    is_one = graph.decision not in side and not names & reachable({graph.decision}, arrows)
    return is_one or bool(above & {*chain(*graph.undirected)})


MOST_OPEN = 12  # edges that can be directed in 4096 ways
Arrows = frozenset[tuple[str, str]]


def check_graphs(graph: RecordedGraph, recorded: list[Arrows]) -> tuple[bool, list[str]]:
    """Whether colliders are as they were found, and which graphs are missing or not allowed."""
    right, is_consistent = allowed_graphs(graph)
    errors = [
        f"indirect.graphs: {sorted(arrows)} is missing or not allowed"
        for arrows in sorted(right.symmetric_difference(recorded), key=sorted)
    ]
    twice = ["indirect.graphs: one of them is there twice"]
    return is_consistent, errors + twice * (len({*recorded}) < len(recorded))


def allowed_graphs(graph: RecordedGraph) -> tuple[set[Arrows], bool]:
    """The arrows of every graph, and whether colliders are as they were found."""
    ways = product(*(((a, b), (b, a)) for a, b in graph.undirected))
    # The protected attributes come before the decision.
    whole = [w for more in ways if is_acyclic((w := graph.arrows | {*more}) | graph.direct)]
    fitting = [way for way in whole if has_known_colliders(graph, way)]
    return {among_ancestors(graph, way) for way in fitting or whole}, bool(fitting)


def among_ancestors(graph: RecordedGraph, arrows: set[tuple[str, str]]) -> Arrows:
    """The arrows to decision and protected attributes, and to whatever leads there."""
    above = reachable(graph.ends, {(b, a) for a, b in arrows})
    return frozenset(arrow for arrow in arrows if arrow[1] in above)


def is_acyclic(arrows: set[tuple[str, str]]) -> bool:
    """Whether arrows form no cycle: none is left when those at ends are taken away."""
    while more := {(a, b) for a, b in arrows if b in {cause for cause, _ in arrows}}:
        if more == arrows:
            return False
        arrows = more
    return True


def has_known_colliders(graph: RecordedGraph, arrows: set[tuple[str, str]]) -> bool:
    """Whether causes of a node that are not joined were so before, or are in doubt."""
    joined = {frozenset(edge) for edge in (*graph.arrows, *graph.undirected)}
    return all(
        b != d
        or frozenset((a, c)) in joined
        or {(a, b), (c, d)} <= graph.arrows
        or not {(a, b, c), (c, b, a)}.isdisjoint(graph.doubtful)
        for (a, b), (c, d) in combinations(arrows, 2)
    )
