"""Columns outside the question that a release drops, or changes along with the decision.

In changed rows such a column gets a value that goes with the new decision. It is drawn as an
effect of the decision is, from a table of how often each value occurs: among the rows of the
same subpopulation, group and decision; if there are none, of the same group and decision; else
of the same decision. Several columns are drawn one given the other, so that they fit together.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from evenhand.counts import CountTable, examined_counts
from evenhand.errors import (
    CannotReleaseError,
    ColumnError,
    Problem,
    QuestionError,
    Remedy,
    listed,
)
from evenhand.graph.conditional_tables import ConditionalTable
from evenhand.question import Codings
from evenhand.question.question import REST
from evenhand.removal import BaselinePlan, GeneratedPlan, RemovalPlan
from evenhand.rows import Rows
from evenhand.rows.count_rows import count

_MOST_CELLS = 2**18


def change_along(
    rows: Rows | CountTable,
    plan: RemovalPlan | GeneratedPlan | BaselinePlan,
    names: Sequence[str],
    *,
    drop: Sequence[str] = (),
) -> RemovalPlan | GeneratedPlan | BaselinePlan:
    """The plan with tables for columns that change along; refuses what cannot be done.

    ``drop`` are the columns that the release will not have: they are checked, too.
    """
    if not names and not drop:
        return plan
    problems = [*_problems(rows, plan, names, drop)]
    if problems:
        raise QuestionError(*problems)
    if not names or isinstance(plan, GeneratedPlan):
        return plan
    tables = _tables(_joint_counts(rows, plan, names), plan, names)
    return replace(plan, redrawn=(*plan.redrawn, *tables))


def _problems(
    rows: Rows | CountTable,
    plan: RemovalPlan | GeneratedPlan | BaselinePlan,
    along: Sequence[str],
    drop: Sequence[str],
) -> Iterator[Problem]:
    available = rows.sources[0].names if isinstance(rows, Rows) else rows.names
    codings = rows.codings if isinstance(rows, Rows) else Codings()
    unknown = [name for name in dict.fromkeys((*drop, *along)) if name not in available]
    if unknown:
        raise ColumnError.unknown(unknown, available)
    if isinstance(plan, GeneratedPlan):
        yield Problem(
            "New rows have only the columns of the graph.",
            remedy="Leave the columns to drop or to change out.",
        )
        return
    counted = {*plan.certificate.graph.nodes, *plan.names, codings.frequency}
    for name in dict.fromkeys((*drop, *along)):
        if name in counted:
            yield Problem(
                f"{name!r} can be neither dropped nor changed along.",
                "The certificate of the release counts it.",
                Remedy("Leave it out of the question first", "exclude", [name]),
            )
    if both := [name for name in along if name in drop]:
        yield Problem(
            f"{listed(both)} cannot be both dropped and changed along.",
            remedy="Choose one of the two.",
        )
    if along and plan.changed_decisions is None:
        yield Problem(
            f"{plan.method} changes no decision along which others could change.",
            remedy=Remedy("Drop the columns", "drop", [*along]),
        )
    if coded := [name for name in along if codings.is_coded(name) and name not in counted]:
        yield Problem(
            f"{listed(coded)} cannot change along: it is counted in classes or merged values.",
            remedy=Remedy("Drop it", "drop", coded),
        )


def _joint_counts(
    rows: Rows | CountTable, plan: RemovalPlan | BaselinePlan, names: Sequence[str]
) -> CountTable:
    """The rows that are compared, by the columns of the plan and those that change along."""
    question = plan.question
    if plan.pooled is not None:
        question = replace(question, other=REST)
    chosen = tuple(dict.fromkeys((*_given(plan), *names)))
    if isinstance(rows, CountTable):
        return examined_counts(rows.marginal(chosen), question).counts
    codings = replace(rows.codings, missing="level")  # a reason may be empty for good
    try:
        counts = count(rows.sources, chosen, codings, memory=rows.memory).table
    except ColumnError as error:
        raise ColumnError(*map(_to_be_dropped, error.problems)) from error
    return examined_counts(counts, question).counts


def _to_be_dropped(problem: Problem) -> Problem:
    """The problem of a column that cannot be counted, whose remedy is to leave it out."""
    drop = (Remedy("Drop it", "drop", one.value) for one in problem.remedies if one.argument)
    return replace(problem, remedy=next(drop, problem.remedy))


def _given(plan: RemovalPlan | BaselinePlan) -> tuple[str, ...]:
    """The causes, the protected attribute and the decision."""
    return (*plan.partition.names, *plan.question.columns)


def _tables(
    counts: CountTable, plan: RemovalPlan | BaselinePlan, names: Iterable[str]
) -> Iterator[ConditionalTable]:
    """A table for each column, given what the plan looks at and the columns before it."""
    given, earlier = _given(plan), tuple[str, ...]()
    for name in names:
        card = prod(len(counts.attribute(other)) for other in (*earlier, name))
        # All of these, or only group and decision, or the decision alone.
        for first in (0, len(given) - len(plan.question.columns), len(given) - 1):
            parents = given[first:]
            if card * prod(len(counts.attribute(other)) for other in parents) <= _MOST_CELLS:
                break
        else:
            raise CannotReleaseError.of(
                f"{name!r} has too many values to change along.",
                f"A table of them would have more than {_MOST_CELLS:,} cells.",
                Remedy("Drop it", "drop", [name]),
            )
        others = max(len(parents) - len(plan.question.columns), 0)
        yield _table(counts, name, (*parents, *earlier), {others, len(parents) - 1})
        earlier = (*earlier, name)


def _table(
    counts: CountTable, name: str, parents: tuple[str, ...], ignored: set[int]
) -> ConditionalTable:
    """How often each value occurs; where nobody is alike, among the next larger set of rows.

    For it so many of the first parents are ``ignored``: all before the protected attributes,
    then all before the decision.
    """
    table = ConditionalTable.estimate(counts, name, parents)
    filled = cube = table.counts
    for leading in sorted(ignored - {0}):
        larger = cube.sum(axis=tuple(range(leading)), keepdims=True)
        filled = np.where(filled.sum(axis=-1, keepdims=True) > 0, filled, larger)
    return replace(table, counts=filled)
