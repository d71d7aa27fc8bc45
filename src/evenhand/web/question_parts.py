"""Parts of the question screen: its sentence of choices, its columns and their pictures."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import ceil, floor, isfinite
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts.label_order import in_order, known_order
from evenhand.question import JOIN, OR, REST, Bins
from evenhand.question.codings import MISSING
from evenhand.question.display_labels import Labels
from evenhand.question.number_classes import Boundary, number_text
from evenhand.question.parse_values import WILDCARD, exact_fraction
from evenhand.report.rendering import View
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


# The question as a sentence of choices

_THRESHOLDS = ("0.01", "0.02", "0.03", "0.05", "0.08", "0.1", "0.15", "0.2", "0.3")
_MOST_VALUES = 200
_MOST_GROUPS = 60


class Option(NamedTuple):
    """One thing that can be chosen: its words, and the plain value that it sends."""

    words: str
    value: Any
    chosen: bool = False


# Options under a title; what a choice offers are several of these.
Section: TypeAlias = tuple[str, list[Option]]
Sections: TypeAlias = list[Section]


def points_of(threshold: Fraction) -> str:
    """A threshold in percentage points, with its unit."""
    number = f"{float(100 * threshold):.6g}"
    return f"{number} point{'' if number == '1' else 's'}"


class QuestionSentence:
    """The parts of the question as they are chosen now."""

    def __init__(self, views: ColumnViews) -> None:
        self._views, self._labels, self.asked = views, views.labels, views.question
        self._missing_is_value = views.data.get("missing") == "level"
        self.protected = as_list(self.asked.get("protected"))
        self.decision: str = self.asked.get("decision") or ""
        self.complete = bool(self.protected and self.decision)
        self.criterion: str = self.asked.get("criterion") or "favorable"
        self.favorable = [*map(str, as_list(self.asked.get("favorable")))]
        self.order = [*map(str, self.asked.get("order", ()))]

    # Columns

    def _columns(self, without: Iterable[str], chosen: str = "") -> Iterator[Section]:
        """Sections of columns: what nobody chooses first, what is left out last."""
        out, views = {*without}, self._views
        names = [name for name in views.names if name not in out or name == chosen]
        unchosen = [name for name in views.draft.tiers[0] if name in names]
        rest = [name for name in names if name not in unchosen]
        sections = (
            ("What nobody chooses", unchosen),
            ("Other columns" if unchosen else "", [n for n in rest if views.is_used(n)]),
            ("Left out so far", [name for name in rest if not views.is_used(name)]),
        )
        for title, members in sections:
            if members:
                yield title, [Option(self._labels.column(n), n, n == chosen) for n in members]

    @property
    def protected_choices(self) -> Iterator[Sections]:
        """What each protected attribute may be; all but the first can be taken away."""
        names = self.protected or [""]
        for at, name in enumerate(names):
            sections = [*self._columns([*names, self.decision], name)]
            yield sections + ([("", [Option("(no second one)", "")])] if at else [])

    @property
    def further_choice(self) -> Sections:
        """What one more protected attribute may be."""
        return [*self._columns([*self.protected, self.decision])]

    @property
    def decision_choice(self) -> Sections:
        """What the decision may be."""
        return [*self._columns(self.protected, self.decision)]

    # Groups

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The groups that occur, the most frequent first."""
        names, table = self.protected, self._views.rows.lines.table
        if not names or not {*names} <= {*table.names}:
            return ()
        if len(names) == 1:
            return self._known_values(names[0])
        counted = sorted(table.marginal(names), key=lambda line: -line[1])
        known = (one for one, _ in counted if self._missing_is_value or MISSING not in one)
        return tuple(map(JOIN.join, known))

    def _known_values(self, name: str) -> tuple[str, ...]:
        if name not in self._views.rows.lines.table.names:
            return ()
        values = value_rows(self._views.rows, name)
        return tuple(v for v in values if v != MISSING or self._missing_is_value)

    def _group(self, group: str, value: Any, *, chosen: bool) -> Option:  # noqa: ANN401  # plain values
        """A group as an option: of several attributes with the words of each value."""
        values = group.split(JOIN) if len(self.protected) > 1 else [group]
        if len(values) == len(self.protected):
            named = zip(self.protected, values, strict=True)
            group = JOIN.join(self._labels.value(name, one) for name, one in named)
        return Option(group, value, chosen)

    @property
    def asked_group(self) -> str | None:
        """The group asked about; of two the first where none is named."""
        if len(self.groups) == 2:
            return self.asked.get("group") or in_order(self.groups)[0]
        return self.asked.get("group")

    @property
    def group_choice(self) -> Sections:
        """The group asked about, or all."""
        other, now = self.asked.get("other"), self.asked_group
        groups, many = self.groups, len(self.groups) > 2

        def chosen(value: str) -> dict[str, Any]:
            """The group with another one to compare it with: the largest that is left."""
            rest = [one for one in groups if one != value]
            kept = other if other in (*rest, REST) else rest[0] if rest else None
            return {"group": value, "other": kept if many else None}

        shown = groups[:_MOST_GROUPS]
        options = [self._group(one, chosen(one), chosen=one == now) for one in shown]
        sections: Sections = [("One group" if many else "", options)]
        if many:
            everybody = {"group": None, "other": None}
            all_groups = Option(f"all {len(groups)} groups", everybody, now is None)
            sections.append(("All", [all_groups]))
        return sections

    @property
    def other_choice(self) -> Sections:
        """Whom the group is compared with."""
        group, other, many = self.asked_group, self.asked.get("other"), len(self.groups) > 2
        rest = [one for one in self.groups if one != group][:_MOST_GROUPS]
        options = [
            self._group(one, one if many else None, chosen=one == other or not many)
            for one in rest
        ]
        sections: Sections = [("One group" if many else "", options)]
        if many:
            words, value = ("everybody else together", REST) if group else ("each other", None)
            sections.append(("All", [Option(words, value, other == value)]))
        return sections

    # The decision's values

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The values of the decision, the most frequent first."""
        return self._known_values(self.decision)[:_MOST_VALUES] if self.decision else ()

    def value_words(self, value: str) -> str:
        """A value of the decision in words."""
        return self._labels.value(self.decision, value)

    @property
    def favorable_choice(self) -> Sections:
        """What is counted."""

        def counted(words: str, **parts: Any) -> Option:  # noqa: ANN401  # plain values
            now = {"criterion": self.criterion, "favorable": self.favorable}
            asked = {"criterion": "favorable", **parts}
            chosen = all(now[name] == part for name, part in asked.items() if name in now)
            if len(favorable := parts.get("favorable", ())) == 1:
                parts["favorable"] = favorable[0]
            return Option(
                words, dict.fromkeys(("favorable", "criterion", "order")) | parts, chosen
            )

        options = [counted(self.value_words(one), favorable=[one]) for one in self.values]
        sections: Sections = [("", options)]
        if len(self.favorable) > 1:
            words = OR.join(map(self.value_words, self.favorable))
            sections.insert(0, ("", [counted(words, favorable=self.favorable)]))
        if len(self.values) > 2:
            ordered = [*reversed(known_order(self.values))] or None  # else the user's to say
            every = counted("every value, each by itself", criterion="every")
            words = "each value or a better one"
            cumulative = counted(words, criterion="cumulative", order=ordered)
            sections.append(("All values", [every, cumulative]))
        return sections

    @property
    def order_rest(self) -> list[str]:
        """The values that an order of them lacks."""
        return [value for value in self.values if value not in self.order]

    @property
    def lacks_order(self) -> bool:
        """Whether the values are to be compared by an order that nobody gave yet."""
        return self.criterion == "cumulative" and bool(self.order_rest)

    # The threshold

    @property
    def threshold(self) -> Fraction:
        """The difference that counts."""
        return exact_fraction(self.asked.get("threshold") or "0.05")

    def threshold_choice(self, part: str) -> Sections:
        """A difference that counts; through others by default the same."""
        now = exact_fraction(self.asked.get(part) or self.threshold)
        offered = sorted({*map(exact_fraction, _THRESHOLDS), now})
        return [("", [Option(points_of(one), str(one), one == now) for one in offered])]

    # Effects through other attributes, and the rule

    def unasked(self) -> list[str]:
        """The counted columns that have no part in the question."""
        lists = ("redlining", "explained", "rule")
        taken = {name for part in lists for name in self.asked.get(part, ())}
        out = {*self.protected, self.decision, *taken}
        return [n for n in self._views.names if self._views.is_used(n) and n not in out]

    def column(self, name: str) -> str:
        """A column in words."""
        return self._labels.column(name)
