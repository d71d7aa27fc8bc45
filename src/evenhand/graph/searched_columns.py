"""Which columns a search looks at: all, those of a graph or near the decision; each thing once.

The whole graph of a table too wide for it is refused before anything is counted: a search tests
every pair of columns at least once, so that there are about half the square of the columns.
What would help is chosen in seconds: the columns that go with the decision most, by one test
each on the first rows.

A column and a class made from it, as age and age class: given the age nothing can depend on the
class, so a test given the age says nothing about the class. Such tests remove no edge; they
would remove the edges of both. Columns that determine each other are one column in two
spellings and enter the search once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from time import perf_counter
from typing import Protocol

import numpy as np

from evenhand.counts import CountTable, dependent_pairs, equivalent_columns
from evenhand.display import duration
from evenhand.errors import Problem, QuestionError, Remedy, ResourceError, listed
from evenhand.graph.cached_tests import IndependenceTester, Marginals
from evenhand.graph.graph import PartialGraph
from evenhand.graph.kernels.batch import Batch, Floats
from evenhand.graph.local_discovery import LocalCauses
from evenhand.graph.skeleton import Evaluate
from evenhand.question import SIGNIFICANCE, Knowledge, KnownOrder, Question

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


def with_rule(
    knowledge: Knowledge, question: Question | None, names: tuple[str, ...]
) -> Knowledge:
    """What a declared rule adds: it separates the decision from all that tiers put no later."""
    if question is None or not question.rule:
        return knowledge
    decision, tier = question.decision, knowledge.about(names).tier
    required = {*knowledge.required, *((name, decision) for name in question.rule)}
    others = [name for name in names if name not in {decision, *question.rule}]
    forbidden = {*knowledge.forbidden, *((name, decision) for name in others)}
    forbidden |= {
        (decision, name) for name in others if not _is_later(tier[name], tier[decision])
    }
    return replace(
        knowledge,
        required=tuple(sorted(required)),
        forbidden=tuple(sorted(forbidden - {*required} | {*knowledge.forbidden})),
    )


def _is_later(tier: int | None, other: int | None) -> bool:
    return tier is not None and other is not None and tier > other


def stand_ins(
    counts: CountTable, order: KnownOrder, question: Question | None
) -> dict[str, str]:
    """For each column that another says in other words, the one that enters the search.

    Columns of which knowledge has arrows all enter, and so do copies of the decision: whether
    they are its causes or its effects only a person can tell.
    """
    ends = {name for arrow in (*order.required, *order.forbidden) for name in arrow}
    left: dict[str, str] = {}
    for group in equivalent_columns(counts):
        if question is not None and question.decision in group:
            continue
        first, *others = sorted(group, key=lambda name: _rank(name, order, question, ends))
        kept = {first, *ends, *(question.rule if question else ())}
        left |= {name: first for name in others if name not in kept}
    return left


def _rank(
    name: str, order: KnownOrder, question: Question | None, ends: set[str]
) -> tuple[object, ...]:
    tier = order.tier[name]
    protected = question.protected_names if question else ()
    asked = question.named_columns if question else ()
    known = (name not in ends, tier is None, tier or 0)
    return (name not in protected, name not in asked, *known, name)


def without_columns(order: KnownOrder, left: Mapping[str, str]) -> KnownOrder:
    """The order of the columns that remain."""
    names = tuple(name for name in order.names if name not in left)
    return replace(
        order,
        names=names,
        tier={name: order.tier[name] for name in names},
        forbidden=frozenset(arrow for arrow in order.forbidden if {*arrow} <= {*names}),
    )


def determining_pairs(counts: CountTable, names: Sequence[str]) -> set[tuple[str, str]]:
    """Pairs of these columns of which the first determines the second."""
    pairs, _ = dependent_pairs(counts, names)
    groups = [{*group}.intersection(names) for group in equivalent_columns(counts)]
    return {*pairs, *(pair for group in groups for pair in permutations(group, 2))}


def keeping_determined(evaluate: Evaluate, counts: CountTable, names: list[str]) -> Evaluate:
    """The same p-values, but 0 where one of the columns given determines an end of the test."""
    place = {name: at for at, name in enumerate(names)}
    determines = np.zeros((len(names), len(names)), bool)
    for one, other in determining_pairs(counts, names):
        determines[place[one], place[other]] = True
    if not determines.any():
        return evaluate

    def p_values(batch: Batch) -> Floats:
        says_nothing = (
            determines[batch.given, batch.x[:, None]]
            | determines[batch.given, batch.y[:, None]]
        ).any(axis=1)
        return np.where(says_nothing, 0.0, evaluate(batch))

    return p_values
