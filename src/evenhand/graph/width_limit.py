"""Refuses to learn the whole graph of a table too wide for it, before anything is counted.

A search tests every pair of columns at least once, so the number of tests grows with the square
of the columns. What would help is chosen in seconds: the columns that go with the decision
most, by one test each on the first rows.
"""

from collections.abc import Sequence
from time import perf_counter
from typing import Protocol

from evenhand.counts import CountTable
from evenhand.display import duration
from evenhand.errors import Problem, Remedy, ResourceError, listed
from evenhand.graph.batch_tester import BatchTester
from evenhand.question import SIGNIFICANCE

MOST_COLUMNS = 2_000
_SUGGESTED = 20


class WideTable(Protocol):
    """A table of which some rows can be read alone."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        ...

    def first_rows(self) -> CountTable:
        """The first rows of all columns."""
        ...


def check_width(
    table: CountTable | WideTable, decision: str | None, asked: Sequence[str] = ()
) -> None:
    """Refuse more columns than a search can compare; suggest the ``asked`` and some more.

    Rows are read only where the table is refused.
    """
    names = table.names
    if len(names) <= MOST_COLUMNS:
        return
    pairs = len(names) * (len(names) - 1) // 2
    what = f"The whole graph of {len(names):,} columns takes {pairs:,} tests or more"
    if decision is None or decision not in names:
        raise ResourceError(
            Problem(f"{what}.", _allowed(), Remedy("Choose columns", "columns"))
        )
    rows = table if isinstance(table, CountTable) else table.first_rows()
    others = [name for name in rows.names if name not in {decision, *asked}]
    begin = perf_counter()
    tests = BatchTester(rows).test_all([(decision, name, ()) for name in others])
    seconds = (perf_counter() - begin) / len(others) * pairs
    dependent = sorted((one.p, name) for name, one in zip(others, tests, strict=True))
    nearest = [name for p, name in dependent if p <= SIGNIFICANCE][:_SUGGESTED]
    raise ResourceError(
        Problem(
            f"{what}, {duration(seconds)} by the pace of a first try.",
            f"{_allowed()} On the first {rows.row_count:,} rows {len(nearest):,} columns go "
            f"with {decision!r} most: {listed(nearest)}.",
            (
                Remedy("Search near the decision only", "local", value=True),
                Remedy("choose columns, to begin with these", "columns", [*asked, *nearest]),
                Remedy("give the graph of those that matter", "graph"),
            ),
        )
    )


def _allowed() -> str:
    return f"It is learned of up to {MOST_COLUMNS:,} columns."
