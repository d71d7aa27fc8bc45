"""``PartialGraph``: nodes, arrows and edges without direction, in and out of every format.

``CausalGraph`` is the same class, and refuses edges without direction. Names become bits once,
when a graph is made; ``d_separation`` and ``dag_extensions`` work on these.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from evenhand.display import Pictured, ProgressCallback, Summary
from evenhand.errors import (
    GraphError,
    Problem,
    Remedy,
    did_you_mean,
    listed,
    optional_library,
    quote_short,
)
from evenhand.graph import block_sets, text_formats
from evenhand.graph.block_sets import BlockSetCheck, PrunedGraph, decision_first_error
from evenhand.graph.d_separation import BitsetGraph, union
from evenhand.graph.dag_extensions import OpenGraph, ParentSets
from evenhand.graph.discovery_record import DiscoveryRecord
from evenhand.graph.edge_lists import MOST_PROBLEMS, Edges, read_causallearn, read_networkx
from evenhand.graph.orientation import (
    Edge,
    Triple,
    both_ways,
    edge_of,
    known_arrows,
    orient,
    triple_of,
)
from evenhand.question.knowledge import Arrow, GraphEdit, Knowledge, KnownOrder, Tiers
from evenhand.question.question import Question

if TYPE_CHECKING:
    import networkx as nx

# Knowledge, or an order made from it for columns of which the graph may have a part.
Known: TypeAlias = Knowledge | Tiers | KnownOrder | None

_LONGEST_REPR = 200
_GIVE_TIERS = (Remedy("Turn or drop it"), Remedy("give tiers that allow it", "tiers"))


@dataclass(frozen=True, repr=False)
class PartialGraph(Pictured):
    """Arrows ``(cause, effect)``, which form no cycle, and pairs of open direction.

    >>> graph = PartialGraph.parse("sex -> income; age - income")
    >>> graph.neighbors("income")
    frozenset({'age'})

    Nodes and the ends of undirected edges are sorted, so that graphs with the same edges
    compare equal. What follows does not count in comparisons: ``record`` says how the graph was
    found; ``edits`` have made it what it is, of the ``unedited`` one; of the triples ``doubts``
    nobody knows whether they are colliders, nor of those that the record leaves in doubt.
    """

    nodes: tuple[str, ...]
    arrows: frozenset[Arrow] = frozenset()
    undirected: frozenset[Edge] = frozenset()
    record: DiscoveryRecord | None = field(default=None, compare=False)
    edits: tuple[GraphEdit, ...] = field(default=(), compare=False, kw_only=True)
    unedited: "PartialGraph | None" = field(default=None, compare=False, kw_only=True)
    doubts: frozenset[Triple] = field(default=frozenset(), compare=False, kw_only=True)

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
        if cycle := self._bits.cycle():
            raise GraphError.of(
                f"The arrows form a cycle: {' -> '.join(cycle)}.",
                remedy="Nothing causes itself: turn or drop one of them.",
            )

    @cached_property
    def _bits(self) -> BitsetGraph:
        return BitsetGraph.of(self.nodes, self.arrows)

    @property
    def is_directed(self) -> bool:
        """Whether every edge is an arrow."""
        return not self.undirected

    def parents(self, node: str) -> frozenset[str]:
        """The nodes with an arrow to this one."""
        return self._linked(node, self._bits.parents)

    def children(self, node: str) -> frozenset[str]:
        """The nodes to which this one has an arrow."""
        return self._linked(node, self._bits.children)

    def neighbors(self, node: str) -> frozenset[str]:
        """The nodes joined to this one by an undirected edge."""
        self._bits.bits(node)
        return frozenset(self._neighbors[node])

    @cached_property
    def _neighbors(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {node: set() for node in self.nodes}
        for a, b in self.undirected:
            found[a].add(b)
            found[b].add(a)
        return found

    def adjacent(self, a: str, b: str) -> bool:
        """Whether any edge joins the two."""
        return b in self.parents(a) | self.children(a) | self.neighbors(a)

    def ancestors(self, node: str) -> frozenset[str]:
        """All nodes from which arrows lead to this one, itself left out."""
        own = self._bits.bits(node)
        return self._bits.names_in(self._bits.ancestors(own) & ~own)

    def descendants(self, node: str) -> frozenset[str]:
        """All nodes to which arrows lead from this one, itself left out."""
        own = self._bits.bits(node)
        return self._bits.names_in(self._bits.descendants(own) & ~own)

    def topological_order(self) -> tuple[str, ...]:
        """The nodes, causes before effects, otherwise by name."""
        return tuple(self.nodes[at] for at in self._bits.order())

    def separated(self, a: str, b: str, given: Iterable[str] = ()) -> bool:
        """Whether the given nodes block every path between the two.

        >>> graph = CausalGraph.parse("a -> m; b -> m")
        >>> graph.separated("a", "b"), graph.separated("a", "b", {"m"})
        (True, False)
        """
        self._require_directed()
        bits = self._bits.bits
        return not self._bits.connected(bits(a), bits(*given)) & bits(b)

    def decision_causes(self, question: Question) -> tuple[str, ...]:
        """The direct causes of the decision but for the protected attribute, by name.

        Raises where the decision causes that attribute: then no such question can be asked.
        """
        self._require_directed()
        self.check(question=question)
        return tuple(
            sorted(self.parents(question.decision).difference(question.protected_names))
        )

    def check_block_set(self, question: Question, names: Iterable[str]) -> BlockSetCheck:
        """Whether comparing people alike in the names measures the direct effect alone.

        The answer is true or false and prints as text; if false it names the open path.
        """
        self._require_directed()
        return block_sets.check_block_set(self._bits, question, names)

    def block_sets(
        self, question: Question, *, minimal: bool = False
    ) -> Iterator[frozenset[str]]:
        """Iterate over all block sets, or over those of which no part is one."""
        self._require_directed()
        find = block_sets.minimal_block_sets if minimal else block_sets.all_block_sets
        return find(PrunedGraph.of(self._bits, question))

    def _require_directed(self) -> None:
        if self.undirected:
            raise GraphError(
                *(
                    Problem(
                        f"The edge {a} - {b} has no direction.",
                        remedy="In a causal graph every edge is an arrow: write it as "
                        f"'{a} -> {b}' or '{b} -> {a}', or use a PartialGraph.",
                    )
                    for a, b in sorted(self.undirected)
                )
            )

    @cached_property
    def doubtful(self) -> frozenset[Triple]:
        """Triples at which neither data nor edits showed or excluded a collider.

        All triples of an edge that a conflict left undirected are among them: evidence that did
        not count when the edge was left open must not settle it here.
        """
        if self.record is None:
            return self.doubts
        triples = {*self.doubts, *self.record.ambiguous}
        for conflict in self.record.conflicts:
            triples.update(conflict.claims)
            if conflict.edge in self.undirected:
                for a, centre in (conflict.edge, conflict.edge[::-1]):
                    beside = self.parents(centre) | self.children(centre)
                    beside |= self._neighbors[centre]
                    triples |= {triple_of(a, centre, b) for b in beside - {a}}
        return frozenset(triples)

    def with_knowledge(self, knowledge: Known, *, question: Question | None = None) -> Self:
        """Direct the edges that knowledge settles, and those that follow from them.

        Knowledge may speak of nodes only; ``Knowledge.about(columns)`` of more columns. A
        question adds that its decision does not cause its protected attribute.

        Where no graph fits all that is known, nothing follows: an arrow drawn from one half of
        a contradiction would make the other half look settled. Triples in doubt remain so.
        """
        self.check(knowledge=knowledge)
        order = known_order(knowledge, self.nodes)
        order = replace(order, required=order.required | self.arrows)
        edges = [*self.undirected, *(edge_of(*arrow) for arrow in self.arrows)]
        arrows = known_arrows(self.nodes, edges, order)
        open_edges = self.undirected - {edge_of(*arrow) for arrow in arrows}
        known = replace(self, arrows=arrows, undirected=open_edges, doubts=self.doubtful)
        _, added = known.extension(question=question)
        if added:
            return known
        later = question.protected_names if question else ()
        backward = {(question.decision, name) for name in later if question}
        oriented = orient(
            self.nodes,
            edges,
            ambiguous=self.doubtful,
            order=replace(order, forbidden=order.forbidden | backward),
        )
        return replace(known, arrows=oriented.arrows, undirected=oriented.undirected)

    def parent_sets(
        self,
        node: str,
        *,
        question: Question | None = None,
        progress: ProgressCallback | None = None,
    ) -> ParentSets:
        """The sets of nodes that may be the parents of one, with what they rest on.

        With a question, only of graphs in which its decision does not cause its protected
        attribute.
        """
        self._bits.bits(node)
        return OpenGraph.of(self, question).parent_sets(node, progress)

    def extension(
        self, *, question: Question | None = None
    ) -> tuple["CausalGraph", tuple[Triple, ...]]:
        """Direct every edge; also the colliders that this adds: none if possible, else few.

        With a question, so that its decision does not cause its protected attribute.
        """
        self.check(question=question)
        arrows, added = OpenGraph.of(self, question).extension()
        return CausalGraph(self.nodes, arrows), added

    def renamed(self, old: str, new: str) -> Self:
        """The graph with another name for a node; of its record what is in doubt, and how.

        Which tests separated what is no longer told: they were made under the old name.
        """

        def names(nodes: Iterable[str]) -> tuple[Any, ...]:
            return tuple(new if node == old else node for node in nodes)

        return replace(
            self,
            nodes=names(self.nodes),
            arrows=frozenset(map(names, self.arrows)),
            undirected=frozenset(map(names, self.undirected)),
            record=self.record
            and replace(self.record, ambiguous=(), conflicts=(), separating={}),
            edits=tuple(replace(edit, arrow=names(edit.arrow)) for edit in self.edits),
            unedited=self.unedited and self.unedited.renamed(old, new),
            doubts=frozenset(triple_of(*names(triple)) for triple in self.doubtful),
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
            if path := self._bits.directed_path(question.decision, name):
                yield from decision_first_error(path).problems

    def _no_such_path(self, name: str) -> Problem:
        """Why no effect can be measured through a column that is no node."""
        what = f"The graph has no node {name!r}, through which effects are asked about."
        if first := self.record and self.record.stand_ins.get(name):
            return Problem(
                what,
                f"It says the same as {first!r} in other words, and only that was searched.",
                "Leave it out of what is asked.",
            )
        near = did_you_mean(name, self.nodes) or f"Its nodes are {listed(self.nodes)}."
        return Problem(
            what,
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

        By their first words: JSON, DOT and dagitty.
        """
        return cls._from_edges(text_formats.read_text(text))

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what ``to_dict`` gives."""
        return cls._from_edges(text_formats.read_dict(content))

    @classmethod
    def from_networkx(cls, graph: "nx.Graph") -> Self:
        """Read a networkx graph whose nodes are names; arcs both ways are undirected."""
        return cls._from_edges(read_networkx(graph))

    @classmethod
    def from_causallearn(cls, graph: Any) -> Self:  # noqa: ANN401 - an object of the user
        """Read a graph of causal-learn, or what its ``pc`` returns."""
        return cls._from_edges(read_causallearn(graph))

    def __str__(self) -> str:
        return text_formats.write_notation(self._edges)

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
        return text_formats.write_dot(self._edges)

    def to_networkx(self) -> "nx.DiGraph":
        """A networkx graph; an undirected edge becomes arcs both ways."""
        with optional_library("networkx"):
            import networkx as nx  # noqa: PLC0415 - the user's library, not ours

        graph = nx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from((*self.arrows, *both_ways(self.undirected)))
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
    def _edges(self) -> Edges:
        return Edges([*self.nodes], sorted(self.arrows), sorted(self.undirected))

    def _linked(self, node: str, steps: Sequence[int]) -> frozenset[str]:
        return self._bits.names_in(union(steps, self._bits.bits(node)))


@dataclass(frozen=True, repr=False)
class CausalGraph(PartialGraph):
    """A directed graph without cycles, each arrow from a direct cause to its effect.

    >>> graph = CausalGraph.parse("sex -> major -> admission; test_score -> admission")
    >>> sorted(graph.parents("admission"))
    ['major', 'test_score']
    >>> print(graph)
    major -> admission; sex -> major; test_score -> admission
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_directed()


