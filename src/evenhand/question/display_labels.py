"""Plain words for columns and values, and what they make of groups and decisions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evenhand.errors import ColumnError
from evenhand.question.fields import read_parts
from evenhand.question.question import Question

_PARTICIPLE = re.compile(r"[^\W\d_]+[^\W\d_eE]ed", re.IGNORECASE)
_BEGINS_DECISION = ("are", "earn", "got", "had", "have", "is", "received", "was", "were")


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Plain words for columns and values, used in sentences and pictures, never in data."""

    columns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        read_parts(self, "labels")

    def check(self, columns: Sequence[str], *, where: str) -> None:
        """Refuse labels for columns that the table lacks: they would have no effect."""
        if unknown := [name for name in {**self.columns, **self.values} if name not in columns]:
            raise ColumnError.unknown(unknown, columns, where=where)

    def column(self, name: str) -> str:
        """The plain words for the column, or its name."""
        return self.columns.get(name, name)

    def value(self, name: str, value: str) -> str:
        """The plain words for a value of the column, or the value."""
        return self.values.get(name, {}).get(value, value)


def group_heading(question: Question, value: str) -> str:
    """A group's value, after its column if it says nothing alone: "women", "sex 1"."""
    is_word = sum(letter.isalpha() for letter in value) > 1
    return value if is_word else f"{question.groups_column} {value}"


def people_of(question: Question, value: str, words: Labels) -> str:
    """People with a value of the protected attribute: "women", "people with “sex = 2”"."""
    name = question.groups_column
    label = words.value(name, value)
    return label if label != value else f"people with {quoted(words.column(name), value)}"


def quoted(*parts: str) -> str:
    """A name, or a column and its value, as a sentence takes them from the table.

    >>> quoted("two_year_recid"), quoted("sex", "2")
    ('“two_year_recid”', '“sex = 2”')
    """
    return f"“{' = '.join(parts)}”"


def begins_decision(label: str) -> bool:
    """Whether a label of a decision is part of a sentence: "were admitted"."""
    return label.partition(" ")[0] in _BEGINS_DECISION


def decision_phrase(question: Question, words: Labels, decision: str = "") -> str:
    """What happened to those who were favored: "were admitted", "had “income = >50K”".

    A value that ends like a participle is one: "hired" gives "were hired".
    """
    value, column = decision or question.favorable_label, words.column(question.decision)
    label = words.value(question.decision, value)
    if begins_decision(label):
        return label
    if _PARTICIPLE.fullmatch(label):
        return f"were {label}"
    if label == value:
        return f"had {quoted(column, value)}"
    return f"had {label}" if column.casefold() in label.casefold() else f"had {column} {label}"


def state_before(question: Question) -> str:
    """How decisions stood before a release: those of a model were predicted."""
    return "predicted" if question.predicts else "recorded"
