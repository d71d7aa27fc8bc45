"""Graphs made from others: edited by a person, without some nodes, or with predictions."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from evenhand.errors import GraphError
from evenhand.graph.graph import PartialGraph
from evenhand.graph.orientation import Edge, both_ways, edge_of, triple_of
from evenhand.question import Arrow, GraphEdit

_Graph = TypeVar("_Graph", bound=PartialGraph)


def require_graph(graph: object) -> PartialGraph | None:
    """The graph, or None for none; a text, or the graph of another library, is refused."""
    if graph is None or isinstance(graph, PartialGraph):
        return graph
    raise GraphError.of(
        f"The graph is of the type {type(graph).__name__}.",
        remedy="Give a CausalGraph or a PartialGraph, as CausalGraph.parse('a -> b') makes it.",
    )


def edited(graph: PartialGraph, edits: Iterable[GraphEdit]) -> PartialGraph:
    """The graph with these edits, made one after the other; one that does not fit is refused.

    An added arrow directs an edge that had no direction; an edge left open has none, and no
    rule gives it one, unless the other one would close a cycle: its triples are in doubt.
    Doubts that remain are those about edges that are still there. Edits that the graph has
    already had are passed over.
    """
    new = [edit for edit in edits if edit not in graph.edits]
    if not new:
        return graph
    arrows: set[Arrow] = {*graph.arrows}
    undirected: set[Edge] = {*graph.undirected}
    for edit in new:
        _make(edit, arrows, undirected, graph.nodes)
    opened = {edge_of(*edit.arrow) for edit in new if edit.kind == "open"} & undirected
    joined = {frozenset(pair) for pair in (*arrows, *undirected)}
    around = {
        triple_of(a, centre, b)
        for edge in opened
        for a, centre in (edge, edge[::-1])
        for b in graph.nodes
        if b != a and frozenset((centre, b)) in joined
    }
    doubts = frozenset(
        (a, centre, b)
        for a, centre, b in graph.doubtful | around
        if {frozenset((a, centre)), frozenset((centre, b))} <= joined
    )
    # A causal graph of which an edge was left open is one no longer.
    made = PartialGraph if undirected else type(graph)
    return made(
        graph.nodes,
        frozenset(arrows),
        frozenset(undirected),
        graph.record and replace(graph.record, ambiguous=(), conflicts=()),
        edits=(*graph.edits, *new),
        unedited=graph.unedited if graph.edits else graph,
        doubts=doubts,
    )


def _make(
    edit: GraphEdit, arrows: set[Arrow], undirected: set[Edge], nodes: Collection[str]
) -> None:
    """Change the edges as an edit says."""
    cause, effect = edit.arrow
    if unknown := [name for name in edit.arrow if name not in nodes]:
        raise GraphError.unknown(unknown, nodes)
    edge, turned = edge_of(cause, effect), (effect, cause)
    fits = {
        "add": edit.arrow not in arrows and turned not in arrows,
        "remove": edit.arrow in arrows or edge in undirected,
        "reverse": edit.arrow in arrows,
        "open": edge not in undirected,
    }[edit.kind]
    if not fits:
        is_joined = edit.kind in ("add", "open")
        raise GraphError.of(
            f"The edit does not fit the graph: {edit}.",
            f"{cause!r} and {effect!r} are "
            + ("joined already." if is_joined else "not joined that way."),
            "Drop the edit, or mend it.",
        )
    arrows -= {edit.arrow, turned} if edit.kind == "open" else {edit.arrow}
    undirected.discard(edge)
    if edit.kind == "open":
        undirected.add(edge)
    elif edit.kind != "remove":
        arrows.add(edit.arrow if edit.kind == "add" else turned)


def fitting_edits(graph: PartialGraph, edits: Iterable[GraphEdit]) -> PartialGraph:
    """The graph with those edits that fit it."""
    for edit in edits:
        with suppress(GraphError):
            graph = edited(graph, [edit])
    return graph


def without_nodes(graph: _Graph, names: Collection[str]) -> _Graph | None:
    """The graph of the other nodes: the causes of one that is left out take its place.

    None if an edge without direction ends at one of them.
    """
    if any({*edge} & {*names} for edge in graph.undirected):
        return None
    arrows = {*graph.arrows}
    for name in names:
        causes = {a for a, b in arrows if b == name}
        effects = {b for a, b in arrows if a == name}
        arrows = {arrow for arrow in arrows if name not in arrow}
        arrows |= {(cause, effect) for cause in causes for effect in effects}
    nodes = tuple(node for node in graph.nodes if node not in names)
    return type(graph)(nodes, frozenset(arrows), graph.undirected)


def graph_of_predictions(
    graph: PartialGraph, decision: str, predictions: str, *, kept: Collection[str] = ()
) -> PartialGraph:
    """The graph with predictions in place of the decision, and without what that caused.

    Predictions are compared among people alike in the causes of the recorded decision. What
    that decision brought about, predictions did not: it is no part of their graph. The graph
    stays whole where one of these effects is to be kept, where an edge without direction leaves
    open what an effect is, or where edits made an effect of a cause.
    """
    effects = graph.descendants(decision)
    if effects.isdisjoint(kept) and all(
        _is_last(one, effects) for one in (graph, graph.unedited) if one is not None
    ):
        graph = _without_effects(graph, effects)
    return graph.renamed(decision, predictions)


def _is_last(graph: PartialGraph, nodes: frozenset[str]) -> bool:
    """Whether nothing else comes after the nodes, or may do so."""
    return not any(
        cause in nodes and effect not in nodes
        for cause, effect in (*graph.arrows, *both_ways(graph.undirected))
    )


def _without_effects(graph: _Graph, names: frozenset[str]) -> _Graph:
    """The graph without nodes that cause nothing else; doubts and edits about others stay."""
    edits = tuple(edit for edit in graph.edits if names.isdisjoint(edit.arrow))
    before = graph.unedited if edits else None
    return replace(
        graph,
        nodes=tuple(node for node in graph.nodes if node not in names),
        arrows=frozenset(arrow for arrow in graph.arrows if names.isdisjoint(arrow)),
        undirected=frozenset(edge for edge in graph.undirected if names.isdisjoint(edge)),
        record=graph.record and replace(graph.record, ambiguous=(), conflicts=()),
        edits=edits,
        unedited=before and _without_effects(before, names),
        doubts=frozenset(triple for triple in graph.doubtful if names.isdisjoint(triple)),
    )
