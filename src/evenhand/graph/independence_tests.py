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
say nothing against independence: such a test is untestable and counts as independent.

In a stratum with given margins chi-square is on average N / (N − 1) times its degrees of
freedom: in thin strata it rejects too often. The adjusted test takes this factor away.
"""

from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import QuestionError, did_you_mean, listed

# A number, or an array of numbers.
_Number = Any


class Statistic(NamedTuple):
    """Chi-square, or G², the ratio of likelihoods; and whether strata are weighted."""

    likelihood_ratio: bool = False
    weighted: bool = False


def term(statistic: Statistic, n: _Number, expected: _Number) -> _Number:
    """What a cell adds, of numbers or arrays; the numba kernel compiles it as it stands.

    Without rows it is proportional to those expected, so that such cells need not be visited.
    """
    if statistic.likelihood_ratio:
        # Too little is added to change any ratio but zero.
        return 2.0 * n * np.log(n / expected + 1e-300)
    part = n - expected  # in place from here on: arrays are long
    part *= part
    part /= expected
    return part


STATISTICS = {
    "chi-square": Statistic(),
    "chi-square-adjusted": Statistic(weighted=True),
    "g-square": Statistic(likelihood_ratio=True),
}
TESTS = tuple(STATISTICS)


class Independence(NamedTuple):
    """The result of a test of two columns given others."""

    statistic: float
    degrees_of_freedom: int
    p: float
    independent: bool

    @property
    def is_testable(self) -> bool:
        """Whether a degree of freedom is left; p is one where none is."""
        return self.degrees_of_freedom > 0


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
