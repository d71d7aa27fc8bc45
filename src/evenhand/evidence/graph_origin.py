"""``GraphOrigin``: where a graph came from, as data and in words, and its search reproduced."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from evenhand.counts import CountTable, examined_counts
from evenhand.display import ProgressCallback, plain
from evenhand.errors import QuestionError
from evenhand.graph import PartialGraph, discover
from evenhand.graph.edits import fitting_edits
from evenhand.question import GraphEdit, Knowledge, Question, Tiers

_ALGORITHMS = {"stable": "PC-stable", "original": "PC"}
_ROWS = {
    "same": "the same rows",
    "original": "the rows before release",
    "other": "other rows or columns",
    "withheld": "rows that are not told",
}


def edges(graph: PartialGraph) -> dict[str, list[list[str]]]:
    """The edges of a graph as plain values; its nodes are told elsewhere."""
    kinds = {"arrows": graph.arrows, "undirected": graph.undirected, "doubtful": graph.doubtful}
    return {name: sorted(map(list, of)) for name, of in kinds.items()}


def outcome_text(unedited: Mapping[str, Any]) -> str:
    """What the graph before the edits gives, in words; empty where it was not judged."""
    if "verdict" not in unedited:
        return ""
    return (
        f"{unedited['verdict']}, {unedited['violating']:,} of {unedited['measured']:,} "
        f"subpopulations violate; in the population: {unedited['population']}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOrigin:
    """Whether a graph was given or learned, and how it was learned.

    ``rows`` says from which: the "same" that are judged, the "original" of a release, or
    "other" ones, as a graph that was saved may come from; others are not told ("withheld").
    ``decision_last`` says that the decision was taken to come last, as no tiers were given.
    ``knowledge`` is what a person told the search: tiers, required and forbidden arrows.
    ``limits`` were set for the search. ``ended_early`` says what these or the budget of work
    left untried, and ``depth`` is the size of the largest sets that were tried then.
    ``chosen_from`` says from how many columns a search near the decision chose.
    ``edits`` were made afterwards, to the ``unedited`` graph if that is known: its edges, and
    what it gives by its causes alone, unless that is not known or not about these rows.

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
    depth: int | None = None
    chosen_from: int = 0
    edits: tuple[GraphEdit, ...] = ()
    unedited: Mapping[str, Any] | None = None

    @classmethod
    def parse(cls, content: Mapping[str, Any]) -> "GraphOrigin":
        """Parse the plain values."""
        edits = tuple(GraphEdit(**edit) for edit in content.get("edits", ()))
        return cls(**{**content, "edits": edits})

    @classmethod
    def of(cls, graph: PartialGraph) -> "GraphOrigin":
        """The origin of a graph, known by its record of discovery."""
        record = graph.record
        unedited = None if graph.unedited is None else edges(graph.unedited)
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
            depth=record.depth,
            edits=graph.edits,
            unedited=unedited,
        )

    def __str__(self) -> str:
        if self.edits:
            made = "; ".join(map(str, self.edits))
            return f"{replace(self, edits=())}, then edited ({made})"
        if self.kind == "given":
            return "given"
        return (
            f"learned from {_ROWS[self.rows]} by {self.algorithm}, {self.test}, "
            f"significance {self.significance}"
            + (f", {self.limits}" if self.limits else "")
            + (", ended early" if self.ended_early else "")
            + (f", tried sets of up to {self.depth:,}" if self.depth is not None else "")
            + (f", columns chosen from {self.chosen_from:,}" if self.chosen_from else "")
        )

    @property
    def before_release(self) -> "GraphOrigin":
        """The same origin, as seen from the rows of a release."""
        return replace(self.without_outcome, rows="original")

    @property
    def for_others(self) -> "GraphOrigin":
        """The origin as it was chosen, without the rows and without what the limits did."""
        origin = self.without_outcome
        learned = self.kind == "learned"
        told = replace(origin, rows="withheld", ended_early="", depth=None)
        return told if learned else origin

    @property
    def without_outcome(self) -> "GraphOrigin":
        """The same origin without what the unedited graph gives."""
        before = self.unedited
        kept = before and {name: before[name] for name in ("arrows", "undirected", "doubtful")}
        return replace(self, unedited=kept)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; of a given graph there is no more to say than how it was edited."""
        told = ("kind", "edits", "unedited") if self.kind == "given" else self.__slots__
        always = ["kind", "rows", "algorithm", "test", "significance", "decision_last", "depth"]
        fields = {name: getattr(self, name) for name in told}
        return {
            name: plain(of)
            for name, of in fields.items()
            if of or (name in always and of is not None)
        }

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
        "doubtful": edges(graph)["doubtful"],
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


# What a search was limited to, as ``GraphOrigin.limits`` says it.
_LIMITS = {
    "max_depth": re.compile(r"sets no larger than (\d[\d,]*)"),
    "max_tests": re.compile(r"no more than (\d[\d,]*) tests"),
}


def with_knowledge(
    graph: PartialGraph, question: Question, knowledge: Knowledge | Tiers | None
) -> PartialGraph:
    """The graph narrowed by knowledge, and by what the question implies.

    Who asks whether an attribute changed the decision takes for granted that the decision did
    not cause the attribute.
    """
    is_open = not graph.neighbors(question.decision).isdisjoint(question.protected_names)
    if graph.is_directed or (knowledge is None and not is_open):
        return graph
    if graph.record and graph.record.stand_ins:
        knowledge = Knowledge.of(knowledge).restricted(graph.nodes)
    return graph.with_knowledge(knowledge, question=question)


def told_before(origin: GraphOrigin, decision: str) -> Knowledge:
    """What the search was told, and that the decision comes last if that was assumed."""
    known = Knowledge(**origin.knowledge)
    return decision_last(known, decision) if origin.decision_last else known


def learned_again(
    counts: CountTable,
    recorded: PartialGraph,
    origin: GraphOrigin,
    question: Question,
    *,
    progress: ProgressCallback | None = None,
) -> tuple[PartialGraph, str]:
    """The recorded graph with the record of its search; in words, where the search differs.

    A search in other rows is not repeated, nor one by the original PC, which hangs on the order
    of columns. Which columns a search near the decision chose is taken as recorded.
    """
    is_told = origin.rows == "same" and origin.algorithm == "PC-stable"
    if origin.kind == "given" or not is_told or question.predicts:
        return recorded, ""
    known = told_before(origin, question.decision).restricted(recorded.nodes)
    before, wanted = origin.without_outcome.unedited, _links(recorded)
    found = set[str]()
    for rows in _searched(counts, question):
        base = discover(
            rows.marginal(recorded.nodes),
            knowledge=known,
            significance=_level(origin),
            test=origin.test,
            question=question,
            progress=progress,
            **_limits(origin),
        )
        graph = with_knowledge(fitting_edits(base, origin.edits), question, known)
        was = [edges(base), edges(with_knowledge(base, question, known))]
        if _links(graph) == wanted and (not before or before in was):
            return graph, ""
        found = found or _links(graph)
    new, old = (
        ", ".join(sorted(one - other)) or "nothing"
        for one, other in ((found, wanted), (wanted, found))
    )
    return recorded, f"learned again from these rows it has {new} instead of {old}"


def _searched(counts: CountTable, question: Question) -> Iterator[CountTable]:
    """The rows that are compared; in Python a graph can be learned from all of them, too."""
    examined = examined_counts(counts, question).counts
    yield examined
    if counts != examined:
        yield counts


def _level(origin: GraphOrigin) -> float:
    try:
        return float(origin.significance)
    except ValueError:
        what = f"The recorded significance {origin.significance!r} is no number."
        raise QuestionError.of(what) from None


def _limits(origin: GraphOrigin) -> dict[str, Any]:
    found = {name: pattern.search(origin.limits) for name, pattern in _LIMITS.items()}
    return {name: int(one[1].replace(",", "")) for name, one in found.items() if one}


def _links(graph: PartialGraph) -> set[str]:
    """The nodes and edges of a graph in words, to tell which differ."""
    return {
        *graph.nodes,
        *(f"{cause} -> {effect}" for cause, effect in graph.arrows),
        *(f"{one} - {other}" for one, other in graph.undirected),
        *(f"{a}, {centre}, {b} in doubt" for a, centre, b in graph.doubtful),
    }
