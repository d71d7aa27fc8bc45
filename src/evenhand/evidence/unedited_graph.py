"""``UneditedGraph``: the graph before edits, and what it gives on the rows that are judged."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.orientation import Edge, Triple
from evenhand.graph.partial_graph import PartialGraph
from evenhand.question import GraphEdit
from evenhand.question.knowledge import Arrow
from evenhand.verdict import StatisticalVerdict, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class UneditedOutcome:
    """Both verdicts that a graph gives by its causes alone; numbers are of the finest set."""

    verdict: Verdict
    population: StatisticalVerdict
    measured: int
    violating: int

    def __str__(self) -> str:
        return (
            f"{self.verdict}, {self.violating:,} of {self.measured:,} subpopulations violate; "
            f"in the population: {self.population}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UneditedGraph:
    """The edges of a graph before it was edited; its nodes are those of the edited one.

    ``outcome`` is None where the graph could not be judged, or not on the rows at hand: those
    of a release are others, and a copy for others does not have all rows.
    """

    arrows: tuple[Arrow, ...]
    undirected: tuple[Edge, ...]
    doubtful: tuple[Triple, ...]
    outcome: UneditedOutcome | None = None

    @classmethod
    def of(cls, graph: CausalGraph | PartialGraph) -> "UneditedGraph":
        """The edges of a graph that is not judged yet."""
        doubts = graph.doubtful if isinstance(graph, PartialGraph) else ()
        return cls(
            arrows=tuple(sorted(graph.arrows)),
            undirected=tuple(sorted(graph.undirected)),
            doubtful=tuple(sorted(doubts)),
        )

    @classmethod
    def parse(cls, content: Mapping[str, Any]) -> "UneditedGraph":
        """Parse the plain values."""
        outcome = None
        if "verdict" in content:
            numbers = {name: content[name] for name in ("measured", "violating")}
            verdict = Verdict(content["verdict"])
            population = StatisticalVerdict(content["population"])
            outcome = UneditedOutcome(verdict=verdict, population=population, **numbers)
        return cls(
            arrows=tuple((a, b) for a, b in content["arrows"]),
            undirected=tuple((a, b) for a, b in content["undirected"]),
            doubtful=tuple((a, centre, b) for a, centre, b in content["doubtful"]),
            outcome=outcome,
        )

    @property
    def is_open(self) -> bool:
        """Whether the graph was judged, and could not decide."""
        return self.outcome is not None and self.outcome.verdict is Verdict.CANNOT_DECIDE

    @property
    def without_outcome(self) -> "UneditedGraph":
        """The edges alone."""
        return replace(self, outcome=None)

    def graph(self, nodes: tuple[str, ...]) -> PartialGraph:
        """The graph of these edges."""
        doubts = frozenset(self.doubtful)
        return PartialGraph(
            nodes, frozenset(self.arrows), frozenset(self.undirected), doubts=doubts
        )

    def leads_to(self, graph: CausalGraph | PartialGraph, edits: Iterable[GraphEdit]) -> bool:
        """Whether the edits make the links of a graph; its directions may say more."""
        links = {frozenset(pair) for pair in (*self.arrows, *self.undirected)}
        for edit in edits:
            link = {frozenset(edit.arrow)}
            links = links - link if edit.kind == "remove" else links | link
        return links == {frozenset(pair) for pair in (*graph.arrows, *graph.undirected)}

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        edges = ("arrows", "undirected", "doubtful")
        content: dict[str, Any] = {name: [*map(list, getattr(self, name))] for name in edges}
        if self.outcome is not None:
            outcome = asdict(self.outcome)
            texts = {name: str(outcome[name]) for name in ("verdict", "population")}
            content |= outcome | texts
        return content
