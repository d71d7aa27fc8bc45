"""Words for groups, and for what was decided about them."""

import re

from evenhand.question.question import Question
from evenhand.question.question_file import Labels

_PARTICIPLE = re.compile(r"[^\W\d_]+[^\W\d_eE]ed", re.IGNORECASE)
_BEGINS_DECISION = ("are", "earn", "got", "had", "have", "is", "received", "was", "were")


def group_heading(question: Question, value: str) -> str:
    """A group's value, after its column if it says nothing alone: "women", "sex 1"."""
    is_word = sum(letter.isalpha() for letter in value) > 1
    return value if is_word else f"{question.groups_column} {value}"


def people_of(question: Question, value: str, words: Labels) -> str:
    """People with a value of the protected attribute: "women", "people with sex 2"."""
    name = question.groups_column
    label = words.value(name, value)
    return label if label != value else f"people with {words.column(name)} {value}"


def begins_decision(label: str) -> bool:
    """Whether a label of a decision is part of a sentence: "were admitted"."""
    return label.partition(" ")[0] in _BEGINS_DECISION


def decision_phrase(question: Question, words: Labels, decision: str = "") -> str:
    """What happened to those who were favored: "were admitted", "had income >50K".

    A value that ends like a participle is one: "hired" gives "were hired".
    """
    label = words.value(question.decision, decision or question.favorable_label)
    column = words.column(question.decision)
    if begins_decision(label):
        return label
    if _PARTICIPLE.fullmatch(label):
        return f"were {label}"
    return f"had {label}" if column.casefold() in label.casefold() else f"had {column} {label}"
