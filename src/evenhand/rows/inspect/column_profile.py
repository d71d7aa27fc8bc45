"""What one column of a table holds: its kind, its values, and classes if they are numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.counts.label_order import looks_missing
from evenhand.question.codings import MISSING
from evenhand.rows.arrow_numpy import as_texts
from evenhand.rows.inspect.class_suggestions import (
    MOST_DECISIONS,
    ClassSuggestion,
    NumberCounts,
)
from evenhand.rows.value_labels import LabelArray

Sides: TypeAlias = NDArray[np.int64]
ParsedNumbers: TypeAlias = tuple[NDArray[np.float64], list[int]]

FEW = 12  # values up to which numbers need no classes
_LEAST_ROWS = 5  # of a value of the protected attribute on average, or it needs classes
MANY = 50  # values above which a category is split too finely
_FEW_ROWS = 10  # below that, that no value repeats says nothing
_SAMPLE = 1000  # values that are looked at as text
_WORDS = 3  # on average, from which text is free text
_LONG = 30  # characters on average, likewise
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ]\d.*)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})([T ]\d.*)?"
)
# A leading zero belongs to a code, not to a number; Python would read 1_000 as one.
_CODE = re.compile(r"[+-]?0\d|.*_")
_ID_NAME = re.compile(
    r"(^|[^a-z])(id|ids|uuid|guid|key|nr|no|number|index|rowid|row|name|surname|e?mail|phone)$"
)


class ColumnKind(StrEnum):
    """What the values of a column are."""

    CATEGORY = "category"
    NUMBER = "number"
    DATE = "date"
    IDENTIFIER = "identifier"
    FREE_TEXT = "free text"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProfile:
    """A column: kind, number of values, most frequent ones, missing rows, suggested classes.

    ``as_stored`` says what can be compared by this column alone if numbers stay as they are.
    """

    name: str
    kind: ColumnKind
    distinct: int
    frequent: tuple[tuple[str, int], ...]
    missing: int
    markers: tuple[tuple[str, int], ...] = ()
    classes: tuple[ClassSuggestion, ...] = ()
    as_stored: tuple[tuple[str, int], ...] = ()

    @property
    def needs_classes(self) -> bool:
        """Whether these are numbers of so many values that few people are alike in them."""
        return bool(self.classes)

    @property
    def suggested(self) -> ClassSuggestion:
        """The classes to begin with: three quantile classes, or the next best."""
        quantiles = [one for one in self.classes if one.method == "quantiles"]
        three = [one for one in quantiles if len(one.rows) == 3]
        return (three or quantiles or self.classes)[0]

    def to_dict(self) -> dict[str, object]:
        """Plain values."""
        return {
            "name": self.name,
            "kind": str(self.kind),
            "distinct": self.distinct,
            "frequent": [{"value": value, "rows": rows} for value, rows in self.frequent],
            "missing": self.missing,
            "markers": [{"value": value, "rows": rows} for value, rows in self.markers],
            "as_stored": dict(self.as_stored),
            "classes": [suggestion.to_dict() for suggestion in self.classes],
        }


def profile_column(
    table: CountTable,
    name: str,
    *,
    decision: str | None = None,
    protected: str | None = None,
    sides: Sides | None = None,
    parsed: ParsedNumbers | None = None,
) -> ColumnProfile:
    """Look at one column, beside the two that are asked about if they are named.

    ``sides`` are those of ``question_groups``, ``parsed`` the result of ``parse_numbers``.
    """
    values = table.attribute(name).values
    numbers, unknown = parse_numbers(values) if parsed is None else parsed
    rows = table.value_totals(name)
    frequent = [(values[i], int(rows[i])) for i in _largest(rows) if values[i] != MISSING]
    missing = int(rows[values.index(MISSING)]) if MISSING in values else 0
    markers = [(values[i], int(rows[i])) for i in unknown if values[i] != MISSING]
    kind = _kind(table, name, numbers, len(values) - len(unknown))
    classes: tuple[ClassSuggestion, ...] = ()
    as_stored: dict[str, int] = {}
    distinct = len(values) - (missing > 0)
    # Groups that are compared need people, be the numbers few.
    most = min(FEW, table.row_count // _LEAST_ROWS) if name == protected else FEW
    if kind is ColumnKind.NUMBER and distinct > max(most, 2):
        asked = name in (decision, protected)  # then only its own numbers count
        counts = number_counts(
            table, name, numbers, None if asked else decision, None if asked else sides
        )
        classes = tuple(counts.suggest())
        as_stored = counts.compare(np.arange(len(counts.numbers)))
    return ColumnProfile(
        name=name,
        kind=kind,
        distinct=distinct,
        frequent=tuple(frequent[:FEW]),
        missing=missing,
        markers=tuple(markers),
        classes=classes,
        as_stored=tuple(as_stored.items()),
    )


def _largest(rows: NDArray[np.int64]) -> list[int]:
    """The values of most rows, one more than are shown; of ties the first."""
    return [int(at) for at in np.argsort(-rows, kind="stable")[: FEW + 1]]


def _kind(
    table: CountTable, name: str, numbers: NDArray[np.float64], distinct: int
) -> ColumnKind:
    """The kind of a column of so many values, those that look missing not counted."""
    values = table.attribute(name).values
    if len(values) < 2:
        return ColumnKind.CONSTANT
    some = values[:: -(-len(values) // _SAMPLE)]
    sample = [value for value in some if value != MISSING and not looks_missing(value)]
    if sample and all(map(_DATE.fullmatch, sample)):
        return ColumnKind.DATE
    rows = table.row_count
    hardly_repeats = rows >= _FEW_ROWS and (
        distinct == rows or (rows >= 100 and 2 * distinct > rows)
    )
    if len(numbers) and np.isfinite(numbers).any():
        if distinct == 2:
            return ColumnKind.CATEGORY
        counts_up = hardly_repeats and _counts_up(table, name, numbers)
        return ColumnKind.IDENTIFIER if counts_up else ColumnKind.NUMBER
    if not hardly_repeats:
        named = distinct > MANY and _is_named_as_identifier(name)
        return ColumnKind.IDENTIFIER if named else ColumnKind.CATEGORY
    words = sum(len(text.split()) for text in sample) / len(sample)
    length = sum(map(len, sample)) / len(sample)
    is_free = words >= _WORDS or (words > 1 and length >= _LONG)
    return ColumnKind.FREE_TEXT if is_free else ColumnKind.IDENTIFIER


def _counts_up(table: CountTable, name: str, numbers: NDArray[np.float64]) -> bool:
    """Whether whole numbers that hardly repeat number the rows, or the name says so."""
    finite = numbers[np.isfinite(numbers)]
    if (finite != np.floor(finite)).any():
        return False
    in_rows = numbers[table.column(name)]
    steps = np.diff(in_rows[np.isfinite(in_rows)])
    dense = finite.max() - finite.min() < 1.1 * len(finite)
    in_order = bool((steps > 0).all() or (steps < 0).all())
    return dense or in_order or _is_named_as_identifier(name)


def _is_named_as_identifier(name: str) -> bool:
    return bool(_ID_NAME.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).casefold()))


def parse_numbers(values: Sequence[str]) -> ParsedNumbers:
    """Each value as a float, and which values are missing or look so: those are NaN.

    No floats if another value is no number.
    """
    labels = values if isinstance(values, LabelArray) else LabelArray(as_texts(values))
    unknown = labels.unknown()
    numbers = labels.floats(unknown)
    known = 0 if numbers is None else np.count_nonzero(np.isfinite(numbers))
    if numbers is None or known < len(values) - len(unknown):
        return np.zeros(0), unknown
    return np.zeros(0) if any(map(_CODE.match, values[:_SAMPLE])) else numbers, unknown


def number_counts(
    table: CountTable,
    name: str,
    numbers: NDArray[np.float64],
    decision: str | None,
    sides: Sides | None,
) -> NumberCounts:
    """How often each number of a column occurs with each decision and side."""
    finite = np.flatnonzero(np.isfinite(numbers))
    distinct, at = np.unique(numbers[finite], return_inverse=True)
    place = np.full(len(numbers), len(distinct))  # the last line is for what is no number
    place[finite] = at
    lines = place[table.column(name)]

    def by(codes: NDArray[np.integer], card: int) -> NDArray[np.int64]:
        totals = table.totals(lines * card + codes, card * (len(distinct) + 1))
        return totals.reshape(-1, card)[:-1]

    nothing = np.zeros(len(table), np.uint8)
    decisions = len(table.attribute(decision)) if decision else 1
    return NumberCounts(
        distinct,
        by(table.column(decision), decisions)
        if decision and decisions <= MOST_DECISIONS
        else by(nothing, 1),
        by(nothing, 1)
        if sides is None
        else by(sides + 1, int(sides.max(initial=0)) + 2)[:, 1:],
    )
