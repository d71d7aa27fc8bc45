"""A plan applied to rows, counted and certified again, published; and what it cost."""

from evenhand.releasing.compare import Comparison
from evenhand.releasing.cost import Accuracy, Relearned, Utility
from evenhand.releasing.release import Release
from evenhand.releasing.release_targets import PublishedFiles
from evenhand.releasing.revealing_columns import RevealingColumn

__all__ = [
    "Accuracy",
    "Comparison",
    "PublishedFiles",
    "Relearned",
    "Release",
    "RevealingColumn",
    "Utility",
]
