"""Reads and writes a small subset of DOT; the parser names what it does not support."""

import re
from itertools import pairwise

from evenhand.errors import GraphError
from evenhand.graph.edge_notation import Edges, check_size, unreadable

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|(?<![^\n])\#[^\n]*)
    | (?P<quoted>"(?:[^"\\]|\\.)*")
    | (?P<name>[^\W\d]\w*|-?(?:\.\d+|\d+(?:\.\d*)?))
    | (?P<mark>->|--|[{}\[\];,=])
    | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_UNSUPPORTED = {
    "<": "HTML text",
    ":": "a port",
    "+": "joined text",
    "{": "a nested group",
    "": "nothing",
}


def read_dot(text: str, where: str = "graph") -> Edges:
    """Read one ``graph`` or ``digraph``; of the attributes only ``dir`` counts."""
    return _DotParser(check_size(text, where), where).edges.with_unique_nodes()


def write_dot(edges: Edges) -> list[str]:
    """The lines of a ``digraph``; an undirected edge is one without arrowheads."""
    lines = [f"  {_quote(name)};" for name in edges.nodes]
    lines += [f"  {_quote(a)} -> {_quote(b)};" for a, b in edges.arrows]
    lines += [f"  {_quote(a)} -> {_quote(b)} [dir=none];" for a, b in edges.undirected]
    return ["digraph {", *lines, "}", ""]


def _quote(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _DotParser:
    """A recursive-descent parser; stops at the first token that it does not know."""

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where, self.edges = text, where, Edges([], [], [])
        self.tokens = (match for match in _TOKEN.finditer(text) if match.lastgroup != "skip")
        self.next: re.Match[str] | None = None
        self.take()
        if self.peek() == "strict":
            self.take()
        if self.peek() not in {"graph", "digraph"}:
            raise self.error("the word 'graph' or 'digraph' should stand there")
        self.mark = "->" if self.take().lower() == "digraph" else "--"
        if self.peek() != "{":
            self.name()
        self.expect("{")
        while self.peek() != "}":
            self.statement()
        self.take()
        if self.next:
            raise self.error("one file holds one graph")

    def statement(self) -> None:
        if self.peek() == ";":
            self.take()
        elif self.peek() in {"node", "edge", "graph"}:
            default = self.take()
            if "dir" in self.attributes() and default == "edge":
                raise self.error("'dir' is set for all edges")
        elif self.peek() == "subgraph":
            raise self.error("a subgraph is not read")
        else:
            self.chain()

    def chain(self) -> None:
        names = [self.name()]
        if self.peek() == "=":
            self.take()
            self.name()
            return
        while self.peek() in {"->", "--"}:
            if self.take() != self.mark:
                raise self.error(f"edges of this graph are written '{self.mark}'")
            names.append(self.name())
        direction = self.attributes().get("dir", "forward")
        if direction not in {"forward", "none"}:
            raise self.error(f"the direction 'dir={direction}' is not read")
        self.edges.nodes.extend(names)
        for a, b in pairwise(names):
            self.edges.join(a, "--" if direction == "none" else self.mark, b)

    def attributes(self) -> dict[str, str]:
        values: dict[str, str] = {}
        while self.peek() == "[":
            self.take()
            while self.peek() != "]":
                key = self.name()
                self.expect("=")
                values[key] = self.name()
                if self.peek() in {",", ";"}:
                    self.take()
            self.take()
        return values

    def name(self) -> str:
        kind = self.next.lastgroup if self.next else "end"
        if kind not in {"name", "quoted"}:
            raise self.error(f"{_UNSUPPORTED.get(self.peek(), 'no name')} stands there")
        token = self.take()
        return re.sub(r'\\(["\\])', r"\1", token[1:-1]) if kind == "quoted" else token

    def peek(self) -> str:
        """The next token, in lower case if it is not quoted."""
        if self.next is None:
            return ""
        token = self.next.group()
        return token.lower() if self.next.lastgroup == "name" else token

    def take(self) -> str:
        taken, self.next = self.next, next(self.tokens, None)
        return taken.group() if taken else ""

    def expect(self, mark: str) -> None:
        if self.peek() != mark:
            raise self.error(f"{mark!r} should stand there")
        self.take()

    def error(self, why: str) -> GraphError:
        token, place = (
            (self.next.group(), self.next.start()) if self.next else ("its end", len(self.text))
        )
        return unreadable(
            f"The DOT text cannot be read at {token!r}: {why}.",
            "Write plain nodes and edges: digraph { a -> b; c -> d [dir=none] }.",
            f"{self.where}, line {self.text.count(chr(10), 0, place) + 1}",
        )
