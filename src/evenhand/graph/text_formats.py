"""Graphs as text: which formats are read, how each is recognized, and how it is read.

``a -> b; c - d; e`` is the notation of this library. What another tool wrote is recognized by
its first words, or else by the ending of its file.
"""

import json
import re
from collections.abc import Callable, Iterator
from itertools import chain, pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

from evenhand.errors import GraphError, did_you_mean, listed, quote_short
from evenhand.graph.edge_lists import Edges, unmeasured_error, unreadable

# In characters. JSON is parsed in linear time, and a certificate holds more than its graph.
_LARGEST, _LARGEST_JSON = 1_000_000, 1_000_000_000


class Format(NamedTuple):
    """A way to write graphs: how its texts begin, if that shows, and how its files end."""

    read: Callable[[str], Edges]
    begin: re.Pattern[str] | None
    endings: tuple[str, ...]


class Token(NamedTuple):
    """A piece of a text; ``kind`` is the group of the pattern that it matches."""

    kind: str
    text: str
    line: int


def _tokens(pattern: re.Pattern[str], text: str) -> Iterator[Token]:
    """All pieces of a text but those that are to be skipped."""
    line = 1
    for match in pattern.finditer(text):
        if match.lastgroup != "skip":
            yield Token(str(match.lastgroup), match.group(), line)
        line += match.group().count("\n")


def read_text(text: str, otherwise: str = "notation") -> Edges:
    """Read a text in the format that its first words show, if they do."""
    if not isinstance(text, str):
        raise unreadable(
            f"A {type(text).__name__} is no text of a graph.",
            "Write the graph, as 'a -> b; c'.",
        )
    largest = _LARGEST_JSON if _JSON.match(text) else _LARGEST
    if len(text) > largest:
        raise unreadable(
            f"This is too large for a graph: more than {largest:,} characters.",
            "Give the graph of the columns that matter.",
        )
    shown = (one for one in FORMATS.values() if one.begin and one.begin.match(text))
    return next(shown, FORMATS[otherwise]).read(text)


def read_file(path: Path) -> tuple[Edges, Any]:
    """Read a file in the format that its content shows, or else its ending.

    Returns also the content of JSON, which may tell more; an empty one of other formats.
    """
    ending = path.suffix.lower()
    name = next((name for name, one in FORMATS.items() if ending in one.endings), None)
    if name is None:
        endings = [other for one in FORMATS.values() for other in one.endings]
        raise unreadable(
            f"Files that end in {path.suffix or 'nothing'!r} are not read as graphs.",
            f"Give a file that ends in one of {listed(endings)}.",
        )
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(_LARGEST + 1)
            if _JSON.match(text):
                text += file.read(_LARGEST_JSON)
    except FileNotFoundError as error:
        raise unreadable("There is no such file.", "Name a file that is there.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(
            f"The graph cannot be read: {getattr(error, 'strerror', error)}.",
            "Give a text file in UTF-8.",
        ) from error
    edges = read_text(text, name)
    return edges, json.loads(text) if _JSON.match(text) else {}


_JSON = re.compile(r'\s*\{\s*(?:"|\}|\Z)')
_KEYS = ("nodes", "arrows", "undirected", "doubtful", "origin")


