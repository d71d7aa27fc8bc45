"""evenhand: did the protected attribute itself change the decision, in any comparable group?

Names load their rooms when they are first used, so that the import costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand import datasets
    from evenhand.counts import Attribute, CountTable, pose
    from evenhand.errors import EvenhandError
    from evenhand.question import Bins, Codings, Knowledge, Question, QuestionFile, Tiers
    from evenhand.rows import Rows, read

_ROOMS = {
    "counts": ("Attribute", "CountTable", "pose"),
    "errors": ("EvenhandError",),
    "question": ("Bins", "Codings", "Knowledge", "Question", "QuestionFile", "Tiers"),
    "rows": ("Rows", "read"),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Attribute",
    "Bins",
    "Codings",
    "CountTable",
    "EvenhandError",
    "Knowledge",
    "Question",
    "QuestionFile",
    "Rows",
    "Tiers",
    "datasets",
    "pose",
    "read",
]


def __getattr__(name: str) -> object:
    if name == "datasets":
        return import_module("evenhand.datasets")
    if name not in _HOMES:
        raise AttributeError(f"module 'evenhand' has no attribute {name!r}")
    return getattr(import_module(f"evenhand.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
