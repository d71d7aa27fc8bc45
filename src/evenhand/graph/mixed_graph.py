"""``MixedGraph``: nodes, arrows and undirected edges, in and out of every format."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from evenhand.display import Pictured, Summary
from evenhand.errors import (
    GraphError,
    Problem,
    Remedy,
    did_you_mean,
    listed,
    optional_library,
    quote_short,
)
from evenhand.graph import dot_format, graph_readers
from evenhand.graph.block_sets import decision_first_error
from evenhand.graph.d_separation import BitsetGraph, union
from evenhand.graph.edge_notation import MOST_PROBLEMS, Edges, write_text
from evenhand.graph.orientation import Edge
from evenhand.question.graph_edits import GraphEdit
from evenhand.question.knowledge import Arrow, Knowledge, KnownOrder, Tiers
from evenhand.question.question import Question

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

# Knowledge, or an order made from it for columns of which the graph may have a part.
Known: TypeAlias = Knowledge | Tiers | KnownOrder | None

_LONGEST_REPR = 200
_GIVE_TIERS = (Remedy("Turn or drop it"), Remedy("give tiers that allow it", "tiers"))


@dataclass(frozen=True, repr=False)
class MixedGraph(Pictured):
    """Nodes, arrows ``(cause, effect)`` and undirected pairs; the arrows never form a cycle.

    Nodes and the ends of undirected edges are sorted, so that graphs with the same edges
    compare equal. ``edits`` have made the graph what it is, of the ``unedited`` one; neither
    counts in comparisons.
    """

    nodes: tuple[str, ...]
    arrows: frozenset[Arrow] = frozenset()
    undirected: frozenset[Edge] = frozenset()
    edits: tuple[GraphEdit, ...] = field(default=(), compare=False, kw_only=True)
    unedited: Self | None = field(default=None, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        nodes, arrows, undirected = list(self.nodes), list(self.arrows), list(self.undirected)
        problems = [*islice(Edges(nodes, arrows, undirected).problems(), MOST_PROBLEMS)]
        if problems:
            raise GraphError(*problems)
        object.__setattr__(self, "nodes", tuple(sorted(nodes)))
        object.__setattr__(self, "arrows", frozenset((a, b) for a, b in arrows))
        object.__setattr__(
            self, "undirected", frozenset((min(edge), max(edge)) for edge in undirected)
        )
        if cycle := self._bitsets.cycle():
            raise GraphError.of(
                f"The arrows form a cycle: {' -> '.join(cycle)}.",
                remedy="Nothing causes itself: turn or drop one of them.",
            )

    @cached_property
    def _bitsets(self) -> BitsetGraph:
        return BitsetGraph.of(self.nodes, self.arrows)

    def parents(self, node: str) -> frozenset[str]:
        """The nodes with an arrow to this one."""
        return self._linked(node, self._bitsets.parents)

    def children(self, node: str) -> frozenset[str]:
        """The nodes to which this one has an arrow."""
        return self._linked(node, self._bitsets.children)

    def neighbors(self, node: str) -> frozenset[str]:
        """The nodes joined to this one by an undirected edge."""
        self._bitsets.bits(node)
        return frozenset(b if a == node else a for a, b in self.undirected if node in (a, b))

    def adjacent(self, a: str, b: str) -> bool:
        """Whether any edge joins the two."""
        return b in self.parents(a) | self.children(a) | self.neighbors(a)

    def ancestors(self, node: str) -> frozenset[str]:
        """All nodes from which arrows lead to this one, itself left out."""
        own = self._bitsets.bits(node)
        return self._bitsets.names_in(self._bitsets.ancestors(own) & ~own)

    def descendants(self, node: str) -> frozenset[str]:
        """All nodes to which arrows lead from this one, itself left out."""
        own = self._bitsets.bits(node)
        return self._bitsets.names_in(self._bitsets.descendants(own) & ~own)

    def topological_order(self) -> tuple[str, ...]:
        """The nodes, causes before effects, otherwise by name."""
        return self._bitsets.topological_order()

    def renamed(self, old: str, new: str) -> Self:
        """The graph with another name for a node."""

        def name(node: str) -> str:
            return new if node == old else node

        def pairs(edges: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
            return frozenset((name(a), name(b)) for a, b in edges)

        return replace(
            self,
            nodes=tuple(map(name, self.nodes)),
            arrows=pairs(self.arrows),
            undirected=pairs(self.undirected),
            edits=tuple(
                replace(edit, arrow=(name(edit.arrow[0]), name(edit.arrow[1])))
                for edit in self.edits
            ),
            unedited=self.unedited and self.unedited.renamed(old, new),
        )

    def with_itself_unedited(self) -> Self:
        """The graph, to be edited: it is remembered as the one before edits."""
        return replace(self, unedited=self)

    def without_nodes(self, names: Collection[str]) -> Self | None:
        """The graph of the other nodes: the causes of one that is left out take its place.

        None if an edge without direction ends at one of them.
        """
        if any({*edge} & {*names} for edge in self.undirected):
            return None
        arrows = {*self.arrows}
        for name in names:
            causes = {a for a, b in arrows if b == name}
            effects = {b for a, b in arrows if a == name}
            arrows = {arrow for arrow in arrows if name not in arrow}
            arrows |= {(cause, effect) for cause in causes for effect in effects}
        nodes = tuple(node for node in self.nodes if node not in names)
        return type(self)(nodes, frozenset(arrows), self.undirected)

    def without_effects(self, names: frozenset[str]) -> Self:
        """The graph without nodes that cause nothing else, and without edits about them."""
        edits = tuple(edit for edit in self.edits if names.isdisjoint(edit.arrow))
        before = self.unedited if edits else None
        return replace(
            self,
            nodes=tuple(node for node in self.nodes if node not in names),
            arrows=frozenset(arrow for arrow in self.arrows if names.isdisjoint(arrow)),
            undirected=frozenset(edge for edge in self.undirected if names.isdisjoint(edge)),
            edits=edits,
            unedited=before and before.without_effects(names),
        )

    def check(
        self,
        names: Iterable[str] | None = None,
        question: Question | None = None,
        knowledge: Known = None,
    ) -> None:
        """Raise all contradictions between the graph and columns, question or knowledge."""
        columns = self.nodes if names is None else tuple(names)
        order = known_order(knowledge, (*dict.fromkeys((*columns, *self.nodes)),))
        problems = [
            *self._column_problems(columns),
            *self._question_problems(question),
            *self._knowledge_problems(order),
        ]
        if problems:
            raise GraphError(*problems)

    def _column_problems(self, columns: Iterable[str]) -> Iterator[Problem]:
        columns = tuple(columns)
        for node in sorted(set(self.nodes) - set(columns)):
            yield Problem(
                f"The graph has a node {quote_short(node)}, but there is no such column.",
                did_you_mean(node, columns) or f"The columns are {listed(columns)}.",
                "Correct the name, or leave the node out.",
            )

    def _question_problems(self, question: Question | None) -> Iterator[Problem]:
        if question is None:
            return
        absent = {*question.columns} - set(self.nodes)
        if absent:
            yield from GraphError.unknown(sorted(absent), self.nodes).problems
            return
        asked = {*question.redlining, *question.explained}
        yield from map(self._no_such_path, sorted(asked - {*self.nodes}))
        for name in question.protected_names:
            if path := self._bitsets.directed_path(question.decision, name):
                yield from decision_first_error(path).problems

    def _no_such_path(self, name: str) -> Problem:
        """Why no effect can be measured through a column that is no node."""
        near = did_you_mean(name, self.nodes) or f"Its nodes are {listed(self.nodes)}."
        return Problem(
            f"The graph has no node {name!r}, through which effects are asked about.",
            near,
            (Remedy("Add it to the graph", "graph"), Remedy("name one of the nodes")),
        )

    def _knowledge_problems(self, order: KnownOrder) -> Iterator[Problem]:
        for cause, effect in sorted(self.arrows):
            if not order.may_cause(cause, effect):
                yield Problem(
                    f"The arrow {cause} -> {effect} contradicts what is known.",
                    "It is forbidden."
                    if (cause, effect) in order.forbidden
                    else "The opposite arrow is required."
                    if (effect, cause) in order.required
                    else order.later(cause, effect),
                    _GIVE_TIERS
                    if order.tiers_assumed
                    else "Turn or drop it, or correct what is known.",
                )
        for cause, effect in sorted(order.required):
            if {cause, effect} <= set(self.nodes) and not self.adjacent(cause, effect):
                yield Problem(
                    f"The required arrow {cause} -> {effect} is not in the graph.",
                    remedy="Draw it, or require it no longer.",
                )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``a -> b; c - d; e``, the notation that ``str`` writes, or one of others.

        By their first words: DOT, dagitty, bnlearn's ``[a][b|a]``, Tetrad's text, BIF and NET.
        """
        return cls._from_edges(graph_readers.read_any(text))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a file: its content or else its ending says in which format it is written."""
        try:
            return cls._from_edges(graph_readers.read_file(path))
        except GraphError as error:
            raise GraphError(
                *(
                    replace(problem, where=problem.where or str(path))
                    for problem in error.problems
                )
            ) from error

    @classmethod
    def from_dict(cls, content: Mapping[str, object]) -> Self:
        """Read what ``to_dict`` gives."""
        return cls._from_edges(graph_readers.read_dict(content))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what ``to_json`` writes."""
        return cls._from_edges(graph_readers.read_json(text))

    @classmethod
    def from_dot(cls, text: str) -> Self:
        """Read plain DOT or dagitty: nodes and edges; an error names anything else."""
        return cls._from_edges(dot_format.read_dot(text))

    @classmethod
    def from_matrix(cls, matrix: object, names: Iterable[str] | None = None) -> Self:
        """Read 1 in row a, column b as ``a -> b``, and 1 in both places as ``a - b``."""
        return cls._from_edges(graph_readers.read_matrix(matrix, names))

    @classmethod
    def from_networkx(cls, graph: "nx.Graph") -> Self:
        """Read a networkx graph whose nodes are names; arcs both ways are undirected."""
        return cls._from_edges(graph_readers.read_networkx(graph))

    @classmethod
    def from_causallearn(cls, graph: object) -> Self:
        """Read a graph of causal-learn, or what its ``pc`` returns."""
        return cls._from_edges(graph_readers.read_causallearn(graph))

    def __str__(self) -> str:
        return write_text(self._edges)

    def __repr__(self) -> str:
        text = str(self)
        if len(text) > _LONGEST_REPR:
            text = (
                f"{len(self.nodes)} attributes, {len(self.arrows)} arrows, "
                f"{len(self.undirected)} undirected edges"
            )
        return f"<{type(self).__name__}: {text}>"

    def to_dict(self) -> dict[str, list[Any]]:
        """Nodes, arrows and undirected edges as plain sorted lists."""
        nodes, arrows, undirected = self._edges
        return {
            "nodes": nodes,
            "arrows": [list(arrow) for arrow in arrows],
            "undirected": [list(edge) for edge in undirected],
        }

    def to_json(self) -> str:
        """The graph as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_dot(self) -> str:
        """The graph in DOT, as Graphviz draws it."""
        return "\n".join(self.dot_lines())

    def dot_lines(self) -> list[str]:
        """The statements of the DOT text, each whole even if a name contains line breaks."""
        return dot_format.write_dot(self._edges)

    def to_matrix(self) -> "npt.NDArray[np.int8]":
        """1 in row a, column b for ``a -> b``, and in both places for ``a - b``."""
        matrix = np.zeros((len(self.nodes),) * 2, np.int8)
        for cause, effect in self._arcs:
            matrix[self.nodes.index(cause), self.nodes.index(effect)] = 1
        return matrix

    def to_pandas(self) -> "pd.DataFrame":
        """The matrix as a frame with the names at its sides."""
        with optional_library("pandas"):
            import pandas as pd  # noqa: PLC0415 - the user's library, not ours

        return pd.DataFrame(self.to_matrix(), index=self.nodes, columns=self.nodes)

    def to_networkx(self) -> "nx.DiGraph":
        """A networkx graph; an undirected edge becomes arcs both ways."""
        with optional_library("networkx"):
            import networkx as nx  # noqa: PLC0415 - the user's library, not ours

        graph = nx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self._arcs)
        return graph

    def summary(self) -> Summary:
        """Describe the graph in words."""
        sides = (self.parents, self.children, self.neighbors)
        return Summary(
            title=f"graph of {len(self.nodes)} attributes",
            facts=(
                ("arrows", str(len(self.arrows))),
                ("edges without direction", str(len(self.undirected))),
            ),
            columns=("attribute", "causes", "effects", "direction open"),
            lines=tuple(
                (node, *(", ".join(sorted(side(node))) for side in sides))
                for node in self.nodes
            ),
        )

    @classmethod
    def _from_edges(cls, edges: Edges) -> Self:
        # Lists on purpose: a set would hide an edge that is written twice.
        fields: tuple[Any, ...] = edges
        return cls(*fields)

    @property
    def _arcs(self) -> list[Arrow]:
        both = [edge[::-1] for edge in self.undirected]
        return sorted([*self.arrows, *self.undirected, *both])

    @property
    def _edges(self) -> Edges:
        return Edges([*self.nodes], sorted(self.arrows), sorted(self.undirected))

    def _linked(self, node: str, steps: Sequence[int]) -> frozenset[str]:
        return self._bitsets.names_in(union(steps, self._bitsets.bits(node)))


def known_order(knowledge: Known, names: Sequence[str]) -> KnownOrder:
    """Apply knowledge to the names, which must include all that it mentions."""
    if isinstance(knowledge, KnownOrder):
        return knowledge
    return Knowledge.of(knowledge).about(names)
