"""What a question file should say of a table, as far as a look at the table can tell.

``draft`` guesses everything that a question lacks; each guess is data, for every interface to
ask or print in its own words. Columns that form no groups are left out. Numbers are put in
classes. ``init``, ``audit`` without a question file and the app share these guesses.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from evenhand.counts.label_order import looks_missing
from evenhand.errors import listed
from evenhand.question import Codings, Guess, Question
from evenhand.question.question_file import toml_key, toml_value
from evenhand.rows.inspect.column_profile import FEW, MANY, ColumnKind, ColumnProfile
from evenhand.rows.inspect.favorable_value import Favorable, favorable_value
from evenhand.rows.inspect.findings import NO_GROUPS, FindingKind
from evenhand.rows.inspect.inspection import Inspection

_MOST_DROPPED = 0.1  # of the rows
_MOST_DIGITS = 18  # of a cut that can be written in a question file
# Parts of names of columns that nobody chooses, and that therefore come before all others.
_UNCHOSEN = (
    "sex gender male female age race black white asian hispanic latino ethnicity ethnic birth "
    "birthplace born native nationality disability disabled"
)
_AS_ASKED = "as asked"
_CLASSED = "few people are alike in numbers of many values, so they are counted in classes"
_MISSING = {"drop": "leaves such rows out", "level": "makes that a value of its own"}


@dataclass(frozen=True)
class QuestionDraft:
    """Suggestions for a question file; ``given`` and ``codings`` are what the user said.

    ``copies`` say the same as a column that the user left out, and would take its place.
    """

    inspection: Inspection
    given: Mapping[str, Any]
    codings: Codings
    copies: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def named(self) -> tuple[str, ...]:
        """The protected attributes and the decision, as far as they are named."""
        return (*self._protected, *filter(None, [self.given.get("decision")]))

    @cached_property
    def _protected(self) -> tuple[str, ...]:
        protected = self.given.get("protected", ())
        return (protected,) if isinstance(protected, str) else tuple(protected)

    @cached_property
    def excluded(self) -> dict[str, str]:
        """Columns to leave out, each with the reason."""
        reasons = dict.fromkeys(self.codings.exclude, _AS_ASKED) | {
            one.name: reason
            for one in self.inspection.columns
            if (reason := _no_groups(one, self.inspection.rows)) and one.name not in self.marks
        }
        for copy, left_out in self.copies.items():
            reasons[copy] = f"says the same as {left_out!r}, which is left out"
        for finding in self.inspection.findings:
            copies, determined = map(finding.numbers.get, ("copies", "determined"))
            if isinstance(copies, dict):
                reasons |= {copy: f"says the same as {kept!r}" for copy, kept in copies.items()}
            if isinstance(determined, list):
                why = f"is determined by {listed(self._protected)}"
                reasons |= dict.fromkeys(determined, why)
        reasons |= dict.fromkeys(self._columns(FindingKind.UNREADABLE), "no labels")
        comma = "numbers with a comma are read as texts; write a decimal point to use it"
        reasons |= dict.fromkeys(self._columns(FindingKind.COMMA_NUMBERS), comma)
        needed = {*self.named, *self.counting}
        return {name: why for name, why in reasons.items() if name not in needed}

    @cached_property
    def doubtful(self) -> dict[str, str]:
        """Columns that the user may have to leave out, each with the reason."""
        decision = self.given.get("decision")
        because = {
            FindingKind.DETERMINES_DECISION: f"alone determines {decision!r}",
            FindingKind.TOGETHER_DETERMINE: f"determines {decision!r} with another column",
            FindingKind.NEARLY_DETERMINES_DECISION: f"nearly determines {decision!r}",
            FindingKind.WRITTEN_AFTER: f"perhaps written after {decision!r}",
            FindingKind.FOLLOWS_FROM_DECISION: f"is determined by {decision!r}",
            FindingKind.TIED_TO_PROTECTED: f"is tied to {listed(self._protected)}",
        }
        return {
            name: why
            for kind, why in because.items()
            for name in self._columns(kind)
            if name not in self.excluded
        }

    def _columns(self, kind: FindingKind) -> list[str]:
        findings = self.inspection.findings
        return [name for one in findings if one.kind is kind for name in one.columns]

    @cached_property
    def kept(self) -> tuple[ColumnProfile, ...]:
        """The columns that are counted."""
        return tuple(one for one in self.inspection.columns if one.name not in self.excluded)

    @property
    def counting(self) -> list[str]:
        """The column that may say how many people each line stands for."""
        return self._columns(FindingKind.COUNTED)

    @cached_property
    def marks(self) -> dict[str, list[int | str]]:
        """Pass marks that decide without exception, by the column, as cut points."""
        found = (one.numbers.get("marks", {}) for one in self.inspection.findings)
        return {n: cuts for of in found if isinstance(of, dict) for n, cuts in of.items()}

    @cached_property
    def bins(self) -> dict[str, list[int | str]]:
        """Cut points for numbers of many values; two classes where they are asked about.

        A number that decides by a pass mark is cut there and nowhere else.
        """
        classed = {
            one.name: (one.classes[0] if one.name in self.named else one.suggested).cuts
            for one in self.kept
            if one.needs_classes and one.name not in self.counting
        }
        marked = (n for n in self.marks if self.inspection.column(n).distinct > FEW)
        return classed | {name: self.marks[name] for name in marked}

    @cached_property
    def merges(self) -> dict[str, dict[str, list[str]]]:
        """Spellings of one value, by column and the most frequent spelling."""
        for finding in self.inspection.findings:
            values = finding.numbers.get("values")
            if finding.kind is FindingKind.SPELLING and isinstance(values, dict):
                return {name: of for name, of in values.items() if name not in self.excluded}
        return {}

    @cached_property
    def markers(self) -> dict[str, int]:
        """Texts that stand for a missing value, and in how many fields of counted columns."""
        return _added_up(one.markers for one in self.kept)

    @cached_property
    def perhaps_missing(self) -> dict[str, int]:
        """Words and numbers that may stand for a missing value, as 999."""
        return _added_up(one.perhaps_missing for one in self.kept)

    @cached_property
    def na(self) -> tuple[str, ...]:
        """Texts that mean a missing value."""
        return tuple(dict.fromkeys((*self.codings.na, *self.markers)))

    @cached_property
    def missing_rows(self) -> int:
        """At most so many rows lack a value in some counted column."""
        declared = sum(many for one in self.kept for v, many in one.markers if v in self.na)
        lacking = [one.numbers.get("incomplete_rows", 0) for one in self.inspection.findings]
        incomplete = sum(rows for rows in lacking if isinstance(rows, int))
        return min(sum(one.missing for one in self.kept), incomplete) + declared

    @cached_property
    def missing(self) -> str:
        """The rule for missing values: drop if few rows lack one, else a value of its own.

        A group or a decision that nobody knows is no value that is asked about: dropped.
        """
        if not self.missing_rows or self.codings.missing != "error":
            return self.codings.missing
        few = self.missing_rows <= _MOST_DROPPED * self.inspection.rows
        return "drop" if few or self.asked_lack_values else "level"

    @property
    def asked_lack_values(self) -> bool:
        """Whether the decision or a protected attribute is missing in some row."""
        columns = map(self.inspection.column, self.named)
        return any(one.missing or dict(one.markers).keys() & {*self.na} for one in columns)

    @cached_property
    def guesses(self) -> tuple[Guess, ...]:
        """All that was not given, what changes the answer most first.

        The order of the columns (``tiers``) comes last: only a person knows it.
        """
        lacking = {name: why for name, why in self.excluded.items() if why != _AS_ASKED}
        data: list[Guess] = []
        if lacking:
            why = ", ".join(f"{name!r} ({reason})" for name, reason in lacking.items())
            data.append(Guess(argument="exclude", value=[*lacking], why=why))
        if self.bins:
            data.append(Guess(argument="bins", value=self.bins, why=_CLASSED))
        if merges := {name: of for name, of in self.merges.items() if name in self.named}:
            why = "one value seems to be spelled in several ways"
            data.append(Guess(argument="merge", value=merges, why=why, sure=False))
        if new := {text: n for text, n in self.markers.items() if text not in self.codings.na}:
            found = ", ".join(f"{text!r} in {rows:,} fields" for text, rows in new.items())
            data.append(
                Guess(argument="na", value=[*new], why=f"texts that look missing: {found}")
            )
        if self.codings.missing != self.missing:
            why = f"up to {self.missing_rows:,} of {self.inspection.rows:,} rows lack a value"
            other = "level" if self.missing == "drop" else "drop"
            data.append(Guess(argument="missing", value=self.missing, why=why, instead=other))
        why = "what nobody chooses comes first and the decision last"
        order = Guess(argument="tiers", value=self.tiers, why=why, sure=False)
        return (*self._asked_guesses, *data, *([order] if self.tiers[0] else []))

    @cached_property
    def asked(self) -> dict[str, tuple[Any, str]]:
        """Each part of the question: its value, and for a guess why it was filled in."""
        given = {role: (value, "") for role, value in self.given.items()}
        return given | {
            one.argument: (one.value, one.why if one.sure else f"please check: {one.why}")
            for one in self._asked_guesses
        }

    @cached_property
    def _asked_guesses(self) -> tuple[Guess, ...]:
        """The favorable value, the group and the other group, as far as they were not given."""
        guesses: dict[str, Guess] = {}
        decided, hoped = [*self._values("decision")], self._hoped
        if hoped and self.given.get("criterion", "favorable") == "favorable":
            others = [value for value in decided if value != hoped.value]
            guesses["favorable"] = Guess(
                argument="favorable",
                value=hoped.value,
                why=hoped.why,
                sure=hoped.sure,
                instead=others[0] if len(others) == 1 else None,
            )
        values = [*self._values("protected")]
        # With another group alone everybody is compared with it: the group stays open.
        if len(values) == 2 and "other" not in self.given:
            group = self.given.get("group", values[1])
            other = values[group == values[0]]
            why = "the less frequent value"
            guesses["group"] = Guess(argument="group", value=group, why=why, instead=other)
            if self.inspection.column(self.given["protected"]).distinct > 2:
                why = "the most frequent other value"
                guesses["other"] = Guess(argument="other", value=other, why=why)
        return tuple(one for role, one in guesses.items() if role not in self.given)

    @property
    def _hoped(self) -> Favorable | None:
        """The value of the decision that people hope for."""
        name = self.given.get("decision")
        if not isinstance(name, str):
            return None
        if name in self.bins:
            labels = self.inspection.column(name).classes[0].bins.labels
            return favorable_value(name, labels, of_numbers=True)
        return favorable_value(name, [*self._values("decision")])

    def question(self) -> Question | None:
        """The question as it is filled in, if it is complete and asks for stored values."""
        parts: dict[str, Any] = {role: value for role, (value, _) in self.asked.items()}
        is_told = "favorable" in parts or "criterion" in parts
        if not is_told or not {"protected", "decision"} <= {*parts}:
            return None
        return Question(**parts) if self.bins.keys().isdisjoint(self.named) else None

    def _values(self, role: str) -> dict[str, int]:
        """The values of a named column as they are counted, the most frequent first."""
        name = self.given.get(role)
        if not name or not isinstance(name, str):
            return {}
        one = self.inspection.column(name)
        classes = one.classes[0] if name in self.bins else None
        rows = dict(
            zip(classes.bins.labels, classes.rows, strict=True) if classes else one.frequent
        )
        for new, olds in self.merges.get(name, {}).items():
            rows[new] = sum(rows.pop(old, 0) for old in olds)
        known = [v for v in rows if not looks_missing(v) and v not in self.perhaps_missing]
        return {value: rows[value] for value in sorted(known, key=lambda value: -rows[value])}

    @cached_property
    def tiers(self) -> list[list[str]]:
        """An order to consider: what nobody chooses, the rest, the decision."""
        decision = self.given.get("decision")
        first = [one.name for one in self.kept if _is_unchosen(one.name, self.given)]
        return [first, ["*"], *([[decision]] if decision else [])]


def _added_up(fields: Iterable[Iterable[tuple[str, int]]]) -> dict[str, int]:
    """How many fields have each text."""
    texts = Counter[str]()
    for of_column in fields:
        texts.update(dict(of_column))
    return texts


def _no_groups(one: ColumnProfile, rows: int) -> str:
    """Why a column forms no groups of people; "" if it does."""
    if one.kind is ColumnKind.CONSTANT:
        return "has one value only"
    if one.kind in NO_GROUPS:
        kind = {ColumnKind.IDENTIFIER: "an identifier", ColumnKind.DATE: "a date"}
        return f"{kind.get(one.kind, one.kind)}: {one.distinct:,} values in {rows:,} rows"
    if any(len(str(cut)) > _MOST_DIGITS for way in one.classes for cut in way.cuts):
        return "numbers too large or too fine for classes; divide or round them to use it"
    if one.kind is ColumnKind.CATEGORY and one.distinct > MANY:
        return f"has {one.distinct:,} values; merge them into fewer to use it"
    return ""


def _is_unchosen(name: str, given: Mapping[str, Any]) -> bool:
    words = "".join(mark if mark.isalnum() else " " for mark in name.casefold()).split()
    protected = given.get("protected", ())
    asked = [protected] if isinstance(protected, str) else protected
    return name in asked or (
        name != given.get("decision") and not {*_UNCHOSEN.split()}.isdisjoint(words)
    )


def draft(
    inspect: Callable[..., Inspection], given: Mapping[str, Any], codings: Codings
) -> QuestionDraft:
    """Guess all that a question lacks: see ``QuestionDraft.guesses``.

    ``inspect`` is that of the rows, read under ``codings``: ``draft(rows.inspect, …)``.
    ``given`` holds the parts of the question that are known, by their keys, ``protected`` and
    ``decision`` first of all. The inspection compares people where the question is complete by
    now.
    """
    looked_at = inspect(decision=given.get("decision"), protected=given.get("protected"))
    made = QuestionDraft(looked_at, given, codings)
    question = made.question()
    return replace(made, inspection=inspect(question)) if question else made


def template(draft: QuestionDraft, *, data: str) -> str:
    """Return a question file; what the draft leaves open is empty or commented out."""
    given = draft.codings.to_dict().get("bins", {})
    plain = (one for one in draft.kept if one.name == one.name.strip())
    return _template().render(
        draft=draft,
        inspection=draft.inspection,
        data=data,
        missing=_MISSING,
        other_markers={v: n for v, n in draft.perhaps_missing.items() if v not in draft.na},
        given_bins=given if isinstance(given, dict) else {},
        names=[one.name for one in draft.kept],
        examples=[one for one in plain if one.name not in draft.bins][:2],
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("evenhand.rows.inspect", ""),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701  # TOML: every text goes through a filter that quotes it
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "toml": toml_value,
        "key": toml_key,
        "many": "{:,}".format,
        "one_line": lambda text: " ".join(text.split()),  # so that it cannot end a comment
    }
    return environment.get_template("question_file.toml.j2")
