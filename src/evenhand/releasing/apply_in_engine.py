"""Applies a plan where the rows are: the released table as an expression of their engine.

The engine numbers each row by a shuffle of its key (see ``shuffle``), and a move takes the
rows that come first. How far a move reaches is found from counts alone: one GROUP BY tells how
many of its rows lie in each bucket of places, another question gives the places in the bucket
where the move ends. The new table is then one SELECT with a CASE; nothing is joined or sorted.
"""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import isnan
from operator import and_, or_
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from evenhand.counts import ExaminedCounts
from evenhand.errors import CannotReleaseError, Remedy
from evenhand.graph.conditional_tables import ConditionalTable
from evenhand.question import Bins
from evenhand.question.codings import MISSING
from evenhand.releasing.engine_shuffle import KEYS, Shuffle, check_key
from evenhand.releasing.row_selection import rows_differ
from evenhand.removal import Plan, RemovalPlan
from evenhand.rows import Rows
from evenhand.rows.arrow_numpy import as_numpy
from evenhand.rows.ibis_tables import (
    class_conditions,
    engine_bins,
    fetch,
    missing_numbers,
)
from evenhand.rows.text_encoders import LabelEncoder
from evenhand.rows.value_labels import to_labels

Table: TypeAlias = Any  # Ibis's: known only where ibis is loaded
Conditions: TypeAlias = Callable[[Table], Mapping[str, Any]]

