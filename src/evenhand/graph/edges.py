"""``Edges``: nodes and edges as a reader found them, and what keeps them from being a graph."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from evenhand.errors import GraphError, Problem, listed, quote_short
from evenhand.question.knowledge import Arrow

_MOST_NODES = 1_000
_MOST_EDGES = 100_000
MOST_PROBLEMS = 20


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
                raise common_cause_error(f"{a} {mark} {b}", line, certain=ends == "<>")

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
        loose = [edge for edge in edges if not _is_pair(edge)]
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


def _is_pair(edge: object) -> bool:
    return (
        isinstance(edge, Sequence)
        and not isinstance(edge, str)
        and len(edge) == 2
        and all(isinstance(end, str) for end in edge)
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


def common_cause_error(edge: str, line: int = 0, *, certain: bool = False) -> GraphError:
    """The error for an edge that speaks of a cause which nobody measured, or may have."""
    why = (
        "stands for a common cause that nobody measured"
        if certain
        else "leaves open whether a common cause was not measured"
    )
    return unreadable(
        f"The edge {quote_short(edge)} {why}.",
        "If one of the two causes the other, write an arrow, else leave the edge out; the "
        "answer of an audit says what such a cause could do.",
        line,
    )


def ambiguous_error(line: int = 0) -> GraphError:
    """The error for triples that a search could not say to be colliders or not."""
    return unreadable(
        "The graph comes with triples that are in doubt, which edges alone do not tell.",
        "Learn the graph here, which remembers them, or leave them out of the text.",
        line,
    )
