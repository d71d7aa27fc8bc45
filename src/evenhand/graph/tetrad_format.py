"""Reads the text that Tetrad saves of a graph, which causal-learn prints, too."""

import re

from evenhand.errors import GraphError, quote_short
from evenhand.graph.edge_notation import Edges, check_size, unmeasured_error, unreadable

# A search with bootstrapping adds in brackets how often it saw which edge.
_EDGE = re.compile(r"\d+\. (.+?) ([<o-]-[>o-]) ([^\[]+)")
_TRIPLES = re.compile(r"(?:Ambiguous|Underline|Dotted underline) triples")


def read_tetrad(text: str, where: str = "graph") -> Edges:
    """Read the nodes and edges; scores and other attributes are left out."""
    section, edges = "", Edges([], [], [])
    for number, content in enumerate(check_size(text, where).splitlines(), 1):
        line, place = content.strip(), f"{where}, line {number}"
        if line in {"Graph Nodes:", "Graph Edges:"} or line.endswith("Attributes:"):
            section = line
        elif _TRIPLES.match(line):
            raise ambiguous_error(place)
        elif not line or line.startswith("#") or section.endswith("Attributes:"):
            continue
        elif section == "Graph Nodes:":
            separator = next((mark for mark in ";," if mark in line), None)
            edges.nodes.extend(filter(None, map(str.strip, line.split(separator))))
        elif edge := _EDGE.match(line):
            edges.join(edge[1].strip(), edge[2], edge[3].strip(), place)
        else:
            raise unreadable(
                f"{quote_short(line)} cannot be read as an edge.",
                "Below 'Graph Edges:' write edges as '1. a --> b' or '2. b --- c'.",
                place,
            )
    if latent := [name for name in edges.nodes if re.fullmatch(r"\(.*\)", name)]:
        raise unmeasured_error(latent, where)
    return edges


def ambiguous_error(where: str) -> GraphError:
    """The error for triples that a search could not say to be colliders or not."""
    return unreadable(
        "The graph comes with triples that are in doubt, which edges alone do not tell.",
        "Learn the graph here, which remembers them, or leave them out of the text.",
        where,
    )
