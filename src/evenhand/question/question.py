"""``Question``: who is compared with whom, about which decision, and what difference counts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any
from unicodedata import normalize

from evenhand.errors import Problem, QuestionError, Remedy, did_you_mean, listed
from evenhand.question.parse_values import (
    Number,
    as_label,
    exact_fraction,
    exact_number,
    require_text,
    require_texts,
)

REST = "rest"  # as ``other``: all other groups, pooled


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Did the protected attribute itself change the decision, by the threshold or more?

    ``group`` is compared with ``other``: a value, ``"rest"`` for everybody else pooled, or
    nothing where the protected attribute has two values. The threshold is kept exactly.
    ``rule`` names the columns by which was decided, if they leave nothing to decide.

    >>> question = Question(protected="sex", group="Female", decision="income",
    ...                     favorable=">50K", threshold="0.05")
    >>> question.threshold
    Fraction(1, 20)

    Paper: sec:md
    """

    protected: str
    group: str
    decision: str
    favorable: str
    threshold: Fraction = Fraction(1, 20)
    other: str | None = None
    rule: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in ("protected", "decision"):
            require_text(getattr(self, field), f"`{field}`")
        for field in ("group", "favorable", "other"):
            value = getattr(self, field)
            if value is not None:
                object.__setattr__(self, field, as_label(value))
        object.__setattr__(self, "threshold", _parse_threshold(self.threshold))
        rule = dict.fromkeys(require_texts(self.rule, "`rule`"))
        object.__setattr__(self, "rule", tuple(rule))
        if {self.protected, self.decision} & {*self.rule}:
            raise QuestionError.of(
                f"The rule {listed(self.rule)} names the protected attribute or the decision.",
                remedy="Name the columns by which was decided.",
            )
        if self.protected == self.decision:
            raise QuestionError.of(
                f"{self.decision!r} is named both as the protected attribute and as "
                "the decision.",
                remedy="Name two different columns.",
            )
        if self.other == self.group:
            raise QuestionError.of(
                f"{self.group!r} would be compared with itself.",
                remedy=(Remedy("Name another value", "other"), Remedy("leave it out")),
            )

    def to_dict(self) -> dict[str, Any]:
        """The question as plain text values; the threshold as a fraction."""
        fields = {
            "protected": self.protected,
            "group": self.group,
            "other": self.other,
            "decision": self.decision,
            "favorable": self.favorable,
            "threshold": str(self.threshold),
        }
        rule = {"rule": list(self.rule)} if self.rule else {}
        return {name: value for name, value in fields.items() if value is not None} | rule


def check_values(
    question: Question, values: Mapping[str, Mapping[str, int]], *, where: str = ""
) -> None:
    """Raise every way in which the question does not fit the values that were counted.

    ``values`` gives for the protected attribute and the decision how often each value occurs.
    """
    protected, decision = values[question.protected], values[question.decision]
    problems = [
        *_spelling_problems(question.protected, protected),
        *_spelling_problems(question.decision, decision),
        *_absent_value(question.protected, "group", question.group, protected),
        *_absent_value(question.decision, "favorable", question.favorable, decision),
    ]
    if question.other not in (None, REST):
        problems += _absent_value(question.protected, "other", str(question.other), protected)
    if question.other == REST in protected:
        problems.append(
            Problem(
                f"{REST!r} is itself a value of {question.protected!r}.",
                "As `other` it means all other groups together.",
                "Merge that value under another name.",
            )
        )
    if len(protected) == 1:
        problems.append(
            Problem(
                f"The protected attribute {question.protected!r} has one value only: "
                f"{listed(protected)}.",
                "There is nobody to compare with.",
                "Name another column, or read rows of other groups too.",
            )
        )
    elif len(protected) > 2 and question.other is None:
        problems.append(
            Problem(
                f"The protected attribute {question.protected!r} has {len(protected)} values: "
                f"{listed(protected)}.",
                "One group is compared with one other.",
                (
                    Remedy("Name the other group", "other"),
                    Remedy("pool all others", "other", REST),
                ),
            )
        )
    if len(decision) == 1:
        problems.append(
            Problem(
                f"The decision {question.decision!r} is always {listed(decision)}.",
                "No difference can show where nothing differs.",
                "Name another column as the decision.",
            )
        )
    if problems:
        raise QuestionError(*(replace(problem, where=where) for problem in problems))


def _parse_threshold(value: Number) -> Fraction:
    try:
        threshold = exact_fraction(value)
    except ValueError as error:
        hint = _suggest_number(str(value))
        raise QuestionError.of(
            f"The threshold {value!r} cannot be used.",
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
            f"The threshold {value!s} is not between 0 and 1.",
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


def _absent_value(
    column: str, role: str, value: str, values: Mapping[str, int]
) -> list[Problem]:
    if value in values:
        return []
    return [
        Problem(
            f"The column {column!r} has no value {value!r}, which is asked for as `{role}`.",
            f"Its values are {listed(values)}. {did_you_mean(value, values)}".strip(),
            "Write the value exactly as it stands in the data.",
        )
    ]


def spelling_variants(values: Iterable[str]) -> list[list[str]]:
    """Values that differ in case, spaces, Unicode form or closing marks alone.

    >>> spelling_variants(["yes", "no", "Yes ", "no."])
    [['yes', 'Yes '], ['no', 'no.']]
    """
    alike: dict[str, list[str]] = {}
    for value in values:
        spaced = " ".join(normalize("NFKC", value).split())
        alike.setdefault(spaced.rstrip(".,;: ").casefold(), []).append(value)
    return [group for group in alike.values() if len(group) > 1]


def _spelling_problems(column: str, values: Mapping[str, int]) -> list[Problem]:
    return [
        Problem(
            f"The column {column!r} writes one value in {len(group)} ways: {listed(group)}.",
            "Counted apart they would be different groups.",
            Remedy("Merge them", "merge", {column: {min(group, key=len): group}}),
        )
        for group in spelling_variants(values)
    ]
