"""What is asked: the question, what is known before, and how columns are read."""

from evenhand.question.codings import Bins, Codings
from evenhand.question.file import QuestionFile
from evenhand.question.knowledge import Arrow, Knowledge, KnownOrder, Tiers
from evenhand.question.question import Question, as_label, exact_fraction

__all__ = [
    "Arrow",
    "Bins",
    "Codings",
    "Knowledge",
    "KnownOrder",
    "Question",
    "QuestionFile",
    "Tiers",
    "as_label",
    "exact_fraction",
]
