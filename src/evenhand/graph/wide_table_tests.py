"""Tests on counts of a few attributes at a time, for tables too wide to be counted as a whole.

With many attributes nearly every row is an assignment of its own, and a table of all counts is
as long as the rows. A search around one decision looks only at small sets of attributes, so
their counts are made on demand and cached. The tests of a batch are evaluated on one table of
all their attributes, or on several where that table would be large.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol

from evenhand.counts import CountTable
from evenhand.graph.batch_tester import BatchTester
from evenhand.graph.independence_tests import Independence
from evenhand.graph.kernel_choice import NamedTest
from evenhand.question import SIGNIFICANCE

# Tests share a table of at most so many codes, rows times attributes.
_MOST_CODES = 2**22
_CACHED_TABLES = 16


class Marginals(Protocol):
    """Anything that can count some of its attributes: a table of counts, or rows."""

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        ...

    def marginal(self, names: Iterable[str]) -> CountTable:
        """The counts of some attributes."""
        ...

    @property
    def drops_rows(self) -> bool:
        """Whether rows that lack a value of these attributes are left out of their counts."""
        ...


class TesterOnDemand:
    """Tests independence; counts the attributes of tests on demand and caches the tables.

    >>> counts = CountTable.of({"x": ["a", "a", "b"], "y": ["c", "d", "c"], "z": ["e"] * 3})
    >>> TesterOnDemand(counts).test("x", "y").p == BatchTester(counts).test("x", "y").p
    True
    """

    # Its name must not make test runners collect it.
    __test__ = False

    def __init__(
        self,
        source: CountTable | Marginals,
        *,
        test: str = "chi-square",
        significance: float = SIGNIFICANCE,
    ) -> None:
        self._source = source
        self._tester = partial(BatchTester, test=test, significance=significance)
        self._tables: deque[tuple[frozenset[str], BatchTester]] = deque(maxlen=_CACHED_TABLES)
        # The rows, once something has been counted.
        self._most_lines = _MOST_CODES
        self._cards: dict[str, int] = {}
        # Attributes of other tests would drop rows of their own.
        self._shares = isinstance(source, CountTable) or not source.drops_rows

    def test(self, x: str, y: str, given: Iterable[str] = ()) -> Independence:
        """Test x against y within the strata of ``given``."""
        return self.test_all([(x, y, tuple(given))])[0]

    def test_all(self, tests: Sequence[NamedTest]) -> list[Independence]:
        """Test each x against its y given its set."""
        return [
            result
            for part in self.parts(tests)
            for result in self._covering(_attributes(part)).test_all(part)
        ]

    def parts(self, tests: Sequence[NamedTest]) -> Iterator[Sequence[NamedTest]]:
        """The tests in turn, as many at a time as share a table."""
        begin = 0
        while begin < len(tests):
            names: set[str] = set()
            lines, end = 1, begin
            while end < len(tests):
                more = _attributes(tests[end : end + 1]) - names
                for name in more:
                    lines = min(
                        lines * self._cards.get(name, self._most_lines), self._most_lines
                    )
                is_large = not self._shares or lines * len(names | more) > _MOST_CODES
                if end > begin and more and is_large:
                    break
                names |= more
                end += 1
            yield tests[begin:end]
            begin = end

    def _covering(self, names: frozenset[str]) -> BatchTester:
        """A tester on the counts of these attributes, perhaps with others."""
        for counted, tester in self._tables:
            if names == counted or (self._shares and names < counted):
                return tester
        counts = self._source.marginal(sorted(names))
        self._most_lines = counts.row_count
        self._cards |= dict(zip(counts.names, counts.cards, strict=True))
        tester = self._tester(counts)
        self._tables.appendleft((names, tester))
        return tester


def _attributes(tests: Iterable[NamedTest]) -> frozenset[str]:
    return frozenset(name for x, y, given in tests for name in (x, y, *given))


def make_tester(
    source: CountTable | Marginals, *, test: str, significance: float
) -> BatchTester | TesterOnDemand:
    """A tester for counts of everything, or one that counts on demand."""
    if isinstance(source, CountTable):
        return BatchTester(source, test=test, significance=significance)
    return TesterOnDemand(source, test=test, significance=significance)
