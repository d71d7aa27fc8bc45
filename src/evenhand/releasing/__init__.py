"""A plan applied to rows, counted and certified again, published; and what it cost."""

from evenhand.releasing.accuracy import Accuracy
from evenhand.releasing.betrayal import Betrayal
from evenhand.releasing.compare import Comparison
from evenhand.releasing.cost import Relearned, Utility
from evenhand.releasing.publish import PublishedFiles
from evenhand.releasing.release import Release

__all__ = [
    "Accuracy",
    "Betrayal",
    "Comparison",
    "PublishedFiles",
    "Relearned",
    "Release",
    "Utility",
]
