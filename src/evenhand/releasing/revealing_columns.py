"""Which columns of a release reveal the rows whose decision was changed.

A value that went with one decision before the release, and not by chance, contradicts another
one in the changed rows: whoever reads the released table can tell which they are. Columns
outside the question are released, too, such as a copy of the decision or a reason for it.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

import numpy as np

from evenhand.counts import CountTable
from evenhand.errors import (
    EvenhandError,
    InputError,
    Problem,
    Remedy,
    Spelling,
    listed,
    python_argument,
)
from evenhand.question.codings import MISSING
from evenhand.removal import Plan
from evenhand.rows import Rows
from evenhand.rows.count_rows import count
from evenhand.rows.ibis_tables import repeating_columns

_FALSE_DISCOVERIES = 0.05  # at most so large a share of the values, if all were by chance


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealingColumn:
    """A released column with values that went with one decision before the release.

    ``rows`` is by how many more rows contradict these values after the release: the changed
    rows that the column reveals. A column that is ``examined`` belongs to the certificate, and
    cannot be dropped.
    """

    column: str
    decision: str
    rows: int
    changed_rows: int
    examined: bool

    def to_dict(self, spelling: Spelling = python_argument) -> dict[str, object]:
        """Plain values, with what helps."""
        (problem,) = revealing_problems([self])
        return {**asdict(self), **problem.to_dict(spelling)}


def revealing_problems(columns: Iterable[RevealingColumn]) -> Iterator[Problem]:
    """What each column reveals, and what helps; those that reveal as much stand together."""
    alike: dict[tuple[bool, int], list[RevealingColumn]] = {}
    for one in columns:
        alike.setdefault((one.examined, one.rows), []).append(one)
    for (examined, rows), found in alike.items():
        names, first, many = [one.column for one in found], found[0], len(found) > 1
        where = "all" if rows == first.changed_rows else f"{rows:,} of"
        it = "them" if many else "it"
        yield Problem(
            f"{listed(names)} {'reveal' if many else 'reveals'} changed rows.",
            f"Before the release, rows with the same value of {it} had the same "
            f"{first.decision!r} in at least 99 of 100 cases; {where} {first.changed_rows:,} "
            "changed rows contradict that.",
            Remedy(f"Leave {it} out of the question, and drop {it}", "exclude", names)
            if examined
            else Remedy(f"Drop {it}", "drop", names),
        )


def find_revealing(
    before: Rows | CountTable, after: Rows | CountTable, plan: Plan, nodes: Iterable[str]
) -> tuple[RevealingColumn, ...]:
    """The columns of the released rows that reveal changed decisions; most rows first.

    ``nodes`` are those of the graph.
    """
    decision = plan.question.decision
    passed_over: set[str | None] = {*plan.question.columns, *plan.changed_columns}
    names = after.names
    if isinstance(after, Rows):
        names, passed_over = after.sources[0].names, {*passed_over, after.codings.frequency}
    names = tuple(name for name in names if name not in passed_over)
    telling = {
        table.names[0]: values
        for table in _with_decision(before, names, decision)
        if (values := _telling_values(table))
    }
    rows = {
        table.names[0]: _contradictions(table, telling[table.names[0]])
        for table in _with_decision(after, [*telling], decision)
    }
    return tuple(
        RevealingColumn(
            column=name,
            decision=decision,
            rows=rows[name],
            changed_rows=plan.changed_rows,
            examined=name in nodes,
        )
        for name in sorted(rows, key=lambda name: (-rows[name], name))
        if rows[name] > 0
    )


def _telling_values(table: CountTable) -> dict[str, tuple[str, int]]:
    """Values that go with one decision: that decision, and how many rows have another.

    If the column did not depend on the decision, a value of n rows would go with one in k of
    them with the tail of a binomial distribution. The values whose tail is too small for that
    are chosen by the rule of Benjamini and Hochberg: many small ones count as one large.
    """
    from scipy.special import betainc  # noqa: PLC0415  # slow to import

    name, decision = table.names
    values, decisions = (table.attribute(one).values for one in table.names)
    order = np.argsort(table.counts, kind="stable")  # later ones, of more rows, overwrite
    totals = table.value_totals(name)
    most, expected = np.zeros((2, len(totals)), np.int64)
    most[table.column(name)[order]] = table.counts[order]
    expected[table.column(name)[order]] = table.column(decision)[order]
    candidates = np.flatnonzero((totals > 0) & (100 * most >= 99 * totals))
    others = totals - most
    tails = sum(
        betainc(most[candidates], others[candidates] + 1, share)
        for share in table.value_totals(decision) / table.row_count
    )
    ranks = np.arange(1, len(candidates) + 1)
    sorted_tails = np.sort(tails)
    passes = sorted_tails * np.count_nonzero(totals) <= _FALSE_DISCOVERIES * ranks
    limit = sorted_tails[passes].max(initial=-1)
    return {
        values[at]: (decisions[expected[at]], int(others[at]))
        for at in candidates[tails <= limit].tolist()
    }


def _contradictions(table: CountTable, telling: dict[str, tuple[str, int]]) -> int:
    """By how many more rows the telling values have another decision than before."""
    more = {value: -rows for value, (_, rows) in telling.items()}
    for (value, decision), rows in table:
        if value in telling and telling[value][0] != decision:
            more[value] += rows
    return sum(rows for rows in more.values() if rows > 0)


def _with_decision(
    rows: Rows | CountTable, names: Sequence[str], decision: str
) -> Iterator[CountTable]:
    """For each column its joint counts with the decision.

    Columns are taken as they are stored, not in classes. One that cannot be read as labels, or
    has too many of them, is passed over.
    """
    if isinstance(rows, CountTable):
        yield from (rows.marginal((name, decision)) for name in names)
        return
    counted = [n for n in names if n in rows.columns and not rows.codings.is_coded(n)]
    others = [name for name in names if name not in counted]
    yield from (rows.count().marginal((name, decision)) for name in counted)
    if rows.sources[0].group_by:
        # A column of hardly any repeated value costs an engine much and can tell little.
        if len(others) > 1:
            others = repeating_columns(rows.origin, others, 0.75)
        for name in others:
            with suppress(EvenhandError):
                codings = replace(rows.codings.without(name), missing="level")
                yield count(rows.sources, (name, decision), codings, memory=rows.memory).table
    elif others:
        try:
            yield from _from_lines(rows, others, decision)
        except InputError:  # of one column; the others can be read
            for name in others:
                with suppress(InputError):
                    yield from _from_lines(rows, [name], decision)


def _from_lines(rows: Rows, names: Sequence[str], decision: str) -> Iterator[CountTable]:
    codings = rows.codings
    for name in names:
        codings = codings.without(name)
    drops = [n for n in rows.columns if n not in names] if codings.missing == "drop" else []
    wanted = tuple(dict.fromkeys((*names, decision, *drops)))
    table = replace(rows, requested=replace(codings, columns=wanted), base=None).lines.table
    counts = table.counts.copy()
    for name in drops:
        values = table.attribute(name).values
        if MISSING in values:
            counts[table.column(name) == values.index(MISSING)] = 0
    table = CountTable(table.attributes, table.codes, counts)
    yield from (table.marginal((name, decision)) for name in names if name in table.names)
