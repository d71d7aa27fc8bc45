"""What one column of a table holds: its kind, its values, and classes if they are numbers.

Suggested classes are of about equal size, with cuts at values that occur, the roundest near the
quantiles. No class is chosen by the decision; there are five, or as many as leave people of
several groups in each.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.counts.label_order import MARKERS, WORDS_FOR_MISSING, looks_missing
from evenhand.question import Bins
from evenhand.question.codings import MISSING
from evenhand.question.number_classes import number_text
from evenhand.question.parse_values import exact_number
from evenhand.rows.inspect.favorable_value import named_after, words_of
from evenhand.rows.value_labels import MISSING_TEXT, LabelArray, as_numpy, as_texts

ParsedNumbers: TypeAlias = tuple[NDArray[np.float64], list[int]]

FEW = 12  # values up to which numbers need no classes
_LEAST_ROWS = 5  # of a value of the protected attribute on average, or it needs classes
MANY = 50  # values above which a category is split too finely
FEWEST_REPEATED, _MOST_REPEATED = 20, 5  # values; rows of one value
_WITH_COMMA = re.compile(r"\s*[+-]?\d+(,\d+)*\s*")
_FEW_ROWS = 10  # below that, that no value repeats says nothing
_MOSTLY_AFTER = 0.95  # of the rows
_SAMPLE = 1000  # values that are looked at as text
_WORDS = 3  # on average, from which text is free text
_LONG = 30  # characters on average, likewise
_UNCOUNTED = as_texts(sorted(MARKERS | WORDS_FOR_MISSING))
_CLASSES = (2, 3, 4, 5)
_OVERLAP, _FEWEST = 0.9, 5  # share of rows in classes where two groups have so many rows
_MOST_TRIED = 200  # values near a quantile of which the roundest is taken
_NEARLY_UNIQUE, _ROUNDED, _PEAKED = 0.9, 0.2, 3.5
_NO_NUMBERS = {*map(float, (-1, -9, -99, -999, -9999, 99, 999, 9999, 99999, 999999))}
_MEASURED = (
    "age amount area assets balance cost credit days debt distance duration grade height hours "
    "income limit loan minutes pay payment points population price rate rent revenue salary "
    "sales score seconds size sum tax time total value wage weight worth"
)
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
    """A column: kind, number of values, most frequent ones, missing rows, suggested classes.

    ``markers`` are texts that stand for a missing value, ``perhaps_missing`` words and numbers
    that may, as 999, each with its rows.
    """

    name: str
    kind: ColumnKind
    distinct: int
    frequent: tuple[tuple[str, int], ...]
    missing: int
    markers: tuple[tuple[str, int], ...] = ()
    perhaps_missing: tuple[tuple[str, int], ...] = ()
    classes: tuple[ClassSuggestion, ...] = ()
    suggested_at: int = -1  # of the classes those to begin with
    is_measurement: bool = False  # numbers that do not just count the rows

    @property
    def needs_classes(self) -> bool:
        """Whether these are numbers of so many values that few people are alike in them."""
        return bool(self.classes)

    @property
    def suggested(self) -> ClassSuggestion:
        """The classes to begin with."""
        return self.classes[self.suggested_at]

    def to_dict(self) -> dict[str, object]:
        """Plain values."""
        return {
            "name": self.name,
            "kind": str(self.kind),
            "distinct": self.distinct,
            "frequent": [{"value": value, "rows": rows} for value, rows in self.frequent],
            "missing": self.missing,
            "markers": [{"value": value, "rows": rows} for value, rows in self.markers],
            "perhaps_missing": [
                {"value": value, "rows": rows} for value, rows in self.perhaps_missing
            ],
            "classes": [suggestion.to_dict() for suggestion in self.classes],
        }


def profile_column(
    table: CountTable,
    name: str,
    *,
    protected: bool = False,
    groups: NDArray[np.intp] | None = None,
    parsed: ParsedNumbers | None = None,
) -> ColumnProfile:
    """Look at one column; ``parsed`` is the result of ``parse_numbers``.

    ``groups`` are those of the lines that will be compared.
    """
    values, totals = table.attribute(name).values, table.value_totals(name)
    rows = totals.tolist()
    numbers, unknown = parsed or parse_numbers(values)
    looks = {values[at]: rows[at] for at in unknown}
    missing = looks.pop(MISSING, None)
    distinct = len(values) - (missing is not None)
    # Of ties the first; one more than are shown, as one may be missing.
    largest = np.argsort(-totals, kind="stable")[: FEW + 1].tolist()
    kind, counts_up = _kind(table, name, numbers, len(values) - len(unknown))
    perhaps = {at: values[at] for at in _odd_numbers(numbers)}
    if not len(numbers):  # words among other words may be values
        words = {value: many for value, many in looks.items() if not looks_missing(value)}
        looks = {value: many for value, many in looks.items() if value not in words}
        perhaps = {values.index(value): value for value in words}
    # Groups that are compared need people, be the numbers few.
    most = min(FEW, table.row_count // _LEAST_ROWS) if protected else FEW
    classes: tuple[ClassSuggestion, ...] = ()
    suggested_at = -1
    if kind is ColumnKind.NUMBER and distinct > max(most, 2):
        known = np.isfinite(numbers)
        known[[*perhaps]] = False
        classes = tuple(suggest_classes(numbers[known], totals[known]))
        if groups is not None and not protected:
            of_lines = numbers[table.column(name)]
            allowed = [_overlaps(one.bins, of_lines, groups, table) for one in classes]
            suggested_at = max((at for at, is_fit in enumerate(allowed) if is_fit), default=0)
    return ColumnProfile(
        name=name,
        kind=kind,
        distinct=distinct,
        frequent=tuple((values[at], rows[at]) for at in largest if values[at] != MISSING)[:FEW],
        missing=missing or 0,
        markers=tuple(looks.items()),
        perhaps_missing=tuple((value, rows[at]) for at, value in perhaps.items()),
        classes=classes,
        suggested_at=suggested_at,
        is_measurement=len(numbers) > 0 and not counts_up and not is_named(name),
    )


def _odd_numbers(numbers: NDArray[np.float64]) -> list[int]:
    """Where numbers such as 999 or -1 stand that are far from all others, or alone negative."""
    known = np.flatnonzero(np.isfinite(numbers))
    if len(known) <= FEW:
        return []
    order = known[np.argsort(numbers[known])]
    (low, next_low), (next_high, high) = numbers[order[:2]], numbers[order[-2:]]
    odd = [int(order[0])] if low in _NO_NUMBERS and low < 0 <= next_low else []
    return [*odd, int(order[-1])] if high in _NO_NUMBERS and high >= 2 * next_high else odd


def _overlaps(
    bins: Bins, numbers: NDArray[np.float64], groups: NDArray[np.intp], table: CountTable
) -> bool:
    """Whether nearly all rows lie in classes where two groups have some people."""
    compared = np.isfinite(numbers) & (groups >= 0)
    many, cuts = int(groups.max(initial=0)) + 1, [float(cut) for cut in bins.cuts]
    cell = np.searchsorted(cuts, numbers[compared]) * many + groups[compared]
    rows = np.bincount(cell, table.counts[compared], (len(cuts) + 1) * many).reshape(-1, many)
    shared = np.count_nonzero(rows >= _FEWEST, axis=1) > 1
    return bool(rows[shared].sum() >= _OVERLAP * rows.sum())


def _kind(
    table: CountTable, name: str, numbers: NDArray[np.float64], distinct: int
) -> tuple[ColumnKind, bool]:
    """The kind of a column of so many known values, and whether its numbers count up."""
    values, rows = table.attribute(name).values, table.row_count
    if len(values) < 2:
        return ColumnKind.CONSTANT, False
    some = values[:: -(-len(values) // _SAMPLE)]
    sample = [value for value in some if value != MISSING and not looks_missing(value)]
    if sample and all(map(_DATE.fullmatch, sample)):
        return ColumnKind.DATE, False
    hardly_repeats = rows >= _FEW_ROWS and (
        distinct == rows or (rows >= 100 and 2 * distinct > rows)
    )
    if np.isfinite(numbers).any():
        if distinct == 2:
            return ColumnKind.CATEGORY, False
        return _kind_of_numbers(table, name, numbers, distinct, hardly_repeats=hardly_repeats)
    if not hardly_repeats:
        is_identifier = distinct > MANY and is_named(name)
        return ColumnKind.IDENTIFIER if is_identifier else ColumnKind.CATEGORY, False
    words = sum(len(text.split()) for text in sample) / len(sample)
    length = sum(map(len, sample)) / len(sample)
    is_free = words >= _WORDS or (words > 1 and length >= _LONG)
    return ColumnKind.FREE_TEXT if is_free else ColumnKind.IDENTIFIER, False


def _kind_of_numbers(
    table: CountTable,
    name: str,
    numbers: NDArray[np.float64],
    distinct: int,
    *,
    hardly_repeats: bool,
) -> tuple[ColumnKind, bool]:
    """The same of numbers: whole ones that hardly repeat may be identifiers."""
    finite, rows = numbers[np.isfinite(numbers)], table.row_count
    whole = not (finite % 1 != 0).any()
    if whole and distinct > MANY and is_named(name) and _is_panel(table.value_totals(name)):
        return ColumnKind.IDENTIFIER, False
    if not (hardly_repeats and whole):
        return ColumnKind.NUMBER, False
    counts_up = _counts_up(numbers, table.column(name))
    numbered = rows >= 100 and distinct >= _NEARLY_UNIQUE * rows
    if counts_up or is_named(name) or (numbered and not _is_measured(name, finite)):
        return ColumnKind.IDENTIFIER, counts_up
    return ColumnKind.NUMBER, False


def _is_measured(name: str, numbers: NDArray[np.float64]) -> bool:
    """Whether nearly unique whole numbers are measurements: by name, rounding or shape.

    Of numbers of people and cases a tenth end in 0, and they spread evenly: their range is
    twice that of the middle half, about.
    """
    rounded = np.count_nonzero(numbers % 10 == 0) >= _ROUNDED * len(numbers)
    low, high = np.quantile(numbers, [0.25, 0.75])
    is_peaked = bool(np.ptp(numbers) > _PEAKED * (high - low))
    is_named = not {*_MEASURED.split()}.isdisjoint(words_of(name))
    return is_named or bool(rounded) or is_peaked


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
    texts = _texts(values)
    trimmed = pc.utf8_trim_whitespace(texts)
    markers = pc.is_in(pc.utf8_lower(trimmed), value_set=_UNCOUNTED)
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


def _texts(values: Sequence[str]) -> pa.Array:
    return values.array if isinstance(values, LabelArray) else as_texts(values)


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


def _quantile_cuts(
    numbers: NDArray[np.float64], rows: NDArray[np.int64], classes: int
) -> tuple[Fraction, ...]:
    """Round values at most a fifth of a class from the quantiles, or as near as there are."""
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
        near = numbers[low : min(high + 1, last)]
        near = near[:: -(-len(near) // _MOST_TRIED) or 1]
        if len(near):
            cuts.add(exact_number(repr(min(near.tolist(), key=_digits))))
    return tuple(sorted(cuts))


def _digits(number: float) -> tuple[int, int, bool]:
    """How many digits a number takes but for zeros; of as many the larger power of ten first.

    Then those that end in 5.
    """
    text = repr(number).removesuffix(".0").replace(".", "").lstrip("-")
    digits = text.strip("0")
    return len(digits), len(text.rstrip("0")) - len(text), digits[-1:] != "5"


def is_repeated_identifier(table: CountTable, profile: ColumnProfile) -> bool:
    """Whether a column is named as an identifier, and most of its values repeat a little."""
    if not is_named(profile.name) or profile.distinct < FEWEST_REPEATED:
        return False
    return _is_panel(table.value_totals(profile.name))


def _is_panel(rows: NDArray[np.int64]) -> bool:
    """Whether most values occur 2 to 5 times, or many equally often, as people each year."""
    few = rows.max() <= _MOST_REPEATED and 2 * np.count_nonzero(rows > 1) > len(rows)
    return bool(few or (len(rows) > MANY and rows.min() == rows.max() > 1))


def _as_days(values: Sequence[str]) -> NDArray[np.float64]:
    """Each date as a number that grows with it, NaN for a value that is no date.

    The year, the day or the month stands first, as all values together allow.

    >>> _as_days(["2020-03-01", "2019-12-31", "?"]).tolist()
    [751534.0, 751471.0, nan]
    """
    dates = [re.findall(r"\d+", v)[:3] if _DATE.fullmatch(v) else ["nan"] * 3 for v in values]
    parts = np.array(dates, float).reshape(-1, 3)
    largest = np.nanmax(parts[:, 0], initial=0)
    units = (31, 1, 372) if largest <= 12 else (1, 31, 372) if largest <= 31 else (372, 31, 1)
    days: NDArray[np.float64] = parts @ np.array(units, float)
    return days


def dated_after(
    table: CountTable, profiles: Mapping[str, ColumnProfile], decision: str
) -> frozenset[str]:
    """Columns of dates that lie after those of a column that dates the decision.

    The column that dates the decision has a name like it. Hardly any date of the others lies
    before it, and some lie after it.
    """
    dates = {
        name: _as_days(table.attribute(name).values)[table.column(name)]
        for name, one in profiles.items()
        if one.kind is ColumnKind.DATE
    }
    after = set[str]()
    for end in named_after(dates, decision):
        for name, days in dates.items():
            known = np.isfinite(days) & np.isfinite(dates[end])
            later = table.counts[known & (days >= dates[end])].sum()
            if later >= _MOSTLY_AFTER * table.counts[known].sum() and (days > dates[end]).any():
                after.add(name)
    return frozenset(after)


def whole_numbers(table: CountTable, name: str) -> NDArray[np.float64]:
    """The numbers of all lines; none where one is missing, negative or not whole."""
    numbers, unknown = parse_numbers(table.attribute(name).values)
    whole = len(numbers) > 2 and not unknown and bool((numbers >= 0).all())
    if not whole or (numbers != np.floor(numbers)).any() or numbers.max() > 2**53:
        return np.zeros(0)
    lines: NDArray[np.float64] = numbers[table.column(name)]
    return lines


def are_comma_numbers(values: Sequence[str]) -> bool:
    """Whether all values but missing ones are numbers, some of them with a comma.

    >>> are_comma_numbers(["7,2", "10"]), are_comma_numbers(["7", "10"])
    (True, False)
    """
    if not pc.any(pc.match_substring(_texts(values), ",")).as_py():
        return False
    return all(
        _WITH_COMMA.fullmatch(value) or value == MISSING or looks_missing(value)
        for value in values
    )
