"""Reads graphs from texts, matrices and objects; input is limited in size."""

import json
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

from evenhand.errors import did_you_mean, listed
from evenhand.graph.bayesian_networks import read_bif, read_model_string, read_net
from evenhand.graph.dot_format import read_dot
from evenhand.graph.edge_notation import (
    LARGEST_FILE,
    Edges,
    check_size,
    read_text,
    size_error,
    unmeasured_error,
    unreadable,
)
from evenhand.graph.tetrad_format import ambiguous_error, read_tetrad
from evenhand.question.knowledge import Arrow

Reader: TypeAlias = Callable[[str, str], Edges]

# causal-learn's numbers for the ends of an edge, as Tetrad writes them on either side.
_LEFT_ENDS = {-1: "-", 1: "<", 2: "o"}
_RIGHT_ENDS = {**_LEFT_ENDS, 1: ">"}


def read_file(path: str | Path) -> Edges:
    """Read a graph from a file; what its content does not show, its ending says."""
    path = Path(path)
    read = _BY_ENDING.get(path.suffix.lower())
    if read is None:
        raise unreadable(
            f"Files that end in {path.suffix or 'nothing'!r} are not read as graphs.",
            f"Give a file that ends in one of {listed(_BY_ENDING)}.",
            str(path),
        )
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise size_error(str(path))
        text = path.read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise unreadable(
            "There is no such file.", "Name a file that is there.", str(path)
        ) from error
    except OSError as error:
        raise unreadable(
            f"The graph cannot be read: {error.strerror}.", "Name a text file.", str(path)
        ) from error
    except UnicodeDecodeError as error:
        raise unreadable(
            f"The graph cannot be read: {error}.", "Give a text file in UTF-8.", str(path)
        ) from error
    return read(text, str(path)) if read is read_json else read_any(text, str(path), read)


def read_any(text: str, where: str = "graph", otherwise: Reader = read_text) -> Edges:
    """Read a text in the format that its first words show, if they do."""
    check_size(text, where)
    shown = (read for begin, read in _BY_CONTENT if begin.match(text))
    return next(shown, otherwise)(text, where)


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
    size, rows = len(labels), _matrix_rows(matrix)
    if (
        rows is None
        or len(rows) != size
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


def _matrix_rows(matrix: Any) -> list[list[Any]] | None:  # noqa: ANN401 - any table of numbers
    """The rows of a table of numbers; None if it is none."""
    try:
        rows = matrix.to_numpy() if hasattr(matrix, "to_numpy") else matrix
        return [[*row] for row in rows]
    except TypeError:
        return None


def read_networkx(graph: Any) -> Edges:  # noqa: ANN401 - an object of the user
    """Read a networkx graph by its methods, so that networkx need not be imported here.

    Arcs both ways are one undirected edge, unless pgmpy marks the ends of edges. What pgmpy or
    DoWhy call unmeasured is refused.
    """
    where = "networkx graph"
    if not (hasattr(graph, "is_multigraph") and hasattr(graph, "edges")):
        raise unreadable(
            f"A {type(graph).__name__} is no graph of networkx.",
            "Give a DiGraph or a Graph.",
            where,
        )
    if graph.is_multigraph():
        raise unreadable(
            "A multigraph may join two nodes more than once.",
            "Give a DiGraph or a Graph.",
            where,
        )
    latent = [node for node, about in graph.nodes(data=True) if about.get("observed") == "no"]
    if latent := [*latent, *getattr(graph, "latents", ())]:
        raise unmeasured_error(latent, where)
    if graph.is_directed():
        return from_arcs([*graph.nodes], [*graph.edges])
    edges = Edges([*graph.nodes], [], [])
    for a, b, about in graph.edges(data=True):
        marks = about.get("marks")
        left, right = (marks[a], marks[b]) if isinstance(marks, dict) else ("-", "-")
        edges.join(a, f"{'<' if left == '>' else left}-{right}", b, where)
    return edges


def read_causallearn(graph: Any) -> Edges:  # noqa: ANN401 - an object of the user
    """Read a graph of causal-learn by its methods, or what ``pc`` returns, which has one."""
    graph, where = getattr(graph, "G", graph), "causal-learn graph"
    try:
        nodes, ends = graph.get_nodes(), graph.graph
        names = [node.get_name() for node in nodes]
        latent = [node.get_name() for node in nodes if node.get_node_type().name == "LATENT"]
        doubtful = graph.get_ambiguous_triples()
    except AttributeError as error:
        raise unreadable(
            f"A {type(graph).__name__} is no graph of causal-learn.",
            "Give what `pc` returns, or the `G` of what another search returns.",
            where,
        ) from error
    if latent:
        raise unmeasured_error(latent, where)
    if doubtful:
        raise ambiguous_error(where)
    edges = Edges(names, [], [])
    for (i, a), (j, b) in combinations(enumerate(names), 2):
        left, right = int(ends[i, j]), int(ends[j, i])
        if left or right:
            mark = f"{_LEFT_ENDS.get(left, '?')}-{_RIGHT_ENDS.get(right, '?')}"
            edges.join(a, mark, b, where)
    return edges


def from_arcs(nodes: list[str], arcs: list[Arrow]) -> Edges:
    """Take arcs that run both ways for undirected edges."""
    present = set(arcs)
    both = {arc for arc in present if arc[::-1] in present and arc[0] != arc[1]}
    return Edges(
        nodes,
        [arc for arc in arcs if arc not in both],
        [(a, b) for a, b in {frozenset(arc) for arc in both}],
    )


_NAMED = r'\s*(?:(?:"[^"]*"|[\w.]+)\s*)?\{'
_BY_CONTENT: list[tuple[re.Pattern[str], Reader]] = [
    (re.compile(r"(?:\s|(?:#|//|%)[^\n]*\n)*" + begin, re.IGNORECASE), read)
    for begin, read in (
        (rf"(?:strict\s+)?(?:graph|digraph|dag|pdag|mag|pag)\b{_NAMED}", read_dot),
        (r"network\b[^{}]*\{", read_bif),
        (r"net\s*\{", read_net),
        (r"Graph Nodes:[ \t]*\r?\n", read_tetrad),
        (r"\[[^\[\]]*(?:\]\s*(?:\[|\Z)|\Z)", read_model_string),
    )
]
_BY_ENDING: dict[str, Reader] = {
    ".json": read_json,
    ".txt": read_text,
    ".dot": read_dot,
    ".gv": read_dot,
    ".dagitty": read_dot,
    ".bif": read_bif,
    ".net": read_net,
}
