"""How far a pass over the rows is, how fast it goes, and how long it will take."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Passed:
    """Rows that went by, of how many in all where that is known, in how many seconds.

    >>> Passed(what="counting", rows=3_000_000, total=12_000_000, seconds=2.0).seconds_left
    6.0
    """

    what: str
    rows: int
    total: int | None
    seconds: float

    @property
    def rate(self) -> float:
        """Rows for each second."""
        return self.rows / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long the rest will take at this rate; None where that cannot be told."""
        if self.total is None or not self.rate:
            return None
        return max(self.total - self.rows, 0) / self.rate


Watch: TypeAlias = Callable[[Passed], None]


class Clock:
    """Tells a watcher, if there is one, of rows as they go by."""

    def __init__(self, what: str, total: int | None, watch: Watch | None) -> None:
        self._what, self._total, self._watch = what, total, watch
        self._rows, self._begin = 0, perf_counter()

    def passed(self, rows: int) -> None:
        """So many more rows went by."""
        if self._watch:
            self._rows += rows
            seconds = perf_counter() - self._begin
            self._watch(Passed(self._what, self._rows, self._total, seconds))
