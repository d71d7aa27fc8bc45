"""``BatchTester``: independence tests of named attributes, many at a time on one table."""

from collections.abc import Iterable, Iterator, Sequence

from evenhand.counts import CountTable
from evenhand.errors import QuestionError, listed
from evenhand.graph.independence_tests import (
    Independence,
    check_significance,
    check_test,
    p_values,
)
from evenhand.graph.kernel_choice import Evaluator, NamedTest
from evenhand.question import SIGNIFICANCE


class BatchTester:
    """Tests independence in a table of counts by the kernels that ``discover`` uses.

    >>> counts = CountTable.of(
    ...     {"x": ["a", "a", "b", "b"], "y": ["c", "d", "c", "d"]}, counts=[10, 20, 30, 40]
    ... )
    >>> result = BatchTester(counts).test("x", "y")
    >>> round(result.statistic, 7), result.degrees_of_freedom, result.independent
    (0.7936508, 1, True)
    """

    def __init__(
        self,
        counts: CountTable,
        *,
        test: str = "chi-square",
        significance: float = SIGNIFICANCE,
    ) -> None:
        self.counts = counts
        self.kind, self.significance = check_test(test), check_significance(significance)
        self.evaluator = Evaluator(counts, sorted(counts.names))

    def test(self, x: str, y: str, given: Iterable[str] = ()) -> Independence:
        """Test x against y within the strata of ``given``; the order of names is no matter."""
        x, y, given = min(x, y), max(x, y), tuple(given)
        for name in (x, y, *given):
            self.counts.position(name)  # refuses an unknown one
        if len({x, y, *given}) < len(given) + 2:
            raise QuestionError.of(
                f"{x!r} and {y!r} cannot be tested given {listed(given) or 'nothing'}.",
                "A column stands there twice.",
                "Name two different columns, and condition on others.",
            )
        return self.test_all([(x, y, given)])[0]

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
