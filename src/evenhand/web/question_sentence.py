"""The question as a sentence of choices: each part with all that can stand in its place."""

import json
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from evenhand.counts.label_order import in_order, known_order
from evenhand.question import JOIN, OR, REST
from evenhand.question.codings import MISSING
from evenhand.question.parse_values import exact_fraction
from evenhand.report.html_report import View
from evenhand.web.column_views import ColumnViews
from evenhand.web.plain_gap import value_rows


def option(words: str, value: Any, *, chosen: bool = False) -> View:  # noqa: ANN401  # plain values
    """One thing that can be chosen: its words, and what it sends as JSON."""
    return View(words=words, value=json.dumps(value), chosen=chosen)


def points_of(threshold: Fraction) -> str:
    """A threshold in percentage points, with its unit."""
    number = f"{float(100 * threshold):.6g}"
    return f"{number} point{'' if number == '1' else 's'}"


def sentence_pick(  # noqa: PLR0917  # the parts of a choice, in the order of the sentence
    name: str,
    title: str,
    kind: str,
    shown: str,
    change: Any,  # noqa: ANN401  # plain values
    sections: Iterable[tuple[str, tuple[View, ...]]],
) -> View:
    """A choice that changes a part of the question."""
    return View(
        id=name,
        name=title,
        kind=kind,
        shown=shown,
        body=json.dumps({"change": {"question": change}}),
        options=tuple(sections),
    )


_THRESHOLDS = ("0.01", "0.02", "0.03", "0.05", "0.08", "0.1", "0.15", "0.2", "0.3")
_MOST_VALUES = 200
_MOST_GROUPS = 60


