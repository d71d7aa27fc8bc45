"""Reads graphs from files, JSON, matrices and networkx; input is limited in size."""

import json
from pathlib import Path
from typing import Any

from evenhand.errors import did_you_mean, listed
from evenhand.graph.dot_format import read_dot
from evenhand.graph.edge_notation import (
    LARGEST_FILE,
    Edges,
    check_size,
    read_text,
    size_error,
    unreadable,
)
from evenhand.question.knowledge import Arrow


def read_file(path: str | Path) -> Edges:
    """Read a graph from a file: .json, .dot or .gv, or .txt with one edge a line."""
    path = Path(path)
    read = {".json": read_json, ".dot": read_dot, ".gv": read_dot, ".txt": read_text}.get(
        path.suffix.lower()
    )
    if read is None:
        raise unreadable(
            f"Files that end in {path.suffix or 'nothing'!r} are not read as graphs.",
            "Give a .json, .dot, .gv or .txt file.",
            str(path),
        )
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise size_error(str(path))
        return read(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(
            f"The graph cannot be read: {error}.", "Give a text file in UTF-8.", str(path)
        ) from error


def read_json(text: str, where: str = "graph") -> Edges:
    """Read ``{"nodes": [...], "arrows": [[from, to], ...], "undirected": [[a, b], ...]}``."""
    try:
        content = json.loads(check_size(text, where))
    except (ValueError, RecursionError) as error:
        raise unreadable(f"This is not JSON: {error}.", "Mend the file.", where) from error
    return read_dict(content, where)


def read_dict(content: object, where: str = "graph") -> Edges:
    """Read the content of a JSON graph, or of a certificate that holds one.

    Where a graph came from and what remained in doubt is for ``load_graph``.
    """
    content = graph_of(content)
    keys = ("nodes", "arrows", "undirected", "doubtful", "origin")
    if not isinstance(content, dict):
        raise unreadable(
            "A graph is a JSON object.", f"Its keys are {listed(keys[:3])}.", where
        )
    unknown = [str(key) for key in content if key not in keys]
    if unknown:
        raise unreadable(
            f"Nothing is known of {listed(unknown)}. {did_you_mean(unknown[0], keys)}".strip(),
            f"The keys of a graph are {listed(keys[:3])}.",
            where,
        )
    edges = Edges(*(content.get(key, []) for key in keys[:3]))
    if not all(isinstance(part, list) for part in edges):
        raise unreadable(
            "Nodes and edges are not lists.",
            'Write {"nodes": ["a", "b"], "arrows": [["a", "b"]], "undirected": []}.',
            where,
        )
    return edges


def graph_of(content: object) -> object:
    """The graph in the content of a certificate; any other content as it is."""
    if isinstance(content, dict) and "format" in content and "graph" in content:
        return content["graph"]
    return content


def read_matrix(matrix: Any, names: Any = None) -> Edges:  # noqa: ANN401 - any table of numbers
    """Read 1 in row a and column b as ``a -> b``, and 1 in both places as ``a - b``."""
    labels = [*(getattr(matrix, "columns", ()) if names is None else names)]
    index = getattr(matrix, "index", None)
    rows = [list(row) for row in (matrix.to_numpy() if hasattr(matrix, "to_numpy") else matrix)]
    size = len(labels)
    if (
        len(rows) != size
        or any(len(row) != size for row in rows)
        or (names is None and index is not None and not callable(index) and [*index] != labels)
        or any(value not in (0, 1) for row in rows for value in row)
    ):
        raise unreadable(
            "This is no adjacency matrix of the named nodes.",
            "Give as many rows as columns, in the same order, of 0 and 1, with a name each.",
            "adjacency matrix",
        )
    return from_arcs(
        labels,
        [(labels[i], labels[j]) for i in range(size) for j in range(size) if rows[i][j]],
    )


def read_networkx(graph: Any) -> Edges:  # noqa: ANN401 - an object of the user
    """Read a networkx graph by its methods, so that networkx need not be imported here.

    Arcs both ways are one undirected edge.
    """
    if graph.is_multigraph():
        raise unreadable(
            "A multigraph may join two nodes more than once.",
            "Give a DiGraph or a Graph.",
            "networkx graph",
        )
    if graph.is_directed():
        return from_arcs([*graph.nodes], [*graph.edges])
    return Edges([*graph.nodes], [], [*graph.edges])


def from_arcs(nodes: list[str], arcs: list[Arrow]) -> Edges:
    """Take arcs that run both ways for undirected edges."""
    present = set(arcs)
    both = {arc for arc in present if arc[::-1] in present and arc[0] != arc[1]}
    return Edges(
        nodes,
        [arc for arc in arcs if arc not in both],
        [(a, b) for a, b in {frozenset(arc) for arc in both}],
    )
