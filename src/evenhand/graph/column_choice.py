"""Which columns of a table are counted: all, those of its graph, or those near the decision.

The whole graph of a table too wide for it is refused before anything is counted: a search tests
every pair of columns at least once, so that there are about half the square of the columns.
What would help is chosen in seconds: the columns that go with the decision most, by one test
each on the first rows.
"""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Protocol

from evenhand.counts import CountTable
from evenhand.display import duration
from evenhand.errors import Problem, QuestionError, Remedy, ResourceError, listed
from evenhand.graph.graph import PartialGraph
from evenhand.graph.independence_tester import IndependenceTester, Marginals
from evenhand.graph.local_discovery import LocalCauses
from evenhand.question import SIGNIFICANCE

MOST_COLUMNS = 2_000
_SUGGESTED = 20


class SearchableTable(Marginals, Protocol):
    """Rows that need not be counted as a whole."""

    def first_rows(self) -> CountTable:
        """The first rows of all columns."""
        ...


def choose_columns(
    asked: Sequence[str],
    decision: str,
    table: CountTable | SearchableTable,
    *,
    graph: PartialGraph | None,
    find: Callable[[CountTable | SearchableTable], LocalCauses] | None,
) -> frozenset[str]:
    """The columns that a verdict needs; refuses a table too wide for its whole graph.

    A graph names them. Without one a search for the causes of the decision may find them: these
    separate the decision from all others that are not its effects, so what is learned of it
    among these columns would be learned among all. Of tables that are not too wide, and are not
    searched, all columns are counted.
    """
    if find is not None and graph is not None:
        raise QuestionError.of(
            "Columns near the decision are to be searched for, and the graph is given.",
            remedy="Leave out the search, or the graph.",
        )
    if find is not None:
        return frozenset((*asked, *find(table).near))
    if graph is None:
        check_width(table, decision, asked)
    elif len(table.names) > MOST_COLUMNS:
        return frozenset((*asked, *graph.nodes))
    return frozenset(table.names)


def check_width(
    table: CountTable | SearchableTable, decision: str | None, asked: Sequence[str] = ()
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
    tests = IndependenceTester(rows).test_all([(decision, name, ()) for name in others])
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
