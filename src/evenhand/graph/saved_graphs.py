"""Reads graphs from files; those that were learned remember from what, and how."""

import json
from pathlib import Path
from typing import Any

from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.edge_notation import unreadable
from evenhand.graph.graph_readers import graph_of
from evenhand.graph.partial_graph import DiscoveryRecord, PartialGraph
from evenhand.question import GraphEdit


def load_graph(path: str | Path) -> CausalGraph | PartialGraph:
    """Read a .json, .dot, .gv or .txt file: a causal graph if every edge in it is an arrow.

    A JSON file may be a certificate. A graph that was learned has a record of that.
    """
    graph = PartialGraph.load(path)
    record = _read_record(Path(path))
    if record is not None:
        return PartialGraph(graph.nodes, graph.arrows, graph.undirected, record)
    return graph if graph.undirected else CausalGraph(graph.nodes, graph.arrows)


def _read_record(path: Path) -> DiscoveryRecord | None:
    """How the graph in a JSON file was learned, if the file says that it was."""
    if path.suffix.lower() != ".json":
        return None
    content = json.loads(path.read_text("utf-8"))
    graph: Any = graph_of(content)
    origin = graph.get("origin")
    if not isinstance(origin, dict) or origin.get("kind") != "learned":
        return None
    try:
        digest = origin.get("counts") or _partition_digest(content)
        return DiscoveryRecord(
            algorithm=str(origin["algorithm"]),
            test=str(origin["test"]),
            significance=float(origin["significance"]),
            ambiguous=tuple((a, centre, b) for a, centre, b in graph.get("doubtful", [])),
            rows="original" if origin["rows"] == "original" else "other",
            counts=str(digest),
            decision_last=bool(origin["decision_last"]),
            edits=tuple(GraphEdit(**edit) for edit in origin.get("edits", [])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable(
            f"The origin of the graph cannot be read: {error}.",
            "Leave `origin` out, or save the graph again.",
            str(path),
        ) from error


def _partition_digest(content: Any) -> str:  # noqa: ANN401  # parsed JSON
    """The digest of the counts that a certificate rests on; a shared copy has none."""
    partitions = content.get("partitions") or [{}]
    return str(partitions[0].get("digest") or "unknown")
