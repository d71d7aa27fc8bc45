"""Reads graphs from files; those that were learned remember from what, and how."""

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.edge_notation import unreadable
from evenhand.graph.graph_readers import graph_of
from evenhand.graph.orientation import Triple
from evenhand.graph.partial_graph import DiscoveryRecord, PartialGraph
from evenhand.question import GraphEdit


def load_graph(path: str | Path) -> CausalGraph | PartialGraph:
    """Read a file in one of many formats: a causal graph if every edge in it is an arrow.

    A JSON file may be a certificate. A graph that was learned has a record of that. Other
    formats are edges as text, DOT, dagitty, bnlearn's model string, Tetrad's text, BIF and NET.
    """
    graph = PartialGraph.load(path)
    record, edits = _read_origin(Path(path), graph.nodes)
    if graph.undirected or record is not None:
        return replace(graph, record=record, edits=edits)
    return CausalGraph(graph.nodes, graph.arrows, edits=edits)


def _read_origin(
    path: Path, nodes: Collection[str]
) -> tuple[DiscoveryRecord | None, tuple[GraphEdit, ...]]:
    """How the graph in a JSON file was learned, if it was, and how it was edited."""
    if path.suffix.lower() != ".json":
        return None, ()
    content = json.loads(path.read_text("utf-8-sig"))
    graph: Any = graph_of(content)
    origin = graph.get("origin")
    if not isinstance(origin, dict):
        return None, ()
    try:
        edits = tuple(GraphEdit(**edit) for edit in origin.get("edits", []))
        if origin.get("kind") != "learned":
            return None, edits
        digest = origin.get("counts") or _partition_digest(content)
        record = DiscoveryRecord(
            algorithm=str(origin["algorithm"]),
            test=str(origin["test"]),
            significance=float(origin["significance"]),
            ambiguous=tuple(_triple(one, nodes) for one in graph.get("doubtful", [])),
            rows="original" if origin["rows"] == "original" else "other",
            counts=str(digest),
            decision_last=bool(origin["decision_last"]),
            limits=str(origin.get("limits", "")),
            ended_early=str(origin.get("ended_early", "")),
        )
        return record, edits  # noqa: TRY300  # reading the record may fail, too
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise unreadable(
            f"The origin of the graph cannot be read: {error}.",
            "Leave `origin` out, or save the graph again.",
            str(path),
        ) from error


def _triple(names: Sequence[Any], nodes: Collection[str]) -> Triple:
    a, centre, b = names
    if any(name not in [*nodes] for name in names):
        raise ValueError(f"{names!r} are not three nodes")
    return a, centre, b


def _partition_digest(content: Any) -> str:  # noqa: ANN401  # parsed JSON
    """The digest of the counts that a certificate rests on; a shared copy has none."""
    partitions = content.get("partitions") or [{}]
    return str(partitions[0].get("digest") or "unknown")
