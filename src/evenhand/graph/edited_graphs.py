"""A graph with edits: arrows added, removed, reversed or left open, and the rest as it was."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from evenhand.errors import GraphError
from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.orientation import Edge, edge_of, triple_of
from evenhand.graph.partial_graph import PartialGraph
from evenhand.question import Arrow, GraphEdit


def require_graph(graph: object) -> CausalGraph | PartialGraph | None:
    """The graph, or None for none; a text, or the graph of another library, is refused."""
    if graph is None or isinstance(graph, CausalGraph | PartialGraph):
        return graph
    raise GraphError.of(
        f"The graph is of the type {type(graph).__name__}.",
        remedy="Give a CausalGraph or a PartialGraph, as CausalGraph.parse('a -> b') makes it.",
    )


def edited(
    graph: CausalGraph | PartialGraph, edits: Iterable[GraphEdit]
) -> CausalGraph | PartialGraph:
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
        cause, effect = edit.arrow
        if unknown := [name for name in edit.arrow if name not in graph.nodes]:
            raise GraphError.unknown(unknown, graph.nodes)
        edge, turned = edge_of(cause, effect), (effect, cause)
        fits = {
            "add": edit.arrow not in arrows and turned not in arrows,
            "remove": edit.arrow in arrows or edge in undirected,
            "reverse": edit.arrow in arrows,
            "open": edge not in undirected,
        }[edit.kind]
        if not fits:
            raise GraphError.of(
                f"The edit does not fit the graph: {edit}.",
                f"{cause!r} and {effect!r} are "
                + (
                    "joined already."
                    if edit.kind in ("add", "open")
                    else "not joined that way."
                ),
                "Drop the edit, or mend it.",
            )
        arrows -= {edit.arrow, turned} if edit.kind == "open" else {edit.arrow}
        undirected.discard(edge)
        if edit.kind == "open":
            undirected.add(edge)
        elif edit.kind != "remove":
            arrows.add(edit.arrow if edit.kind == "add" else turned)
    opened = {edge_of(*edit.arrow) for edit in new if edit.kind == "open"} & undirected
    if opened and isinstance(graph, CausalGraph):
        before = graph.unedited
        graph = PartialGraph(
            graph.nodes,
            graph.arrows,
            edits=graph.edits,
            unedited=PartialGraph(before.nodes, before.arrows) if before else None,
        )
    graph = graph if graph.edits else graph.with_itself_unedited()
    if isinstance(graph, PartialGraph):
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
        record = graph.record and replace(graph.record, ambiguous=(), conflicts=())
        graph = replace(graph, record=record, doubts=doubts)
    return replace(
        graph,
        arrows=frozenset(arrows),
        undirected=frozenset(undirected),
        edits=(*graph.edits, *new),
    )


def fitting_edits(
    graph: CausalGraph | PartialGraph, edits: Iterable[GraphEdit]
) -> CausalGraph | PartialGraph:
    """The graph with those edits that fit it."""
    for edit in edits:
        with suppress(GraphError):
            graph = edited(graph, [edit])
    return graph
