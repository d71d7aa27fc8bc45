"""Measures effects through chosen attributes, in each graph that an open one may stand for.

Where the graphs disagree, or where an interval straddles the threshold, nothing can be decided,
and the reasons name the edge, the witness or the unseen share on which it hangs.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import zip_longest
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable, ExaminedCounts, examined_counts
from evenhand.effects.bounds import Potentials
from evenhand.effects.claim import Indirect
from evenhand.effects.effects import GraphEffects
from evenhand.effects.indirect_reasons import (
    ask_problems,
    effect_reasons,
    too_many_orientations,
)
from evenhand.effects.model_tables import TableSource, compared_counts
from evenhand.errors import Problem, QuestionError, Remedy, ResourceError
from evenhand.graph import PartialGraph
from evenhand.graph.admissible_graphs import AdmissibleGraphs, ancestral_graphs
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
    potentials: RecordedPotentials | None = None,
    exact: bool = True,
) -> Indirect:
    """Measure the effects in counts of the groups and decisions that are compared."""
    asked = examined.question
    graph.check(examined.counts.names, asked)
    if problems := ask_problems(asked, examined.groups, examined.decisions):
        return Indirect(question=asked, verdict=Verdict.CANNOT_DECIDE, reasons=problems)
    table = compared_counts(examined)
    return measure_tables(
        table.cube,
        {attribute.name: attribute.values for attribute in table.attributes},
        ancestral_graphs(graph, asked),
        asked,
        potentials=potentials,
        exact=exact,
    )


def measure_tables(
    source: TableSource,
    values: Mapping[str, Sequence[str]],
    graphs: AdmissibleGraphs,
    question: Question,
    *,
    potentials: RecordedPotentials | None = None,
    exact: bool = True,
) -> Indirect:
    """Judge the effects that tables give, wherever they come from.

    ``potentials`` prove the bounds in each graph, if they are known already. Where exact
    tables would be too large, effects are floats, on which no verdict rests.
    """
    if not graphs.complete:
        reasons: tuple[Problem, ...] = (too_many_orientations(question),)
        return Indirect(question=question, verdict=Verdict.CANNOT_DECIDE, reasons=reasons)
    known = (potentials or ())[: len(graphs.graphs)]

    def measure(*, exact: bool) -> tuple[tuple[GraphEffects, ...], list[Verdict]]:
        measured = tuple(
            GraphEffects.of(source, graph, question, potentials=own, exact=exact)
            for graph, own in zip_longest(graphs.graphs, known)
        )
        return measured, [one.verdict(question.indirect_threshold) for one in measured]

    try:
        measured, verdicts = measure(exact=exact)
        verdict = all_must_agree(verdicts)
        reasons = effect_reasons(measured, verdicts, graphs, question)
    except ResourceError as error:
        verdict, reasons, measured = Verdict.CANNOT_DECIDE, error.problems, ()
        with suppress(ResourceError):  # floats may be too many, too
            measured, _ = measure(exact=False)
    return Indirect(
        question=question,
        verdict=verdict,
        reasons=reasons,
        graphs=measured,
        values=values,
        consistent=graphs.consistent,
        data_gap=_data_gap(source((question.groups_column, question.decision))),
    )


def _data_gap(counts: NDArray[np.int64]) -> Fraction:
    """The others' favorable rate minus the group's."""
    (a, b), (c, d) = counts.tolist()
    return Fraction(c, c + d) - Fraction(a, a + b)
