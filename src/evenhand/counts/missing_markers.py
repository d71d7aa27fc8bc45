"""Values that look as if something were missing, counted as values because nobody said so.

Whether "NA" is a missing value or Namibia only the owner of the data knows. So nothing is
recoded, but it is said.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.errors import Problem, Remedy

_MISSING = frozenset(
    {"", "?", "??", "-", "--", ".", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null"}
)
_TOLD = 5


@dataclass(frozen=True, slots=True)
class MissingMarker:
    """A value of a column that may mean that there is none, and how many rows have it."""

    name: str
    value: str
    rows: int

    @property
    def problem(self) -> Problem:
        """What to do if it does mean that."""
        return Problem(
            f"{self.name} has {self.rows:,} row{'s'[: self.rows > 1]} with {self.value!r}, "
            "taken as a value.",
            remedy=Remedy("If it means that there is none, declare it", "na", [self.value]),
        )


def looks_missing(value: str) -> bool:
    """Whether a text often stands for a missing value.

    >>> [looks_missing(text) for text in (" ?", "N/A", "none", "0")]
    [True, True, False, False]
    """
    return value.strip().casefold() in _MISSING


def notes(found: Sequence[MissingMarker]) -> tuple[Problem, ...]:
    """A sentence for each of the first values, and for the rest one."""
    rest = sorted({one.name for one in found[_TOLD:]})
    more = Problem(f"Values that look missing are in {', '.join(rest)}, too.")
    return (*(one.problem for one in found[:_TOLD]), *([more] if rest else []))
