"""Columns outside the question that a release leaves out."""

from collections.abc import Sequence

from evenhand.counts import CountTable
from evenhand.errors import ColumnError, Problem, QuestionError, Remedy
from evenhand.question import Codings
from evenhand.removal import BaselinePlan, GeneratedPlan, RemovalPlan
from evenhand.rows import Rows


def check_dropped(
    rows: Rows | CountTable,
    plan: RemovalPlan | GeneratedPlan | BaselinePlan,
    drop: Sequence[str],
) -> None:
    """Refuse columns that do not exist, or that the certificate of the release counts."""
    available = rows.sources[0].names if isinstance(rows, Rows) else rows.names
    codings = rows.codings if isinstance(rows, Rows) else Codings()
    unknown = [name for name in dict.fromkeys(drop) if name not in available]
    if unknown:
        raise ColumnError.unknown(unknown, available)
    if drop and isinstance(plan, GeneratedPlan):
        raise QuestionError.of(
            "New rows have only the columns of the graph.",
            remedy="Do not name columns to drop.",
        )
    counted = {*plan.certificate.graph.nodes, *plan.names, codings.frequency}
    problems = [
        Problem(
            f"{name!r} cannot be dropped.",
            "The certificate of the release counts it.",
            Remedy("Leave it out of the question first", "exclude", [name]),
        )
        for name in dict.fromkeys(drop)
        if name in counted
    ]
    if problems:
        raise QuestionError(*problems)
