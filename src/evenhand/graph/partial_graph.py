"""``PartialGraph``: what discovery finds, arrows and edges of open direction."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from evenhand.counts import CountTable
from evenhand.errors import GraphError, Problem
from evenhand.graph.admissible_graphs import AdmissibleGraphs, direct_every_way
from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.graph_variants import Variant
from evenhand.graph.mixed_graph import Known, MixedGraph, known_order
from evenhand.graph.orientation import (
    Conflict,
    Edge,
    Triple,
    edge_of,
    known_arrows,
    orient,
    triple_of,
)
from evenhand.graph.parent_sets import ParentSets, extend, possible_parent_sets
from evenhand.question.knowledge import Arrow
from evenhand.question.question import Question


@dataclass(frozen=True, slots=True)
class Separation:
    """Why two nodes are not joined: given these others, they were independent with this p."""

    given: frozenset[str]
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryRecord:
    """How a graph was found: enough to say what it rests on and what remains in doubt.

    ``separating`` is keyed by sorted pairs; pairs that knowledge keeps apart have no entry.
    ``tests`` counts the independence tests at each size of the conditioning set.
    ``ambiguous`` lists triples ``(x, centre, y)``, ``x < y``, read neither way. ``stand_ins``
    gives for each column that did not enter the search the one that says the same. ``counts``
    are what the graph was learned from, or their digest if it was read from a file, and
    ``rows`` says which. ``limits`` says in words which limits were set, ``max_depth`` among
    them, and ``ended_early`` what they left untried, which depends on the counts.
    """

    algorithm: str
    test: str
    significance: float
    tests: tuple[int, ...] = ()
    separating: Mapping[Edge, Separation] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()
    ambiguous: tuple[Triple, ...] = ()
    max_depth: int | None = None
    limits: str = ""
    ended_early: str = ""
    notes: tuple[str, ...] = ()
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    rows: Literal["same", "original", "other"] = "same"
    counts: CountTable | str = field(default="", compare=False, repr=False)
    decision_last: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """How the search was set, as arguments of ``discover``."""
        names = ("significance", "test", "max_depth")
        return {name: getattr(self, name) for name in names}

    @property
    def complete(self) -> bool:
        """Whether the search went on until no set was left to try."""
        return not self.ended_early

    @property
    def digest(self) -> str:
        """The digest of the counts that the graph was learned from; "" if nobody knows."""
        return self.counts if isinstance(self.counts, str) else self.counts.digest


@dataclass(frozen=True, slots=True)
class Extension:
    """A causal graph made of a partial one, and the colliders it has that were not found."""

    graph: CausalGraph
    added: tuple[Triple, ...] = ()

    @property
    def consistent(self) -> bool:
        """Whether the graph is one of those that the partial graph stands for."""
        return not self.added


@dataclass(frozen=True, repr=False)
class PartialGraph(MixedGraph):
    """A graph of which some edges have no direction yet.

    >>> graph = PartialGraph.parse("sex -> income; age - income")
    >>> graph.neighbors("income")
    frozenset({'age'})

    How it was found does not count in comparisons, nor do ``doubts``: triples of which nobody
    knows whether they are colliders, besides those of the record.
    """

    record: DiscoveryRecord | None = field(default=None, compare=False, repr=False)
    doubts: frozenset[Triple] = field(default=frozenset(), compare=False, kw_only=True)

    def _no_such_path(self, name: str) -> Problem:
        first = self.record and self.record.stand_ins.get(name)
        if not first:
            return super()._no_such_path(name)
        return Problem(
            f"The graph has no node {name!r}, through which effects are asked about.",
            f"It says the same as {first!r} in other words, and only that was searched.",
            "Leave it out of what is asked.",
        )

    def renamed(self, old: str, new: str) -> "PartialGraph":
        """The graph with another name for a node; of its record what is in doubt, and how.

        Which tests separated what is no longer told: they were made under the old name.
        """
        doubts = frozenset(
            triple_of(*(new if node == old else node for node in triple))
            for triple in self.doubtful
        )
        record = self.record and replace(self.record, ambiguous=(), conflicts=(), separating={})
        return replace(super().renamed(old, new), record=record, doubts=doubts)

    def without_effects(self, names: frozenset[str]) -> "PartialGraph":
        """The graph without nodes that cause nothing else; doubts about others stay."""
        doubts = frozenset(triple for triple in self.doubtful if names.isdisjoint(triple))
        record = self.record and replace(self.record, ambiguous=(), conflicts=())
        return replace(super().without_effects(names), record=record, doubts=doubts)

    def with_knowledge(
        self, knowledge: Known, *, question: Question | None = None
    ) -> "PartialGraph":
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
        known.check(question=question)
        _, added = extend(
            self.nodes, arrows, open_edges, self.doubtful, earlier=_earlier(question)
        )
        if added:
            return known
        backward = {(late, early) for early, late in _earlier(question)}
        oriented = orient(
            self.nodes,
            edges,
            ambiguous=self.doubtful,
            order=replace(order, forbidden=order.forbidden | backward),
        )
        return replace(known, arrows=oriented.arrows, undirected=oriented.undirected)

    @property
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
                    around = (b for b in self.nodes if b != a and self.adjacent(centre, b))
                    triples |= {triple_of(a, centre, b) for b in around}
        return frozenset(triples)

    def parent_sets(
        self, node: str, knowledge: Known = None, *, question: Question | None = None
    ) -> ParentSets:
        """The sets of nodes that may be the parents of one, with what they rest on.

        With a question, only of graphs in which its decision does not cause its protected
        attribute, be it through others: whoever asks it takes that for granted.
        """
        graph = self if knowledge is None else self.with_knowledge(knowledge)
        self._bitsets.bits(node)
        return possible_parent_sets(
            node,
            graph.nodes,
            graph.arrows,
            graph.undirected,
            graph.doubtful,
            earlier=_earlier(question),
        )

    def possible_parents(
        self, node: str, knowledge: Known = None
    ) -> tuple[frozenset[str], ...]:
        """Every set of nodes that may be the parents of one, small sets first.

        >>> graph = PartialGraph.parse("sex -> income; sex -> age; age - income")
        >>> [sorted(parents) for parents in graph.possible_parents("income")]
        [['sex'], ['age', 'sex']]
        """
        return self.parent_sets(node, knowledge).sets

    def possible_decision_causes(
        self, question: Question, knowledge: Known = None
    ) -> tuple[frozenset[str], ...]:
        """Every set that may be the decision's causes, the protected attribute left out.

        >>> graph = PartialGraph.parse("income - job; job - sex")  # no income -> job -> sex
        >>> question = Question(protected="sex", group="f", decision="income", favorable="y")
        >>> graph.possible_decision_causes(question)
        (frozenset({'job'}),)
        """
        self.check(question=question)
        found = self.parent_sets(question.decision, knowledge, question=question)
        return tuple(
            dict.fromkeys(
                parents.difference(question.protected_names) for parents in found.sets
            )
        )

    def extension(
        self, knowledge: Known = None, *, question: Question | None = None
    ) -> Extension:
        """Direct every edge, adding no collider if that is possible, else few.

        With a question, so that its decision does not cause its protected attribute.
        """
        self.check(question=question)
        graph = self if knowledge is None else self.with_knowledge(knowledge)
        tier = known_order(knowledge, self.nodes).tier
        latest_last = sorted(self.nodes, key=lambda node: (tier[node] or 0, node))
        arrows, added = extend(
            latest_last,
            graph.arrows,
            graph.undirected,
            graph.doubtful,
            earlier=_earlier(question),
        )
        return Extension(CausalGraph(self.nodes, arrows), added)

    def to_dag(self, knowledge: Known = None) -> CausalGraph:
        """A causal graph with the same edges and arrows, and no other colliders.

        Raises where there is none; ``extension`` then says what stands in the way.
        """
        extension = self.extension(knowledge)
        if not extension.consistent:
            raise GraphError.of(
                "The graph contradicts itself: its edges cannot all be directed without "
                "a collider that was not found.",
                f"It would arise at {_shown(extension.added)}.",
                "Give tiers or require arrows, or take `extension().graph` as it is.",
            )
        return extension.graph


def admissible_graphs(
    graph: CausalGraph | PartialGraph, question: Question
) -> AdmissibleGraphs:
    """The graphs that a graph may stand for: itself, unless it leaves edges open."""
    graph.check(question=question)
    if isinstance(graph, PartialGraph):
        return direct_every_way(
            graph.nodes, graph.arrows, graph.undirected, graph.doubtful, question
        )
    return AdmissibleGraphs(question=question, variants=(Variant(graph),))


def _earlier(question: Question | None) -> list[Arrow]:
    """Each protected attribute before the decision, as a pair; none without a question."""
    return [(name, question.decision) for name in question.protected_names] if question else []


def _shown(triples: Iterable[Triple]) -> str:
    return ", ".join(f"{a} -> {centre} <- {b}" for a, centre, b in triples)
