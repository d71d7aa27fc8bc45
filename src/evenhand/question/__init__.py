"""What is asked: the question, what is known before, and how columns are read."""

from evenhand.question.codings import Codings
from evenhand.question.display_labels import Labels
from evenhand.question.knowledge import (
    SIGNIFICANCE,
    Arrow,
    GraphEdit,
    Knowledge,
    KnownOrder,
    Tiers,
)
from evenhand.question.number_classes import Bins
from evenhand.question.parse_values import JOIN, Number, as_label, exact_fraction
from evenhand.question.question import OR, REST, Question
from evenhand.question.question_file import Guess, Judge, QuestionFile

__all__ = [
    "JOIN",
    "OR",
    "REST",
    "SIGNIFICANCE",
    "Arrow",
    "Bins",
    "Codings",
    "GraphEdit",
    "Guess",
    "Judge",
    "Knowledge",
    "KnownOrder",
    "Labels",
    "Number",
    "Question",
    "QuestionFile",
    "Tiers",
    "as_label",
    "exact_fraction",
]
