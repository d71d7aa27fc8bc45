"""Reads and writes a small subset of DOT, reads dagitty; names what it does not support."""

import re
from itertools import pairwise, product

from evenhand.errors import GraphError, listed, quote_short
from evenhand.graph.edge_notation import Edges, check_size, unmeasured_error, unreadable

_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|(?<![^\n])\#[^\n]*)
    | (?P<quoted>"(?:[^"\\]|\\.)*")
    | (?P<name>[\w.]+|-(?:\.\d+|\d+(?:\.\d*)?))
    | (?P<edge>[<@]?-[->@]|<-)
    | (?P<mark>[{}\[\];,=])
    | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_DEEPEST_GROUP = 50
# How the edges of each kind of graph are written; the last two kinds are dagitty's.
_MARKS = {
    "graph": ("--",),
    "digraph": ("->",),
    "dag": ("->", "<-"),
    "pdag": ("->", "<-", "--"),
}
_EXAMPLES = {
    "graph": "graph { a -- b; c }",
    "digraph": "digraph { a -> b; c -> d [dir=none] }",
    "dag": "dag { a -> b; c }",
    "pdag": "pdag { a -> b; c -- d }",
}
# What dagitty, or DoWhy's `observed="no"`, says of nodes that no column of a table can be.
_UNMEASURED = {"latent", "l", "unobserved", "u", "observed"}
_SELECTED = {"selected", "s"}
_NO = {"no", "false", "0"}
_UNSUPPORTED = {
    "<": "HTML text",
    ":": "a port",
    "+": "joined text",
    "": "nothing",
}


def read_dot(text: str, where: str = "graph") -> Edges:
    """Read one ``graph`` or ``digraph``, or dagitty's ``dag`` or ``pdag``.

    Of the attributes ``dir`` counts in DOT, and what says that a node was not measured.
    """
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
        self.kind, self.line, self.depth = "digraph", 1, 0
        self.take()
        if self.peek() == "strict":
            self.take()
        if self.peek() in {"mag", "pag"}:
            raise self.error("it leaves open what nobody measured")
        if self.peek() not in _MARKS:
            raise self.error(f"one of {listed(_MARKS)} should stand there")
        self.kind = self.take().lower()
        if self.peek() != "{":
            self.name()
        self.block()
        if self.next:
            raise self.error("one file holds one graph")

    def statement(self) -> None:
        if self.peek() in {";", ","}:
            self.take()
        elif self.peek() in {"node", "edge", "graph"}:
            default = self.take()
            attributes = self.attributes()
            if "dir" in attributes and default == "edge":
                raise self.error("'dir' is set for all edges")
            if default == "node" and (roles := _roles(attributes)):
                raise self.error(f"{listed(sorted(roles))} is set for all nodes")
        elif self.peek() == "subgraph":
            raise self.error("a subgraph is not read")
        else:
            self.chain()

    def chain(self) -> None:
        where, steps = self.place, [("", self.names())]
        if self.peek() == "=" and len(steps[0][1]) == 1:
            self.take()
            self.name()
            return
        while self.next and self.next.lastgroup == "edge":
            if self.peek() not in {*_MARKS[self.kind], "<->"}:
                raise self.error(f"edges of a {self.kind} are {listed(_MARKS[self.kind])}")
            steps.append((self.take(), self.names()))
        attributes = self.attributes()
        self.edges.nodes.extend(name for _, names in steps for name in names)
        if len(steps) == 1:
            _check_roles(steps[0][1], _roles(attributes), where)
        if self.kind in {"dag", "pdag"}:
            attributes = {}
        direction = attributes.get("dir", "forward")
        if direction not in {"forward", "none"}:
            raise self.error(f"the direction 'dir={direction}' is not read")
        for (_, left), (mark, right) in pairwise(steps):
            for a, b in product(left, right):
                self.edges.join(a, "--" if direction == "none" else mark, b, where)

    def names(self) -> list[str]:
        """One name, or all that a group in braces mentions."""
        if self.peek() != "{":
            return [self.name()]
        if self.depth == _DEEPEST_GROUP:
            raise self.error(f"groups are nested deeper than {_DEEPEST_GROUP}")
        start = len(self.edges.nodes)
        self.depth += 1
        self.block()
        self.depth -= 1
        return [*dict.fromkeys(self.edges.nodes[start:])]

    def block(self) -> None:
        self.expect("{")
        while self.peek() != "}":
            self.statement()
        self.take()

    def attributes(self) -> dict[str, str]:
        values: dict[str, str] = {}
        while self.peek() == "[":
            self.take()
            while self.peek() != "]":
                key = self.name()
                values[key] = ""
                if self.peek() == "=":
                    self.take()
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
        start, end = (
            (match.start() if match else size)
            for match, size in ((taken, 0), (self.next, len(self.text)))
        )
        self.line += self.text.count("\n", start, end)
        return taken.group() if taken else ""

    def expect(self, mark: str) -> None:
        if self.peek() != mark:
            raise self.error(f"{mark!r} should stand there")
        self.take()

    @property
    def place(self) -> str:
        return f"{self.where}, line {self.line}"

    def error(self, why: str) -> GraphError:
        token = quote_short(self.next.group()) if self.next else "its end"
        return unreadable(
            f"The text cannot be read at {token}: {why}.",
            f"Write plain nodes and edges: {_EXAMPLES[self.kind]}.",
            self.place,
        )


def _roles(attributes: dict[str, str]) -> set[str]:
    """Attributes that say that a node is no column, or decides who is in the table."""
    return (_UNMEASURED | _SELECTED) & {
        key.lower()
        for key, value in attributes.items()
        if (value.lower() in _NO) == (key.lower() == "observed")
    }


def _check_roles(names: list[str], roles: set[str], where: str) -> None:
    """Refuse what is said of nodes if that changes what the graph means."""
    if roles & _UNMEASURED:
        raise unmeasured_error(names, where)
    if roles:
        raise unreadable(
            f"By the graph {listed(names)} decides who is in the table at all.",
            "If all people are in the table leave that remark out; else no graph of the "
            "people who are in it can be read off this one.",
            where,
        )
