"""What is asked: the question, what is known before, and how columns are read."""

from evenhand.question.codings import Codings
from evenhand.question.compared import REST, Against, Pair, Pairs
from evenhand.question.graph_edits import GraphEdit
from evenhand.question.knowledge import SIGNIFICANCE, Arrow, Knowledge, KnownOrder, Tiers
from evenhand.question.number_classes import Bins
from evenhand.question.outcome import OR, Cumulative, Every, Favorable
from evenhand.question.parse_values import Number, as_label, exact_fraction
from evenhand.question.question import JOIN, Question
from evenhand.question.question_file import Judge, Labels, QuestionFile

__all__ = [
    "JOIN",
    "OR",
    "REST",
    "SIGNIFICANCE",
    "Against",
    "Arrow",
    "Bins",
    "Codings",
    "Cumulative",
    "Every",
    "Favorable",
    "GraphEdit",
    "Judge",
    "Knowledge",
    "KnownOrder",
    "Labels",
    "Number",
    "Pair",
    "Pairs",
    "Question",
    "QuestionFile",
    "Tiers",
    "as_label",
    "exact_fraction",
]
