"""Is x independent of y in every stratum of S? The tests, and what they result in.

A cell with n rows, in a stratum of N rows whose row and column sums are r and c, is expected to
have e = r c / N rows. A statistic is a sum over strata, and over cells where r and c are not
zero::

    Σ weight · Σ term(n, e)

    chi-square           term (n − e)² / e
    chi-square-adjusted  the same, weight (N − 1) / N
    g-square             term 2 n ln(n / e)

Degrees of freedom are added up over strata, (attested rows − 1)(attested columns − 1) each, and
no minimum number of rows is asked for. Where no stratum has a degree of freedom left the data
say nothing against independence: such a test is ``untestable`` and counts as independent.

In a stratum with given margins chi-square is on average N / (N − 1) times its degrees of
freedom: in thin strata it rejects too often. The adjusted test takes this factor away.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import QuestionError, did_you_mean, listed

# A number, or an array of numbers.
_Number = Any


class Statistic(NamedTuple):
    """A formula for numbers and for arrays, which the numba kernel compiles as it stands.

    ``term`` gets the rows of a cell and those expected. Without rows it is proportional to
    those expected, so that cells without rows need not be visited. ``weight`` gets a stratum's
    rows, its degrees of freedom and, for each end, the sum of one over each margin; strata
    without freedom, whose terms are zero, are given one degree. Left out, it is one.
    """

    term: Callable[[_Number, _Number], _Number]
    weight: Callable[[_Number, _Number, _Number, _Number], _Number] | None = None

    @property
    def is_pearson(self) -> bool:
        """Whether it is plain chi-square, which has shorter formulas for narrow tables."""
        return self == Statistic(_pearson)


def _pearson(n: _Number, expected: _Number) -> _Number:
    term = n - expected  # in place from here on: arrays are long
    term *= term
    term /= expected
    return term


def _log_likelihood(n: _Number, expected: _Number) -> _Number:
    return 2.0 * n * np.log(n / expected + 1e-300)  # too little to change any ratio but zero


def _without_bias(rows: _Number, _degrees: _Number, _x: _Number, _y: _Number) -> _Number:
    return (rows - 1.0) / rows


STATISTICS = {
    "chi-square": Statistic(_pearson),
    "chi-square-adjusted": Statistic(_pearson, _without_bias),
    "g-square": Statistic(_log_likelihood),
}
TESTS = tuple(STATISTICS)


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


def check_test(test: str) -> str:
    """Return the name of a test; refuse what is none."""
    check_choice("test", test, TESTS)
    return test


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
