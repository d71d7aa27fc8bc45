"""The question as a sentence of choices: each part with all that can stand in its place."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from evenhand.counts.label_order import in_order, known_order
from evenhand.question import JOIN, OR, REST
from evenhand.question.codings import MISSING
from evenhand.question.parse_values import exact_fraction
from evenhand.web.column_views import ColumnViews, value_rows
from evenhand.web.question_store import as_list

_THRESHOLDS = ("0.01", "0.02", "0.03", "0.05", "0.08", "0.1", "0.15", "0.2", "0.3")
_MOST_VALUES = 200
_MOST_GROUPS = 60


class Option(NamedTuple):
    """One thing that can be chosen: its words, and the plain value that it sends."""

    words: str
    value: Any
    chosen: bool = False


Section: TypeAlias = tuple[str, list[Option]]


@dataclass(frozen=True)
class Pick:
    """A choice that changes a part of the question; its options stand in titled sections."""

    id: str
    name: str
    kind: str
    blank: str  # what is shown where nothing is chosen
    change: Any
    sections: list[Section]

    @property
    def options(self) -> list[Option]:
        """All that can be chosen."""
        return [one for _, members in self.sections for one in members]

    @property
    def chosen(self) -> Option | None:
        """What is chosen now."""
        return next((one for one in self.options if one.chosen), None)

    @property
    def shown(self) -> str:
        """The words that stand in the sentence."""
        return self.chosen.words if self.chosen else self.blank


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
    def protected_picks(self) -> Iterator[Pick]:
        """A choice for each protected attribute; all but the first can be taken away."""
        names = self.protected or [""]
        for at, name in enumerate(names):
            sections = [*self._columns([*names, self.decision], name)]
            if at:
                sections.append(("", [Option("(no second one)", "")]))
            body = [*names[:at], "$value", *names[at + 1 :]]
            yield Pick(
                f"protected-{at}",
                "Protected attribute",
                "group",
                "which attribute",
                {"protected": body if len(body) > 1 else "$value"},
                sections,
            )

    @property
    def further_pick(self) -> Pick:
        """A choice of one more protected attribute."""
        return Pick(
            "protected-more",
            "One more protected attribute",
            "group more",
            "and …",
            {"protected": [*self.protected, "$value"]},
            [*self._columns([*self.protected, self.decision])],
        )

    @property
    def decision_pick(self) -> Pick:
        """The choice of the decision."""
        sections = [*self._columns(self.protected, self.decision)]
        change = {"decision": "$value"}
        return Pick("decision", "Decision", "decision", "which decision", change, sections)

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
    def _asked_group(self) -> str | None:
        """The group asked about; of two the first where none is named."""
        if len(self.groups) == 2:
            return self.asked.get("group") or in_order(self.groups)[0]
        return self.asked.get("group")

    @property
    def group_pick(self) -> Pick:
        """The choice of the group asked about, or of all."""
        other, now = self.asked.get("other"), self._asked_group
        groups, many = self.groups, len(self.groups) > 2

        def chosen(value: str) -> dict[str, Any]:
            """The group with another one to compare it with: the largest that is left."""
            rest = [one for one in groups if one != value]
            kept = other if other in (*rest, REST) else rest[0] if rest else None
            return {"group": value, "other": kept if many else None}

        shown = groups[:_MOST_GROUPS]
        options = [self._group(one, chosen(one), chosen=one == now) for one in shown]
        sections: list[Section] = [("One group" if many else "", options)]
        if many:
            everybody = {"group": None, "other": None}
            all_groups = Option(f"all {len(groups)} groups", everybody, now is None)
            sections.append(("All", [all_groups]))
        return Pick("group", "Group", "group", now or "a group", "$value", sections)

    @property
    def other_pick(self) -> Pick:
        """The choice of whom the group is compared with."""
        group, other, many = self._asked_group, self.asked.get("other"), len(self.groups) > 2
        rest = [one for one in self.groups if one != group][:_MOST_GROUPS]
        options = [
            self._group(one, one if many else None, chosen=one == other or not many)
            for one in rest
        ]
        sections: list[Section] = [("One group" if many else "", options)]
        if many:
            words, value = ("everybody else together", REST) if group else ("each other", None)
            sections.append(("All", [Option(words, value, other == value)]))
        change = {"other": "$value"}
        return Pick("other", "Compared with", "other", "whom", change, sections)

    # The decision's values

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The values of the decision, the most frequent first."""
        return self._known_values(self.decision)[:_MOST_VALUES] if self.decision else ()

    def value_words(self, value: str) -> str:
        """A value of the decision in words."""
        return self._labels.value(self.decision, value)

    @property
    def favorable_pick(self) -> Pick:
        """The choice of what is counted."""

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
        sections: list[Section] = [("", options)]
        if len(self.favorable) > 1:
            words = OR.join(map(self.value_words, self.favorable))
            sections.insert(0, ("", [counted(words, favorable=self.favorable)]))
        if len(self.values) > 2:
            ordered = [*reversed(known_order(self.values))] or None  # else the user's to say
            every = counted("every value, each by itself", criterion="every")
            words = "each value or a better one"
            cumulative = counted(words, criterion="cumulative", order=ordered)
            sections.append(("All values", [every, cumulative]))
        name, kind, blank = "What is counted", "decision", "which decision"
        return Pick("favorable", name, kind, blank, "$value", sections)

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

    def threshold_pick(self, part: str, name: str) -> Pick:
        """The choice of a difference that counts; through others by default the same."""
        now = exact_fraction(self.asked.get(part) or self.threshold)
        offered = sorted({*map(exact_fraction, _THRESHOLDS), now})
        options = [Option(points_of(one), str(one), one == now) for one in offered]
        return Pick(part, name, "band", points_of(now), {part: "$value"}, [("", options)])

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
