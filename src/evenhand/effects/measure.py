"""Measures effects through chosen attributes, in each graph that an open one may stand for.

Where the graphs disagree, or where an interval straddles the threshold, nothing can be decided,
and the reasons name the edge, the witness or the unseen share on which it hangs.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import zip_longest
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable, ExaminedCounts, examined_counts
from evenhand.display import ProgressCallback, percent, points
from evenhand.effects.bounds import Potentials
from evenhand.effects.effects import GraphEffects
from evenhand.effects.indirect_claim import Indirect, ways_of
from evenhand.effects.worlds import Bounds, compared_counts
from evenhand.errors import Problem, QuestionError, Remedy, ResourceError, listed
from evenhand.graph import PartialGraph
from evenhand.graph.admissible_graphs import (
    MOST_ORIENTATIONS,
    AdmissibleGraphs,
    ancestral_graphs,
)
from evenhand.question import Question
from evenhand.verdict import Verdict, all_must_agree

# For each graph and direction what proves its bounds, from a document.
RecordedPotentials: TypeAlias = Sequence[Mapping[str, tuple[Potentials, Potentials]]]


def measure_paths(counts: CountTable, graph: PartialGraph, question: Question) -> Indirect:
    """Measure the effects of the protected attribute through chosen attributes.

    ``question.redlining`` names them. Of an open graph every admissible way to direct it is
    measured.

    >>> counts = CountTable.of(
    ...     {"race": ["b", "b", "w", "w"] * 2, "zip": ["1", "2", "1", "2"] * 2,
    ...      "loan": ["yes"] * 4 + ["no"] * 4}, [1, 2, 6, 2, 3, 2, 2, 2])
    >>> graph = PartialGraph.parse("race -> zip -> loan; race -> loan")
    >>> question = Question(protected="race", group="b", decision="loan", favorable="yes",
    ...                     redlining=["zip"])
    >>> str(measure_paths(counts, graph, question).forward["through"].value)
    '-1/24'
    """
    if not question.redlining:
        raise QuestionError.of(
            "No attribute is named through which effects could be measured.",
            remedy=Remedy("Name some", "redlining"),
        )
    return measure_examined(examined_counts(counts, question), graph)


def measure_examined(
    examined: ExaminedCounts,
    graph: PartialGraph,
    *,
    decisions: CountTable | None = None,
    potentials: RecordedPotentials | None = None,
    exact: bool = True,
    progress: ProgressCallback | None = None,
) -> Indirect:
    """Measure the effects in counts of the groups and decisions that are compared.

    ``decisions`` are those of the groups by causes, if they are others than in these counts.
    ``potentials`` prove the bounds in each graph, if they are known already. Where exact
    tables would be too large, effects are floats, on which no verdict rests.
    """
    asked = examined.question
    graph.check(examined.counts.names, asked)
    if problems := ask_problems(asked, examined.groups, examined.decisions):
        return Indirect(question=asked, verdict=Verdict.CANNOT_DECIDE, reasons=problems)
    graphs = ancestral_graphs(graph, asked, progress=progress)
    if not graphs.complete:
        problem = Problem(
            f"The effect through {listed(asked.redlining)} was not measured: the open edges "
            f"can be directed in more than {MOST_ORIENTATIONS:,} ways.",
            remedy=(
                Remedy("Put columns in tiers", "tiers"),
                Remedy("require arrows", "required"),
                Remedy("give a graph", "graph"),
            ),
        )
        return Indirect(question=asked, verdict=Verdict.CANNOT_DECIDE, reasons=(problem,))
    table = compared_counts(examined)
    decided = table if decisions is None else decisions

    def source(names: tuple[str, ...]) -> NDArray[np.int64]:
        return (decided if asked.decision in names else table).cube(names)

    def measure(*, exact: bool) -> tuple[tuple[GraphEffects, ...], list[Verdict]]:
        known = (potentials or ())[: len(graphs.graphs)]
        measured = tuple(
            GraphEffects.of(source, one, asked, potentials=own, exact=exact)
            for one, own in zip_longest(graphs.graphs, known)
        )
        return measured, [one.verdict(asked.indirect_threshold) for one in measured]

    reasons: tuple[Problem, ...]
    try:
        measured, verdicts = measure(exact=exact)
        verdict = all_must_agree(verdicts)
        reasons = effect_reasons(measured, verdicts, graphs, asked)
    except ResourceError as error:
        verdict, reasons, measured = Verdict.CANNOT_DECIDE, error.problems, ()
        with suppress(ResourceError):  # floats may be too many, too
            measured, _ = measure(exact=False)
    favorable, others = source((asked.groups_column, asked.decision)).T.tolist()
    rates = [Fraction(yes, yes + no) for yes, no in zip(favorable, others, strict=True)]
    return Indirect(
        question=asked,
        verdict=verdict,
        reasons=reasons,
        graphs=measured,
        values={attribute.name: attribute.values for attribute in table.attributes},
        consistent=graphs.consistent,
        data_gap=rates[1] - rates[0],
    )


def ask_problems(
    question: Question, groups: Sequence[str], decisions: Sequence[str]
) -> tuple[Problem, ...]:
    """Why effects through other attributes cannot be measured at all, if they cannot."""
    problems = []
    if len(question.protected_names) > 1:
        problems.append(
            Problem(
                "Effects through other attributes are measured for one protected attribute.",
                f"{listed(question.protected_names)} are named.",
                Remedy("Name one of them", "protected"),
            )
        )
    elif len(groups) != 2:
        problems.append(
            Problem(
                "Effects through other attributes are measured between two groups.",
                f"The groups are {listed(groups)}.",
                Remedy("Name one of them, and with whom it is compared", "group"),
            )
        )
    if len(decisions) != 2:
        problems.append(
            Problem(
                "Effects through other attributes are measured on one kind of decision.",
                f"With the criterion {question.criterion!r} {len(decisions)} are compared.",
                Remedy("Name what is favorable, and ask for it", "criterion", "favorable"),
            )
        )
    return tuple(problems)


def learned_near_decision(question: Question) -> Problem:
    """The refusal to follow paths in a graph of which only a part was learned."""
    return Problem(
        f"The effect through {listed(question.redlining)} was not measured: the graph was "
        "learned of the columns near the decision.",
        "Paths may go through others, and these may have causes that are not in it.",
        (
            Remedy("Learn the whole graph, of chosen columns if there are many", "columns"),
            Remedy("give it", "graph"),
        ),
    )


def effect_reasons(
    measured: Sequence[GraphEffects],
    verdicts: Sequence[Verdict],
    graphs: AdmissibleGraphs,
    question: Question,
) -> tuple[Problem, ...]:
    """What the verdict hangs on: the effect itself, or an edge, a witness, unseen people."""
    if all(not one.sides.in_use for one in measured):
        return (
            Problem(
                f"No path from {question.groups_column} to {question.decision} goes through "
                f"{listed(question.redlining)}: the effect is exactly 0."
            ),
        )
    reasons = []
    if not graphs.consistent:
        reasons.append(
            Problem(
                "The graph contradicts itself: no way to direct its open edges fits what was "
                f"found. All {len(measured):,} ways without a cycle were measured."
            )
        )
    distinct = set(verdicts)
    if distinct == {Verdict.NOT_CERTIFIED}:
        reasons.append(_beyond(measured, question))
    reasons += [
        Problem(
            f"The verdict on the effect through {listed(question.redlining)} hangs on the edge "
            f"{a} - {b}, whose direction is open.",
            remedy=(
                Remedy(f"Require {a} -> {b}", "required", [f"{a} -> {b}"]),
                Remedy(f"{b} -> {a}", "required", [f"{b} -> {a}"]),
                Remedy("put the two in different tiers", "tiers"),
            ),
        )
        for a, b in graphs.deciding_edges(verdicts)
    ]
    undecided = [
        one
        for one, verdict in zip(measured, verdicts, strict=True)
        if verdict is Verdict.CANNOT_DECIDE
    ]
    reasons += _undecided(undecided, question)
    return tuple(reasons)


def _beyond(measured: Sequence[GraphEffects], question: Question) -> Problem:
    """How far the effect reaches, in the direction in which its least size is largest."""
    threshold = question.indirect_threshold
    sizes = []
    for direction, way in ways_of(question).items():
        ends = Bounds.hull(one.directions[direction].through.bounds for one in measured)
        sizes.append((max(ends.lower, -ends.upper), way, ends.text(threshold)))
    _, way, span = max(sizes, key=itemgetter(0))
    return Problem(
        f"Through {listed(question.redlining)} the rate changes by {span} points from {way}; "
        f"the threshold is {points(threshold, threshold=threshold)} points."
    )


def _undecided(measured: Sequence[GraphEffects], question: Question) -> list[Problem]:
    """Why an interval straddles the threshold: witnesses, or people of whom nothing is seen."""
    witnesses = sorted({name for one in measured for name in one.sides.witnesses})
    reasons = [not_identified(witnesses, question)] if witnesses else []
    unseen = max((d.unseen for one in measured for d in one.directions.values()), default=0)
    if unseen:
        reasons.append(
            Problem(
                f"For {percent(float(unseen))} of the people a table that is needed has no row "
                "to read.",
                "Nothing is put in their place, so that the effect is an interval.",
                (Remedy("Merge values", "merge"), Remedy("use coarser bins", "bins")),
            )
        )
    return reasons


def not_identified(witnesses: Sequence[str], question: Question) -> Problem:
    """The nodes because of which the effect can only be bounded."""
    return Problem(
        f"The effect through {listed(question.redlining)} is not identified: "
        f"{listed(witnesses)} both causes what is asked about and reaches "
        f"{question.decision} without it.",
        "The data can only bound it.",
        (
            Remedy("Ask about these, too", "redlining", [*question.redlining, *witnesses]),
            Remedy("give a graph without such paths", "graph"),
        ),
    )
