"""Tests on counts of a few attributes at a time, for tables too wide to be counted as a whole.

With many attributes nearly every row is an assignment of its own, and a table of all counts is
as long as the rows. A search around one decision looks only at small sets of attributes, so
these are counted when they are asked for. What a set costs is one pass over its columns; what a
test costs is one over its counts, which are far fewer. So when more than a pair is asked for,
attributes that were asked for lately are counted along as long as the counts stay few: a search
asks for the same ones in ever new combinations.
"""

from collections import deque
from collections.abc import Iterable
from typing import Protocol

from evenhand.counts import CountTable
from evenhand.graph.independence_tests import (
    Independence,
    Tester,
    check_significance,
    check_test,
)

# So many cells, at most, has a table that is counted for tests to come.
_MOST_CELLS = 2**16
_MOST_TABLES = 64
_MOST_LATELY = 24


class Marginals(Protocol):
    """Whatever can count the assignments of some of its attributes: counts, or rows."""

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        ...

    def marginal(self, names: Iterable[str]) -> CountTable:
        """The counts of some attributes."""
        ...


class TesterOnDemand:
    """Tests independence, and counts what it needs for that.

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
        self._tables: deque[tuple[frozenset[str], Tester]] = deque(maxlen=_MOST_TABLES)
        self._lately: dict[str, None] = {}
        self._cards: dict[str, int] = {}
        self.counted = 0

    def test(self, x: str, y: str, given: Iterable[str] = ()) -> Independence:
        """Test x against y within the strata of ``given``."""
        given = tuple(given)
        asked = frozenset((x, y, *given))
        tester = next((t for names, t in self._tables if asked <= names), None)
        return (tester or self._count(asked)).test(x, y, given)

    def _count(self, asked: frozenset[str]) -> Tester:
        names = self._with_others(asked) if len(asked) > 2 else asked
        counts = self._source.marginal(sorted(names))
        self.counted += 1
        self._cards |= dict(zip(counts.names, counts.cards, strict=True))
        tester = Tester(counts, test=self._test, significance=self._significance)
        self._tables.appendleft((names, tester))
        return tester

    def _with_others(self, asked: frozenset[str]) -> frozenset[str]:
        """A set with what was asked for lately, as far as its cells stay few."""
        names, cells = set(asked), 1
        for name in asked:
            cells *= self._cards.get(name, 1)
            self._lately.pop(name, None)
            self._lately[name] = None
        for name in [*self._lately][::-1][:_MOST_LATELY]:
            if name not in names and cells * self._cards.get(name, 2) <= _MOST_CELLS:
                names.add(name)
                cells *= self._cards.get(name, 2)
        return frozenset(names)


def make_tester(
    source: CountTable | Marginals, *, test: str, significance: float
) -> Tester | TesterOnDemand:
    """A tester for counts of everything, or one that counts on demand."""
    kind = Tester if isinstance(source, CountTable) else TesterOnDemand
    return kind(source, test=test, significance=significance)  # type: ignore[arg-type]  # as above
