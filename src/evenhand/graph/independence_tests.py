"""Is x independent of y in every stratum of S? Tests on counts, one at a time.

For a cell with n rows in a stratum of n_s rows, whose row and column sums are r and c::

    chi-square           Σ over cells n² n_s / (r c)  −  rows
    g-square             2 Σ over cells n ln(n n_s / (r c))
    chi-square-adjusted  chi-square of each stratum times (n_s − 1) / n_s

Cells without rows add nothing to these sums, so none is ever built. Degrees of freedom are
added up over strata, (attested rows − 1)(attested columns − 1) each, and no minimum number of
rows is asked for. Where no stratum has a degree of freedom left the data say nothing against
independence: such a test is ``untestable`` and counts as independent.

In a stratum with given margins chi-square is on average n_s / (n_s − 1) times its degrees of
freedom: in thin strata it rejects too often. The adjusted test takes this factor away.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.errors import QuestionError, did_you_mean, listed
from evenhand.graph.kernels.line_groups import (
    LineGroups,
    containing_groups,
    refine,
    single_group,
)

Statistic = Literal["chi-square", "chi-square-adjusted", "g-square"]
TESTS: tuple[Statistic, ...] = get_args(Statistic)


@dataclass(frozen=True, slots=True)
class Independence:
    """The result of a test of x and y given a set.

    ``status`` is "untestable" where no degree of freedom is left; then p is one.
    """

    x: str
    y: str
    given: tuple[str, ...]
    statistic: float
    degrees_of_freedom: int
    p: float
    status: Literal["tested", "untestable"]
    independent: bool


class Tester:
    """Tests independence in a table of counts.

    >>> counts = CountTable.of(
    ...     {"x": ["a", "a", "b", "b"], "y": ["c", "d", "c", "d"]}, counts=[10, 20, 30, 40]
    ... )
    >>> tester = Tester(counts)
    >>> result = tester.test("x", "y", ())
    >>> round(result.statistic, 7), result.degrees_of_freedom, result.independent
    (0.7936508, 1, True)
    """

    # Its name must not make test runners collect it.
    __test__ = False

    def __init__(
        self, counts: CountTable, *, test: str = "chi-square", significance: float = 0.01
    ) -> None:
        self.counts = counts
        self.kind = check_test(test)
        self.significance = check_significance(significance)
        self._rows = counts.counts.astype(np.float64)
        # Searches condition on the same few sets again and again.
        self._strata = lru_cache(maxsize=64)(self._partition)

    def test(self, x: str, y: str, given: Iterable[str] = ()) -> Independence:
        """Test x against y within the strata of ``given``; the order of names is no matter."""
        key = (min(x, y), max(x, y), tuple(sorted(given)))
        if x == y or x in key[2] or y in key[2]:
            raise QuestionError.of(
                f"{x!r} and {y!r} cannot be tested given {listed(key[2])}.",
                "A column stands there twice.",
                "Name two different columns, and condition on others.",
            )
        statistic, degrees = self._statistic(*key)
        p = float(p_values(np.array([statistic]), np.array([degrees]))[0])
        return Independence(
            *key,
            statistic=statistic,
            degrees_of_freedom=degrees,
            p=p,
            status="tested" if degrees else "untestable",
            independent=p > self.significance,
        )

    def _statistic(self, x: str, y: str, given: tuple[str, ...]) -> tuple[float, int]:
        strata = self._strata(given)
        by_x, by_y = self._split(strata, x), self._split(strata, y)
        cells = self._split(by_x, y)
        n = cells.rows
        n_x, n_y, n_s = (g.rows[containing_groups(cells, g)] for g in (by_x, by_y, strata))
        attested_x, attested_y = (
            np.bincount(containing_groups(g, strata), minlength=len(strata.rows))
            for g in (by_x, by_y)
        )
        degrees = int(((attested_x - 1) * (attested_y - 1)).sum())
        if self.kind == "g-square":
            statistic = 2 * (n * np.log(n / n_x * (n_s / n_y))).sum()
        elif self.kind == "chi-square":
            statistic = (n * (n / n_x * (n_s / n_y) - 1)).sum()
        else:
            weight = (n_s - 1) / n_s
            statistic = (n * weight * (n / n_x * (n_s / n_y) - 1)).sum()
        return max(float(statistic), 0.0) if degrees else 0.0, degrees

    def _split(self, groups: LineGroups, name: str) -> LineGroups:
        at = self.counts.position(name)
        return refine(groups, self.counts.codes[at], self.counts.cards[at], self._rows)

    def _partition(self, given: tuple[str, ...]) -> LineGroups:
        groups = single_group(self._rows)
        for name in given:
            groups = self._split(groups, name)
        return groups


def p_values(
    statistic: NDArray[np.float64], degrees_of_freedom: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The chance of a statistic as large as this or larger, were x and y independent.

    By the survival function: one minus the distribution would round all below 1e-16 to zero.
    """
    from scipy.special import chdtrc  # noqa: PLC0415  (a quarter of a second to import)

    # Where everything agrees the statistic is zero, give or take a rounding error.
    positive = np.maximum(statistic, 0)
    p: NDArray[np.float64] = chdtrc(np.maximum(degrees_of_freedom, 1), positive)
    return np.where(degrees_of_freedom > 0, p, 1.0)


def check_test(test: str) -> Statistic:
    """Return the test of that name."""
    check_choice("test", test, TESTS)
    return cast("Statistic", test)


def check_choice(what: str, choice: str, choices: tuple[str, ...]) -> None:
    """Refuse what is not among the choices."""
    if choice not in choices:
        similar = did_you_mean(str(choice), choices)
        raise QuestionError.of(
            f"There is no {what} {choice!r}.",
            f"The {what}s are {listed(choices)}. {similar}".strip(),
            "Name one of them.",
        )


def check_significance(significance: object) -> float:
    """Return the level as a float; refuse what is not strictly between zero and one."""
    if (
        isinstance(significance, (int, float, np.floating))
        and isfinite(significance)
        and 0 < significance < 1
    ):
        return float(significance)
    raise QuestionError.of(
        f"The significance {significance!r} is no number between 0 and 1.",
        remedy="Write it as a number, such as 0.01 for one per cent.",
    )
