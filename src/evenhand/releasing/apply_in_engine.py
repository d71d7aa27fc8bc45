"""Applies a plan where the rows are: the released table as an expression of their engine.

The engine numbers each row by a shuffle of its key (see ``engine_shuffle``), and a move takes
the rows that come first. The engine first tells the place of the last row that each move takes.
A shuffle spreads the rows of a pattern evenly over all places, so the k-th of n rows lies near
the k/n-th part of them: only the few rows before a place well after that are sorted. The new
table is then one SELECT with a CASE; nothing is joined.

A plan speaks of labels, the engine of stored values: one label may be several values, a class
of numbers or a missing value. A pattern of labels is found by a CASE within a CASE.
"""

import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import ceil, isnan, sqrt
from operator import and_, or_
from typing import Any, TypeAlias

import pyarrow as pa

from evenhand.counts import ExaminedCounts
from evenhand.errors import CannotReleaseError
from evenhand.question import Bins
from evenhand.question.codings import MISSING
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
from evenhand.rows.ibis_tables import (
    class_conditions,
    computed_once,
    engine_bins,
    fetch,
    missing_numbers,
)
from evenhand.rows.value_labels import ColumnEncoder, to_labels

Table: TypeAlias = Any  # Ibis's: known only where ibis is loaded
Pattern: TypeAlias = tuple[str, ...]
Conditions: TypeAlias = Callable[[Table], Mapping[str, Any]]

_LEFT, _PLACE, _REACH, _TAKEN, _CODE, _ORDER = (
    f"evenhand_{name}" for name in ("left", "place", "reach", "taken", "code", "order")
)
_WIDTH = 9  # standard deviations; no release misses a row in a lifetime, and one is refused


@dataclass(frozen=True)
class LabelConditions:
    """The labels of a plan's columns, as conditions on stored values."""

    rows: Rows
    plan: RemovalPlan

    @property
    def kept(self) -> Table:
        """The rows that are released: those that lack a value may be left out."""
        table: Table = self.rows.origin
        if self.rows.codings.missing == "drop":
            absent = [self._missing(name) for name in self.rows.columns]
            table = table.filter(~reduce(or_, absent))
        return table

    def by_pattern(
        self, table: Table, numbers: Mapping[Pattern, int], *, otherwise: int
    ) -> Any:  # noqa: ANN401  # a column
        """The number that belongs to the pattern of each row.

        A row is compared with the labels of one column after the other, not with each pattern.
        """
        leaves = {key: ibis().literal(number, "int64") for key, number in numbers.items()}
        return self.choose(table, self.plan.names, leaves, ibis().literal(otherwise, "int64"))

    def choose(
        self,
        table: Table,
        names: Sequence[str],
        leaves: Mapping[Pattern, Any],
        otherwise: Any,  # noqa: ANN401  # a column
    ) -> Any:  # noqa: ANN401  # a column
        """The leaf of the labels that a row has in some columns."""
        # Columns of few labels first: most rows leave after one or two comparisons.
        labels = [{pattern[at] for pattern in leaves} for at in range(len(names))]
        order = sorted(range(len(names)), key=lambda at: len(labels[at]))
        columns = [self._conditions[names[at]](table) for at in order]
        leaves = {tuple(key[at] for at in order): leaf for key, leaf in leaves.items()}
        return _tree(leaves, columns, otherwise)

    def of(self, table: Table, name: str) -> Mapping[str, Any]:
        """For each label of a column the condition that a row has it."""
        return self._conditions[name](table)

    def _missing(self, name: str) -> Any:  # noqa: ANN401  # a column
        """The condition that a value is missing."""
        column, na = self.rows.origin[name], self.rows.codings.na
        kind = column.type()
        if kind.is_integer() or kind.is_floating():
            return missing_numbers(column, na)
        if not kind.is_string():
            return column.isnull()
        # A number that is declared as missing may be spelled in several ways.
        texts = ["", *na]
        if any(re.fullmatch(r"-?[0-9.]+|true|false", text) for text in na):
            stored = self._distinct(name)
            texts = stored.filter(to_labels(stored, na=na).is_null()).drop_null().to_pylist()
        return column.isnull() | column.isin(texts) if texts else column.isnull()

    def _distinct(self, name: str) -> pa.Array:
        return self.rows.sources[0].distinct(name)

    @cached_property
    def _conditions(self) -> dict[str, Conditions]:
        """For each column of the plan, which rows are counted under which label."""
        return {name: self._column_conditions(name) for name in self.plan.names}

    @cached_property
    def values(self) -> dict[str, dict[str, list[object]]]:
        """The stored values of the plan's columns, by the label they are counted under.

        Sorted: of several spellings the same one is released, however the engine lists them.
        """
        codings, values = self.rows.codings, {}
        for name in self.plan.names:
            if engine_bins(self.rows.origin[name], codings.bins.get(name)):
                continue
            array = self._distinct(name)
            encoder = ColumnEncoder(name, codings)
            codes = encoder.encode_labels(to_labels(array, na=codings.na)).tolist()
            labels = [MISSING if label is None else label for label in encoder.codes]
            by_label: dict[str, list[object]] = {}
            for code, value in zip(codes, array.to_pylist(), strict=True):
                by_label.setdefault(labels[code], []).append(value)
            values[name] = {key: sorted(same, key=str) for key, same in by_label.items()}
        return values

    def _column_conditions(self, name: str) -> Conditions:
        codings = self.rows.codings
        bins = codings.bins.get(name)
        pools = self.plan.pooled is not None and name == self.plan.question.groups_column

        def conditions(table: Table) -> Mapping[str, Any]:
            column = table[name]
            if isinstance(bins, Bins) and name not in self.values:
                return _class_conditions(column, bins, missing_numbers(column, codings.na))
            by_label: dict[str, Any] = {}
            for label, values in self.values[name].items():
                pooled = pools and label != self.plan.question.group
                key = str(self.plan.pooled if pooled else label)
                here = _is_one_of(column, values)
                by_label[key] = by_label[key] | here if key in by_label else here
            return by_label

        return conditions


