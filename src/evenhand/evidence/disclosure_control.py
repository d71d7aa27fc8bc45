"""What may be passed on of a judgement: that on the subpopulations without a small count.

Statistical disclosure control by one rule: the copy for others is made from a judgement on the
subpopulations that may be shown, and from nothing else. So whatever is computed of it, a total,
a p-value, a sentence, cannot depend on the others; docs/sharing.md has the rule and its limits.
"""

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable, ExaminedCounts
from evenhand.errors import QuestionError
from evenhand.evidence.judgement import Graph, Judgement
from evenhand.evidence.partition import Partition
from evenhand.evidence.verdict import Verdict
from evenhand.graph.partial_graph import DiscoveryRecord, PartialGraph

AnyJudgement = TypeVar("AnyJudgement", bound=Judgement)


def shown_part(
    judgement: AnyJudgement, *, least_count: int, beside: Judgement | None = None
) -> AnyJudgement:
    """The judgement on the subpopulations in which each of the four counts is large enough.

    ``beside`` is the judgement before or after a release: what is small there is not shown
    either. Of the sets of causes that the graph leaves open the first by name is shown; a
    second partition of the same people would give withheld counts back by subtraction.
    The verdict on all rows is known of a release only, which is certified or does not exist.
    """
    if least_count < 1:
        raise QuestionError.of(
            f"The least count {least_count!r} would withhold nothing.",
            remedy="Give a whole number of at least 1; 10 is usual.",
        )
    sets = sorted(judgement.possible_decision_causes, key=lambda names: (-len(names), names))
    partition = _partition(judgement, sets[0])
    shown = _has_no_small_count(partition, least_count)
    if beside is not None:
        other = _partition(beside, sets[0])
        large = {*_assignments(other, _has_no_small_count(other, least_count))}
        shown[shown] = [values in large for values in _assignments(partition, shown)]
    examined = _restricted(judgement.examined, partition, shown)
    partition = Partition.of(examined, sets[0])
    verdict = Verdict.WITHHELD
    if judgement.release and judgement.verdict is Verdict.CERTIFIED:
        verdict = Verdict.CERTIFIED
    elif partition.violating and len(sets) == 1 and not judgement.question.rule:
        verdict = Verdict.NOT_CERTIFIED
    return replace(
        judgement,
        verdict=verdict,
        reasons=(),
        examined=examined,
        graph=_without_statistics(judgement.graph),
        possible_decision_causes=tuple(sets),
        deciding_edges=(),
        partitions=(partition,),
        scope="causes",
        complete=True,
        dropped=0,
        determined_by=(),
        without_rule=None,
        release=judgement.release.for_others if judgement.release else None,
        least_count=least_count,
    )


def _partition(judgement: Judgement, names: tuple[str, ...]) -> Partition:
    return next(one for one in judgement.partitions if one.names == names)


def _has_no_small_count(partition: Partition, least_count: int) -> NDArray[np.bool_]:
    large: NDArray[np.bool_] = (
        np.min(partition.cells, axis=0, initial=least_count) >= least_count
    )
    return large


def _assignments(partition: Partition, lines: NDArray[np.bool_]) -> list[tuple[str, ...]]:
    """The values of some subpopulations."""
    table = partition.assignments
    columns = [
        np.asarray(attribute.values, object)[codes[lines]].tolist()
        for attribute, codes in zip(table.attributes, table.codes, strict=True)
    ]
    return [*zip(*columns, strict=True)] if columns else [()] * int(lines.sum())


def _restricted(
    examined: ExaminedCounts, partition: Partition, shown: NDArray[np.bool_]
) -> ExaminedCounts:
    """The rows of some subpopulations, by cause, group and decision; no value without rows."""
    question, counts = examined.question, examined.counts
    line, _ = counts.groups(partition.names)
    rows = shown[line]
    columns = tuple(codes[rows] for codes in counts.codes)
    part = CountTable(counts.attributes, columns, counts.counts[rows])
    part = part.marginal((*partition.names, question.protected, question.decision)).pruned()
    if not shown.any():  # the values asked about are named all the same
        groups = Attribute(question.protected, (question.group, str(question.other)))
        decisions = Attribute(
            question.decision, (question.favorable, f"not {question.favorable}")
        )
        part = replace(part, attributes=(*part.attributes[:-2], groups, decisions))
    return ExaminedCounts(counts=part, question=question, left_out=0)


def _without_statistics(graph: Graph) -> Graph:
    """The graph without what its search counted and computed."""
    if not isinstance(graph, PartialGraph) or graph.record is None:
        return graph
    record = graph.record
    bare = DiscoveryRecord(
        algorithm=record.algorithm,
        test=record.test,
        significance=record.significance,
        ambiguous=record.ambiguous,
        stand_ins=record.stand_ins,
        rows=record.rows,
        decision_last=record.decision_last,
    )
    return replace(graph, record=bare)
