"""Why a table is not certified, with what helps: open edges, differences, rows not compared."""

from fractions import Fraction

from evenhand.display import percent
from evenhand.errors import Problem, Remedy, listed
from evenhand.evidence.partition import Partition


def edge_reasons(edges: tuple[tuple[str, str], ...]) -> tuple[Problem, ...]:
    """The open edges on which a verdict hangs, and what directs them."""
    return tuple(
        Problem(
            f"The verdict hangs on the edge {name} - {decision}, whose direction is open.",
            remedy=direct_edge(name, decision),
        )
        for name, decision in edges
    )


def direct_edge(name: str, decision: str) -> tuple[Remedy, ...]:
    """What directs an open edge at the decision."""
    return (
        Remedy(f"Require {name} -> {decision}", "required", [f"{name} -> {decision}"]),
        Remedy(f"{decision} -> {name}", "required", [f"{decision} -> {name}"]),
        Remedy("put the two in different tiers", "tiers"),
        Remedy("give a graph", "graph"),
    )


def partition_reasons(partition: Partition, least: Fraction) -> tuple[Problem, ...]:
    """Why a partition is not certified: what differs, and what could not be compared."""
    question, measured = partition.question, partition.measured
    alike = f"{{{', '.join(partition.names)}}}"
    differing = Problem(
        f"{partition.violating:,} of {measured.sum():,} measured subpopulations of "
        f"{alike} differ by {question.threshold} or more."
    )
    both = "both groups" if question.group else "it and a group to compare with"
    few = question.min_rows > 1
    enough = f", with {question.min_rows:,} rows or more each" if few else ""
    remedies = (
        Remedy("Merge values", "merge"),
        Remedy("use coarser bins", "bins"),
        *((Remedy("compare smaller groups", "min_rows"),) if few else ()),
        Remedy("lower the least coverage", "min_coverage"),
    )
    if question.group is None and not measured.any():
        nobody = f"In no subpopulation of {alike} two groups occur that are compared{enough}."
        return (Problem(nobody, "Nothing is measured.", remedies[:-1]),)
    uncovered = (
        Problem(
            f"Only {int(share * rows):,} of {rows:,} rows of {label!r} lie in "
            f"subpopulations of {alike} in which {both} occur{enough}.",
            f"At least {percent(float(least))} are asked for.",
            remedies,
        )
        for label, rows, share in zip(
            partition.groups,
            partition.rows.sum(axis=1).tolist(),
            partition.coverage.groups,
            strict=True,
        )
        if share < least or not partition.coverage.overall
    )
    apart = [
        f"{partition.groups[a]} and {partition.groups[b]} ({percent(float(share))})"
        for (a, b), share in zip(partition.pairs, partition.pair_coverage, strict=True)
        if share < least
    ]
    rarely = Problem(
        f"In {len(apart):,} of {len(partition.pairs):,} pairs of groups less than "
        f"{percent(float(least))} of the rows of one lie beside the other: {listed(apart)}.",
        "The verdict says nothing of the rest of these rows.",
    )
    return (
        *((differing,) if partition.violating else ()),
        *uncovered,
        *((rarely,) if apart and not partition.two_groups else ()),
    )
