"""Decisions that a column determines: between people alike in it nothing is left to compare.

Such a column is a copy or a consequence of the decision, or the rule of the decision. Only
a person can tell which. Until then nothing can be decided; under a declared rule the criterion
is met by construction, and whether the rule is justified is another question.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from evenhand.counts import (
    CountTable,
    Determination,
    ExaminedCounts,
    determining_columns,
    examined_counts,
    joint_determination,
    jointly_determining,
)
from evenhand.counts.examined import with_groups
from evenhand.errors import Problem, QuestionError, Remedy, listed
from evenhand.evidence.graph_origin import GraphOrigin
from evenhand.graph import PartialGraph
from evenhand.graph.discovery import discover
from evenhand.graph.edits import fitting_edits, without_nodes
from evenhand.question import Knowledge, Question

_SUSPECT = Fraction(4, 5)


def met_by_construction(question: Question) -> str:
    """What is said of a declared rule; of many groups, that none has an exception."""
    which = "either" if question.group else "any"
    return (
        f"met by construction: the rule has no exception in {which} group; whether the rule is "
        "justified is not asked here"
    )


def determinations(examined: ExaminedCounts, names: Iterable[str]) -> tuple[Determination, ...]:
    """Which of these columns alone determine whether the decision is favorable, or nearly.

    None do so of predictions. A recorded decision may be a copy of such a column; a model may
    read it alone, and what people alike are predicted can be compared all the same.
    """
    question = examined.question
    if question.predicts:
        return ()
    return determining_columns(
        with_groups(_two_decisions(examined), question),
        question.decision,
        protected=question.groups_column,
        names=sorted({*names} - {*question.protected_names, question.decision}),
    )


def determining_names(examined: ExaminedCounts, names: Iterable[str]) -> tuple[str, ...]:
    """Those of them that do so without exception, by name."""
    return tuple(sorted(one.name for one in determinations(examined, names) if one.exact))


def nearly_determines(examined: ExaminedCounts, name: str) -> bool:
    """Whether a column tells the decision so well that it may have been written after it."""
    question = examined.question
    counts = with_groups(_two_decisions(examined), question)
    found = joint_determination(
        counts, [name], question.decision, protected=question.groups_column
    )
    return found is not None and found.strength >= _SUSPECT


def determining_pairs(
    examined: ExaminedCounts, names: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    """Pairs of columns that tell the decision together, without exception, and not alone."""
    counts = _two_decisions(examined)
    return jointly_determining(counts, names, examined.question.decision)


def comparable_columns(graph: PartialGraph, decision: str) -> frozenset[str]:
    """The nodes that may enter a comparison: all but certain effects of the decision."""
    return frozenset(graph.nodes) - graph.descendants(decision)


def check_rule(
    examined: ExaminedCounts, question: Question, causes: Iterable[Iterable[str]]
) -> None:
    """Refuse a declared rule that the rows do not follow, or the graph does not have."""
    rule = question.rule
    if not rule:
        return
    if any(not {*rule} <= {*names} for names in causes):
        raise QuestionError.of(
            f"The graph does not say that the rule {listed(rule)} causes "
            f"{question.decision!r}.",
            remedy=(Remedy("Give a graph with these arrows", "graph"), _NO_RULE),
        )
    counts = with_groups(_two_decisions(examined), question)
    found = joint_determination(
        counts, rule, question.decision, protected=question.groups_column
    )
    if found is None:
        raise QuestionError.of(
            f"The rule {listed(rule)} says nothing about {question.decision!r}.",
            "Its values hardly occur twice, or all of them have the same decision.",
            (Remedy("Use coarser classes", "bins"), _NO_RULE),
        )
    if not found.exact:
        raise QuestionError.of(
            f"The rule {listed(rule)} does not determine {question.decision!r}.",
            f"Exceptions, where most people alike in it got the other decision: "
            f"{found.exceptions_text}.",
            _NO_RULE,
        )


_NO_RULE = Remedy("Leave the rule out")


def rule_reasons(
    examined: ExaminedCounts, determined_by: tuple[str, ...]
) -> tuple[Problem, ...]:
    """Why nothing can be decided where columns determine the decision; empty where none do."""
    question = examined.question
    if question.rule:
        met = met_by_construction(question)
        return (Problem(f"Under the rule {listed(question.rule)} the criterion is {met}."),)
    if not determined_by:
        return ()
    each = listed(determined_by) + ("" if len(determined_by) == 1 else ", each of them,")
    return (
        Problem(
            f"{each} alone determines {question.decision!r}: nothing is left to compare.",
            remedy=(
                Remedy(
                    "Leave it out, if it is a copy or a consequence of the decision",
                    "exclude",
                    [*determined_by],
                ),
                Remedy("declare it as the rule of the decision", "rule", [determined_by[0]]),
            ),
        ),
    )


class JudgedCase(NamedTuple):
    """What is certified: counts by a graph, with what is known of both."""

    counts: CountTable
    graph: PartialGraph
    question: Question
    knowledge: Knowledge
    origin: GraphOrigin


def without_rule(
    case: JudgedCase, determined_by: Iterable[str], search: Mapping[str, Any] | None
) -> JudgedCase | None:
    """The same table without the rule and all that determines the decision.

    The graph of the other columns is learned by ``search``, and edited as far as the edits fit
    it. If it was given, ``search`` is None and the graph is that without these columns; None
    where it leaves open what takes their place.
    """
    counts, graph, question, _, _ = case
    left_out = {*question.rule, *determined_by}
    names = [name for name in counts.names if name not in left_out]
    remaining, known = counts.marginal(names), case.knowledge.restricted(names)
    asked = replace(question.direct, rule=())
    made = tuple(edit for edit in graph.edits if left_out.isdisjoint(edit.arrow))
    if search is None:
        without = without_nodes(graph, left_out)
        if without is None:
            return None
        without = replace(without, edits=made)  # of which unedited graph, nobody can tell
    else:
        examined = examined_counts(remaining, asked).counts
        learned = discover(examined, knowledge=known, question=asked, **search)
        without = fitting_edits(learned, made)
    return JudgedCase(remaining, without, asked, known, GraphOrigin.of(without))


def _two_decisions(examined: ExaminedCounts) -> CountTable:
    """The examined counts with the decisions that count as one put together."""
    counts, question = examined.counts, examined.question
    if len(counts.attribute(question.decision)) == 2:
        return counts
    return counts.with_column(question.decision, examined.decisions, examined.decision_codes)
