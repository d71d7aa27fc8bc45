"""A partition in a few numbers: how many subpopulations, which coverage, which differences."""

from math import sqrt

import numpy as np

from evenhand.display import percent
from evenhand.evidence.partition import Partition
from evenhand.evidence.subpopulations import points


def partition_facts(partition: Partition) -> list[tuple[str, str]]:
    """Names and texts: its subpopulations, their coverage, and the range of differences."""
    facts = [
        ("subpopulations", _numbers_text(partition)),
        ("coverage", _coverage_text(partition)),
    ]
    if partition.measured.any():
        facts.append(("difference in points", _range_text(partition)))
    return facts


def difference_moments(partition: Partition) -> dict[str, float | None]:
    """Extremes, mean and standard deviation of the differences, weighted by rows."""
    differences = partition.statistics.difference
    if not len(differences):
        return dict.fromkeys(("min", "max", "mean", "sd"))
    rows = partition.row_counts[partition.measured]
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
    return (
        f"{numbers['occupied']:,} occur, {numbers['measured']:,} measured, "
        f"{numbers['violating']:,} at or beyond the threshold "
        f"({numbers['above']:,} above, {numbers['below']:,} below)"
    )


def _coverage_text(partition: Partition) -> str:
    question, coverage = partition.question, partition.coverage
    shares = ((question.group, coverage.group), (question.other, coverage.other))
    by_group = ", ".join(f"{label} {percent(float(share))}" for label, share in shares)
    return f"{percent(float(coverage.overall))} of the rows; {by_group}"


def _range_text(partition: Partition) -> str:
    """The smallest and largest difference, exact, so that neither crosses the threshold."""
    threshold = partition.question.threshold
    low, high = (points(end, threshold=threshold) for end in partition.extremes)
    return low if low == high else f"{low} to {high}"
