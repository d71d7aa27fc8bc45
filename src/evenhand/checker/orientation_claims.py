"""The claim that effects were measured in every graph that the open edges allow.

Only the arrows among the ancestors of decision and protected attribute bear on effects. A graph
is allowed if it has no cycle, no new collider of unjoined causes but where that is in doubt,
and if the decision does not cause the protected attribute. If there is none, any colliders
may be.
"""

from itertools import combinations, product

from .graph_claims import RecordedGraph, reachable

MOST_OPEN = 12  # edges that can be directed in 4096 ways
Arrows = frozenset[tuple[str, str]]


def check_graphs(
    graph: RecordedGraph, recorded: list[Arrows], *, consistent: bool
) -> tuple[bool, list[str]]:
    """Whether colliders are as they were found, and which graphs are missing or not allowed.

    With very many open edges the first is taken as recorded, and none is found to be missing.
    """
    right = {one for one in recorded if is_allowed(graph, one, known_colliders=consistent)}
    if len(graph.undirected) <= MOST_OPEN:
        right, consistent = allowed_graphs(graph)
    errors = [
        f"indirect.graphs: {sorted(arrows)} is missing or not allowed"
        for arrows in sorted(right.symmetric_difference(recorded), key=sorted)
    ]
    twice = ["indirect.graphs: one of them is there twice"]
    return consistent, errors + twice * (len({*recorded}) < len(recorded))


def allowed_graphs(graph: RecordedGraph) -> tuple[set[Arrows], bool]:
    """The arrows of every graph, and whether colliders are as they were found."""
    ways = product(*(((a, b), (b, a)) for a, b in graph.undirected))
    whole = [way for more in ways if is_ordered(graph, way := graph.arrows | {*more})]
    fitting = [way for way in whole if has_known_colliders(graph, way)]
    return {among_ancestors(graph, way) for way in fitting or whole}, bool(fitting)


def is_allowed(graph: RecordedGraph, own: Arrows, *, known_colliders: bool) -> bool:
    """Whether arrows are those among the ancestors in one way to direct the open edges."""
    way = graph.arrows | own
    above = graph.ends.union(*among_ancestors(graph, way))
    directed = {frozenset(arrow) for arrow in way}
    return (
        own == among_ancestors(graph, way)
        and own <= graph.arrows | graph.either_way
        and is_ordered(graph, way)
        and all(frozenset(edge) in directed for edge in graph.undirected if {*edge} <= above)
        and (not known_colliders or has_known_colliders(graph, way))
    )


def among_ancestors(graph: RecordedGraph, arrows: set[tuple[str, str]]) -> Arrows:
    """The arrows to decision and protected attributes, and to whatever leads there."""
    above = reachable(graph.ends, {(b, a) for a, b in arrows})
    return frozenset(arrow for arrow in arrows if arrow[1] in above)


def is_ordered(graph: RecordedGraph, arrows: set[tuple[str, str]]) -> bool:
    """Whether arrows form no cycle, with the protected attributes before the decision."""
    left = arrows | graph.direct
    while more := {(a, b) for a, b in left if b in {cause for cause, _ in left}}:
        if more == left:
            return False
        left = more
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
