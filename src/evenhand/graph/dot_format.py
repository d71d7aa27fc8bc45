"""Graphs in DOT: a small subset with its own reader, which refuses by name what it lacks."""

import re
from itertools import pairwise

from evenhand.errors import GraphError
from evenhand.graph.edge_notation import Edges, check_size, unreadable

_DOT = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|(?<![^\n])\#[^\n]*)
    | (?P<quoted>"(?:[^"\\]|\\.)*")
    | (?P<name>[^\W\d]\w*|-?(?:\.\d+|\d+(?:\.\d*)?))
    | (?P<mark>->|--|[{}\[\];,=])
    | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_REFUSED = {
    "<": "HTML text",
    ":": "a port",
    "+": "joined text",
    "{": "a nested group",
    "": "nothing",
}


def read_dot(text: str, where: str = "graph") -> Edges:
    """Read one ``graph`` or ``digraph``; of the attributes only ``dir`` counts."""
    return _DotReader(check_size(text, where), where).edges.with_unique_nodes()


def write_dot(edges: Edges) -> str:
    """Write a ``digraph``; an undirected edge is one without arrowheads."""
    lines = [f"  {_dot_name(name)};" for name in edges.nodes]
    lines += [f"  {_dot_name(a)} -> {_dot_name(b)};" for a, b in edges.arrows]
    lines += [f"  {_dot_name(a)} -> {_dot_name(b)} [dir=none];" for a, b in edges.undirected]
    return "\n".join(["digraph {", *lines, "}", ""])


def _dot_name(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _DotReader:
    """Takes a DOT text apart, token by token; stops at the first that it does not know."""

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where, self.edges = text, where, Edges([], [], [])
        self.tokens = (match for match in _DOT.finditer(text) if match.lastgroup != "skip")
        self.next: re.Match[str] | None = None
        self.take()
        if self.word() == "strict":
            self.take()
        if self.word() not in {"graph", "digraph"}:
            raise self.unreadable("the word 'graph' or 'digraph' should stand there")
        self.mark = "->" if self.take().lower() == "digraph" else "--"
        if self.word() != "{":
            self.name()
        self.expect("{")
        while self.word() != "}":
            self.statement()
        self.take()
        if self.next:
            raise self.unreadable("one file holds one graph")

    def statement(self) -> None:
        if self.word() == ";":
            self.take()
        elif self.word() in {"node", "edge", "graph"}:
            default = self.take()
            if "dir" in self.attributes() and default == "edge":
                raise self.unreadable("'dir' is set for all edges")
        elif self.word() == "subgraph":
            raise self.unreadable("a subgraph is not read")
        else:
            self.chain()

    def chain(self) -> None:
        names = [self.name()]
        if self.word() == "=":
            self.take()
            self.name()
            return
        while self.word() in {"->", "--"}:
            if self.take() != self.mark:
                raise self.unreadable(f"edges of this graph are written '{self.mark}'")
            names.append(self.name())
        direction = self.attributes().get("dir", "forward")
        if direction not in {"forward", "none"}:
            raise self.unreadable(f"the direction 'dir={direction}' is not read")
        self.edges.nodes.extend(names)
        for a, b in pairwise(names):
            self.edges.join(a, "--" if direction == "none" else self.mark, b)

    def attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        while self.word() == "[":
            self.take()
            while self.word() != "]":
                key = self.name()
                self.expect("=")
                found[key] = self.name()
                if self.word() in {",", ";"}:
                    self.take()
            self.take()
        return found

    def name(self) -> str:
        kind = self.next.lastgroup if self.next else "end"
        if kind not in {"name", "quoted"}:
            raise self.unreadable(f"{_REFUSED.get(self.word(), 'no name')} stands there")
        token = self.take()
        return re.sub(r'\\(["\\])', r"\1", token[1:-1]) if kind == "quoted" else token

    def word(self) -> str:
        """The next token, in small letters if it is a bare word."""
        if self.next is None:
            return ""
        token = self.next.group()
        return token.lower() if self.next.lastgroup == "name" else token

    def take(self) -> str:
        taken, self.next = self.next, next(self.tokens, None)
        return taken.group() if taken else ""

    def expect(self, mark: str) -> None:
        if self.word() != mark:
            raise self.unreadable(f"{mark!r} should stand there")
        self.take()

    def unreadable(self, why: str) -> GraphError:
        token, place = (
            (self.next.group(), self.next.start()) if self.next else ("its end", len(self.text))
        )
        return unreadable(
            f"The DOT text cannot be read at {token!r}: {why}.",
            "Write plain nodes and edges: digraph { a -> b; c -> d [dir=none] }.",
            f"{self.where}, line {self.text.count(chr(10), 0, place) + 1}",
        )
