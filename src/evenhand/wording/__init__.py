"""Statements about results: made here once, shown by the terminal, the report and the app."""

from evenhand.wording.sentence_parts import (
    Code,
    Premise,
    Strong,
    Text,
    VerdictCard,
    capital,
    count,
    listing,
    part,
    rate,
    share,
    text,
)
from evenhand.wording.vocabulary import Words, has_sides

__all__ = [
    "Code",
    "Premise",
    "Strong",
    "Text",
    "VerdictCard",
    "Words",
    "capital",
    "count",
    "has_sides",
    "listing",
    "part",
    "rate",
    "share",
    "text",
]
