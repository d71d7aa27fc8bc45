"""Which rows of an engine's table are counted under which label, as conditions of the engine.

A plan speaks of labels, the engine of stored values: one label may be several values, a class
of numbers or a missing value. A pattern of labels is found by a CASE within a CASE.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import isnan
from operator import and_, or_
from typing import Any, TypeAlias

import pyarrow as pa

from evenhand.question import Bins
from evenhand.question.codings import MISSING
from evenhand.removal import RemovalPlan
from evenhand.rows import Rows
from evenhand.rows.ibis_tables import class_conditions, engine_bins, missing_numbers
from evenhand.rows.value_labels import ColumnEncoder, to_labels

Table: TypeAlias = Any  # Ibis's: known only where ibis is loaded
Pattern: TypeAlias = tuple[str, ...]
Conditions: TypeAlias = Callable[[Table], Mapping[str, Any]]


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
