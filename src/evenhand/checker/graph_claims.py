"""The claims about the graph: that it has no cycle, and which causes the decision has."""

from dataclasses import dataclass

from .record_fields import Record


@dataclass(frozen=True)
class RecordedGraph:
    """The arrows and open edges of a record, and the two attributes that it is about."""

    nodes: list[str]
    arrows: set[tuple[str, str]]
    undirected: list[list[str]]
    protected: str
    decision: str

    @classmethod
    def of(cls, record: Record) -> "RecordedGraph":
        """Read the graph; refuse one that no graph can be."""
        graph, question = record["graph"], record["question"]
        ends = (question["protected"], question["decision"])
        edges = [{a, b} for a, b in (*graph["arrows"], *graph["undirected"])]
        distinct, nodes = {frozenset(e) for e in edges if len(e) == 2}, graph["nodes"]
        if len(distinct) < len(edges) or sorted({*nodes, *ends}.union(*edges)) != sorted(nodes):
            raise ValueError("graph: a node or an edge is there twice, or an end is no node")
        arrows = {(cause, effect) for cause, effect in graph["arrows"]}
        ordered = arrows | {ends}
        if any(cause in reachable({effect}, ordered) for cause, effect in ordered):
            raise ValueError("graph: arrows form a cycle, or lead back from the decision")
        return cls(nodes, arrows, graph["undirected"], *ends)

    @property
    def ends(self) -> tuple[str, str]:
        """The arrow from the protected attribute to the decision."""
        return self.protected, self.decision

    @property
    def has_direct_edge(self) -> bool:
        """Whether the protected attribute and the decision are joined."""
        return self.ends in self.arrows or {*self.ends} in map(set, self.undirected)

    @property
    def causes(self) -> list[str] | None:
        """The causes of the decision but for the protected attribute; None if they are open."""
        if any(self.decision in edge for edge in self.undirected):
            return None
        return sorted(a for a, b in self.arrows - {self.ends} if b == self.decision)

    @property
    def possible_effects(self) -> set[str]:
        """What the decision may cause, however the open edges are directed."""
        either = {pair for a, b in self.undirected for pair in ((a, b), (b, a))}
        return reachable({self.decision}, self.arrows | either) - {self.decision}


def reachable(nodes: set[str], arrows: set[tuple[str, str]]) -> set[str]:
    """The nodes and all descendants of them."""
    while more := {effect for cause, effect in arrows if cause in nodes} - nodes:
        nodes = nodes | more
    return nodes
