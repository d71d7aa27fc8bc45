"""``Edges``, which every reader returns unchecked, and the notation ``a -> b; c - d; e``."""

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from evenhand.errors import GraphError
from evenhand.question.knowledge import Arrow

LARGEST_FILE = 1_000_000
_TOKEN = re.compile(
    r"""(?P<comment>(?<![^\n])[ \t]*\#[^\n]*)
    | (?P<quoted>"(?:[^"\\\n]|\\.)*")
    | (?P<both><->)
    | (?P<mark>->|<-|--|[ \t]-(?=\s))
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

    def join(self, a: str, mark: str, b: str) -> None:
        """Add one edge and its ends."""
        self.nodes.extend((a, b))
        pairs = self.undirected if mark == "--" else self.arrows
        pairs.append((b, a) if mark == "<-" else (a, b))

    def with_unique_nodes(self) -> "Edges":
        """The same, each node once: a text names a node at every edge."""
        return self._replace(nodes=[*dict.fromkeys(self.nodes)])


def read_text(text: str, where: str = "graph") -> Edges:
    """Read ``a -> b; c - d; e``: edges, chains and lone nodes, between semicolons or lines."""
    edges = Edges([], [], [])
    left, mark, line = "", "", 1
    for kind, token in chain(_tokens(check_size(text, where)), [("end", ";")]):
        place = f"{where}, line {line}"
        if kind == "end":
            if mark:
                raise unreadable(f"Nothing follows '{left} {mark}'.", "Name a node.", place)
            left = ""
            line += "\n" in token
        elif kind == "mark" and left and not mark:
            mark = "--" if token.strip() == "-" else token
        elif kind == "name" and bool(left) == bool(mark):
            if mark:
                edges.join(left, mark, token)
            else:
                edges.nodes.append(token)
            left, mark = token, ""
        else:
            raise unreadable(
                f"{token.strip()!r} cannot stand there.",
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
    # quoted, odd characters as escapes.
    plain = name.isprintable() and [*_tokens(f" {name} ")] == [("name", name)]
    return name if plain else json.dumps(name, ensure_ascii=not name.isprintable())


def check_size(text: str, where: str) -> str:
    """Return the text unless it is larger than any graph needs."""
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


def unreadable(what: str, remedy: str, where: str) -> GraphError:
    """The error for a text that cannot be read."""
    return GraphError.of(what, remedy=remedy, where=where)
