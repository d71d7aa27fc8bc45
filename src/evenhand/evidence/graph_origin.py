"""``GraphOrigin``: where a graph came from, as data and in words."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from evenhand.display import plain
from evenhand.evidence.population import GraphOutcome
from evenhand.graph import PartialGraph
from evenhand.graph.orientation import Edge, Triple
from evenhand.question import GraphEdit, Knowledge, Tiers
from evenhand.question.knowledge import Arrow
from evenhand.verdict import StatisticalVerdict, Verdict

_ALGORITHMS = {"stable": "PC-stable", "original": "PC"}
_ROWS = {
    "same": "the same rows",
    "original": "the rows before release",
    "other": "other rows or columns",
    "withheld": "rows that are not told",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UneditedGraph:
    """The edges of a graph before it was edited; its nodes are those of the edited one.

    ``outcome`` is None where the graph could not be judged, or not on the rows at hand: those
    of a release are others, and a copy for others does not have all rows.
    """

    arrows: tuple[Arrow, ...]
    undirected: tuple[Edge, ...]
    doubtful: tuple[Triple, ...]
    outcome: GraphOutcome | None = None

    @classmethod
    def of(cls, graph: PartialGraph) -> "UneditedGraph":
        """The edges of a graph that is not judged yet."""
        doubts = graph.doubtful
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
            outcome = GraphOutcome(verdict=verdict, population=population, **numbers)
        return cls(
            arrows=tuple((a, b) for a, b in content["arrows"]),
            undirected=tuple((a, b) for a, b in content["undirected"]),
            doubtful=tuple((a, centre, b) for a, centre, b in content["doubtful"]),
            outcome=outcome,
        )

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

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        edges = ("arrows", "undirected", "doubtful")
        content: dict[str, Any] = {name: [*map(list, getattr(self, name))] for name in edges}
        if self.outcome is not None:
            numbers = ("verdict", "population", "measured", "violating")
            content |= {name: plain(getattr(self.outcome, name)) for name in numbers}
        return content


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOrigin:
    """Whether a graph was given or learned, and how it was learned.

    ``rows`` says from which: the "same" that are judged, the "original" of a release, or
    "other" ones, as a graph that was saved may come from; others are not told ("withheld").
    ``decision_last`` says that the decision was taken to come last, as no tiers were given.
    ``knowledge`` is what a person told the search: tiers, required and forbidden arrows.
    ``limits`` were set for the search, and ``ended_early`` says what they left untried.
    ``chosen_from`` says from how many columns a search near the decision chose.
    ``edits`` were made afterwards, to the ``unedited`` graph if that is known.

    >>> str(GraphOrigin(kind="learned", algorithm="PC", test="chi-square", significance="0.01"))
    'learned from the same rows by PC, chi-square, significance 0.01'
    """

    kind: Literal["given", "learned"] = "given"
    rows: Literal["same", "original", "other", "withheld"] = "same"
    algorithm: str = ""
    test: str = ""
    significance: str = ""
    decision_last: bool = False
    knowledge: Mapping[str, Any] = field(default_factory=dict)
    limits: str = ""
    ended_early: str = ""
    chosen_from: int = 0
    edits: tuple[GraphEdit, ...] = ()
    unedited: UneditedGraph | None = None

    @classmethod
    def parse(cls, content: Mapping[str, Any]) -> "GraphOrigin":
        """Parse the plain values."""
        edits = tuple(GraphEdit(**edit) for edit in content.get("edits", ()))
        before = content.get("unedited")
        unedited = None if before is None else UneditedGraph.parse(before)
        return cls(**{**content, "edits": edits, "unedited": unedited})

    @classmethod
    def of(cls, graph: PartialGraph) -> "GraphOrigin":
        """The origin of a graph, known by its record of discovery."""
        record = graph.record
        unedited = None if graph.unedited is None else UneditedGraph.of(graph.unedited)
        if record is None:
            return cls(edits=graph.edits, unedited=unedited)
        return cls(
            kind="learned",
            rows=record.rows,
            algorithm=_ALGORITHMS.get(record.algorithm, record.algorithm),
            test=record.test,
            significance=str(record.significance),
            decision_last=record.knowledge.tiers_assumed,
            knowledge=record.knowledge.told,
            limits=record.limits,
            ended_early=record.ended_early,
            edits=graph.edits,
            unedited=unedited,
        )

    def __str__(self) -> str:
        if self.edits:
            made = "; ".join(map(str, self.edits))
            return f"{self.before_edits}, then edited ({made})"
        if self.kind == "given":
            return "given"
        return (
            f"learned from {self.rows_text} by {self.algorithm}, {self.test}, "
            f"significance {self.significance}"
            + (f", {self.limits}" if self.limits else "")
            + (", ended early" if self.ended_early else "")
            + (f", columns chosen from {self.chosen_from:,}" if self.chosen_from else "")
        )

    @property
    def rows_text(self) -> str:
        """In words from which rows."""
        return _ROWS[self.rows]

    @property
    def before_edits(self) -> "GraphOrigin":
        """The origin of the graph before it was edited."""
        return replace(self, edits=(), unedited=None)

    @property
    def before_release(self) -> "GraphOrigin":
        """The same origin, as seen from the rows of a release."""
        return replace(self.without_outcome, rows="original")

    @property
    def for_others(self) -> "GraphOrigin":
        """The origin as it was chosen, without the rows and without what the limits did."""
        origin = self.without_outcome
        learned = self.kind == "learned"
        return replace(origin, rows="withheld", ended_early="") if learned else origin

    @property
    def without_outcome(self) -> "GraphOrigin":
        """The same origin without what the unedited graph gives."""
        return replace(self, unedited=self.unedited and self.unedited.without_outcome)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; of a given graph there is no more to say than how it was edited."""
        edits: dict[str, Any] = {}
        if self.edits:
            edits["edits"] = [edit.to_dict() for edit in self.edits]
        if self.unedited is not None:
            edits["unedited"] = self.unedited.to_dict()
        if self.kind == "given":
            return {"kind": "given", **edits}
        plain = [name for name in self.__slots__ if name not in ("edits", "unedited")]
        fields = {name: getattr(self, name) for name in plain}
        always = ("kind", "rows", "algorithm", "test", "significance", "decision_last")
        return {name: one for name, one in fields.items() if one or name in always} | edits

    def assumptions(self, decision: str) -> tuple[str, ...]:
        """What was taken for granted where the graph was learned, in words."""
        chosen = (
            f"Of {self.chosen_from:,} columns those that a search found to be joined to "
            f"{decision!r} were chosen. An arrow between them may stand for a cause left out."
        )
        larger = "Larger sets could separate more, so the graph may have arrows too many."
        ended = self.ended_early
        if self.limits and self.rows == "withheld":
            ended = f"The search of the graph was limited to {self.limits}."
        return (
            *((no_tiers(decision),) if self.decision_last else ()),
            *((chosen,) if self.chosen_from else ()),
            *((f"{ended} {larger}",) if ended else ()),
        )


def saved_graph(graph: PartialGraph) -> dict[str, Any]:
    """A learned graph as plain values, with what ``load_graph`` needs to know of its origin."""
    origin = GraphOrigin.of(graph)
    return {
        **graph.to_dict(),
        "doubtful": sorted(map(list, graph.doubtful)),
        "origin": {**origin.to_dict(), "counts": graph.record.digest if graph.record else ""},
    }


def no_tiers(decision: str) -> str:
    """The assumption that is made where no tiers are given."""
    return f"No tiers were given: {decision!r} is taken to come after all other columns."


def decision_last(known: Knowledge, decision: str) -> Knowledge:
    """Knowledge with tiers; where none are given the decision is assumed to come last."""
    if known.tiers is not None:
        return known
    return replace(known, tiers=Tiers(..., [decision]), tiers_assumed=True)
