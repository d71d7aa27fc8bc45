"""Which columns of a release betray the rows whose decision was changed.

A column that determines the decision before the release disagrees with it in the changed rows:
whoever reads the released table can tell which they are. Columns outside the question are
released, too, such as a copy of the decision or a score from which it follows.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from evenhand.counts import CountTable, determining_columns
from evenhand.counts.dependencies import expected_values
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
from evenhand.removal import Plan, changed_columns
from evenhand.rows import Rows
from evenhand.rows.count_rows import count
from evenhand.rows.ibis_tables import repeating_columns
from evenhand.rows.line_table import read_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Betrayal:
    """A released column that determined the decision, exactly or nearly, before the release.

    ``exceptions`` are the rows before it that disagree with the column, ``disagreeing`` those
    of the release: their decision is not the one that went with their value before. A column
    that is ``examined`` belongs to the certificate, and can be neither dropped nor changed.
    """

    column: str
    decision: str
    exceptions: int
    disagreeing: int
    changed_rows: int
    examined: bool

    @property
    def rows(self) -> int:
        """How many changed rows disagree with the column: at least so many."""
        return max(0, self.disagreeing - self.exceptions)

    def to_dict(self, spelling: Spelling = python_argument) -> dict[str, object]:
        """Plain values, with what helps."""
        (problem,) = betrayal_problems([self])
        return {
            "column": self.column,
            "exceptions": self.exceptions,
            "disagreeing": self.disagreeing,
            "rows": self.rows,
            "changed_rows": self.changed_rows,
            **problem.to_dict(spelling),
        }


def betrayal_problems(betrayals: Iterable[Betrayal]) -> Iterator[Problem]:
    """What columns betray, and what helps; columns of which the same can be said together."""
    alike: dict[tuple[bool, int, int], list[Betrayal]] = {}
    for one in betrayals:
        alike.setdefault((one.examined, one.exceptions, one.rows), []).append(one)
    for (examined, exceptions, rows), found in alike.items():
        names, first, many = [one.column for one in found], found[0], len(found) > 1
        but = f" but for {exceptions:,} rows" if exceptions else ""
        where = "all" if rows == first.changed_rows else f"at least {rows:,} of"
        it = "them" if many else "it"
        yield Problem(
            f"{listed(names)} {'betray' if many else 'betrays'} changed rows.",
            f"Before the release {'each of them' if many else 'it'} determines "
            f"{first.decision!r}{but}; after it the two disagree in {where} "
            f"{first.changed_rows:,} changed rows.",
            Remedy(f"Leave {it} out of the question, and drop {it}", "exclude", names)
            if examined
            else (
                Remedy(f"Drop {it}", "drop", names),
                Remedy(f"change {it} along with the decision", "change_along", names),
            ),
        )


def find_betrayals(
    before: Rows | CountTable, after: Rows | CountTable, plan: Plan, nodes: Iterable[str]
) -> tuple[Betrayal, ...]:
    """The columns of the released rows that betray changed decisions; most rows first.

    ``nodes`` are those of the graph. Columns that change along with the decision are not
    among the betrayals.
    """
    question, changed = plan.question, changed_columns(plan)
    asked = (question.protected, question.decision)
    names = [name for name in _names(after) if name not in {*asked, *changed}]
    found = []
    for table in _with_asked(before, names, asked):
        name = table.names[0]
        if not determining_columns(table, asked[1], protected=asked[0], names=[name]):
            continue
        expected = expected_values(table, name, question.decision)
        for released in _with_asked(after, [name], asked):
            old, new = (_disagreeing(one, expected) for one in (table, released))
            if new > old:
                found.append(
                    Betrayal(
                        column=name,
                        decision=question.decision,
                        exceptions=old,
                        disagreeing=new,
                        changed_rows=sum(move.row_count for move in plan.moves),
                        examined=name in nodes,
                    )
                )
    return tuple(sorted(found, key=lambda one: (-one.rows, one.column)))


def _names(rows: Rows | CountTable) -> tuple[str, ...]:
    """All columns but the one that holds frequencies."""
    if isinstance(rows, CountTable):
        return rows.names
    return tuple(name for name in rows.sources[0].names if name != rows.codings.frequency)


def _disagreeing(table: CountTable, expected: dict[str, str]) -> int:
    """How many rows have another decision than goes with the value of the first column."""
    return sum(
        rows
        for (value, _, decision), rows in table
        if value in expected and expected[value] != decision
    )


def _with_asked(
    rows: Rows | CountTable, names: Sequence[str], asked: tuple[str, str]
) -> Iterator[CountTable]:
    """For each column its joint counts with the protected attribute and the decision.

    Columns are taken as they are stored, not in classes. One that cannot be read as labels, or
    has too many of them, is passed over.
    """
    if isinstance(rows, CountTable):
        yield from (rows.marginal((name, *asked)) for name in names)
        return
    counted = [n for n in names if n in rows.columns and not rows.codings.is_coded(n)]
    others = [name for name in names if name not in counted]
    yield from (rows.count().marginal((name, *asked)) for name in counted)
    if rows.sources[0].group_by:
        # Where values that repeat cover nine tenths of the rows, at most 0.55 are different.
        if len(others) > 1:
            others = repeating_columns(rows.origin, others, 0.75)
        for name in others:
            with suppress(EvenhandError):
                codings = replace(rows.codings.without(name), missing="level")
                yield count(rows.sources, (name, *asked), codings, memory=rows.memory).table
    elif others:
        try:
            yield from _from_lines(rows, others, asked)
        except InputError:  # of one column; the others can be read
            for name in others:
                with suppress(InputError):
                    yield from _from_lines(rows, [name], asked)


def _from_lines(
    rows: Rows, names: Sequence[str], asked: tuple[str, str]
) -> Iterator[CountTable]:
    codings = rows.codings
    for name in names:
        codings = codings.without(name)
    drops = [n for n in rows.columns if n not in names] if codings.missing == "drop" else []
    wanted = tuple(dict.fromkeys((*names, *asked, *drops)))
    lines = read_lines(rows.sources, wanted, codings, memory=rows.memory // 4)
    table = lines.table
    kept = np.ones(len(table), bool)
    for name in drops:
        values = table.attribute(name).values
        if MISSING in values:
            kept &= table.column(name) != values.index(MISSING)
    table = CountTable(
        table.attributes, tuple(codes[kept] for codes in table.codes), table.counts[kept]
    )
    for name in names:
        if name in table.names:
            yield table.marginal((name, *asked))
