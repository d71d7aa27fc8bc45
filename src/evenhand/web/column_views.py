"""The columns as the question screen lists them, and how each is counted."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import ceil, floor, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.question import Bins
from evenhand.question.codings import MISSING
from evenhand.question.labels import Labels
from evenhand.question.number_classes import Boundary, number_text
from evenhand.question.parse_values import WILDCARD
from evenhand.report.html_report import View
from evenhand.rows import Rows
from evenhand.rows.inspect.column_profile import ColumnProfile, parse_numbers
from evenhand.rows.inspect.question_draft import QuestionDraft
from evenhand.web.question_store import as_list
from evenhand.wording import count, rate

_MOST_BARS = 100
_MOST_PARTS = 24
_PLAIN = 10**15  # from here on numbers are written with an exponent
_LEAST = 0.4  # of a hundred: what is thinner cannot be seen
_MOST_NAMED = 3
_MOST_LISTED = 60
_UNASKED = "may be held equal"
_PARTS = {
    "rule": "rule of the decision",
    "redlining": "effects through it judged",
    "explained": "effects through it accepted",
}


def value_rows(rows: Rows, name: str) -> Mapping[str, int]:
    """How many rows have each value of a column, as it is counted; most frequent first."""
    counted = rows.lines.table.values(name)
    return dict(sorted(counted.items(), key=lambda item: (item[0] == MISSING, -item[1])))


def number_histogram(
    numbers: NDArray[np.float64], rows: NDArray[np.int64], bins: Bins | None
) -> View:
    """Bars of single whole numbers where there are few, else of equal width."""
    ends = _short(float(numbers[0])), _short(float(numbers[-1]))
    # The span of huge numbers is no number: their picture is that of a thousandth, about.
    scale = 1 if isfinite(float(numbers[-1]) - float(numbers[0])) else 1024
    numbers = numbers / scale
    low, high = float(numbers[0]), float(numbers[-1])
    single = bool((numbers == np.floor(numbers)).all()) and high - low < _MOST_BARS
    bars = int(high - low) + 1 if single else 60
    width = 1.0 if single else (high - low) / bars or 1.0
    place = np.minimum(((numbers - low) / width).astype(int), bars - 1)
    heights = np.bincount(place, rows, bars)
    tallest = max(float(heights.max(initial=0)), 1.0)
    boundaries = bins.boundaries if bins else []
    edges = [
        float((floor(cut) + 1 if below else ceil(cut)) if single else cut / scale)
        for cut, below in boundaries
    ]
    classes = np.searchsorted(edges, low + width * (np.arange(bars) + 0.5))
    places = np.clip(100 * (np.array(edges) - low) / (width * bars), 0, 100).tolist()
    return View(
        bars=tuple(
            View(
                x=100 * number / bars,
                width=92 / bars,
                height=max(100 * height / tallest, 1.5),
                kind="high" if classes[number] % 2 else "low",
            )
            for number, height in enumerate(heights.tolist())
            if height
        ),
        cuts=tuple(zip(places, (number_text(cut) for cut, _ in boundaries), strict=True)),
        low=ends[0],
        high=ends[1],
    )


def value_stack(values: Mapping[str, int], colours: Mapping[str, str]) -> tuple[View, ...]:
    """The values beside each other by their rows; those that come last are one part."""
    counted, total = [*values.items()], max(sum(values.values()), 1)
    if rest := sum(rows for _, rows in counted[_MOST_PARTS:]):
        counted[_MOST_PARTS:] = [("", rest)]
    begins = accumulate((rows for _, rows in counted), initial=0)
    return tuple(
        View(
            x=100 * begin / total,
            width=max(100 * rows / total - _LEAST, _LEAST / 2),
            kind=colours.get(value, "low" if not begin and not colours else "high"),
        )
        for (value, rows), begin in zip(counted, begins, strict=False)
    )


def _short(number: float) -> str:
    is_plain = abs(number) < _PLAIN and number == int(number)
    return f"{int(number):,}" if is_plain else f"{number:.6g}"


def spelled_cut(cut: Boundary) -> int | str:
    """A cut as a question file has it."""
    number, below = cut
    if below and number.denominator == 1:
        return number.numerator
    return number_text(number) if below else f">={number_text(number)}"


@dataclass(frozen=True)
class ColumnViews:
    """Makes the views of columns from the rows as they stand and as they are counted."""

    stored: Rows
    rows: Rows
    draft: QuestionDraft  # of the rows as they stand
    labels: Labels
    words: Mapping[str, str]  # for columns, as the question file has them
    question: Mapping[str, Any]
    data: Mapping[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """All columns of the table."""
        return self.stored.columns

    @cached_property
    def profiles(self) -> dict[str, ColumnProfile]:
        """What each column holds as it stands."""
        return {one.name: one for one in self.draft.inspection.columns}

    def is_used(self, name: str) -> bool:
        """Whether the column is counted."""
        return name in self.rows.columns

    def numbers(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The distinct numbers of a column in order, with their rows; none if it has others."""
        table, na = self.stored.lines.table, {*self.data.get("na", ())}
        values = table.attribute(name).values if name in table.names else ()
        known = [at for at, value in enumerate(values) if value not in na]
        numbers, _ = parse_numbers([values[at] for at in known])
        if not len(numbers):
            return np.zeros(0), np.zeros(0, np.int64)
        finite, rows = np.isfinite(numbers), table.value_totals(name)[known]
        distinct, at = np.unique(numbers[finite], return_inverse=True)
        return distinct, np.bincount(at, rows[finite], len(distinct)).astype(np.int64)

    def bins(self, name: str) -> Bins | None:
        """The classes of a column, labelled as they are counted."""
        bins = self.rows.cut_codings.bins.get(name) if self.is_used(name) else None
        if not isinstance(bins, Bins):
            return None
        return bins.settled(self.rows.lines.table.attribute(name).values)

    def column(self, name: str) -> View:
        """A column with its picture, its role, and how it is counted."""
        used, profile, bins = self.is_used(name), self.profiles.get(name), self.bins(name)
        role, role_kind = self._role(name)
        numbers, rows = self.numbers(name)
        is_number = len(numbers) > 2
        counted = self._values(name, bins) if profile else {}
        return View(
            name=name,
            label=self.labels.column(name),
            word=self.words.get(name, ""),
            values=count(profile.distinct, "value") if profile else "no labels",
            how=self._how(name, [*bins.labels] if bins else [*counted])
            if used
            else self.draft.excluded.get(name, ""),
            role=role,
            role_kind=role_kind,
            used=used,
            may_leave_out=role == _UNASKED,
            is_number=is_number,
            histogram=number_histogram(numbers, rows, bins) if is_number else None,
            stack=value_stack(counted, self._colours(name)) if not is_number else (),
            cuts=[*map(spelled_cut, bins.boundaries)] if bins else [],
            suggested=profile.classes if profile and is_number else (),
            counted=counted,
        )

    def _values(self, name: str, bins: Bins | None) -> Mapping[str, int]:
        """The values as they are counted, classes from low to high, others by their rows."""
        counted = dict(value_rows(self.rows if self.is_used(name) else self.stored, name))
        classes = {label: counted.pop(label, 0) for label in bins.labels} if bins else {}
        return classes | counted  # what is missing comes last

    def _colours(self, name: str) -> dict[str, str]:
        """The colours of the groups and of the favorable decision, as everywhere."""
        asked = self.question
        if not self.is_used(name):
            return {}
        if name == asked.get("protected") and asked.get("group"):
            values = self.rows.lines.table.attribute(name).values
            others = [asked["other"]] if asked.get("other") in values else values
            return {**dict.fromkeys(others, "f-other"), asked["group"]: "f-group"}
        if name == asked.get("decision"):
            return dict.fromkeys(map(str, as_list(asked.get("favorable"))), "f-ink")
        return {}

    def _role(self, name: str) -> tuple[str, str]:
        asked = self.question
        if name in as_list(asked.get("protected")):
            return "protected", "group"
        if name == asked.get("decision"):
            return "decision", "decision"
        if not self.is_used(name):
            return "left out", "out"
        parts = (word for part, word in _PARTS.items() if name in asked.get(part, ()))
        return next(parts, _UNASKED), ""

    def _how(self, name: str, labels: list[str]) -> str:
        words = [self.labels.value(name, label) for label in labels[:_MOST_NAMED]]
        more = len(labels) - len(words)
        return " | ".join(words) + (f" | {more:,} more" if more else "")

    def values(self, column: View) -> tuple[View, ...]:
        """The values of a column that is opened, as many as are listed."""
        merges = self.data.get("merge", {}).get(column.name, {}) if column.used else {}
        words, total = self.labels.values.get(column.name, {}), sum(column.counted.values())
        return tuple(
            View(
                value=value,
                rows=f"{rows:,}",
                share=rate(rows, total),
                word=words.get(value, ""),
                merged=[
                    "all others" if old == WILDCARD else old for old in merges.get(value, ())
                ],
            )
            for value, rows in [*column.counted.items()][:_MOST_LISTED]
        )
