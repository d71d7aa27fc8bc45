"""``Question``: who is compared with whom, about which decision, and what difference counts."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias, get_args

from evenhand.errors import Problem, QuestionError, Remedy, listed
from evenhand.question.compared import REST, Against, Comparison, Pair, Pairs
from evenhand.question.outcome import OR, Cumulative, Every, Favorable, Outcome
from evenhand.question.parse_values import (
    Number,
    as_label,
    as_whole,
    exact_fraction,
    exact_number,
    require_text,
    require_texts,
)

JOIN = " & "  # between the values of a group that several attributes define
Criterion: TypeAlias = Literal["favorable", "every", "cumulative"]
Basis: TypeAlias = Literal["group", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Did the protected attribute itself change the decision, by the threshold or more?

    ``group`` is compared with ``other``: a value, ``"rest"`` for everybody else pooled, or
    nothing where the protected attribute has two values. Without a ``group`` all groups are
    compared in pairs, or each with ``other``. Several protected attributes define groups by
    their combinations. ``favorable`` is one value of the decision or several that count as one;
    with the ``criterion`` "every" each value is compared, with "cumulative" each cut of their
    ``order``, best first. Groups with fewer than ``min_rows`` rows in a subpopulation are not
    compared there. The threshold is kept exactly. ``rule`` names the columns by which was
    decided, if they leave nothing to decide.

    ``redlining`` names attributes through which the protected one should not change the
    decision either: a claim of its own, with its own ``redlining_threshold`` if one is given.
    ``explained`` names those through which it may. The effect is measured on the rows of the
    group that would change, or with the ``basis`` "all" on all rows.

    ``predicts`` names the recorded decision, if the decision asked about is a model's
    prediction of it: then people alike in the causes of the recorded one are compared.

    >>> question = Question(protected="sex", group="Female", decision="income",
    ...                     favorable=">50K", threshold="0.05")
    >>> question.threshold
    Fraction(1, 20)

    Paper: sec:md
    """

    protected: str | tuple[str, ...]
    decision: str
    group: str | None = None
    favorable: str | tuple[str, ...] | None = None
    threshold: Fraction = Fraction(1, 20)
    other: str | None = None
    rule: tuple[str, ...] = ()
    criterion: Criterion = "favorable"
    order: tuple[str, ...] = ()
    min_rows: int = 1
    redlining: tuple[str, ...] = ()
    explained: tuple[str, ...] = ()
    redlining_threshold: Fraction | None = None
    basis: Basis = "group"
    predicts: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.protected, tuple | list):
            names = tuple(dict.fromkeys(require_texts(self.protected, "`protected`")))
            object.__setattr__(self, "protected", names[0] if len(names) == 1 else names)
        else:
            require_text(self.protected, "`protected`")
        require_text(self.decision, "`decision`")
        for field in ("group", "other"):
            value = getattr(self, field)
            if value is not None:
                object.__setattr__(self, field, _group_label(value))
        object.__setattr__(self, "favorable", _favorable(self.favorable))
        object.__setattr__(self, "order", _labels(self.order, "`order`"))
        object.__setattr__(self, "threshold", _parse_threshold(self.threshold, "threshold"))
        object.__setattr__(self, "min_rows", as_whole(self.min_rows))
        for field in ("rule", "redlining", "explained"):
            texts = require_texts(getattr(self, field), f"`{field}`")
            object.__setattr__(self, field, tuple(dict.fromkeys(texts)))
        if self.redlining_threshold is not None:
            threshold = _parse_threshold(self.redlining_threshold, "redlining threshold")
            object.__setattr__(self, "redlining_threshold", threshold)
        problems = [
            *self._column_problems(),
            *self._group_problems(),
            *self._value_problems(),
            *self._path_problems(),
        ]
        if problems:
            raise QuestionError(*problems)

    def _column_problems(self) -> Iterable[Problem]:
        if not self.protected_names:
            yield Problem(
                "No protected attribute is named.", remedy="Name at least one column."
            )
        if {*self.protected_names, self.decision} & {*self.rule}:
            yield Problem(
                f"The rule {listed(self.rule)} names the protected attribute or the decision.",
                remedy="Name the columns by which was decided.",
            )
        if self.predicts in self.columns:
            yield Problem(
                f"{self.predicts!r} cannot be what {self.decision!r} predicts.",
                remedy="Name the column of predictions, and that of recorded decisions.",
            )
        if self.decision in self.protected_names:
            yield Problem(
                f"{self.decision!r} is named both as the protected attribute and as "
                "the decision.",
                remedy="Name two different columns.",
            )

    def _group_problems(self) -> Iterable[Problem]:
        if self.group is not None and self.other == self.group:
            yield Problem(
                f"{self.group!r} would be compared with itself.",
                remedy=(Remedy("Name another value", "other"), Remedy("leave it out")),
            )
        if self.group is None and self.other == REST:
            yield Problem(
                "It is not said which group is compared with the rest.",
                remedy=(
                    Remedy("Name it", "group"),
                    Remedy("compare all groups in pairs: leave out the other"),
                ),
            )
        if type(self.min_rows) is not int or not 1 <= self.min_rows < 2**63:
            yield Problem(
                f"The least number of rows {self.min_rows!r} is not a whole number of at "
                "least 1.",
                remedy=Remedy("Give one", "min_rows", 1),
            )

    def _value_problems(self) -> Iterable[Problem]:
        if self.criterion not in get_args(Criterion):
            yield Problem(
                f"There is no criterion {self.criterion!r}.",
                remedy=f"Choose one of {', '.join(get_args(Criterion))}.",
            )
        elif self.criterion == "favorable" and not self.favorable:
            yield Problem(
                "It is not said which decision is favorable.",
                remedy=(
                    Remedy("Name one value or several", "favorable"),
                    Remedy("compare every value", "criterion", "every"),
                ),
            )
        elif self.criterion != "favorable" and self.favorable:
            yield Problem(
                f"With the criterion {self.criterion!r} no value is the favorable one.",
                f"{self.favorable_label!r} is named.",
                (Remedy("Leave it out"), Remedy("ask for it alone", "criterion", "favorable")),
            )
        elif repeated := [value for value, many in Counter(self.order).items() if many > 1]:
            yield Problem(
                f"The order names {listed(repeated)} more than once.",
                remedy=Remedy("Write each value once, best first", "order"),
            )
        elif self.criterion == "cumulative" and len(self.order) < 2:
            yield Problem(
                "The criterion 'cumulative' needs the order of the decision's values.",
                remedy=Remedy("Write them all, best first, one by one", "order"),
                is_open=True,
            )

    def _path_problems(self) -> Iterable[Problem]:
        if self.predicts and self.redlining:
            yield Problem(
                f"Effects through {listed(self.redlining)} are asked about for predictions.",
                "The graph says what caused the recorded decision, not how a model predicts.",
                "Leave them out, or ask about the recorded decision.",
            )
        for field in ("redlining", "explained"):
            for name in sorted({*getattr(self, field)} & {*self.columns}):
                role = "decision" if name == self.decision else "protected attribute"
                yield Problem(
                    f"The {role} {name!r} is named in `{field}`.",
                    "Effects go from the protected attribute to the decision, through others.",
                    "Name attributes between the two.",
                )
        if both := {*self.redlining} & {*self.explained}:
            yield Problem(
                f"`redlining` and `explained` both name {listed(sorted(both))}.",
                "Through one attribute effects are either judged or accepted.",
                (
                    Remedy("Keep it here if they are judged", "redlining"),
                    Remedy("here if they are accepted", "explained"),
                ),
            )
        if self.basis not in get_args(Basis):
            yield Problem(
                f"There is no basis {self.basis!r}.",
                remedy=(
                    Remedy(
                        "Measure on the rows of the group that would change", "basis", "group"
                    ),
                    Remedy("on all rows", "basis", "all"),
                ),
            )
        needless = [
            f"`{field}`"
            for field in ("explained", "redlining_threshold", "basis")
            if getattr(self, field) not in ((), None, "group")
        ]
        if needless and not self.redlining:
            yield Problem(
                f"{' and '.join(needless)} would have no effect.",
                "It is not said through which attributes effects are judged.",
                Remedy("Name them", "redlining"),
            )

    @property
    def indirect_threshold(self) -> Fraction:
        """The threshold of the claim about effects through other attributes."""
        return self.redlining_threshold or self.threshold

    @property
    def direct(self) -> "Question":
        """The question without the claim about effects through other attributes."""
        none: dict[str, Any] = {"redlining": (), "explained": (), "redlining_threshold": None}
        return replace(self, **none, basis="group") if self.redlining else self

    @property
    def protected_names(self) -> tuple[str, ...]:
        """The columns that define the groups."""
        return (self.protected,) if isinstance(self.protected, str) else self.protected

    @property
    def columns(self) -> tuple[str, ...]:
        """The protected attributes and the decision."""
        return *self.protected_names, self.decision

    @property
    def named_columns(self) -> tuple[str, ...]:
        """All columns that the question names: they have to be counted."""
        return *self.columns, *self.rule, *self.redlining, *self.explained

    @property
    def groups_column(self) -> str:
        """The column of groups in counts that were examined: their attributes, joined."""
        return JOIN.join(self.protected_names)

    @property
    def favorable_values(self) -> tuple[str, ...]:
        """The values of the decision that count as favorable; none if each is compared."""
        favorable = self.favorable or ()
        return (favorable,) if isinstance(favorable, str) else favorable

    @property
    def favorable_label(self) -> str:
        """What counts as favorable, as one text."""
        return OR.join(self.favorable_values)

    def group_values(self, group: str) -> dict[str, str]:
        """The values of the protected attributes that define a group."""
        names = self.protected_names
        if len(names) == 1:
            return {names[0]: group}
        values = group.split(JOIN)  # of a pool they are no values, but its name
        return (
            dict(zip(names, values, strict=True))
            if len(values) == len(names)
            else dict.fromkeys(names, group)
        )

    def without_absent(self, decisions: Collection[str]) -> "Question":
        """The question without values of the decision that nobody has."""
        favorable = tuple(value for value in self.favorable_values if value in decisions)
        order = tuple(value for value in self.order if value in decisions)
        return replace(self, favorable=favorable or None, order=order)

    @property
    def compared(self) -> Comparison:
        """Who is compared with whom."""
        if self.group is not None:
            return Pair(self.group, self.other)
        return Pairs() if self.other is None else Against(self.other)

    @property
    def outcome(self) -> Outcome:
        """Which rates are compared."""
        if self.criterion == "every":
            return Every()
        cumulative = self.criterion == "cumulative"
        return Cumulative(self.order) if cumulative else Favorable(self.favorable_values)

    def to_dict(self) -> dict[str, Any]:
        """The question as plain text values; the threshold as a fraction."""
        fields: dict[str, Any] = {
            "protected": _plain(self.protected),
            "group": self.group,
            "other": self.other,
            "decision": self.decision,
            "favorable": _plain(self.favorable),
            "threshold": str(self.threshold),
        }
        further = {
            "rule": list(self.rule),
            "criterion": "" if self.criterion == "favorable" else self.criterion,
            "order": list(self.order),
            "min_rows": self.min_rows - 1 and self.min_rows,
            "redlining": list(self.redlining),
            "explained": list(self.explained),
            "redlining_threshold": self.redlining_threshold and str(self.redlining_threshold),
            "basis": "" if self.basis == "group" else self.basis,
            "predicts": self.predicts or "",
        }
        named = {name: value for name, value in fields.items() if value is not None}
        return named | {name: value for name, value in further.items() if value}


