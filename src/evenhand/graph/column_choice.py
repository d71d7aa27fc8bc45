"""Which columns of a table are counted: all, those of its graph, or those near the decision."""

from collections.abc import Callable, Sequence
from typing import Protocol

from evenhand.counts import CountTable
from evenhand.errors import QuestionError
from evenhand.graph import width_limit
from evenhand.graph.local_causes import LocalCauses
from evenhand.graph.mixed_graph import MixedGraph
from evenhand.graph.wide_table_tests import Marginals


class SearchableTable(Marginals, width_limit.WideTable, Protocol):
    """Rows that need not be counted as a whole."""


def choose_columns(
    asked: Sequence[str],
    decision: str,
    table: CountTable | SearchableTable,
    *,
    graph: MixedGraph | None,
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
        width_limit.check_width(table, decision, asked)
    elif len(table.names) > width_limit.MOST_COLUMNS:
        return frozenset((*asked, *graph.nodes))
    return frozenset(table.names)
