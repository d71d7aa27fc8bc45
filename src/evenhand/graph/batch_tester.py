"""``BatchTester``: independence tests of named attributes, many at a time on one table."""

from collections.abc import Iterable, Iterator, Sequence

from evenhand.counts import CountTable
from evenhand.graph.independence_tests import (
    Independence,
    check_significance,
    check_test,
    p_values,
)
from evenhand.graph.kernel_choice import Evaluator, NamedTest


class BatchTester:
    """Tests independence in a table of counts by the kernels that ``discover`` uses.

    >>> counts = CountTable.of({"x": ["a", "a", "b"], "y": ["c", "d", "c"]})
    >>> BatchTester(counts).test("x", "y").degrees_of_freedom
    1
    """

    def __init__(
        self, counts: CountTable, *, test: str = "chi-square", significance: float = 0.01
    ) -> None:
        self.kind, self.significance = check_test(test), check_significance(significance)
        self.evaluator = Evaluator(counts, sorted(counts.names))

    def test(self, x: str, y: str, given: Iterable[str] = ()) -> Independence:
        """Test x against y within the strata of ``given``."""
        return self.test_all([(x, y, tuple(given))])[0]

    def parts(self, tests: Sequence[NamedTest]) -> Iterator[Sequence[NamedTest]]:
        """The tests, as many at a time as it pays to evaluate together: all of them."""
        yield tests

    def test_all(self, tests: Sequence[NamedTest]) -> list[Independence]:
        """Test each x against its y given its set."""
        results = self.evaluator.statistics_by_name(tests, self.kind)
        columns = (*results, p_values(*results))
        return [
            Independence(
                x,
                y,
                tuple(sorted(given)),
                statistic=statistic,
                degrees_of_freedom=degrees,
                p=p,
                status="tested" if degrees else "untestable",
                independent=p > self.significance,
            )
            for (x, y, given), statistic, degrees, p in zip(
                tests, *(column.tolist() for column in columns), strict=True
            )
        ]