def _read_json(text: str) -> Edges:
    """Read ``{"nodes": [...], "arrows": [[from, to], ...], "undirected": [[a, b], ...]}``."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise unreadable(f"This is not JSON: {error}.", "Mend the file.") from error
    return read_dict(content)


def read_dict(content: object) -> Edges:
    """Read the content of a JSON graph, or of a certificate that holds one.

    Where a graph came from and what remained in doubt is for ``load_graph``.
    """
    content = graph_of(content)
    if not isinstance(content, dict):
        raise unreadable("A graph is a JSON object.", f"Its keys are {listed(_KEYS[:3])}.")
    if unknown := [str(key) for key in content if key not in _KEYS]:
        near = did_you_mean(unknown[0], _KEYS)
        raise unreadable(
            f"Nothing is known of {listed(unknown)}. {near}".strip(),
            f"The keys of a graph are {listed(_KEYS[:3])}.",
        )
    edges = Edges(*(content.get(key, []) for key in _KEYS[:3]))
    if not all(isinstance(part, list) for part in edges):
        raise unreadable(
            "Nodes and edges are not lists.",
            'Write {"nodes": ["a", "b"], "arrows": [["a", "b"]], "undirected": []}.',
        )
    return edges


def graph_of(content: object) -> object:
    """The graph in the content of a certificate; any other content as it is."""
    if isinstance(content, dict) and "format" in content and "graph" in content:
        return content["graph"]
    return content


_NOTATION = re.compile(
    r"""(?P<skip>(?<![^\n])[ \t]*\#[^\n]*)
    | (?P<quoted>"(?:[^"\\\n]|\\.)*")
    | (?P<mark><->|->|<-|--|[ \t]-(?=\s))
    | (?P<end>[;\n])
    | (?P<name>(?:(?!<->|->|<-|--|[ \t]-\s|[;\n"]).)+)
    | (?P<other>.)""",
    re.VERBOSE,
)


def _read_notation(text: str) -> Edges:
    """Read ``a -> b; c - d; e``: edges, chains and lone nodes, between semicolons or lines."""
    edges = Edges([], [], [])
    left, mark = "", ""
    for kind, token, line in chain(_named_tokens(text), [Token("end", ";", 0)]):
        if kind == "end":
            if mark:
                what = f"Nothing follows {quote_short(f'{left} {mark}')}."
                raise unreadable(what, "Name a node.", line)
            left = ""
        elif kind == "mark" and left and not mark:
            mark = "--" if token.strip() == "-" else token
        elif kind == "name" and bool(left) == bool(mark):
            edges.nodes.append(token)
            if mark:
                edges.join(left, mark, token, line)
            left, mark = token, ""
        else:
            raise unreadable(
                f"{quote_short(token.strip())} cannot stand there.",
                "Write edges as 'a -> b' or 'a - b', apart by ';' or on lines of their own; "
                'quote odd names, as "a;b".',
                line,
            )
    return edges._replace(nodes=[*dict.fromkeys(edges.nodes)])


def _named_tokens(text: str) -> Iterator[Token]:
    """The tokens of the notation, names without quotes and without blanks around."""
    for kind, token, line in _tokens(_NOTATION, text):
        if kind == "quoted":
            try:
                yield Token("name", json.loads(token), line)
            except ValueError:
                yield Token("other", token, line)
        elif kind != "name" or token.strip():
            yield Token(kind, token.strip() if kind == "name" else token, line)


def write_notation(edges: Edges) -> str:
    """Write so that ``read_text`` gives the same edges."""
    joined = {name for pair in (*edges.arrows, *edges.undirected) for name in pair}
    return "; ".join(
        [f"{_noted(a)} -> {_noted(b)}" for a, b in edges.arrows]
        + [f"{_noted(a)} - {_noted(b)}" for a, b in edges.undirected]
        + [_noted(name) for name in edges.nodes if name not in joined]
    )


def _noted(name: str) -> str:
    # A plain name reads back as itself between blanks (where "-" is an edge); any other is
    # quoted, odd characters as escapes. With a brace it may begin a text in another format.
    plain = name.isprintable() and "{" not in name
    plain = plain and [*_named_tokens(f" {name} ")] == [Token("name", name, 1)]
    return name if plain else json.dumps(name, ensure_ascii=not name.isprintable())


_DOT = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|(?<![^\n])\#[^\n]*)
    | (?P<quoted>"(?:[^"\\]|\\.)*")
    | (?P<name>[\w.]+|-(?:\.\d+|\d+(?:\.\d*)?))
    | (?P<edge>[<@]?-[->@]|<-)
    | (?P<mark>[{}\[\];,=])
    | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_DEEPEST_GROUP = 50
# How the edges of each kind of graph are written, and an example; two kinds are dagitty's.
_KINDS = {
    "graph": (("--",), "graph { a -- b; c }"),
    "digraph": (("->",), "digraph { a -> b; c -> d [dir=none] }"),
    "dag": (("->", "<-"), "dag { a -> b; c }"),
    "pdag": (("->", "<-", "--"), "pdag { a -> b; c -- d }"),
}
# What dagitty, or DoWhy's `observed="no"`, says of nodes that no column of a table can be.
_UNMEASURED = {"latent", "l", "unobserved", "u", "observed"}
_SELECTED = {"selected", "s"}
_NO = {"no", "false", "0"}
_UNSUPPORTED = {"<": "HTML text", ":": "a port", "+": "joined text", "": "nothing"}


def _read_dot(text: str) -> Edges:
    """Read one ``graph`` or ``digraph``, or dagitty's ``dag`` or ``pdag``.

    Of the attributes ``dir`` counts in DOT, and what says that a node was not measured.
    """
    edges = _DotParser(text).edges
    return edges._replace(nodes=[*dict.fromkeys(edges.nodes)])


def write_dot(edges: Edges) -> list[str]:
    """The lines of a ``digraph``; an undirected edge is one without arrowheads."""

    def quoted(name: str) -> str:
        return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'

    lines = [f"  {quoted(name)};" for name in edges.nodes]
    lines += [f"  {quoted(a)} -> {quoted(b)};" for a, b in edges.arrows]
    lines += [f"  {quoted(a)} -> {quoted(b)} [dir=none];" for a, b in edges.undirected]
    return ["digraph {", *lines, "}", ""]


class _DotParser:
    """A recursive-descent parser; stops at the first token that it does not know."""

    def __init__(self, text: str) -> None:
        self.edges, self.tokens = Edges([], [], []), _tokens(_DOT, text)
        self.kind, self.depth, self.end = "digraph", 0, Token("end", "", text.count("\n") + 1)
        self.next = next(self.tokens, self.end)
        if self.peek() == "strict":
            self.take()
        if self.peek() in {"mag", "pag"}:
            raise self.error("it leaves open what nobody measured")
        if self.peek() not in _KINDS:
            raise self.error(f"one of {listed(_KINDS)} should stand there")
        self.kind = self.take().lower()
        if self.peek() != "{":
            self.name()
        self.block()
        if self.next is not self.end:
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
        line, marks = self.next.line, _KINDS[self.kind][0]
        steps = [("", self.names())]
        if self.peek() == "=" and len(steps[0][1]) == 1:
            self.take()
            self.name()
            return
        while self.next.kind == "edge":
            if self.peek() not in {*marks, "<->"}:
                raise self.error(f"edges of a {self.kind} are {listed(marks)}")
            steps.append((self.take(), self.names()))
        attributes = self.attributes()
        self.edges.nodes.extend(name for _, names in steps for name in names)
        roles = _roles(attributes) if len(steps) == 1 else set()
        if roles & _UNMEASURED:
            raise unmeasured_error(steps[0][1], line)
        if roles:
            raise unreadable(
                f"By the graph {listed(steps[0][1])} decides who is in the table at all.",
                "If all people are in the table leave that remark out; else no graph of the "
                "people who are in it can be read off this one.",
                line,
            )
        direction = "forward" if "dag" in self.kind else attributes.get("dir", "forward")
        if direction not in {"forward", "none"}:
            raise self.error(f"the direction 'dir={direction}' is not read")
        for (_, left), (mark, right) in pairwise(steps):
            for a, b in product(left, right):
                self.edges.join(a, "--" if direction == "none" else mark, b, line)

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
        if self.peek() != "{":
            raise self.error("'{' should stand there")
        self.take()
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
        if self.next.kind not in {"name", "quoted"}:
            raise self.error(f"{_UNSUPPORTED.get(self.peek(), 'no name')} stands there")
        is_quoted, token = self.next.kind == "quoted", self.take()
        return re.sub(r'\\(["\\])', r"\1", token[1:-1]) if is_quoted else token

    def peek(self) -> str:
        """The next token, in lower case if it is not quoted."""
        return self.next.text.lower() if self.next.kind == "name" else self.next.text

    def take(self) -> str:
        taken, self.next = self.next, next(self.tokens, self.end)
        return taken.text

    def error(self, why: str) -> GraphError:
        token = "its end" if self.next is self.end else quote_short(self.next.text)
        return unreadable(
            f"The text cannot be read at {token}: {why}.",
            f"Write plain nodes and edges: {_KINDS[self.kind][1]}.",
            self.next.line,
        )


def _roles(attributes: dict[str, str]) -> set[str]:
    """Attributes that say that a node is no column, or decides who is in the table."""
    return (_UNMEASURED | _SELECTED) & {
        key.lower()
        for key, value in attributes.items()
        if (value.lower() in _NO) == (key.lower() == "observed")
    }


_NAMED = r'\s*(?:(?:"[^"]*"|[\w.]+)\s*)?\{'
_DOT_BEGINS = re.compile(
    r"(?:\s|(?:#|//|%)[^\n]*\n)*(?:strict\s+)?(?:graph|digraph|dag|pdag|mag|pag)\b" + _NAMED,
    re.IGNORECASE,
)
FORMATS = {
    "json": Format(_read_json, _JSON, (".json",)),
    "dot": Format(_read_dot, _DOT_BEGINS, (".dot", ".gv", ".dagitty")),
    "notation": Format(_read_notation, None, (".txt",)),
}
