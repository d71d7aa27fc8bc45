"""Values that look like markers of missing values but were counted as values.

Whether "NA" is a missing value or Namibia only the owner of the data knows. So nothing is
recoded, but the user is told.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.errors import Problem, Remedy

_MARKERS = frozenset(
    {"", "?", "??", "-", "--", ".", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null"}
)
_MOST_NOTES = 5


@dataclass(frozen=True, slots=True)
class MissingMarker:
    """A value of a column that may mean a missing one, and how many rows have it."""

    name: str
    value: str
    row_count: int

    @property
    def problem(self) -> Problem:
        """A note with what to do if it does mean that."""
        return Problem(
            f"{self.name} has {self.row_count:,} row{'s'[: self.row_count > 1]} with "
            f"{self.value!r}, taken as a value.",
            remedy=Remedy("If it means that there is none, declare it", "na", [self.value]),
        )


def looks_missing(value: str) -> bool:
    """Whether a text often stands for a missing value.

    >>> [looks_missing(text) for text in (" ?", "N/A", "none", "0")]
    [True, True, False, False]
    """
    return value.strip().casefold() in _MARKERS


def marker_notes(markers: Sequence[MissingMarker]) -> tuple[Problem, ...]:
    """A note for each of the first markers, and one for all others."""
    rest = sorted({marker.name for marker in markers[_MOST_NOTES:]})
    more = Problem(f"Values that look missing are in {', '.join(rest)}, too.")
    return (*(marker.problem for marker in markers[:_MOST_NOTES]), *([more] if rest else []))
