"""A recorded search, made once more: whether these rows give the graph that a record has."""

import re
from collections.abc import Iterator
from typing import Any

from evenhand.counts import CountTable, examined_counts
from evenhand.display import ProgressCallback
from evenhand.errors import QuestionError
from evenhand.evidence.certification import with_knowledge
from evenhand.evidence.graph_origin import GraphOrigin, decision_last, edges
from evenhand.graph import PartialGraph, discover
from evenhand.graph.edits import fitting_edits
from evenhand.question import Knowledge, Question

# What a search was limited to, as ``GraphOrigin.limits`` says it.
_LIMITS = {
    "max_depth": re.compile(r"sets no larger than (\d[\d,]*)"),
    "max_tests": re.compile(r"no more than (\d[\d,]*) tests"),
}


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
