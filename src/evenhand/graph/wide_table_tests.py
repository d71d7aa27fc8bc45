"""Tests on counts of a few attributes at a time, for tables too wide to be counted as a whole.

With many attributes nearly every row is an assignment of its own, and a table of all counts is
as long as the rows. A search around one decision looks only at small sets of attributes, so
their counts are made on demand and cached. Counting a set costs one pass over its columns; a
test costs one pass over its counts, which are far fewer. So when a test needs more than a pair,
recently used attributes are counted along while the table stays small: a search asks for the
same ones in ever new combinations.
"""

from collections import deque
from collections.abc import Iterable
from typing import Protocol

from evenhand.counts import CountTable
from evenhand.graph.batch_tester import BatchTester
from evenhand.graph.independence_tests import (
    Independence,
    Tester,
    check_significance,
    check_test,
)

# A table to which recent attributes are added has at most so many cells.
_MOST_CELLS = 2**16
_CACHED_TABLES = 64
_RECENT_NAMES = 24


class Marginals(Protocol):
    """Anything that can count some of its attributes: a table of counts, or rows."""

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        ...

    def marginal(self, names: Iterable[str]) -> CountTable:
        """The counts of some attributes."""
        ...


class TesterOnDemand:
    """Tests independence; counts the attributes of a test on demand and caches the tables.

    >>> counts = CountTable.of({"x": ["a", "a", "b"], "y": ["c", "d", "c"], "z": ["e"] * 3})
    >>> TesterOnDemand(counts).test("x", "y").p == Tester(counts).test("x", "y").p
    True
    """

    # Its name must not make test runners collect it.
    __test__ = False

    def __init__(
        self, source: Marginals, *, test: str = "chi-square", significance: float = 0.01
    ) -> None:
        self._source = source
        self._test, self._significance = check_test(test), check_significance(significance)
        self._tables: deque[tuple[frozenset[str], Tester]] = deque(maxlen=_CACHED_TABLES)
        # Names in order of use, the latest last.
        self._recent: dict[str, None] = {}
        self._cards: dict[str, int] = {}

    def test(self, x: str, y: str, given: Iterable[str] = ()) -> Independence:
        """Test x against y within the strata of ``given``."""
        given = tuple(given)
        needed = frozenset((x, y, *given))
        tester = next((t for names, t in self._tables if needed <= names), None)
        return (tester or self._count(needed)).test(x, y, given)

    def _count(self, needed: frozenset[str]) -> Tester:
        names = self._with_recent(needed) if len(needed) > 2 else needed
        counts = self._source.marginal(sorted(names))
        self._cards |= dict(zip(counts.names, counts.cards, strict=True))
        tester = Tester(counts, test=self._test, significance=self._significance)
        self._tables.appendleft((names, tester))
        return tester

    def _with_recent(self, needed: frozenset[str]) -> frozenset[str]:
        """The names with recently used ones, as long as their table stays small."""
        names, cells = set(needed), 1
        for name in needed:
            cells *= self._cards.get(name, 1)
            self._recent.pop(name, None)
            self._recent[name] = None
        for name in [*self._recent][::-1][:_RECENT_NAMES]:
            if name not in names and cells * self._cards.get(name, 2) <= _MOST_CELLS:
                names.add(name)
                cells *= self._cards.get(name, 2)
        return frozenset(names)


def make_tester(
    source: CountTable | Marginals, *, test: str, significance: float
) -> BatchTester | TesterOnDemand:
    """A tester for counts of everything, or one that counts on demand."""
    if isinstance(source, CountTable):
        return BatchTester(source, test=test, significance=significance)
    return TesterOnDemand(source, test=test, significance=significance)
