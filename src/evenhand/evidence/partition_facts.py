"""A partition in a few numbers: how many subpopulations, which coverage, which differences."""

from collections.abc import Sequence
from math import sqrt
from operator import itemgetter
from typing import Any

import numpy as np

from evenhand.display import percent, points
from evenhand.evidence.partition import Partition
from evenhand.evidence.statistics.by_chance import ByChance
from evenhand.evidence.subpopulations import p_value
from evenhand.question.group_words import group_heading

_SHOWN_GROUPS = 10  # of more those with the smallest coverage


def partition_facts(partition: Partition) -> list[tuple[str, str]]:
    """Names and texts: its subpopulations, their coverage, and the range of differences."""
    facts = [
        ("subpopulations", _numbers_text(partition)),
        ("coverage", _coverage_text(partition)),
        ("same decision for all", _same_decision_text(partition)),
    ]
    if partition.measured.any():
        facts.append(("difference in points", _range_text(partition)))
    return facts


def numbers_by_chance(partition: Partition, chance: ByChance | None) -> dict[str, Any]:
    """How many subpopulations occur and reach the threshold, and would by chance."""
    return {
        **partition.numbers,
        "violating_rows": partition.violating_rows,
        "same_decision": int(partition.same_decision.sum()),
        "same_decision_rows": int(partition.row_counts[partition.same_decision].sum()),
        "by_chance": chance.to_dict() if chance else None,
    }


def chance_facts(partitions: Sequence[Partition]) -> list[tuple[str, str]]:
    """For each partition how many would reach the threshold by chance, and just under it."""
    first, *others = partitions
    further = [
        (f"alike in {', '.join(one.names) or 'nothing'}", f"{one.violating:,} seen; {chance}")
        for one in others
        if (chance := _chance_text(one))
    ]
    return [*([("by chance alone", text)] if (text := _chance_text(first)) else []), *further]


def _chance_text(partition: Partition) -> str:
    chance = partition.by_chance
    if chance is None:
        return ""
    return (
        f"{chance}, p of as many {p_value(chance.p)}; {chance.rows:,.0f} people, seen "
        f"{partition.violating_rows:,}{_further(chance)}"
    )


def _further(chance: ByChance) -> str:
    if chance.error is not None:
        return f"; simulated, standard error {chance.error:.2g}"
    return f"; if all true differences were just under the threshold {chance.text_at_threshold}"


def difference_moments(partition: Partition) -> dict[str, float | None]:
    """Extremes, mean and standard deviation of the differences, weighted by rows."""
    differences = partition.statistics.difference
    if not len(differences):
        return dict.fromkeys(("min", "max", "mean", "sd"))
    rows = partition.comparisons.row_counts
    mean = float(np.average(differences, weights=rows))
    variance = float(np.average((differences - mean) ** 2, weights=rows))
    return {
        "min": float(differences.min()),
        "max": float(differences.max()),
        "mean": mean,
        "sd": sqrt(variance),
    }


def _numbers_text(partition: Partition) -> str:
    numbers = partition.numbers
    above, below = numbers["above"], numbers["below"]
    detail = (
        f" ({above:,} above, {below:,} below)"
        if partition.two_groups
        else f"; of {numbers['comparisons']:,} comparisons {above + below:,} at or beyond"
    )
    return (
        f"{numbers['occupied']:,} occur, {numbers['measured']:,} measured, "
        f"{numbers['violating']:,} at or beyond the threshold{detail}"
    )


def _coverage_text(partition: Partition) -> str:
    question, coverage = partition.question, partition.coverage
    shares = [*zip(partition.groups, coverage.groups, strict=True)]
    rest = len(shares) - _SHOWN_GROUPS
    if rest > 0:
        shares.sort(key=itemgetter(1))
    by_group = ", ".join(
        f"{group_heading(question, label)} {percent(float(share))}"
        for label, share in shares[:_SHOWN_GROUPS]
    )
    more = f" and {rest:,} more" if rest > 0 else ""
    return f"{percent(float(coverage.overall))} of the rows; {by_group}{more}"


def _same_decision_text(partition: Partition) -> str:
    """How many rows lie where everybody got the same decision: no difference can be there."""
    alike, rows = partition.same_decision, partition.row_counts
    many = int(rows[alike].sum())
    return f"{percent(many / max(int(rows.sum()), 1))} of the rows, in {alike.sum():,} of them"


def _range_text(partition: Partition) -> str:
    """The smallest and largest difference, exact, so that neither crosses the threshold."""
    threshold = partition.question.threshold
    low, high = (points(end, threshold=threshold) for end in partition.extremes)
    return low if low == high else f"{low} to {high}"
