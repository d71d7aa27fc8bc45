"""Graphs as objects of other libraries: matrices, networkx, causal-learn.

An object is read by its methods, so that its library need not be imported here.
"""

from itertools import combinations
from typing import Any

from evenhand.graph.edges import (
    Edges,
    ambiguous_error,
    unmeasured_error,
    unreadable,
)
from evenhand.question.knowledge import Arrow

# causal-learn's numbers for the ends of an edge, as Tetrad writes them on either side.
_LEFT_ENDS = {-1: "-", 1: "<", 2: "o"}
_RIGHT_ENDS = {**_LEFT_ENDS, 1: ">"}


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
        )
    return _from_arcs(
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
    """Read a networkx graph.

    Arcs both ways are one undirected edge, unless pgmpy marks the ends of edges. What pgmpy or
    DoWhy call unmeasured is refused.
    """
    if not (hasattr(graph, "is_multigraph") and hasattr(graph, "edges")):
        raise unreadable(
            f"A {type(graph).__name__} is no graph of networkx.",
            "Give a DiGraph or a Graph.",
        )
    if graph.is_multigraph():
        raise unreadable(
            "A multigraph may join two nodes more than once.",
            "Give a DiGraph or a Graph.",
        )
    latent = [node for node, about in graph.nodes(data=True) if about.get("observed") == "no"]
    if latent := [*latent, *getattr(graph, "latents", ())]:
        raise unmeasured_error(latent)
    if graph.is_directed():
        return _from_arcs([*graph.nodes], [*graph.edges])
    edges = Edges([*graph.nodes], [], [])
    for a, b, about in graph.edges(data=True):
        marks = about.get("marks")
        left, right = (marks[a], marks[b]) if isinstance(marks, dict) else ("-", "-")
        edges.join(a, f"{'<' if left == '>' else left}-{right}", b)
    return edges


def read_causallearn(graph: Any) -> Edges:  # noqa: ANN401 - an object of the user
    """Read a graph of causal-learn, or what ``pc`` returns, which has one."""
    graph = getattr(graph, "G", graph)
    try:
        nodes, ends = graph.get_nodes(), graph.graph
        names = [node.get_name() for node in nodes]
        latent = [node.get_name() for node in nodes if node.get_node_type().name == "LATENT"]
        doubtful = graph.get_ambiguous_triples()
    except AttributeError as error:
        raise unreadable(
            f"A {type(graph).__name__} is no graph of causal-learn.",
            "Give what `pc` returns, or the `G` of what another search returns.",
        ) from error
    if latent:
        raise unmeasured_error(latent)
    if doubtful:
        raise ambiguous_error()
    edges = Edges(names, [], [])
    for (i, a), (j, b) in combinations(enumerate(names), 2):
        left, right = int(ends[i, j]), int(ends[j, i])
        if left or right:
            mark = f"{_LEFT_ENDS.get(left, '?')}-{_RIGHT_ENDS.get(right, '?')}"
            edges.join(a, mark, b)
    return edges


def _from_arcs(nodes: list[str], arcs: list[Arrow]) -> Edges:
    """Take arcs that run both ways for undirected edges."""
    present = set(arcs)
    both = {arc for arc in present if arc[::-1] in present and arc[0] != arc[1]}
    return Edges(
        nodes,
        [arc for arc in arcs if arc not in both],
        [(a, b) for a, b in {frozenset(arc) for arc in both}],
    )
