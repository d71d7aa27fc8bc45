"""Applies a plan where the rows are: the released table as an expression of their engine.

The engine numbers each row by a shuffle of its key (see ``engine_shuffle``), and a move takes
the rows that come first. The engine first tells the place of the last row that each move takes.
A shuffle spreads the rows of a pattern evenly over all places, so the k-th of n rows lies near
the k/n-th part of them: only the few rows before a place well after that are sorted. The new
table is then one SELECT with a CASE; nothing is joined.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import ceil, sqrt
from operator import or_
from typing import Any

from evenhand.counts import ExaminedCounts
from evenhand.errors import CannotReleaseError
from evenhand.releasing.engine_conditions import LabelConditions, Pattern, Table, ibis
from evenhand.releasing.engine_shuffle import (
    HALF,
    KEYS,
    Shuffle,
    check_key,
    check_key_column,
    shuffled,
)
from evenhand.releasing.row_selection import rows_differ
from evenhand.removal import Plan, RemovalPlan
from evenhand.rows import Rows
from evenhand.rows.ibis_tables import computed_once, fetch

_LEFT, _PLACE, _REACH, _TAKEN, _CODE, _ORDER = (
    f"evenhand_{name}" for name in ("left", "place", "reach", "taken", "code", "order")
)
_WIDTH = 9  # standard deviations; no release misses a row in a lifetime, and one is refused


@dataclass(frozen=True)
class EngineChange:
    """A plan, ready to be applied by the engine that holds the rows."""

    rows: Rows
    plan: RemovalPlan
    examined: ExaminedCounts
    seed: int
    key: str
    drop: Collection[str] = ()

    @classmethod
    def of(  # noqa: PLR0917
        cls,
        rows: Rows,
        plan: Plan,
        examined: ExaminedCounts,
        seed: int,
        key: str | None,
        drop: Collection[str] = (),
    ) -> "EngineChange":
        """Check that an engine can do it, without asking it for anything."""
        if not isinstance(plan, RemovalPlan) or plan.redrawn or rows.codings.frequency:
            raise CannotReleaseError.of(
                "In an engine only decisions can be changed, row by row.",
                "This plan draws other values anew, leaves rows out or makes new ones."
                if rows.codings.frequency is None
                else "These rows are counted lines.",
                "Use modify-data, on a table with one row for each person.",
                rows.where,
            )
        return cls(rows, plan, examined, seed, check_key_column(rows, key), drop)

    @cached_property
    def released(self) -> Table:
        """The released rows; nothing is written yet, but the engine is asked for the reach."""
        decision = self.plan.question.decision
        columns = [name for name in self.rows.origin.columns if name not in self.drop]
        check_key(self.rows, self.key)
        levels, table = self._levels, self._conditions.kept
        if not levels:
            return table.select(*columns)
        table = self._with_taken(table)
        new = [
            (table[_TAKEN] == at, self._new_decision(table, labels))
            for at, level in enumerate(levels)
            for labels in [{pattern: label for pattern, (_, label) in level.items()}]
        ]
        table = table.mutate(**{decision: ibis().cases(*new, else_=table[decision])})
        return table.select(*columns)

    def _with_taken(self, table: Table) -> Table:
        """The table with the number of the level that takes a row, or -1.

        The first rows of a pattern become one value, the next ones another.
        """
        counts = dict(self.examined.counts.marginal(self.plan.names))
        wanted = [{pattern: rows for pattern, (rows, _) in one.items()} for one in self._levels]
        sizes = {pattern: counts[pattern] for pattern in wanted[0]}
        conditions, shuffle = self._conditions, Shuffle.of(self.seed)
        trees = {
            f"{_REACH}_{at}": conditions.by_pattern(table, level, otherwise=0)
            for at, level in enumerate(find_reach(conditions, shuffle, self.key, sizes, wanted))
        }
        table = shuffled(table.mutate(**trees), shuffle, self.key, _PLACE, left=_LEFT)
        taken = [(_is_before(table, table[name]), at) for at, name in enumerate(trees)]
        return table.mutate(**{_TAKEN: ibis().cases(*taken, else_=-1)})

    @cached_property
    def _conditions(self) -> LabelConditions:
        return LabelConditions(self.rows, self.plan)

    def _new_decision(self, table: Table, labels: Mapping[Pattern, str]) -> Any:  # noqa: ANN401
        """What rows become: by their old decision if that tells it, else by their pattern."""
        decision = self.plan.question.decision
        kind, stored = table[decision].type(), self._conditions.values[decision]
        literals = {label: ibis().literal(stored[label][0], kind) for label in labels.values()}
        at = self.plan.names.index(decision)
        by_old = {(pattern[at], label) for pattern, label in labels.items()}
        if len(dict(by_old)) < len(by_old):
            leaves = {pattern: literals[label] for pattern, label in labels.items()}
            return self._conditions.choose(table, self.plan.names, leaves, table[decision])
        conditions = self._conditions.of(table, decision)
        cases = ((conditions[old], literals[label]) for old, label in sorted(by_old))
        return ibis().cases(*cases, else_=table[decision])

    @cached_property
    def _levels(self) -> list[dict[Pattern, tuple[int, str]]]:
        """How many rows each pattern takes up to its first, second … move; what they become."""
        names, decision = self.plan.names, self.plan.question.decision
        levels: list[dict[Pattern, tuple[int, str]]] = []
        taken: dict[Pattern, int] = {}
        for move in self.plan.moves:
            pattern = tuple(move.where[name] for name in names)
            taken[pattern] = taken.get(pattern, 0) + move.row_count
            level = next((one for one in levels if pattern not in one), None)
            if level is None:
                levels.append(level := {})
            level[pattern] = taken[pattern], move.becomes[decision]
        return levels


def _is_before(table: Table, reach: Any) -> Any:  # noqa: ANN401  # columns
    """Whether a row is taken: its place lies before the reach of its pattern, 0 for none.

    The upper half of the place alone tells most rows that are not, and costs a third of it.
    """
    return (reach > 0) & (table[_LEFT] * HALF < reach) & (table[_PLACE] < reach)


def find_reach(
    conditions: LabelConditions,
    shuffle: Shuffle,
    key: str,
    sizes: Mapping[Pattern, int],
    levels: Sequence[Mapping[Pattern, int]],
) -> list[dict[Pattern, int]]:
    """For each level and pattern the place before which so many of its rows are.

    ``sizes`` are the rows that were counted under each pattern of the first level, which has
    all of them. Raises if the engine finds fewer. Rows that can be among the wanted ones are
    found by one number: that of their pattern, and where these end by the upper half of places.
    """
    last = {pattern: max(level.get(pattern, 0) for level in levels) for pattern in sizes}
    codes = {
        pattern: number * 2 * HALF + _end(last[pattern], size) // HALF
        for number, (pattern, size) in enumerate(sizes.items())
    }
    table = conditions.kept.select(*dict.fromkeys((*conditions.plan.names, key)))
    table = table.mutate(**{_CODE: conditions.by_pattern(table, codes, otherwise=-1)})
    table = computed_once(table)
    table = table.filter(table[_CODE] >= 0)
    table = shuffled(table, shuffle, key, _PLACE, left=_LEFT, at_once=True)
    table = table.filter(table[_LEFT] < table[_CODE] % (2 * HALF))
    window = ibis().window(group_by=table[_CODE], order_by=table[_PLACE])
    table = table.mutate(**{_ORDER: ibis().row_number().over(window) + 1})
    ends = (conditions.by_pattern(table, level, otherwise=0) for level in levels)
    table = table.filter(reduce(or_, (table[_ORDER] == end for end in ends)))
    where = conditions.rows.where
    lines = fetch(table.select(_CODE, _ORDER, _PLACE), where).to_pylist()
    places = {(line[_CODE], line[_ORDER]): line[_PLACE] for line in lines}
    try:
        return [
            {pattern: places[codes[pattern], rows] + 1 for pattern, rows in level.items()}
            for level in levels
        ]
    except KeyError:
        raise rows_differ(where, "A move finds other rows than were counted.") from None


def _end(wanted: int, size: int) -> int:
    """The place before which the last wanted row surely is, rounded up to an upper half.

    The number of rows before a place is binomial, nearly normal, or Poisson for few rows.
    """
    spread = _WIDTH * sqrt(wanted * (1 - wanted / size)) + _WIDTH**2
    end: int = min(KEYS, ceil((wanted + spread) / size * KEYS))
    return end + -end % HALF
