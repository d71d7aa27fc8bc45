"""Statements about results: made here once, shown by the terminal, the report and the app."""

from evenhand.wording.numbers import (
    MOST_LISTED,
    capital,
    count,
    listing,
    rate,
    share,
    shortened,
    tally,
)
from evenhand.wording.statements import Code, Premise, Section, Strong, Text, VerdictCard, text
from evenhand.wording.words import Words, has_sides, joined_labels, readable_labels

__all__ = [
    "MOST_LISTED",
    "Code",
    "Premise",
    "Section",
    "Strong",
    "Text",
    "VerdictCard",
    "Words",
    "capital",
    "count",
    "has_sides",
    "joined_labels",
    "listing",
    "rate",
    "readable_labels",
    "share",
    "shortened",
    "tally",
    "text",
]
