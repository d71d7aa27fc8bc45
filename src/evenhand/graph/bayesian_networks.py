"""Reads the graph of a Bayesian network from the causes of each node; skips the numbers."""

import re
from collections import Counter
from collections.abc import Iterator

from evenhand.errors import listed, quote_short
from evenhand.graph.edge_notation import Edges, check_size, unreadable

_GRAMMAR = r"""(?P<skip>[\s,]+|//[^\n]*|/\*.*?\*/|(?<![^\n])\#[^\n]*{comment})
    | "(?P<quoted>(?:[^"\\]|\\.)*)"
    | (?P<open>"|/\*)
    | (?P<mark>[{{}}()|;])
    | (?P<word>[^\s,"{{}}()|;]+)"""
_BIF, _NET = (
    re.compile(_GRAMMAR.format(comment=comment), re.VERBOSE | re.DOTALL)
    for comment in ("", r"|%[^\n]*")
)
_TERM = re.compile(r"\[([^\[\]|]+)(?:\|([^\[\]|]+))?\]")
_COMMENT_LINE = re.compile(r"^[ \t]*#.*$", re.MULTILINE)


def read_model_string(text: str, where: str = "graph") -> Edges:
    """Read bnlearn's ``[a][b|a][c|a:b]``: in each bracket a node, then its causes."""
    text = _COMMENT_LINE.sub("", check_size(text, where))
    if rest := _TERM.sub("", text).strip():
        raise unreadable(
            f"{quote_short(rest)} is no part of a model string.",
            "Write '[a][b|a][c|a:b]', or quote names that begin with a bracket.",
            where,
        )
    edges = Edges([], [], [])
    for name, causes in _TERM.findall(text):
        edges.nodes.append(name.strip())
        for cause in causes.split(":") if causes else ():
            edges.join(cause.strip(), "->", name.strip(), where)
    return edges


def read_bif(text: str, where: str = "graph") -> Edges:
    """Read the interchange format BIF: ``variable a {…}``, ``probability (b | a) {…}``."""
    return _read_blocks(_BIF, "variable", "probability", text, where)


def read_net(text: str, where: str = "graph") -> Edges:
    """Read Hugin's format NET: ``node a {…}``, ``potential (b | a) {…}``."""
    return _read_blocks(_NET, "node", "potential", text, where)


def _read_blocks(
    token: re.Pattern[str], declares: str, gives: str, text: str, where: str
) -> Edges:
    """Read blocks ``words {…}`` of which one kind declares nodes and one gives their causes."""
    edges, declared = Edges([], [], []), []
    for words in _headers(token, check_size(text, where), where):
        match words:
            case ["network" | "net", *_]:
                continue
            case [word, name] | ["discrete", word, name] if word == declares:
                declared.append(name)
            case [word, "(", child, *causes, ")"] if word == gives and "|" not in causes[1:]:
                edges.nodes.append(child)
                for cause in causes[causes[:1] == ["|"] :]:
                    edges.join(cause, "->", child, where)
            case _:
                raise unreadable(
                    f"{quote_short(' '.join(words))} is no part of a network that is read.",
                    f"Write '{declares} b {{…}}' and '{gives} (b | a) {{…}}'.",
                    where,
                )
    if twice := [name for name, times in Counter(declared).items() if times > 1]:
        raise unreadable(
            f"{listed(twice)} is declared more than once as a {declares}.",
            "Keep one of them.",
            where,
        )
    if differing := {*declared} ^ {*edges.nodes}:
        raise unreadable(
            f"{listed(sorted(differing))} is not both a {declares} and first in a {gives}.",
            "Save the whole network.",
            where,
        )
    return edges


def _headers(token: re.Pattern[str], text: str, where: str) -> Iterator[list[str]]:
    """The words before each outer pair of braces."""
    words: list[str] = []
    depth = 0
    for match in token.finditer(text):
        kind = str(match.lastgroup)
        mark = match.group() if kind in {"mark", "open"} else ""
        depth += {"{": 1, "}": -1}.get(mark, 0)
        if kind == "open" or depth < 0:
            line = text.count("\n", 0, match.start()) + 1
            raise unreadable(
                f"{mark!r} has no counterpart.", "Save the file again.", f"{where}, line {line}"
            )
        if mark == "{" and depth == 1:
            yield words
            words = []
        elif not depth and kind != "skip" and mark not in {"}", ";"}:
            words.append(match[kind])
    if depth or words:
        raise unreadable("The text ends too early.", "Save the file again.", where)