def _tree(
    leaves: Mapping[tuple[str, ...], Any],
    columns: Sequence[Mapping[str, Any]],
    otherwise: Any,  # noqa: ANN401  # a column
) -> Any:  # noqa: ANN401  # a column
    """The leaf of the labels that a row has, one of each column."""
    if not columns:
        return leaves[()]
    branches: dict[str, dict[tuple[str, ...], Any]] = {}
    for (label, *rest), leaf in leaves.items():
        branches.setdefault(label, {})[tuple(rest)] = leaf
    return ibis().cases(
        *(
            (columns[0][label], _tree(below, columns[1:], otherwise))
            for label, below in branches.items()
            if label in columns[0]
        ),
        else_=otherwise,
    )


def _is_one_of(column: Any, values: Sequence[object]) -> Any:  # noqa: ANN401  # a column
    """The condition that a column holds one of some values; null and NaN are values here."""
    known = [v for v in values if v is not None and not (isinstance(v, float) and isnan(v))]
    conditions = []
    if known:
        kind = column.type()
        conditions.append(column.isin([ibis().literal(value, kind) for value in known]))
    if any(isinstance(value, float) and isnan(value) for value in values):
        conditions.append(column.isnan())
    if None in values:
        conditions.append(column.isnull())
    return reduce(or_, conditions)


def _class_conditions(column: Any, bins: Bins, missing: Any) -> dict[str, Any]:  # noqa: ANN401
    """The condition of each class of numbers."""
    inside = class_conditions(column, bins)
    beyond = [~missing, *(~condition for condition in inside)]
    by_label = {
        label: reduce(and_, [~missing, lower, *upper])
        for label, lower, *upper in zip(bins.labels, beyond, [*inside, ~missing], strict=True)
    }
    return by_label | {MISSING: missing}


def ibis() -> Any:  # noqa: ANN401  # a module
    """Ibis, which is loaded where one of its tables is."""
    return sys.modules["ibis"]


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
