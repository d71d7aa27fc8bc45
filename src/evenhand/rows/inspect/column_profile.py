"""What one column of a table holds: its kind, its values, and classes if they are numbers.

Suggested classes are of about equal size, between cut points that a person would write. They
need the numbers alone: no class is chosen by the decision or the protected attribute.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.counts.label_order import MARKERS, looks_missing
from evenhand.question import Bins
from evenhand.question.codings import MISSING
from evenhand.question.number_classes import number_text
from evenhand.question.parse_values import exact_number
from evenhand.rows.value_labels import MISSING_TEXT, LabelArray, as_numpy, as_texts

ParsedNumbers: TypeAlias = tuple[NDArray[np.float64], list[int]]

FEW = 12  # values up to which numbers need no classes
_LEAST_ROWS = 5  # of a value of the protected attribute on average, or it needs classes
MANY = 50  # values above which a category is split too finely
_FEW_ROWS = 10  # below that, that no value repeats says nothing
_SAMPLE = 1000  # values that are looked at as text
_WORDS = 3  # on average, from which text is free text
_LONG = 30  # characters on average, likewise
_MARKERS = as_texts(sorted(MARKERS))
_CLASSES = (2, 3, 4, 5)
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
class ClassSuggestion:
    """Classes between cut points, each including its upper cut, and the rows in each."""

    bins: Bins
    rows: tuple[int, ...]

    @property
    def cuts(self) -> list[int | str]:
        """The cut points as they are written: whole numbers, or text."""
        return [
            cut.numerator if cut.denominator == 1 else number_text(cut)
            for cut in self.bins.cuts
        ]

    def to_dict(self) -> dict[str, object]:
        """Plain values."""
        return {"cuts": self.cuts, "rows": list(self.rows)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProfile:
    """A column: kind, number of values, most frequent ones, missing rows, suggested classes."""

    name: str
    kind: ColumnKind
    distinct: int
    frequent: tuple[tuple[str, int], ...]
    missing: int
    markers: tuple[tuple[str, int], ...] = ()
    classes: tuple[ClassSuggestion, ...] = ()

    @property
    def needs_classes(self) -> bool:
        """Whether these are numbers of so many values that few people are alike in them."""
        return bool(self.classes)

    @property
    def suggested(self) -> ClassSuggestion:
        """The classes to begin with: three, or the next best."""
        return next((one for one in self.classes if len(one.rows) == 3), self.classes[0])

    def to_dict(self) -> dict[str, object]:
        """Plain values."""
        return {
            "name": self.name,
            "kind": str(self.kind),
            "distinct": self.distinct,
            "frequent": [{"value": value, "rows": rows} for value, rows in self.frequent],
            "missing": self.missing,
            "markers": [{"value": value, "rows": rows} for value, rows in self.markers],
            "classes": [suggestion.to_dict() for suggestion in self.classes],
        }


def profile_column(
    table: CountTable,
    name: str,
    *,
    protected: bool = False,
    parsed: ParsedNumbers | None = None,
) -> ColumnProfile:
    """Look at one column; ``parsed`` is the result of ``parse_numbers``."""
    values, totals = table.attribute(name).values, table.value_totals(name)
    rows = totals.tolist()
    numbers, unknown = parsed or parse_numbers(values)
    looks = {values[at]: rows[at] for at in unknown}
    missing = looks.pop(MISSING, None)
    distinct = len(values) - (missing is not None)
    # Of ties the first; one more than are shown, as one may be missing.
    largest = np.argsort(-totals, kind="stable")[: FEW + 1].tolist()
    kind = _kind(table, name, numbers, len(values) - len(unknown))
    # Groups that are compared need people, be the numbers few.
    most = min(FEW, table.row_count // _LEAST_ROWS) if protected else FEW
    classes: tuple[ClassSuggestion, ...] = ()
    if kind is ColumnKind.NUMBER and distinct > max(most, 2):
        known = np.isfinite(numbers)
        classes = tuple(suggest_classes(numbers[known], totals[known]))
    return ColumnProfile(
        name=name,
        kind=kind,
        distinct=distinct,
        frequent=tuple((values[at], rows[at]) for at in largest if values[at] != MISSING)[:FEW],
        missing=missing or 0,
        markers=tuple(looks.items()),
        classes=classes,
    )


def _kind(
    table: CountTable, name: str, numbers: NDArray[np.float64], distinct: int
) -> ColumnKind:
    """The kind of a column of so many values, those that look missing not counted."""
    values, rows = table.attribute(name).values, table.row_count
    if len(values) < 2:
        return ColumnKind.CONSTANT
    some = values[:: -(-len(values) // _SAMPLE)]
    sample = [value for value in some if value != MISSING and not looks_missing(value)]
    if sample and all(map(_DATE.fullmatch, sample)):
        return ColumnKind.DATE
    hardly_repeats = rows >= _FEW_ROWS and (
        distinct == rows or (rows >= 100 and 2 * distinct > rows)
    )
    if len(numbers) and np.isfinite(numbers).any():
        if distinct == 2:
            return ColumnKind.CATEGORY
        are_whole = bool((numbers[np.isfinite(numbers)] % 1 == 0).all())
        counts_up = are_whole and (is_named(name) or _counts_up(numbers, table.column(name)))
        return ColumnKind.IDENTIFIER if hardly_repeats and counts_up else ColumnKind.NUMBER
    if not hardly_repeats:
        return (
            ColumnKind.IDENTIFIER if distinct > MANY and is_named(name) else ColumnKind.CATEGORY
        )
    words = sum(len(text.split()) for text in sample) / len(sample)
    length = sum(map(len, sample)) / len(sample)
    is_free = words >= _WORDS or (words > 1 and length >= _LONG)
    return ColumnKind.FREE_TEXT if is_free else ColumnKind.IDENTIFIER


def is_named(name: str) -> bool:
    """Whether a column is called as identifiers are.

    >>> is_named("personId"), is_named("idea")
    (True, False)
    """
    return bool(_ID_NAME.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).casefold()))


def _counts_up(numbers: NDArray[np.float64], lines: NDArray[np.unsignedinteger]) -> bool:
    """Whether whole numbers that hardly repeat are nearly all in their range, or in order."""
    finite = numbers[np.isfinite(numbers)]
    in_order = numbers[lines][np.isfinite(numbers[lines])]
    before, after = in_order[:-1], in_order[1:]  # their difference may exceed any float
    is_dense = finite.max() < finite.min() + 1.1 * len(finite)
    return bool(is_dense or (after > before).all() or (after < before).all())


def parse_numbers(values: Sequence[str]) -> ParsedNumbers:
    """Each value as a float, and which values are missing or look so: those are NaN.

    No floats if another value is no number.
    """
    texts = values.array if isinstance(values, LabelArray) else as_texts(values)
    trimmed = pc.utf8_trim_whitespace(texts)
    markers = pc.is_in(pc.utf8_lower(trimmed), value_set=_MARKERS)
    markers = pc.or_(markers, pc.equal(texts, MISSING_TEXT))
    unknown = np.flatnonzero(as_numpy(markers.cast(pa.uint8()))).tolist()
    if any(map(_CODE.match, values[:_SAMPLE])):
        return np.zeros(0), unknown
    trimmed = pc.replace_with_mask(trimmed, markers, as_texts(["nan"])[0])
    try:
        numbers = as_numpy(trimmed.cast(pa.float64()))
    except pa.ArrowInvalid:
        try:  # Python reads more spellings
            numbers = np.array([*map(float, LabelArray(trimmed))])
        except ValueError:
            return np.zeros(0), unknown
    all_known = np.count_nonzero(np.isfinite(numbers)) == len(values) - len(unknown)
    return numbers if all_known else np.zeros(0), unknown


def suggest_classes(
    numbers: NDArray[np.float64], rows: NDArray[np.int64]
) -> Iterator[ClassSuggestion]:
    """Two to five classes of about equal size, by how many rows have each number.

    No cuts are suggested twice.
    """
    distinct, at = np.unique(numbers, return_inverse=True)
    totals = np.zeros(len(distinct), np.int64)
    np.add.at(totals, at, rows)
    whole = bool((distinct == np.floor(distinct)).all())
    for cuts in dict.fromkeys(_quantile_cuts(distinct, totals, many) for many in _CLASSES):
        if cuts:
            classes = np.searchsorted([float(cut) for cut in cuts], distinct)
            inside = np.bincount(classes, totals, len(cuts) + 1).astype(np.int64)
            bins = Bins(cuts).of_whole_numbers(whole)
            yield ClassSuggestion(bins=bins, rows=tuple(inside.tolist()))


def roundest(low: Fraction, high: Fraction) -> Fraction:
    """The number from low to below high with the fewest digits; the least if there are several.

    >>> print(roundest(Fraction(4781), Fraction(5178)), roundest(Fraction(36), Fraction(37)))
    5000 36
    """
    if low <= 0 < high:
        return Fraction(0)
    step = Fraction(10) ** len(str(int(max(abs(low), abs(high)))))
    while True:
        for size in (step, step / 2):
            candidate = -(-low // size) * size
            if candidate < high:
                return candidate
        step /= 10


def _quantile_cuts(
    numbers: NDArray[np.float64], rows: NDArray[np.int64], classes: int
) -> tuple[Fraction, ...]:
    """Round numbers at most a fifth of a class from the quantiles, or as near as there are."""
    reached = np.cumsum(rows)
    last, total = len(reached) - 1, int(reached[-1])
    slack = total // (5 * classes)
    cuts = set()
    for number in range(1, classes):
        rank = -(-total * number // classes)
        low, high = np.searchsorted(reached, [max(rank - slack, 1), min(rank + slack, total)])
        nearer_below = low == last or rank - reached[low - 1] < reached[low] - rank
        if low == high and low and nearer_below:  # one number has more rows than the slack
            low = high = low - 1
        # A cut at any number from the value on, below the next one, makes the same classes.
        high = min(high + 1, last)
        if low < high:
            ends = numbers[[low, high]].tolist()
            cuts.add(roundest(*(exact_number(repr(end)) for end in ends)))
    return tuple(sorted(cuts))
