"""Values that look like markers of missing values but were counted as values.

Whether "NA" is a missing value or Namibia only the owner of the data knows. So nothing is
recoded, but the user is told.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.errors import Problem, Remedy, listed

MARKERS = frozenset(
    {"", "?", "??", "-", "--", ".", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null"}
)
_MOST_NOTES = 5
_MOST_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class MissingMarker:
    """A value of a column that may mean a missing one, and how many rows have it."""

    name: str
    value: str
    row_count: int


def looks_missing(value: str) -> bool:
    """Whether a text often stands for a missing value.

    >>> [looks_missing(text) for text in (" ?", "N/A", "none", "0")]
    [True, True, False, False]
    """
    return value.strip().casefold() in MARKERS


def marker_notes(markers: Sequence[MissingMarker]) -> tuple[Problem, ...]:
    """A note for each of the first values, with its columns, and one for all others."""
    by_value: dict[str, list[MissingMarker]] = {}
    for marker in markers:
        by_value.setdefault(marker.value, []).append(marker)
    rest = [*by_value][_MOST_NOTES:]
    more = Problem(f"{len(rest)} more values look missing: {listed(rest)}.")
    notes = [_note(value, by_value[value]) for value in [*by_value][:_MOST_NOTES]]
    return (*notes, *([more] if rest else []))


def _note(value: str, markers: Sequence[MissingMarker]) -> Problem:
    """What to do if a value means that there is none."""
    first, *others = markers
    rows = f"{first.row_count:,} row{'s'[: first.row_count > 1]}"
    named = ", ".join(f"{one.name} {one.row_count:,}" for one in markers[:_MOST_COLUMNS])
    rest = len(markers) - _MOST_COLUMNS
    return Problem(
        f"{len(markers)} columns have rows with {value!r}, taken as a value: {named}"
        + (f" and {rest} more." if rest > 0 else ".")
        if others
        else f"{first.name} has {rows} with {value!r}, taken as a value.",
        remedy=Remedy("If it means that there is none, declare it", "na", [value]),
    )