def _plain(value: str | tuple[str, ...] | None) -> str | list[str] | None:
    return list(value) if isinstance(value, tuple) else value


def _group_label(value: object) -> str:
    """The label of a group; of several attributes their values, joined."""
    parts = value if isinstance(value, tuple | list) else (value,)
    return JOIN.join(map(as_label, parts))


def _labels(values: object, what: str) -> tuple[str, ...]:
    if not isinstance(values, Iterable) or isinstance(values, str | set | frozenset):
        raise QuestionError.of(
            f"{what} is {values!r}, which is no list of values.",
            remedy='Write a list, as ["a", "b"].',
        )
    return tuple(map(as_label, values))


def _favorable(value: object) -> str | tuple[str, ...] | None:
    if not isinstance(value, tuple | list | set | frozenset):
        return None if value is None else as_label(value)
    values = sorted(value, key=as_label) if isinstance(value, set | frozenset) else value
    labels = tuple(dict.fromkeys(_labels(values, "`favorable`")))
    return labels if len(labels) > 1 else labels[0] if labels else None


def _parse_threshold(value: Number, name: str) -> Fraction:
    try:
        threshold = exact_fraction(value)
    except ValueError as error:
        hint = _suggest_number(str(value))
        raise QuestionError.of(
            f"The {name} {value!r} cannot be used.",
            hint or f"{error}.",
            "Write a number between 0 and 1, as '0.05' or '1/20'.",
        ) from error
    if not 0 < threshold < 1:
        why = (
            "No difference is smaller than 0, so nothing could ever be certified."
            if threshold == 0
            else f"Did you mean {threshold / 100}?"
            if 1 <= threshold < 100
            else ""
        )
        raise QuestionError.of(
            f"The {name} {value!s} is not between 0 and 1.",
            why,
            "Write a difference of rates, as '0.05' for five percentage points.",
        )
    return threshold


def _suggest_number(text: str) -> str:
    """Suggest the number that a mistyped one was meant to be: "5%" or "0,05"."""
    cleaned = text.strip().replace(",", ".")
    try:
        number = exact_number(cleaned.rstrip("% ")) / (100 if "%" in cleaned else 1)
        meant = str(float(number))
        is_usable = 0 < exact_fraction(meant) < 1
    except ValueError:
        return ""
    return f"Did you mean '{meant}'?" if is_usable else ""
