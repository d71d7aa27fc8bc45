"""``Edges``: nodes and edges as a reader found them, and what keeps them from being a graph.

The readers of objects are here: graphs of networkx and causal-learn. An object is read by its
methods, so that its library need not be imported. Texts have ``text_formats``.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

from evenhand.errors import GraphError, Problem, listed, quote_short
from evenhand.question.knowledge import Arrow

_MOST_NODES = 1_000
_MOST_EDGES = 100_000
MOST_PROBLEMS = 20

# causal-learn's numbers for the ends of an edge, as Tetrad writes them on either side.
_LEFT_ENDS = {-1: "-", 1: "<", 2: "o"}
_RIGHT_ENDS = {**_LEFT_ENDS, 1: ">"}


class Edges(NamedTuple):
    """Nodes, arrows and undirected pairs as read; the graph built from them checks them."""

    nodes: list[str]
    arrows: list[Arrow]
    undirected: list[Arrow]

    def join(self, a: str, mark: str, b: str, line: int = 0) -> None:
        """Add one edge; of a mark such as ``->``, ``---`` or ``o->`` only the ends count.

        A mark for causes that nobody measured, or for a doubt about them, is refused.
        """
        if len(self.arrows) + len(self.undirected) >= _MOST_EDGES:
            raise unreadable(
                f"The graph is too large: more than {_MOST_EDGES:,} edges.",
                "Leave out what has no bearing on the decision.",
                line,
            )
        match mark[0] + mark[-1]:
            case "->":
                self.arrows.append((a, b))
            case "<-":
                self.arrows.append((b, a))
            case "--":
                self.undirected.append((a, b))
            case ends:
                why = (
                    "stands for a common cause that nobody measured"
                    if ends == "<>"
                    else "leaves open whether a common cause was not measured"
                )
                raise unreadable(
                    f"The edge {quote_short(f'{a} {mark} {b}')} {why}.",
                    "If one of the two causes the other, write an arrow, else leave the edge "
                    "out; the answer of an audit says what such a cause could do.",
                    line,
                )

    def problems(self) -> Iterator[Problem]:
        """Everything that keeps these nodes and edges from being a graph."""
        unchecked: tuple[list[Any], ...] = self  # JSON may hold anything
        nodes, arrows, undirected = unchecked
        edges = [*arrows, *undirected]
        if len(nodes) > _MOST_NODES or len(edges) > _MOST_EDGES:
            yield Problem(
                f"The graph is too large: {len(nodes):,} nodes and {len(edges):,} edges.",
                f"At most {_MOST_NODES:,} and {_MOST_EDGES:,} are read.",
                "Leave out what has no bearing on the decision.",
            )
            return
        if not nodes:
            yield Problem("The graph has no nodes.", remedy="Name at least one.")
        nameless = [node for node in nodes if not isinstance(node, str) or not node]
        loose = [
            edge
            for edge in edges
            if not isinstance(edge, (list, tuple))
            or [isinstance(end, str) for end in edge] != [True, True]
        ]
        if nameless or loose:
            yield Problem(
                f"{listed([*nameless, *loose])} cannot be read as nodes or edges.",
                remedy="A node is a name; an edge is a pair of names.",
            )
            return
        ends = {name for edge in edges for name in edge}
        yield from GraphError.unknown(sorted(ends - set(nodes))[:MOST_PROBLEMS], nodes).problems
        # Long names are counted whole: they may begin alike.
        written = [
            *((f"node {quote_short(node)}", many) for node, many in Counter(nodes).items()),
            *Counter(f"edge {a} -> {b}" for a, b in arrows).items(),
            *Counter(f"edge {min(edge)} - {max(edge)}" for edge in undirected).items(),
        ]
        for what, times in sorted(written):
            if times > 1:
                yield Problem(f"The {what} is there {times} times.", remedy="Keep one.")
        for name in sorted({a for a, b in edges if a == b}):
            yield Problem(f"{quote_short(name)} is joined to itself.", remedy="Drop that edge.")
        directed = {frozenset(arrow) for arrow in arrows}
        for a, b in sorted({tuple(sorted(e)) for e in undirected if frozenset(e) in directed}):
            yield Problem(
                f"{a!r} and {b!r} are joined both by an arrow and without direction.",
                remedy="Keep one of the two.",
            )


def unreadable(what: str, remedy: str, line: int = 0) -> GraphError:
    """The error for what cannot be read, in a line of a text if it is one."""
    return GraphError.of(what, remedy=remedy, where=f"line {line}" if line else "")


def unmeasured_error(names: Iterable[str], line: int = 0) -> GraphError:
    """The error for nodes that a graph itself calls unmeasured."""
    return unreadable(
        f"The graph has nodes that nobody measured: {listed(names)}.",
        "Leave them out; the answer of an audit says what such a cause could do.",
        line,
    )


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
        arcs = [*graph.edges]
        both = {arc for arc in arcs if arc[::-1] in graph.edges and arc[0] != arc[1]}
        return Edges(
            [*graph.nodes],
            [arc for arc in arcs if arc not in both],
            [(a, b) for a, b in {frozenset(arc) for arc in both}],
        )
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
        raise unreadable(
            "The graph comes with triples that are in doubt, which edges alone do not tell.",
            "Learn the graph here, which remembers them, or leave them out.",
        )
    edges = Edges(names, [], [])
    for (i, a), (j, b) in combinations(enumerate(names), 2):
        left, right = int(ends[i, j]), int(ends[j, i])
        if left or right:
            mark = f"{_LEFT_ENDS.get(left, '?')}-{_RIGHT_ENDS.get(right, '?')}"
            edges.join(a, mark, b)
    return edges