_LEFT, _RIGHT, _PLACE, _MOVE, _BEGIN, _TAKEN, _DRAW = (
    f"evenhand_{name}" for name in ("left", "right", "place", "move", "begin", "taken", "draw")
)
_MOST_LEAVES = 20_000


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
        """Check that an engine can do it."""
        if (
            not isinstance(plan, RemovalPlan)
            or {table.node.name for table in plan.redrawn} & {*plan.certificate.graph.nodes}
            or rows.codings.frequency
        ):
            raise CannotReleaseError.of(
                "In an engine only decisions can be changed, row by row.",
                "This plan draws other values anew, leaves rows out or makes new ones."
                if rows.codings.frequency is None
                else "These rows are counted lines.",
                "Use modify-data, on a table with one row for each person.",
                rows.where,
            )
        check_key(rows, key)
        return cls(rows, plan, examined, seed, str(key), drop)

    @cached_property
    def released(self) -> Table:
        """The released rows; nothing is written yet."""
        decision = self.plan.question.decision
        columns = [name for name in self.rows.origin.columns if name not in self.drop]
        table = self._numbered
        new, taken = table[decision], _ibis().literal(value=False)
        # The first rows of a pattern become one value, the next ones another.
        for level in reversed(self._levels):
            wanted = {pattern: rows for pattern, (rows, _) in level.items()}
            reach = dict(zip(level, self._reach(wanted), strict=True))
            reached = table[_PLACE] < self._by_pattern(table, reach, otherwise=0)
            labels = {pattern: label for pattern, (_, label) in level.items()}
            new = _ibis().ifelse(reached, self._new_decision(table, labels), new)
            taken = reached | taken
        table = table.mutate(**{decision: new, _TAKEN: taken})
        for number, drawn in enumerate(self.plan.redrawn):
            table = self._changed_along(table, drawn, number)
        return table.select(*columns)

    def _changed_along(self, table: Table, drawn: ConditionalTable, number: int) -> Table:
        """The table with one more column drawn anew in the rows that are taken.

        Values share the places of another shuffle by how often they occur.
        """
        shuffle = Shuffle.of(int(np.random.default_rng((self.seed, number)).integers(2**62)))
        table = _shuffled(table, shuffle, table[self.key], _DRAW)
        name = drawn.node.name
        stored, kind = self._values[name], table[name].type()
        literals = [_ibis().literal(stored[value][0], kind) for value in drawn.node.values]
        ends = np.rint(np.cumsum(drawn.shares, axis=-1) * KEYS).astype(np.int64)
        leaves = {}
        for given in self._occurring(drawn):
            *first, last = np.flatnonzero(drawn.counts[given]).tolist()
            ranges = [(table[_DRAW] < int(ends[(*given, at)]), literals[at]) for at in first]
            labels = [one.values[at] for one, at in zip(drawn.parents, given, strict=True)]
            leaves[tuple(labels)] = (
                _ibis().cases(*ranges, else_=literals[last]) if ranges else literals[last]
            )
        columns = [self._conditions[parent.name](table) for parent in drawn.parents]
        new = _tree(leaves, columns, table[name])
        return table.mutate(**{name: _ibis().ifelse(table[_TAKEN], new, table[name])})

    def _occurring(self, drawn: ConditionalTable) -> list[tuple[int, ...]]:
        """The assignments of a table's parents that changed rows can have."""
        moved = [{**move.where, **move.becomes} for move in self.plan.moves]
        planned = [one for one in drawn.parents if one.name in self.plan.names]
        reached = {tuple(one.values.index(m[one.name]) for one in planned) for m in moved}
        counted = np.argwhere(drawn.counts.any(axis=-1)).tolist()
        given = [tuple(one) for one in counted if tuple(one[: len(planned)]) in reached]
        if sum(np.count_nonzero(drawn.counts[one]) for one in given) > _MOST_LEAVES:
            raise CannotReleaseError.of(
                f"{drawn.node.name!r} has too many values to change along in an engine.",
                f"The statement would have more than {_MOST_LEAVES:,} cases.",
                Remedy("Drop it", "drop", [drawn.node.name]),
                self.rows.where,
            )
        return given

    def _new_decision(self, table: Table, labels: Mapping[tuple[str, ...], str]) -> Any:  # noqa: ANN401
        """What rows become: by their old decision if that tells it, else by their pattern."""
        decision = self.plan.question.decision
        kind, stored = table[decision].type(), self._decisions
        literals = {label: _ibis().literal(stored[label], kind) for label in {*labels.values()}}
        at = self.plan.names.index(decision)
        by_old = {(pattern[at], label) for pattern, label in labels.items()}
        if len(dict(by_old)) < len(by_old):
            columns = [self._conditions[name](table) for name in self.plan.names]
            leaves = {pattern: literals[label] for pattern, label in labels.items()}
            return _tree(leaves, columns, table[decision])
        conditions = self._conditions[decision](table)
        cases = ((conditions[old], literals[label]) for old, label in sorted(by_old))
        return _ibis().cases(*cases, else_=table[decision])

    @cached_property
    def _levels(self) -> list[dict[tuple[str, ...], tuple[int, str]]]:
        """How many rows each pattern takes up to its first, second … move; what they become."""
        names, decision = self.plan.names, self.plan.question.decision
        levels: list[dict[tuple[str, ...], tuple[int, str]]] = [{}]
        taken: dict[tuple[str, ...], int] = {}
        for move in self.plan.moves:
            pattern = tuple(move.where[name] for name in names)
            taken[pattern] = taken.get(pattern, 0) + move.row_count
            level = next((one for one in levels if pattern not in one), None)
            if level is None:
                levels.append(level := {})
            level[pattern] = taken[pattern], move.becomes[decision]
        return levels

    @cached_property
    def _numbered(self) -> Table:
        """The rows that are released, each with its place in the shuffle."""
        table, codings = self.rows.origin, self.rows.codings
        if codings.missing == "drop":
            absent = [self._missing(name) for name in self.rows.columns]
            table = table.filter(~reduce(or_, absent))
        return _shuffled(table, Shuffle.of(self.seed), table[self.key], _PLACE)

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
        stored = fetch(self.rows.origin.select(name).distinct(), self.rows.where)
        return pa.concat_arrays(stored.column(0).chunks)

    def _reach(self, wanted: Mapping[tuple[str, ...], int]) -> list[int]:
        """For each pattern the place before which so many of its rows are."""
        sizes = self._sizes(wanted)
        bucket = _bucket_size(sum(sizes), len(sizes))
        numbers = {pattern: at for at, pattern in enumerate(wanted)}
        table = self._numbered
        table = table.mutate(
            **{
                _MOVE: self._by_pattern(table, numbers, otherwise=-1),
                _BEGIN: table[_PLACE] - table[_PLACE] % bucket,
            }
        )
        matching = table.filter(table[_MOVE] >= 0)
        histogram = self._fetch(
            matching.group_by(_MOVE, _BEGIN).aggregate(rows=matching.count())
        )
        if np.bincount(histogram[_MOVE], histogram["rows"], len(sizes)).tolist() != sizes:
            raise rows_differ(self.rows.where, "A move finds other rows than were counted.")
        amounts = enumerate(wanted.values())
        ends = [_last_bucket(histogram, move, rows) for move, rows in amounts]
        begins = {
            pattern: begin for pattern, (begin, rest) in zip(wanted, ends, strict=True) if rest
        }
        if not begins:
            return [begin + bucket for begin, _ in ends]
        last = self._by_pattern(table, begins, otherwise=-1)
        places = self._fetch(table.filter(table[_BEGIN] == last).select(_MOVE, _PLACE))
        return [
            int(np.sort(places[_PLACE][places[_MOVE] == move])[rest - 1]) + 1
            if rest
            else begin + bucket
            for move, (begin, rest) in enumerate(ends)
        ]

    def _sizes(self, patterns: Iterable[tuple[str, ...]]) -> list[int]:
        """How many rows were counted under each pattern."""
        counts = dict(self.examined.counts.marginal(self.plan.names))
        return [counts.get(pattern, 0) for pattern in patterns]

    def _fetch(self, table: Table) -> dict[str, Any]:
        fetched = fetch(table, self.rows.where)
        return {
            name: as_numpy(pa.concat_arrays(fetched.column(name).cast(pa.int64()).chunks))
            for name in fetched.column_names
        }

    @cached_property
    def _conditions(self) -> dict[str, Conditions]:
        """For each column of the plan, which rows are counted under which label."""
        return {name: self._column_conditions(name) for name in self._names}

    @property
    def _names(self) -> tuple[str, ...]:
        """The columns that the plan looks at or changes."""
        return (*self.plan.names, *(table.node.name for table in self.plan.redrawn))

    @cached_property
    def _values(self) -> dict[str, dict[str, list[object]]]:
        """The stored values of the plan's columns, by the label they are counted under."""
        codings, values = self.rows.codings, {}
        for name in self._names:
            if engine_bins(self.rows.origin[name], codings.bins.get(name)):
                continue
            array = self._distinct(name)
            encoder = LabelEncoder(name, codings)
            codes = encoder.encode(to_labels(array, na=codings.na)).tolist()
            labels = [MISSING if label is None else label for label in encoder.codes]
            by_label: dict[str, list[object]] = {}
            for code, value in zip(codes, array.to_pylist(), strict=True):
                by_label.setdefault(labels[code], []).append(value)
            values[name] = by_label
        return values

    @property
    def _decisions(self) -> dict[str, object]:
        """What is stored for either decision."""
        by_label = self._values[self.plan.question.decision]
        return {label: values[0] for label, values in by_label.items()}

    def _column_conditions(self, name: str) -> Conditions:
        codings = self.rows.codings
        bins = codings.bins.get(name)
        pools = self.plan.pooled is not None and name == self.plan.question.groups_column

        def conditions(table: Table) -> Mapping[str, Any]:
            column = table[name]
            if isinstance(bins, Bins) and name not in self._values:
                return _class_conditions(column, bins, missing_numbers(column, codings.na))
            by_label: dict[str, Any] = {}
            for label, values in self._values[name].items():
                pooled = pools and label != self.plan.question.group
                key = str(self.plan.pooled if pooled else label)
                here = _is_one_of(column, values)
                by_label[key] = by_label[key] | here if key in by_label else here
            return by_label

        return conditions

    def _by_pattern(
        self, table: Table, numbers: Mapping[tuple[str, ...], int], *, otherwise: int
    ) -> Any:  # noqa: ANN401  # a column
        """The number that belongs to the pattern of each row: a CASE within a CASE.

        A row is compared with the labels of one column after the other, not with each pattern.
        """
        columns = [self._conditions[name](table) for name in self.plan.names]
        leaves = {key: _ibis().literal(number, "int64") for key, number in numbers.items()}
        return _tree(leaves, columns, _ibis().literal(otherwise, "int64"))


