"""``Edges``, which every reader returns unchecked, and the notation ``a -> b; c - d; e``."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from evenhand.errors import GraphError, Problem, listed, quote_short
from evenhand.question.knowledge import Arrow

LARGEST_FILE = 1_000_000
_MOST_NODES = 1_000
MOST_EDGES = 100_000
MOST_PROBLEMS = 20
_TOKEN = re.compile(
    r"""(?P<comment>(?<![^\n])[ \t]*\#[^\n]*)
    | (?P<quoted>"(?:[^"\\\n]|\\.)*")
    | (?P<mark><->|->|<-|--|[ \t]-(?=\s))
    | (?P<end>[;\n])
    | (?P<name>(?:(?!<->|->|<-|--|[ \t]-\s|[;\n"]).)+)
    | (?P<other>.)""",
    re.VERBOSE,
)


class Edges(NamedTuple):
    """Nodes, arrows and undirected pairs as read; the graph built from them checks them."""

    nodes: list[str]
    arrows: list[Arrow]
    undirected: list[Arrow]

    def join(self, a: str, mark: str, b: str, where: str) -> None:
        """Add one edge; of a mark such as ``->``, ``---`` or ``o->`` only the ends count.

        A mark for causes that nobody measured, or for a doubt about them, is refused.
        """
        if len(self.arrows) + len(self.undirected) >= MOST_EDGES:
            raise unreadable(
                f"The graph is too large: more than {MOST_EDGES:,} edges.",
                "Leave out what has no bearing on the decision.",
                where,
            )
        match mark[0] + mark[-1]:
            case "->":
                self.arrows.append((a, b))
            case "<-":
                self.arrows.append((b, a))
            case "--":
                self.undirected.append((a, b))
            case ends:
                raise common_cause_error(f"{a} {mark} {b}", where, certain=ends == "<>")

    def with_unique_nodes(self) -> "Edges":
        """The same, each node once: a text names a node at every edge."""
        return self._replace(nodes=[*dict.fromkeys(self.nodes)])

    def problems(self) -> Iterator[Problem]:
        """Everything that keeps these nodes and edges from being a graph."""
        unchecked: tuple[list[Any], ...] = self  # JSON may hold anything
        nodes, arrows, undirected = unchecked
        edges = [*arrows, *undirected]
        if len(nodes) > _MOST_NODES or len(edges) > MOST_EDGES:
            yield Problem(
                f"The graph is too large: {len(nodes):,} nodes and {len(edges):,} edges.",
                f"At most {_MOST_NODES:,} and {MOST_EDGES:,} are read.",
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
        for node, times in sorted(Counter(nodes).items()):
            if times > 1:
                yield Problem(
                    f"The node {quote_short(node)} is there {times} times.", remedy="Keep one."
                )
        ends = {name for edge in edges for name in edge}
        yield from GraphError.unknown(sorted(ends - set(nodes))[:MOST_PROBLEMS], nodes).problems
        times_written = Counter(f"{a} -> {b}" for a, b in arrows)
        times_written.update(f"{min(edge)} - {max(edge)}" for edge in undirected)
        for edge, times in sorted(times_written.items()):
            if times > 1:
                yield Problem(f"The edge {edge} is there {times} times.", remedy="Keep one.")
        for name in sorted({a for a, b in edges if a == b}):
            yield Problem(f"{quote_short(name)} is joined to itself.", remedy="Drop that edge.")
        directed = {frozenset(arrow) for arrow in arrows}
        for a, b in sorted({tuple(sorted(e)) for e in undirected if frozenset(e) in directed}):
            yield Problem(
                f"{a!r} and {b!r} are joined both by an arrow and without direction.",
                remedy="Keep one of the two.",
            )


def read_text(text: str, where: str = "graph") -> Edges:
    """Read ``a -> b; c - d; e``: edges, chains and lone nodes, between semicolons or lines."""
    edges = Edges([], [], [])
    left, mark, line = "", "", 1
    for kind, token in chain(_tokens(check_size(text, where)), [("end", ";")]):
        place = f"{where}, line {line}"
        if kind == "end":
            if mark:
                raise unreadable(
                    f"Nothing follows {quote_short(f'{left} {mark}')}.", "Name a node.", place
                )
            left = ""
            line += "\n" in token
        elif kind == "mark" and left and not mark:
            mark = "--" if token.strip() == "-" else token
        elif kind == "name" and bool(left) == bool(mark):
            edges.nodes.append(token)
            if mark:
                edges.join(left, mark, token, place)
            left, mark = token, ""
        else:
            raise unreadable(
                f"{quote_short(token.strip())} cannot stand there.",
                "Write edges as 'a -> b' or 'a - b', apart by ';' or on lines of their own; "
                'quote odd names, as "a;b".',
                place,
            )
    return edges.with_unique_nodes()


def write_text(edges: Edges) -> str:
    """Write so that ``read_text`` gives the same edges."""
    joined = {name for pair in (*edges.arrows, *edges.undirected) for name in pair}
    return "; ".join(
        [f"{_quote(a)} -> {_quote(b)}" for a, b in edges.arrows]
        + [f"{_quote(a)} - {_quote(b)}" for a, b in edges.undirected]
        + [_quote(name) for name in edges.nodes if name not in joined]
    )


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    for match in _TOKEN.finditer(text):
        kind, token = str(match.lastgroup), match.group()
        if kind == "quoted":
            try:
                yield "name", json.loads(token)
            except ValueError:
                yield "other", token
        elif kind == "name":
            if token.strip():
                yield "name", token.strip()
        elif kind != "comment":
            yield kind, token


def _quote(name: str) -> str:
    # A plain name reads back as itself between blanks (where "-" is an edge); any other is
    # quoted, odd characters as escapes. With brackets it may begin a text in another format.
    plain = name.isprintable() and [*_tokens(f" {name} ")] == [("name", name)]
    plain = plain and not {*name} & {*"[{"}
    return name if plain else json.dumps(name, ensure_ascii=not name.isprintable())


def check_size(text: object, where: str) -> str:
    """Return the text unless it is none, or larger than any graph needs."""
    if not isinstance(text, str):
        raise unreadable(
            f"A {type(text).__name__} is no text of a graph.",
            "Write the graph, as 'a -> b; c'.",
            where,
        )
    if len(text) > LARGEST_FILE:
        raise size_error(where)
    return text


def size_error(where: str) -> GraphError:
    """The error for a text beyond the limit."""
    return unreadable(
        f"This is too large for a graph: more than {LARGEST_FILE:,} characters.",
        "Give the graph of the columns that matter.",
        where,
    )


def unmeasured_error(names: Iterable[str], where: str) -> GraphError:
    """The error for nodes that a graph itself calls unmeasured."""
    return unreadable(
        f"The graph has nodes that nobody measured: {listed(names)}.",
        "Leave them out; the sensitivity of an audit says how strong such a cause has to be.",
        where,
    )


def common_cause_error(edge: str, where: str, *, certain: bool = False) -> GraphError:
    """The error for an edge that speaks of a cause which nobody measured, or may have."""
    why = (
        "stands for a common cause that nobody measured"
        if certain
        else "leaves open whether a common cause was not measured"
    )
    return unreadable(
        f"The edge {quote_short(edge)} {why}.",
        "If one of the two causes the other, write an arrow, else leave the edge out; the "
        "sensitivity of an audit says how strong such a cause has to be.",
        where,
    )


def unreadable(what: str, remedy: str, where: str) -> GraphError:
    """The error for a text that cannot be read."""
    return GraphError.of(what, remedy=remedy, where=where)


def _is_pair(edge: object) -> bool:
    return (
        isinstance(edge, Sequence)
        and not isinstance(edge, str)
        and len(edge) == 2
        and all(isinstance(end, str) for end in edge)
    )