class QuestionSentence:
    """The parts of the question as they are chosen now."""

    def __init__(self, views: ColumnViews, tables: Mapping[str, Any]) -> None:
        self._views, self._labels = views, views.labels
        self.asked: Mapping[str, Any] = tables.get("question", {})

    @property
    def protected(self) -> tuple[str, ...]:
        """The protected attributes."""
        names = self.asked.get("protected") or ()
        return (names,) if isinstance(names, str) else tuple(names)

    @property
    def decision(self) -> str:
        """The decision."""
        return self.asked.get("decision") or ""

    @property
    def complete(self) -> bool:
        """Whether both columns are named."""
        return bool(self.protected and self.decision)

    @property
    def criterion(self) -> str:
        """What of the decision is compared."""
        return self.asked.get("criterion") or "favorable"

    # Columns

    def _columns(self, without: Iterable[str], chosen: str = "") -> Iterator[Any]:
        """Sections of columns: what nobody chooses first, what is left out last."""
        out = {*without}
        names = [name for name in self._views.names if name not in out or name == chosen]
        unchosen = [name for name in self._views.draft.tiers[0] if name in names]
        used = [n for n in names if n not in unchosen and self._views.is_used(n)]
        rest = [n for n in names if n not in unchosen and not self._views.is_used(n)]
        sections = (
            ("What nobody chooses", unchosen),
            ("Other columns" if unchosen else "", used),
            ("Left out so far", rest),
        )
        for title, members in sections:
            if members:
                yield (
                    title,
                    tuple(
                        option(self._labels.column(name), name, chosen=name == chosen)
                        for name in members
                    ),
                )

    @property
    def protected_picks(self) -> tuple[View, ...]:
        """One choice for each protected attribute; all but the first can be taken away."""
        names = self.protected or ("",)
        picks = []
        for at, name in enumerate(names):
            others = [one for one in names if one != name]
            sections = [*self._columns([*others, self.decision], name)]
            if at:
                sections.append(("", (option("(no second one)", ""),)))
            body = [*names[:at], "$value", *names[at + 1 :]]
            picks.append(
                sentence_pick(
                    f"protected-{at}",
                    "Protected attribute",
                    "group" if name else "group blank",
                    self._labels.column(name) if name else "which attribute",
                    {"protected": body if len(body) > 1 else "$value"},
                    sections,
                )
            )
        return tuple(picks)

    @property
    def further_pick(self) -> View | None:
        """A choice of one more protected attribute."""
        if not self.complete:
            return None
        sections = [*self._columns([*self.protected, self.decision])]
        nothing = ("", (option("and no other attribute", None, chosen=True),))
        return sentence_pick(
            "protected-more",
            "One more protected attribute",
            "group more",
            "and …",
            {"protected": [*self.protected, "$value"]},
            [nothing, *sections],
        )

    @property
    def decision_pick(self) -> View:
        """The choice of the decision."""
        name = self.decision
        return sentence_pick(
            "decision",
            "Decision",
            "decision" if name else "decision blank",
            self._labels.column(name) if name else "which decision",
            {"decision": "$value"},
            [*self._columns(self.protected, name)],
        )

    # Groups

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The groups that occur, the most frequent first."""
        names, rows = self.protected, self._views.rows
        if not names or any(name not in rows.lines.table.names for name in names):
            return ()
        if len(names) == 1:
            return self._known_values(names[0])
        together = rows.lines.table.marginal(names)
        counted = sorted(together, key=lambda line: -line[1])
        level = self._missing_is_value
        return tuple(
            JOIN.join(values) for values, _ in counted if level or MISSING not in values
        )

    @property
    def _missing_is_value(self) -> bool:
        return bool(self._views.data.get("missing") == "level")

    def _known_values(self, name: str) -> tuple[str, ...]:
        if name not in self._views.rows.lines.table.names:
            return ()
        values = value_rows(self._views.rows, name)
        return tuple(v for v in values if v != MISSING or self._missing_is_value)

    def group_words(self, group: str) -> str:
        """A group in words: of several attributes the words of each value."""
        names, values = self.protected, group.split(JOIN)
        if len(names) == 1 or len(values) != len(names):
            return self._labels.value(names[0], group) if len(names) == 1 else group
        words = (self._labels.value(n, v) for n, v in zip(names, values, strict=True))
        return JOIN.join(words)

    @property
    def group_pick(self) -> View:
        """The choice of the group asked about, or of all."""
        group, other = self.asked.get("group"), self.asked.get("other")
        groups, many = self.groups, len(self.groups) > 2
        now = in_order(groups)[0] if group is None and not many and groups else group

        def chosen(value: str) -> dict[str, Any]:
            """The group with another one to compare it with: the largest that is left."""
            rest = [one for one in groups if one != value]
            kept = other if other in (*rest, REST) else rest[0] if rest else None
            return {"group": value, "other": kept if many else None}

        sections: list[Any] = [
            (
                "One group" if many else "",
                tuple(
                    option(self.group_words(value), chosen(value), chosen=value == now)
                    for value in groups[:_MOST_GROUPS]
                ),
            )
        ]
        if many:
            everybody = {"group": None, "other": None}
            all_groups = option(f"all {len(groups)} groups", everybody, chosen=group is None)
            sections.append(("All", (all_groups,)))
        shown = f"all {len(groups)} groups" if group is None and many else now
        shown = self.group_words(shown) if shown in groups else shown
        return sentence_pick("group", "Group", "group", shown or "a group", "$value", sections)

    @property
    def other_pick(self) -> View:
        """The choice of whom the group is compared with."""
        group, other, groups = self.asked.get("group"), self.asked.get("other"), self.groups
        many = len(groups) > 2
        rest = [one for one in groups if one != group]
        if not many:
            first = self.group_pick.shown
            rest = [one for one in groups if self.group_words(one) != first]
        options = [
            option(
                self.group_words(value),
                value if many else None,
                chosen=value == other or not many,
            )
            for value in rest[:_MOST_GROUPS]
        ]
        sections: list[Any] = [("One group" if many else "", tuple(options))]
        if many:
            pooled = group is not None
            words = "everybody else together" if pooled else "each other"
            value = REST if pooled else None
            is_now = other == REST if pooled else other is None
            sections.append(("All", (option(words, value, chosen=is_now),)))
        picked = [one for _, members in sections for one in members if one.chosen]
        shown = picked[0].words if picked else "whom"
        return sentence_pick(
            "other", "Compared with", "other", shown, {"other": "$value"}, sections
        )

    # The decision's values

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The values of the decision, the most frequent first."""
        return self._known_values(self.decision) if self.decision else ()

    @property
    def favorable(self) -> tuple[str, ...]:
        """The values that count as favorable."""
        named = self.asked.get("favorable") or ()
        return tuple(map(str, [named] if not isinstance(named, list | tuple) else named))

    @property
    def order(self) -> tuple[str, ...]:
        """The values of the decision, best first."""
        return tuple(map(str, self.asked.get("order", ())))

    def value_words(self, value: str) -> str:
        """A value of the decision in words."""
        return self._labels.value(self.decision, value)

    @property
    def favorable_pick(self) -> View:
        """The choice of what is counted."""
        criterion, favorable = self.criterion, self.favorable
        one_value = [
            option(
                self.value_words(value),
                _counted(favorable=value),
                chosen=criterion == "favorable" and favorable == (value,),
            )
            for value in self.values[:_MOST_VALUES]
        ]
        sections: list[Any] = [("", tuple(one_value))]
        shown = self.value_words(favorable[0]) if favorable else "which decision"
        if len(favorable) > 1:
            shown = OR.join(map(self.value_words, favorable))
            sections.insert(
                0, ("", (option(shown, _counted(favorable=[*favorable]), chosen=True),))
            )
        if len(self.values) > 2:
            ordered = [*reversed(known_order(self.values))] or None  # else the user's to say
            every = option(
                "every value, each by itself",
                _counted(criterion="every"),
                chosen=criterion == "every",
            )
            cumulative = option(
                "each value or a better one",
                _counted(criterion="cumulative", order=ordered),
                chosen=criterion == "cumulative",
            )
            sections.append(("All values", (every, cumulative)))
            shown = {"every": every.words, "cumulative": cumulative.words}.get(criterion, shown)
        blank = "" if favorable or criterion != "favorable" else " blank"
        return sentence_pick(
            "favorable", "What is counted", f"decision{blank}", shown, "$value", sections
        )

    @property
    def favorable_boxes(self) -> tuple[tuple[str, str, bool, str], ...]:
        """Each value, its words, whether it is favorable, the request of its box."""
        return tuple(
            (
                value,
                self.value_words(value),
                value in self.favorable,
                json.dumps({"$put": {"question": {"favorable": [value]}}}),
            )
            for value in self.values[:_MOST_VALUES]
        )

    @property
    def order_moves(self) -> tuple[tuple[str, str, str], ...]:
        """Each value of the order, and the requests that move it up and down; "" for none."""
        last = len(self.order) - 1
        return tuple(
            (
                self.value_words(value),
                _request("earlier", value) if at else "",
                _request("later", value) if at < last else "",
            )
            for at, value in enumerate(self.order)
        )

    @property
    def order_rest(self) -> tuple[tuple[str, str], ...]:
        """Each value that the order lacks, and the request that puts it next, as worse.

        The last but one brings the last with it.
        """
        rest = [value for value in self.values if value not in self.order]
        return tuple(
            (self.value_words(one), _request("add", one, *rest if len(rest) == 2 else ()))
            for one in rest
        )

    @property
    def lacks_order(self) -> bool:
        """Whether the values are to be compared by an order that nobody gave yet."""
        return self.criterion == "cumulative" and bool(self.order_rest)

    # The threshold

    @property
    def threshold(self) -> Fraction:
        """The difference that counts."""
        return exact_fraction(self.asked.get("threshold") or "0.05")

    @property
    def threshold_pick(self) -> View:
        """The choice of the difference that counts."""
        return self._thresholds("threshold", "A difference that counts", self.threshold)

    @property
    def redlining_threshold_pick(self) -> View:
        """The same for effects through other attributes; by default as the other."""
        given = self.asked.get("redlining_threshold")
        now = exact_fraction(given) if given else self.threshold
        return self._thresholds("redlining_threshold", "A difference through them", now)

    def _thresholds(self, part: str, name: str, now: Fraction) -> View:
        offered = sorted({*map(exact_fraction, _THRESHOLDS), now})
        options = tuple(option(points_of(one), str(one), chosen=one == now) for one in offered)
        return sentence_pick(
            part, name, "band", points_of(now), {part: "$value"}, [("", options)]
        )

    # Effects through other attributes, and the rule

    def attribute_choice(self, part: str) -> tuple[tuple[str, str], ...]:
        """The attributes that a list of the question names; the request that removes each."""
        names = self.asked.get(part, ())
        return tuple(
            (
                self._labels.column(name),
                json.dumps({"remove": {"question": {part: [name]}}, **self._needless(part)}),
            )
            for name in names
        )

    def _needless(self, part: str) -> dict[str, Any]:
        """What has no effect once no attribute is judged."""
        if part != "redlining" or len(self.asked.get(part, ())) > 1:
            return {}
        gone = ("explained", "redlining_threshold", "basis")
        return {"change": {"question": dict.fromkeys(gone)}}

    def attribute_pick(self, part: str, words: str) -> View:
        """A choice of one more attribute for a list of the question."""
        lists = ("redlining", "explained", "rule")
        taken = [name for of in lists for name in self.asked.get(of, ())]
        out = [*self.protected, self.decision, *taken]
        used = [name for name in self._views.names if self._views.is_used(name)]
        options = tuple(
            option(self._labels.column(name), name) for name in used if name not in out
        )
        nothing = option(words, None, chosen=True)
        return View(
            id=f"{part}-more",
            name=words,
            kind="",
            shown=words,
            body=json.dumps({"add": {"question": {part: ["$value"]}}}),
            options=(("", (nothing, *options)),),
        )


def _counted(**parts: Any) -> dict[str, Any]:  # noqa: ANN401  # plain values
    """The parts of a question that say what is counted; those not given are left out."""
    return {"favorable": None, "criterion": None, "order": None, **parts}


def _request(way: str, *values: str) -> str:
    return json.dumps({way: {"question": {"order": [*dict.fromkeys(values)]}}})