def _shuffled(table: Table, shuffle: Shuffle, key: Any, name: str) -> Table:  # noqa: ANN401
    """The table with each row's place in a shuffle of its key as one more column."""
    left, right = shuffle.halves(key.cast("int64"))
    table = table.mutate(**{_LEFT: left, _RIGHT: right})
    for number in range(len(shuffle.rounds)):
        left, right = shuffle.next_round(number, table[_LEFT], table[_RIGHT])
        table = table.mutate(**{_LEFT: left, _RIGHT: right})
    return table.mutate(**{name: shuffle.join(table[_LEFT], table[_RIGHT])})


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
    return _ibis().cases(
        *(
            (columns[0][label], _tree(below, columns[1:], otherwise))
            for label, below in branches.items()
            if label in columns[0]
        ),
        else_=otherwise,
    )


def _bucket_size(rows: int, moves: int) -> int:
    """How many places are counted as one.

    Then the GROUP BY gives about as many lines as rows come back from the last buckets.
    """
    return int(KEYS >> min(20, (rows // max(moves, 1)).bit_length() // 2))


def _last_bucket(histogram: Mapping[str, Any], move: int, wanted: int) -> tuple[int, int]:
    """The bucket in which a move ends, and how many rows it takes of it; 0 for all."""
    here = histogram[_MOVE] == move
    begins, rows = histogram[_BEGIN][here], histogram["rows"][here]
    order = np.argsort(begins)
    reached = np.cumsum(rows[order])
    at = int(np.searchsorted(reached, wanted))
    before = int(reached[at - 1]) if at else 0
    rest = wanted - before
    return int(begins[order[at]]), 0 if rest == rows[order[at]] else rest


def _is_one_of(column: Any, values: Sequence[object]) -> Any:  # noqa: ANN401  # a column
    """The condition that a column holds one of some values; null and NaN are values here."""
    known = [v for v in values if v is not None and not (isinstance(v, float) and isnan(v))]
    conditions = []
    if known:
        kind = column.type()
        conditions.append(column.isin([_ibis().literal(value, kind) for value in known]))
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


def _ibis() -> Any:  # noqa: ANN401  # a module
    """Ibis, which is loaded where one of its tables is."""
    return sys.modules["ibis"]
