"""The columns as the question screen lists them, and how each is counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from math import floor, isfinite, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.question import Bins
from evenhand.question.codings import WILDCARD
from evenhand.question.number_classes import last_below, number_text
from evenhand.question.question_file import Labels
from evenhand.report.html_report import View
from evenhand.rows import Rows
from evenhand.rows.inspect.column_profile import ColumnProfile, parse_numbers
from evenhand.rows.inspect.question_draft import QuestionDraft
from evenhand.web.plain_gap import value_rows
from evenhand.wording import count, rate

_MOST_BARS = 100
_MOST_PARTS = 24
_PLAIN = 10**15  # from here on numbers are written with an exponent
_LEAST = 0.4  # of a hundred: what is thinner cannot be seen


def number_histogram(
    numbers: NDArray[np.float64], rows: NDArray[np.int64], bins: Bins | None
) -> View:
    """Bars of single whole numbers where there are few, else of equal width."""
    if not isfinite(float(numbers[-1]) - float(numbers[0])):
        return _of_huge(numbers, rows, bins)
    low, high = float(numbers[0]), float(numbers[-1])
    whole = bool((numbers == np.floor(numbers)).all())
    single = whole and high - low < _MOST_BARS
    bars = int(high - low) + 1 if single else min(_MOST_BARS * 3 // 5, 60)
    width = 1.0 if single else (high - low) / bars or 1.0
    place = np.minimum(((numbers - low) / width).astype(int), bars - 1)
    heights = np.bincount(place, rows, bars)
    tallest = max(float(heights.max(initial=0)), 1.0)
    span = width * bars
    boundaries = bins.boundaries if bins else []
    middles = low + width * (np.arange(bars) + (0.0 if single else 0.5))
    ends = [float(cut) for cut, _ in boundaries]
    classes = np.searchsorted(ends, middles, side="left")
    if bins and single:
        classes = np.array([bins.position(round(m)) for m in middles.tolist()])

    def at(cut: float, below: bool) -> float:  # noqa: FBT001  # of a boundary
        edge = (np.floor(cut) + 1 if below else np.ceil(cut)) if single else cut
        return float(min(max(100 * (edge - low) / span, 0), 100))

    return View(
        bars=tuple(
            View(
                x=100 * number / bars,
                width=92 / bars,
                height=max(100 * height / tallest, 1.5),
                kind="low" if classes[number] % 2 == 0 else "high",
            )
            for number, height in enumerate(heights.tolist())
            if height
        ),
        cuts=tuple((at(float(cut), below), number_text(cut)) for cut, below in boundaries),
        low=_short(low),
        high=_short(high),
    )


def _of_huge(numbers: NDArray[np.float64], rows: NDArray[np.int64], bins: Bins | None) -> View:
    """The same picture of numbers whose span is no number: of a thousandth, about."""
    smaller = replace(bins, cuts=tuple(cut / 1024 for cut in bins.cuts)) if bins else None
    made = number_histogram(numbers / 1024, rows, smaller)
    texts = [number_text(cut) for cut in bins.cuts] if bins else []
    cuts = tuple((at, text) for (at, _), text in zip(made.cuts, texts, strict=True))
    low, high = _short(float(numbers[0])), _short(float(numbers[-1]))
    return made.but(cuts=cuts, low=low, high=high)


def value_stack(values: Mapping[str, int], colours: Mapping[str, str]) -> tuple[View, ...]:
    """The values beside each other by their rows; those that come last are one part."""
    total = max(sum(values.values()), 1)
    counted = [*values.items()]
    shown, rest = counted[:_MOST_PARTS], counted[_MOST_PARTS:]
    if rest:
        shown.append(("", sum(rows for _, rows in rest)))
    begins: Sequence[int] = [0, *accumulate(rows for _, rows in shown)]
    return tuple(
        View(
            x=100 * begin / total,
            width=max(100 * rows / total - _LEAST, _LEAST / 2),
            kind=colours.get(value, "low" if number == 0 and not colours else "high"),
        )
        for number, ((value, rows), begin) in enumerate(zip(shown, begins, strict=False))
    )


def _short(number: float) -> str:
    is_plain = abs(number) < _PLAIN and number == int(number)
    return f"{int(number):,}" if is_plain else f"{number:.6g}"


_MOST_NAMED = 3
_MOST_LISTED = 60
_WHOLE = 2**53  # larger floats have no neighbour at a distance of 1
_STEPS = 200  # of a slider, about


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
        table = self.stored.lines.table
        if name not in table.names:
            return np.zeros(0), np.zeros(0, np.int64)
        values, rows = table.attribute(name).values, table.value_totals(name)
        numbers, _ = parse_numbers(values)
        if not len(numbers):
            na = {*self.data.get("na", ())}
            known = [at for at, value in enumerate(values) if value not in na]
            numbers = np.full(len(values), np.nan)
            some, _ = parse_numbers([values[at] for at in known])
            if not len(some):
                return np.zeros(0), np.zeros(0, np.int64)
            numbers[known] = some
        finite = np.isfinite(numbers)
        distinct, at = np.unique(numbers[finite], return_inverse=True)
        return distinct, np.bincount(at, rows[finite], len(distinct)).astype(np.int64)

    def bins(self, name: str) -> Bins | None:
        """The classes of a column, labelled as they are counted."""
        bins = self.rows.cut_codings.bins.get(name) if self.is_used(name) else None
        if not isinstance(bins, Bins):
            return None
        return bins.settled(self.rows.lines.table.attribute(name).values)

    def row(self, name: str) -> View:
        """The line of a column in the list."""
        used, profile, bins = self.is_used(name), self.profiles.get(name), self.bins(name)
        role, kind = self._role(name)
        distinct = profile.distinct if profile else 0
        numbers, rows = self.numbers(name)
        is_number = len(numbers) > 2
        values = count(distinct, "value") if profile else "no labels"
        label = self.labels.column(name)
        return View(
            name=name,
            label=label,
            values=values if label == name else f"{name} · {values}",
            how=self._how(name, bins) if used else self._reason(name),
            role=role,
            role_kind=kind,
            used=used,
            histogram=number_histogram(numbers, rows, bins) if is_number else None,
            stack=() if is_number or not profile else self._stack(name),
        )

    def _stack(self, name: str) -> tuple[View, ...]:
        values = value_rows(self.rows if self.is_used(name) else self.stored, name)
        return value_stack(values, self._colours(name))

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
            favorable = asked.get("favorable") or ()
            values = favorable if isinstance(favorable, list | tuple) else [favorable]
            return dict.fromkeys(map(str, values), "f-ink")
        return {}

    def _role(self, name: str) -> tuple[str, str]:
        asked = self.question
        protected = asked.get("protected") or ()
        if name in ([protected] if isinstance(protected, str) else protected):
            return "protected", "group"
        if name == asked.get("decision"):
            return "decision", "decision"
        if not self.is_used(name):
            return "left out", "out"
        for part, word in _PARTS.items():
            if name in asked.get(part, ()):
                return word, ""
        return _UNASKED, ""

    def _reason(self, name: str) -> str:
        return self.draft.excluded.get(name, "")

    def _how(self, name: str, bins: Bins | None) -> str:
        labels = [*bins.labels] if bins else [*value_rows(self.rows, name)]
        words = [self.labels.value(name, label) for label in labels[:_MOST_NAMED]]
        more = len(labels) - len(words)
        return " | ".join(words) + (f" | {more:,} more" if more else "")

    def detail(self, name: str) -> View:
        """The column opened."""
        numbers, rows = self.numbers(name)
        bins, is_number = self.bins(name), len(numbers) > 2
        profile, role = self.profiles.get(name), self._role(name)[0]
        values = self._values(name, bins) if profile else ()
        return View(
            kind=str(profile.kind) if profile else "no labels",
            word=self.words.get(name, ""),
            histogram=number_histogram(numbers, rows, bins) if is_number else None,
            sliders=sliders(bins, numbers, rows) if bins and is_number else (),
            values=values[:_MOST_LISTED],
            hidden=max(len(values) - _MOST_LISTED, 0),
            choices=self._choices(profile, bins) if profile and is_number else (),
            is_number=is_number,
            may_leave_out=role == _UNASKED,
        )

    def _choices(self, profile: ColumnProfile, bins: Bins | None) -> tuple[View, ...]:
        now = bins.boundaries if bins else None
        return tuple(
            View(
                words=f"{len(one.rows)} by the decision"
                if one.method == "entropy"
                else f"{len(one.rows)} of about equal size",
                cuts=tuple(one.cuts),
                chosen=one.bins.boundaries == now,
            )
            for one in profile.classes
        )

    def _values(self, name: str, bins: Bins | None) -> tuple[View, ...]:
        """The values as they are counted, classes from low to high, others by their rows."""
        used = self.is_used(name)
        counted = dict(value_rows(self.rows if used else self.stored, name))
        if bins and used:
            counted = {
                label: counted.pop(label, 0) for label in bins.labels
            } | counted  # what is missing comes last
        total = sum(counted.values())
        merges = self.data.get("merge", {}).get(name, {}) if used else {}
        words = self.labels.values.get(name, {})
        return tuple(
            View(
                value=value,
                rows=f"{rows:,}",
                share=rate(rows, total),
                word=words.get(value, ""),
                merged=tuple(
                    "all others" if old == WILDCARD else str(old)
                    for old in merges.get(value, ())
                ),
            )
            for value, rows in counted.items()
        )


_UNASKED = "may be held equal"
_PARTS = {
    "rule": "rule of the decision",
    "redlining": "effects through it judged",
    "explained": "effects through it accepted",
}


def sliders(
    bins: Bins, numbers: NDArray[np.float64], rows: NDArray[np.int64]
) -> tuple[View, ...]:
    """One slider for each cut, which may move between its neighbours."""
    whole = bool((numbers == np.floor(numbers)).all())
    low, high = float(numbers[0]), float(numbers[-1])
    # Each end by itself: the span of huge numbers is no number.
    size = 1.0 if whole and high - low < _WHOLE else _step(high / _STEPS - low / _STEPS)
    cuts = [
        float(last_below(boundary)) if whole else float(boundary[0])
        for boundary in bins.boundaries
    ]
    ends = [low - size, *cuts, high]
    below = np.concatenate([[0], np.cumsum(rows)])
    places = [int(np.searchsorted(numbers, cut, side="right")) for cut in cuts]
    counted = np.diff([0, *(int(below[at]) for at in places), int(below[-1])])
    return tuple(
        View(
            at=at,
            cut=_number(cuts[at]) if whole else number_text(bins.cuts[at]),
            low=_number(_on_grid(low, size)),
            high=_number(_on_grid(high, size)),
            step=_number(size),
            least=_number(_on_grid(ends[at] + size, size)),
            most=_number(_on_grid(ends[at + 2] - size, size)),
            says=f"{_number(cuts[at])}: {int(counted[at]):,} rows in the class below, "
            f"{int(counted[at + 1]):,} in the one above",
        )
        for at in range(len(cuts))
    )


def _step(length: float) -> float:
    return 10.0 ** floor(log10(length))


def _on_grid(number: float, size: float) -> float:
    largest = float(np.finfo(np.float64).max)
    return min(max(round(number / size) * size, -largest), largest)


def _number(number: float) -> str:
    is_plain = abs(number) < _WHOLE and number == int(number)
    return str(int(number)) if is_plain else f"{number:.10g}"
