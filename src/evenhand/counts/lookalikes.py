"""Values that look as if something were missing, counted as values because nobody said so.

Whether "NA" is a missing value or Namibia only the owner of the data knows. So nothing is
recoded, but it is said.
"""

from collections.abc import Sequence
from dataclasses import dataclass

_MISSING = frozenset(
    {"", "?", "??", "-", "--", ".", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null"}
)
_TOLD = 5


@dataclass(frozen=True, slots=True)
class Lookalike:
    """A value of a column that may mean that there is none, and how many rows have it."""

    name: str
    value: str
    rows: int

    def __str__(self) -> str:
        return (
            f"{self.name} has {self.rows:,} row{'s'[: self.rows > 1]} with {self.value!r}, "
            f"taken as a value; declare it as missing if it is (--na {self.value!r}, in Python "
            f"na=[{self.value!r}])."
        )


def looks_missing(value: str) -> bool:
    """Whether a text often stands for a missing value.

    >>> [looks_missing(text) for text in (" ?", "N/A", "none", "0")]
    [True, True, False, False]
    """
    return value.strip().casefold() in _MISSING


def notes(found: Sequence[Lookalike]) -> tuple[str, ...]:
    """A sentence for each of the first values, and for the rest one."""
    rest = sorted({one.name for one in found[_TOLD:]})
    more = f"Values that look missing are in {', '.join(rest)}, too." if rest else ""
    return (*map(str, found[:_TOLD]), *filter(None, [more]))
