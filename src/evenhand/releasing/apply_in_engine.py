"""Applies a plan where the rows are: the released table as an expression of their engine.

A move takes the rows that come first when keys are shuffled by the seed. An engine's own random
numbers are drawn anew when work is repeated, and its hash functions are not random from seed to
seed. So keys are shuffled by arithmetic that every engine does exactly: a Feistel network on
two halves of 20 bits, whose rounds add a polynomial with secret coefficients. It maps keys one
to one, so a move takes exactly as many rows as it should.

The engine first tells the place of the last row that each move takes. A shuffle spreads the
rows of a pattern evenly over all places, so the k-th of n rows lies near the k/n-th part of
them: only the few rows before a place well after that are sorted. The new table is then one
SELECT with a CASE; nothing is joined.

A plan speaks of labels, the engine of stored values: one label may be several values, a class
of numbers or a missing value. A pattern of labels is found by a CASE within a CASE.
"""

import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import ceil, isnan, sqrt
from operator import and_, or_
from typing import Any, TypeAlias

import numpy as np

from evenhand.errors import CannotReleaseError, ColumnError, QuestionError, Remedy
from evenhand.question import Bins
from evenhand.question.codings import MISSING
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

HALF_BITS = 20
HALF = 1 << HALF_BITS
KEYS = HALF**2  # keys lie below; then no product exceeds 2⁵³, which even a float holds exactly
_PRIME = 2**31 - 1
_ROUNDS = 4
_RIGHT = "evenhand_right"
_LEFT, _PLACE, _REACH, _CODE, _ORDER = (
    f"evenhand_{name}" for name in ("left", "place", "reach", "code", "order")
)
_WIDTH = 9  # standard deviations; no release misses a row in a lifetime, and one is refused


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A keyed bijection of the numbers below 2⁴⁰.

    Numbers may be anything with arithmetic: integers, arrays, columns of an engine.

    >>> shuffle = Shuffle.of(7)
    >>> sorted(shuffle.place(key) for key in (0, 1, 2))
    [197570838550, 324082420655, 462069742288]
    """

    rounds: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, seed: int) -> "Shuffle":
        """The shuffle with coefficients drawn from a seed."""
        coefficients = np.random.default_rng(seed).integers(1, _PRIME, (_ROUNDS, 3))
        return cls(tuple((a, b, c) for a, b, c in coefficients.tolist()))

    def place(self, key: Any) -> Any:  # noqa: ANN401  # whatever can be added and multiplied
        """The place of a key after the shuffle."""
        left, right = self.halves(key)
        for number in range(_ROUNDS):
            left, right = self.next_round(number, left, right)
        return left * HALF + right

    @staticmethod
    def halves(key: Any) -> tuple[Any, Any]:  # noqa: ANN401
        """The upper and the lower half; engines would divide by floating point."""
        return key >> HALF_BITS, key % HALF

    def next_round(self, number: int, left: Any, right: Any) -> tuple[Any, Any]:  # noqa: ANN401
        """The halves after one more round."""
        a, b, c = self.rounds[number]
        mixed = ((right * a + b) % _PRIME * right + c) % _PRIME
        return right, (left + mixed) % HALF


def shuffled(table: Table, shuffle: Shuffle, key: str, *, at_once: bool = False) -> Table:
    """The table with each row's place in a shuffle of its key, and the place's upper half.

    ``at_once`` says that all places are needed. Otherwise PostgreSQL computes one where it is
    used, with each round three times in the next: less than passing on all columns of each row.
    """
    halves = shuffle.halves(table[key].cast("int64"))
    for number in range(_ROUNDS):
        table = table.mutate(**dict(zip((_LEFT, _RIGHT), halves, strict=True)))
        table = computed_once(table) if at_once else table
        halves = shuffle.next_round(number, table[_LEFT], table[_RIGHT])
    table = table.mutate(**dict(zip((_LEFT, _RIGHT), halves, strict=True)))
    return table.mutate(**{_PLACE: table[_LEFT] * HALF + table[_RIGHT]})


def check_key(rows: Rows, key: str) -> None:
    """Refuse a key that does not tell rows apart."""
    table, where = rows.origin, rows.where
    column = table[key]
    facts = {"low": column.min(), "high": column.max(), "rows": table.count()}
    facts |= {"known": column.count(), "different": column.nunique()}
    (fact,) = fetch(table.aggregate(**facts), where).to_pylist()
    count = fact["rows"]
    if fact["known"] < count:
        reason = f"It is null in {count - fact['known']:,} rows."
    elif fact["different"] < count:
        reason = f"{count:,} rows have {fact['different']:,} different values."
    elif fact["low"] is not None and not 0 <= fact["low"] <= fact["high"] < KEYS:
        reason = f"It goes from {fact['low']:,} to {fact['high']:,}."
    else:
        return
    raise _no_key(key, reason, where)


def _no_key(key: str, reason: str, where: str) -> ColumnError:
    return ColumnError.of(
        f"The column {key!r} is no key for a release.",
        reason,
        "A key is a whole number from 0 to 2⁴⁰ − 1, and another one in every row. "
        "Without one, make a table that has it, for instance by numbering the rows.",
        where,
    )


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
    plan: Plan
    seed: int
    key: str
    drop: Collection[str] = ()

    def __post_init__(self) -> None:
        """Check that an engine can do it, without asking it for anything."""
        plan, rows = self.plan, self.rows
        if not isinstance(plan, RemovalPlan) or plan.redrawn or rows.codings.frequency:
            raise CannotReleaseError.of(
                "In an engine only decisions can be changed, row by row.",
                "This plan draws other values anew, leaves rows out or makes new ones."
                if rows.codings.frequency is None
                else "These rows are counted lines.",
                "Use modify-data, on a table with one row for each person.",
                rows.where,
            )
        table, key, where = rows.origin, self.key, rows.where
        if not key:
            raise QuestionError.of(
                "Which column tells the rows apart?",
                "An engine's rows have no order to choose them by.",
                Remedy("Name a column of different whole numbers", "key", "person_id"),
                where,
            )
        if key not in table.columns:
            raise ColumnError.unknown([key], table.columns, where=where)
        kind = table[key].type()
        if not kind.is_integer():
            raise _no_key(key, f"Its type is {kind}.", where)

    @cached_property
    def released(self) -> Table:
        """The released rows; nothing is written yet, but the engine is asked for the reach.

        The first rows of a pattern become one value, the next ones another.
        """
        decision = self.plan.question.decision
        columns = [name for name in self.rows.origin.columns if name not in self.drop]
        check_key(self.rows, self.key)
        levels, table = self._levels, self.kept
        if not levels:
            return table.select(*columns)
        shuffle, counts = Shuffle.of(self.seed), dict(self.plan.counted)
        wanted = [{pattern: rows for pattern, (rows, _) in one.items()} for one in levels]
        sizes = {pattern: counts[pattern] for pattern in wanted[0]}
        trees = {
            f"{_REACH}_{at}": self.by_pattern(table, level, otherwise=0)
            for at, level in enumerate(self.find_reach(shuffle, sizes, wanted))
        }
        table = shuffled(table.mutate(**trees), shuffle, self.key)
        kind, stored = table[decision].type(), self.values[decision]
        new = []
        for name, level in zip(trees, levels, strict=True):
            # A row is taken if its place lies before the reach of its pattern, 0 for none. The
            # upper half of the place alone tells most rows that are not, for a third of it.
            reach = table[name]
            taken = (reach > 0) & (table[_LEFT] * HALF < reach) & (table[_PLACE] < reach)
            leaves = {
                pattern: ibis().literal(stored[label][0], kind)
                for pattern, (_, label) in level.items()
            }
            new.append((taken, self.choose(table, leaves, table[decision])))
        table = table.mutate(**{decision: ibis().cases(*new, else_=table[decision])})
        return table.select(*columns)

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

    def find_reach(
        self,
        shuffle: Shuffle,
        sizes: Mapping[Pattern, int],
        levels: Sequence[Mapping[Pattern, int]],
    ) -> list[dict[Pattern, int]]:
        """For each level and pattern the place before which the wanted number of its rows lies.

        ``sizes`` are the rows that were counted under each pattern of the first level, which
        has all of them. Raises if the engine finds fewer. Rows that can be among the wanted
        ones are found by one number: that of their pattern, and where these end by the upper
        half of places.
        """
        last = {pattern: max(level.get(pattern, 0) for level in levels) for pattern in sizes}
        codes = {
            pattern: number * 2 * HALF + _end(last[pattern], size) // HALF
            for number, (pattern, size) in enumerate(sizes.items())
        }
        table = self.kept.select(*dict.fromkeys((*self.plan.names, self.key)))
        table = table.mutate(**{_CODE: self.by_pattern(table, codes, otherwise=-1)})
        table = computed_once(table)
        table = table.filter(table[_CODE] >= 0)
        table = shuffled(table, shuffle, self.key, at_once=True)
        table = table.filter(table[_LEFT] < table[_CODE] % (2 * HALF))
        window = ibis().window(group_by=table[_CODE], order_by=table[_PLACE])
        table = table.mutate(**{_ORDER: ibis().row_number().over(window) + 1})
        ends = (self.by_pattern(table, level, otherwise=0) for level in levels)
        table = table.filter(reduce(or_, (table[_ORDER] == end for end in ends)))
        where = self.rows.where
        lines = fetch(table.select(_CODE, _ORDER, _PLACE), where).to_pylist()
        places = {(line[_CODE], line[_ORDER]): line[_PLACE] for line in lines}
        try:
            return [
                {pattern: places[codes[pattern], rows] + 1 for pattern, rows in level.items()}
                for level in levels
            ]
        except KeyError:
            raise rows_differ(where, "A move finds other rows than were counted.") from None

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
        return self.choose(table, leaves, ibis().literal(otherwise, "int64"))

    def choose(self, table: Table, leaves: Mapping[Pattern, Any], otherwise: Any) -> Any:  # noqa: ANN401  # columns
        """The leaf of the labels that a row has."""
        names = self.plan.names
        # Columns of few labels first: most rows leave after one or two comparisons.
        order = sorted(range(len(names)), key=lambda at: len({key[at] for key in leaves}))
        columns = [self._conditions(table, names[at]) for at in order]
        leaves = {tuple(key[at] for at in order): leaf for key, leaf in leaves.items()}
        return _tree(leaves, columns, otherwise)

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
            stored = self.rows.sources[0].distinct(name)
            texts = stored.filter(to_labels(stored, na=na).is_null()).drop_null().to_pylist()
        return column.isnull() | column.isin(texts) if texts else column.isnull()

    @cached_property
    def values(self) -> dict[str, dict[str, list[object]]]:
        """The stored values of the plan's columns, by the label they are counted under.

        Sorted: of several spellings the same one is released, however the engine lists them.
        """
        codings, values = self.rows.codings, {}
        for name in self.plan.names:
            if engine_bins(self.rows.origin[name], codings.bins.get(name)):
                continue
            array = self.rows.sources[0].distinct(name)
            encoder = ColumnEncoder(name, codings)
            codes = encoder.encode_labels(to_labels(array, na=codings.na)).tolist()
            labels = [MISSING if label is None else label for label in encoder.codes]
            by_label: dict[str, list[object]] = {}
            for code, value in zip(codes, array.to_pylist(), strict=True):
                by_label.setdefault(labels[code], []).append(value)
            values[name] = {key: sorted(same, key=str) for key, same in by_label.items()}
        return values

    def _conditions(self, table: Table, name: str) -> Mapping[str, Any]:
        """For each label of a column the condition that a row is counted under it."""
        column, codings, question = table[name], self.rows.codings, self.plan.question
        bins = codings.bins.get(name)
        if isinstance(bins, Bins) and name not in self.values:
            return _class_conditions(column, bins, missing_numbers(column, codings.na))
        pools = self.plan.pooled is not None and name == question.groups_column
        values: dict[str, list[object]] = {}
        for label, stored in self.values[name].items():
            pooled = pools and label != question.group
            values.setdefault(str(self.plan.pooled if pooled else label), []).extend(stored)
        return {label: _is_one_of(column, stored) for label, stored in values.items()}


def _end(wanted: int, size: int) -> int:
    """The place before which the last wanted row surely is, rounded up to an upper half.

    The number of rows before a place is binomial, nearly normal, or Poisson for few rows.
    """
    spread = _WIDTH * sqrt(wanted * (1 - wanted / size)) + _WIDTH**2
    end: int = min(KEYS, ceil((wanted + spread) / size * KEYS))
    return end + -end % HALF
