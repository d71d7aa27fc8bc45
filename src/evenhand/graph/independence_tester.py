"""``IndependenceTester``: tests of named attributes, many at a time, by the kernels of PC.

With many attributes nearly every row is an assignment of its own, and a table of all counts is
as long as the rows. A search around one decision looks only at small sets of attributes, so
that of rows their counts are made on demand and cached. The tests of a batch are evaluated on
one table of all their attributes, or on several where that table would be large.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Protocol

import numpy as np

from evenhand.counts import CountTable
from evenhand.errors import ColumnError, QuestionError, listed
from evenhand.graph.independence_tests import (
    Independence,
    check_significance,
    check_test,
    p_values,
)
from evenhand.graph.kernel_choice import Evaluator, NamedTest
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


class IndependenceTester:
    """Tests independence in counts, or in rows of which it counts what the tests need.

    >>> counts = CountTable.of(
    ...     {"x": ["a", "a", "b", "b"], "y": ["c", "d", "c", "d"]}, counts=[10, 20, 30, 40]
    ... )
    >>> result = IndependenceTester(counts).test("x", "y")
    >>> round(result.statistic, 7), result.degrees_of_freedom, result.independent
    (0.7936508, 1, True)
    """

    def __init__(
        self,
        source: CountTable | Marginals,
        *,
        test: str = "chi-square",
        significance: float = SIGNIFICANCE,
    ) -> None:
        self._source = source
        self.kind, self.significance = check_test(test), check_significance(significance)
        self._tables: deque[tuple[frozenset[str], Evaluator]] = deque(maxlen=_CACHED_TABLES)
        # The rows, once something has been counted.
        self._most_lines = _MOST_CODES
        self._cards: dict[str, int] = {}
        # Attributes of other tests would drop rows of their own.
        self._shares = isinstance(source, CountTable) or not source.drops_rows

    def test(self, x: str, y: str, given: Iterable[str] = ()) -> Independence:
        """Test x against y within the strata of ``given``; the order of names is no matter."""
        x, y, given = min(x, y), max(x, y), tuple(given)
        if unknown := [name for name in (x, y, *given) if name not in self._source.names]:
            raise ColumnError.unknown(unknown, self._source.names)
        if len({x, y, *given}) < len(given) + 2:
            raise QuestionError.of(
                f"{x!r} and {y!r} cannot be tested given {listed(given) or 'nothing'}.",
                "A column stands there twice.",
                "Name two different columns, and condition on others.",
            )
        return self.test_all([(x, y, given)])[0]

    def test_all(
        self, tests: Sequence[NamedTest], *, kind: str | None = None
    ) -> list[Independence]:
        """Test each x against its y given its set; by another kind of test, if one is named."""
        return [one for part in self.parts(tests, kind=kind) for one in part]

    def parts(
        self, tests: Sequence[NamedTest], *, kind: str | None = None
    ) -> Iterator[list[Independence]]:
        """The results in turn, of as many tests at a time as share a table."""
        begin = 0
        while begin < len(tests):
            end, names = self._sharing(tests, begin)
            results = self._covering(names).statistics_by_name(
                tests[begin:end], kind or self.kind
            )
            columns = (*results, p_values(*results))
            yield [
                Independence(statistic, degrees, p, independent=p > self.significance)
                for statistic, degrees, p in zip(*map(np.ndarray.tolist, columns), strict=True)
            ]
            begin = end

    def _sharing(self, tests: Sequence[NamedTest], begin: int) -> tuple[int, frozenset[str]]:
        """Where the tests end that share a table, and the attributes of the table."""
        if isinstance(self._source, CountTable):
            return len(tests), frozenset(self._source.names)
        names: frozenset[str] = frozenset()
        lines, most = 1, self._most_lines
        for end in range(begin, len(tests)):
            x, y, given = tests[end]
            both = names.union((x, y), given)
            lines = min(
                most, lines * prod(self._cards.get(name, most) for name in both - names)
            )
            is_large = not self._shares or lines * len(both) > _MOST_CODES
            if end > begin and both != names and is_large:
                return end, names
            names = both
        return len(tests), names

    def _covering(self, names: frozenset[str]) -> Evaluator:
        """What evaluates tests on the counts of these attributes, perhaps with others."""
        for counted, evaluator in self._tables:
            if names == counted or (self._shares and names < counted):
                return evaluator
        source = self._source
        counts = source if isinstance(source, CountTable) else source.marginal(sorted(names))
        self._most_lines = counts.row_count
        self._cards |= dict(zip(counts.names, counts.cards, strict=True))
        evaluator = Evaluator(counts, sorted(counts.names))
        self._tables.appendleft((names, evaluator))
        return evaluator
