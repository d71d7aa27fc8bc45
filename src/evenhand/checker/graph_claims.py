"""The claims about the graph: that it has no cycle, and which causes the decision has."""

from dataclasses import dataclass

from .group_comparisons import listed
from .record_fields import Record


@dataclass(frozen=True)
class RecordedGraph:
    """The arrows and open edges of a record, and the attributes that it is about."""

    nodes: list[str]
    arrows: set[tuple[str, str]]
    undirected: list[list[str]]
    protected: list[str]
    decision: str
    doubtful: frozenset[tuple[str, ...]] = frozenset()

    @classmethod
    def of(cls, record: Record) -> "RecordedGraph":
        """Read the graph; refuse one that no graph can be."""
        graph, question = record["graph"], record["question"]
        protected, decision = listed(question["protected"]), question["decision"]
        ends = {*protected, decision}
        edges = [{a, b} for a, b in (*graph["arrows"], *graph["undirected"])]
        distinct, nodes = {frozenset(e) for e in edges if len(e) == 2}, graph["nodes"]
        if len(distinct) < len(edges) or sorted({*nodes, *ends}.union(*edges)) != sorted(nodes):
            raise ValueError("graph: a node or an edge is there twice, or an end is no node")
        arrows = {(cause, effect) for cause, effect in graph["arrows"]}
        ordered = arrows | {(name, decision) for name in protected}
        if any(cause in reachable({effect}, ordered) for cause, effect in ordered):
            raise ValueError("graph: arrows form a cycle, or lead back from the decision")
        doubtful = frozenset((*triple,) for triple in graph.get("doubtful", ()))
        return cls(nodes, arrows, graph["undirected"], protected, decision, doubtful)

    @property
    def direct(self) -> set[tuple[str, str]]:
        """The arrows from the protected attributes to the decision."""
        return {(name, self.decision) for name in self.protected}

    @property
    def ends(self) -> set[str]:
        """The protected attributes and the decision."""
        return {*self.protected, self.decision}

    @property
    def has_direct_edge(self) -> bool:
        """Whether the protected attribute and the decision are joined."""
        return bool(self.direct & (self.arrows | self.either_way))

    @property
    def either_way(self) -> set[tuple[str, str]]:
        """The open edges as arrows in both directions."""
        return {pair for a, b in self.undirected for pair in ((a, b), (b, a))}

    @property
    def causes(self) -> list[str] | None:
        """The causes of the decision but for the protected attribute; None if they are open."""
        if any(self.decision in edge for edge in self.undirected):
            return None
        return sorted(a for a, b in self.arrows - self.direct if b == self.decision)

    @property
    def possible_effects(self) -> set[str]:
        """What the decision may cause, however the open edges are directed."""
        return reachable({self.decision}, self.arrows | self.either_way) - {self.decision}


def reachable(nodes: set[str], arrows: set[tuple[str, str]]) -> set[str]:
    """The nodes and all descendants of them."""
    while more := {effect for cause, effect in arrows if cause in nodes} - nodes:
        nodes = nodes | more
    return nodes
