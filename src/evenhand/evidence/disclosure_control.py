"""What may be passed on of a judgement: exact counts of subpopulations without a small one.

Statistical disclosure control by one rule: the copy for others is made from a judgement on the
subpopulations that may be shown, built anew from the fields named here and from nothing else.
So nothing in it can depend on the others. Which subpopulations are shown depends on their
counts: chance lines, intervals and tests on them would be wrong, and there are none.
docs/sharing.md has the rule and its limits.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable, ExaminedCounts
from evenhand.counts.compared_groups import group_columns
from evenhand.errors import CannotReleaseError, QuestionError
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.partition import Partition
from evenhand.graph import DiscoveryRecord, PartialGraph
from evenhand.verdict import INT64_END, Verdict


def shown_part(judgement: Certificate, *, least_count: int) -> Certificate:
    """The judgement on the subpopulations in which every count is large enough.

    Of the sets of causes that the graph leaves open the first by name is shown; a second
    partition of the same people would give withheld counts back by subtraction. The verdict
    is *not certified* if a subpopulation shown violates, else *withheld*: that on all rows is
    told of a release only, which is certified or has no copy for others.
    """
    check_least_count(least_count)
    sets = sorted(judgement.possible_decision_causes, key=lambda names: (-len(names), names))
    whole = next(one for one in judgement.partitions if one.names == sets[0])
    shown = whole.counts.min(axis=(0, 1), initial=least_count) >= least_count
    examined = _restricted(judgement.examined, whole, shown)
    partition = Partition.of(examined, sets[0])
    verdict = Verdict.WITHHELD
    if judgement.release:
        _check_certified(judgement)
        verdict = Verdict.CERTIFIED
    elif partition.violating and len(sets) == 1:
        verdict = Verdict.NOT_CERTIFIED
    return Certificate(
        verdict=verdict,
        reasons=(),
        examined=examined,
        pools_others=judgement.pools_others,
        graph=_without_statistics(judgement.graph),
        graph_origin=judgement.graph_origin.for_others,
        direct_arrow=judgement.direct_arrow,
        possible_decision_causes=tuple(sets),
        deciding_edges=(),
        partitions=(partition,),
        scope=judgement.scope,
        complete=judgement.complete,
        min_coverage=judgement.min_coverage,
        codings=judgement.codings,
        contradictions=judgement.contradictions,
        release=judgement.release.for_others if judgement.release else None,
    )


def shown_claim(judgement: Certificate) -> Verdict | None:
    """The verdict on effects through chosen attributes that may be told; None without a claim.

    Its numbers rest on all rows, small counts too, and nothing of them is told: only that a
    release meets the criterion, as no release for others does not.
    """
    claim = judgement.indirect
    if claim is None:
        return None
    is_met = judgement.release and claim.verdict is Verdict.CERTIFIED
    return Verdict.CERTIFIED if is_met else Verdict.WITHHELD


def check_least_count(least_count: object) -> None:
    """Refuse what is no count, or would withhold nothing."""
    if type(least_count) is not int or not 1 <= least_count < INT64_END:
        raise QuestionError.of(
            f"The least count {least_count!r} is not a whole number of at least 1.",
            remedy="Give one; 10 is usual.",
        )


def _check_certified(judgement: Certificate) -> None:
    claims = [judgement.verdict]
    claims += [judgement.indirect.verdict] if judgement.indirect else []
    if {*claims} != {Verdict.CERTIFIED}:
        raise CannotReleaseError.of(
            "There is a copy for others only of a certified release.",
            "Of another one the verdict would tell of groups that are withheld.",
            "Leave the copy out, or release by a method that reaches the criterion.",
        )


def _restricted(
    examined: ExaminedCounts, partition: Partition, shown: NDArray[np.bool_]
) -> ExaminedCounts:
    """The rows of some subpopulations, by cause, group and decision.

    There is no value without rows, and the values are in the order that these rows alone give.
    Decisions that are not favorable are always pooled: else their name would tell of one person
    who got a third one.
    """
    question, counts = examined.question, examined.counts
    line, _ = counts.groups(partition.names)
    part = CountTable.build(counts.attributes, counts.codes, counts.counts * shown[line])
    part = part.marginal((*partition.names, *question.columns)).pruned()
    favorable = question.favorable_label
    decisions = (favorable, f"not {favorable}") if favorable else examined.decisions
    if not shown.any():  # the values asked about are named all the same
        groups = [attribute for attribute, _ in group_columns(question, examined.groups)]
        causes = map(part.attribute, partition.names)
        named = (*causes, *groups, Attribute(question.decision, decisions))
        part = replace(part, attributes=named)
    elif favorable:
        others = {*part.attribute(question.decision).values} - {*question.favorable_values}
        part = part.recoded(question.decision, dict.fromkeys(others, decisions[1]))
    for name in partition.names:
        part = part.recoded(name, {})
    absent = () if shown.any() else examined.groups
    return ExaminedCounts(counts=part, question=question, left_out=0, absent_groups=absent)


def _without_statistics(graph: PartialGraph) -> PartialGraph:
    """The graph without what its search counted and computed."""
    if graph.record is None:
        return graph
    chosen = "algorithm test significance ambiguous stand_ins knowledge limits"
    bare = DiscoveryRecord(**{name: getattr(graph.record, name) for name in chosen.split()})
    return replace(graph, record=bare)