def known_order(knowledge: Known, names: Sequence[str]) -> KnownOrder:
    """Apply knowledge to the names, which must include all that it mentions."""
    if isinstance(knowledge, KnownOrder):
        return knowledge
    return Knowledge.of(knowledge).about(names)


def graph_of_edges(nodes: Collection[str], content: Mapping[str, Any]) -> PartialGraph:
    """The graph with these nodes, of edges and doubtful triples as plain values."""
    arrows, undirected = (
        frozenset(map(tuple, content[name])) for name in ("arrows", "undirected")
    )
    return PartialGraph(tuple(nodes), arrows, undirected, doubts=_triples(content, nodes))


def load_graph(path: str | Path) -> PartialGraph:
    """Read a file in one of many formats: a causal graph if every edge in it is an arrow.

    A JSON file may be a certificate. A graph that was learned has a record of that. Other
    formats are edges as text, DOT and dagitty.
    """
    try:
        edges, content = text_formats.read_file(Path(path))
        return _saved_graph(edges, content)
    except GraphError as error:
        problems = (
            replace(problem, where=", ".join(filter(None, (str(path), problem.where))))
            for problem in error.problems
        )
        raise GraphError(*problems) from error


def _saved_graph(edges: Edges, content: Any) -> PartialGraph:  # noqa: ANN401  # parsed JSON
    """The graph with what is known of its origin."""
    parts: tuple[Any, ...] = edges
    graph = PartialGraph(*parts)
    saved: Any = text_formats.graph_of(content)
    origin = saved.get("origin")
    if isinstance(origin, dict):
        try:
            before = origin.get("unedited")
            graph = replace(
                graph,
                record=_record(origin, content) if origin.get("kind") == "learned" else None,
                doubts=_triples(saved, graph.nodes),
                edits=tuple(GraphEdit(**edit) for edit in origin.get("edits", [])),
                unedited=before and graph_of_edges(graph.nodes, before),
            )
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise GraphError.of(
                f"The origin of the graph cannot be read: {error}.",
                remedy="Leave `origin` out, or save the graph again.",
            ) from error
    if graph.undirected or graph.record:
        return graph
    return CausalGraph(graph.nodes, graph.arrows, edits=graph.edits, unedited=graph.unedited)


def _record(origin: Mapping[str, Any], content: Any) -> DiscoveryRecord:  # noqa: ANN401
    """How the graph was learned; a certificate has the digest of the counts elsewhere."""
    partitions = content.get("partitions") or [{}]
    return DiscoveryRecord(
        algorithm=str(origin["algorithm"]),
        test=str(origin["test"]),
        significance=float(origin["significance"]),
        rows="original" if origin["rows"] == "original" else "other",
        # A shared copy has no digest.
        counts=str(origin.get("counts") or partitions[0].get("digest") or "unknown"),
        knowledge=Knowledge(
            **origin.get("knowledge", {}), tiers_assumed=bool(origin["decision_last"])
        ),
        limits=str(origin.get("limits", "")),
        ended_early=str(origin.get("ended_early", "")),
        depth=origin.get("depth"),
    )


def _triples(content: Mapping[str, Any], nodes: Collection[str]) -> frozenset[Triple]:
    triples = frozenset((a, centre, b) for a, centre, b in content.get("doubtful", []))
    if strangers := {name for names in triples for name in names}.difference(nodes):
        raise ValueError(f"{listed(strangers)} in a triple are no nodes")
    return triples
