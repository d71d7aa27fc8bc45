"""Reads graphs from files; those that were learned remember from what, and how."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evenhand.errors import GraphError
from evenhand.graph.discovery_record import DiscoveryRecord
from evenhand.graph.edges import Edges
from evenhand.graph.graph import CausalGraph, PartialGraph
from evenhand.graph.orientation import Triple
from evenhand.graph.text_formats import graph_of, read_file
from evenhand.question import GraphEdit, Knowledge


def load_graph(path: str | Path) -> PartialGraph:
    """Read a file in one of many formats: a causal graph if every edge in it is an arrow.

    A JSON file may be a certificate. A graph that was learned has a record of that. Other
    formats are edges as text, DOT, dagitty, bnlearn's model string, Tetrad's text and BIF.
    """
    try:
        edges, content = read_file(Path(path))
        return _graph(edges, content)
    except GraphError as error:
        problems = (
            replace(problem, where=", ".join(filter(None, (str(path), problem.where))))
            for problem in error.problems
        )
        raise GraphError(*problems) from error


def _graph(edges: Edges, content: Any) -> PartialGraph:  # noqa: ANN401  # parsed JSON
    """The graph with what is known of its origin."""
    parts: tuple[Any, ...] = edges
    graph = PartialGraph(*parts)
    saved: Any = graph_of(content)
    origin = saved.get("origin")
    if isinstance(origin, dict):
        try:
            graph = replace(
                graph,
                record=_record(origin, content) if origin.get("kind") == "learned" else None,
                doubts=_triples(saved, graph.nodes),
                edits=tuple(GraphEdit(**edit) for edit in origin.get("edits", [])),
                unedited=_unedited(origin, graph.nodes),
            )
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise GraphError.of(
                f"The origin of the graph cannot be read: {error}.",
                remedy="Leave `origin` out, or save the graph again.",
            ) from error
    if graph.undirected or graph.record:
        return graph
    return CausalGraph(graph.nodes, graph.arrows, edits=graph.edits, unedited=graph.unedited)


def _record(origin: Mapping[str, Any], content: Any) -> DiscoveryRecord:  # noqa: ANN401
    """How the graph was learned."""
    return DiscoveryRecord(
        algorithm=str(origin["algorithm"]),
        test=str(origin["test"]),
        significance=float(origin["significance"]),
        rows="original" if origin["rows"] == "original" else "other",
        counts=str(origin.get("counts") or _partition_digest(content)),
        knowledge=Knowledge(
            **origin.get("knowledge", {}), tiers_assumed=bool(origin["decision_last"])
        ),
        limits=str(origin.get("limits", "")),
        ended_early=str(origin.get("ended_early", "")),
    )


def _unedited(origin: Mapping[str, Any], nodes: tuple[str, ...]) -> PartialGraph | None:
    """The graph before the edits, if it was saved too."""
    before = origin.get("unedited")
    if before is None:
        return None
    arrows, undirected = (frozenset(map(tuple, before[k])) for k in ("arrows", "undirected"))
    return PartialGraph(nodes, arrows, undirected, doubts=_triples(before, nodes))


def _triples(content: Mapping[str, Any], nodes: Collection[str]) -> frozenset[Triple]:
    return frozenset(_triple(one, nodes) for one in content.get("doubtful", []))


def _triple(names: Sequence[Any], nodes: Collection[str]) -> Triple:
    a, centre, b = names
    if any(name not in [*nodes] for name in names):
        raise ValueError(f"{names!r} are not three nodes")
    return a, centre, b


def _partition_digest(content: Any) -> str:  # noqa: ANN401  # parsed JSON
    """The digest of the counts that a certificate rests on; a shared copy has none."""
    partitions = content.get("partitions") or [{}]
    return str(partitions[0].get("digest") or "unknown")
