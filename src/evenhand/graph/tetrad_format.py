"""Reads the text that Tetrad saves of a graph, which causal-learn prints, too."""

import re
from collections.abc import Mapping
from itertools import groupby

from evenhand.errors import GraphError, quote_short
from evenhand.graph.edge_notation import (
    Edges,
    check_size,
    common_cause_error,
    unmeasured_error,
    unreadable,
)

_EDGE = re.compile(r"\d+\. (.+?) ([<o-]-[>o-]) (.+)")
# Behind an edge may stand whether it is direct (dd, pd), whether it has an unmeasured common
# cause (nl, pl) and, after bootstrapping, in brackets how often which edge was seen.
_REMARKS = {"dd", "pd", "nl", "pl"}
_TRIPLES = re.compile(r"(?:Ambiguous|Underline|Dotted underline) triples")


def read_tetrad(text: str, where: str = "graph") -> Edges:
    """Read the nodes and edges; scores and other attributes are left out."""
    section, edges = "", Edges([], [], [])
    nodes: dict[int, set[str]] | None = None
    for number, content in enumerate(check_size(text, where).splitlines(), 1):
        line, place = content.strip(), f"{where}, line {number}"
        if line in {"Graph Nodes:", "Graph Edges:"} or line.endswith("Attributes:"):
            section = line
            if line == "Graph Edges:":
                nodes = _by_length(edges.nodes)
        elif _TRIPLES.match(line):
            raise ambiguous_error(place)
        elif not line or line.startswith("#") or section.endswith("Attributes:"):
            continue
        elif section == "Graph Nodes:":
            separator = next((mark for mark in ";," if mark in line), None)
            edges.nodes.extend(filter(None, map(str.strip, line.split(separator))))
        elif edge := _EDGE.match(line):
            left, mark, rest = (part.strip() for part in edge.groups())
            edges.join(left, mark, _right_end(rest, nodes or {}, line, place), place)
        else:
            raise unreadable(
                f"{quote_short(line)} cannot be read as an edge.",
                "Below 'Graph Edges:' write edges as '1. a --> b' or '2. b --- c'.",
                place,
            )
    if nodes is None:
        raise unreadable(
            "There is no 'Graph Edges:' below the nodes.",
            "Save the whole graph; one without edges has that heading, too.",
            where,
        )
    if latent := [name for name in edges.nodes if re.fullmatch(r"\(.*\)", name)]:
        raise unmeasured_error(latent, where)
    return edges


def _by_length(names: list[str]) -> dict[int, set[str]]:
    """The names by their length, the longest first."""
    longest_first = sorted(names, key=len, reverse=True)
    return {size: {*some} for size, some in groupby(longest_first, len)}


def _right_end(rest: str, nodes: Mapping[int, set[str]], line: str, where: str) -> str:
    """The node that an edge ends with, without the remarks behind it.

    Names may look like remarks: the longest that is a node counts, or else the shortest.
    """
    for size, names in nodes.items():
        words = rest[size:].partition(" [")[0]
        if rest[:size] in names and words[:1] in {"", " "} and {*words.split()} <= _REMARKS:
            if "pl" in words.split():
                raise common_cause_error(line, where)
            return rest[:size]
    name = rest.partition(" [")[0].split(" ")
    while len(name) > 1 and name[-1] in _REMARKS:
        name.pop()
    return " ".join(name)


def ambiguous_error(where: str) -> GraphError:
    """The error for triples that a search could not say to be colliders or not."""
    return unreadable(
        "The graph comes with triples that are in doubt, which edges alone do not tell.",
        "Learn the graph here, which remembers them, or leave them out of the text.",
        where,
    )
