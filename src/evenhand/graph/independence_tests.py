"""Is x independent of y in every stratum of S? The tests, and what they result in.

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

from dataclasses import dataclass
from math import isfinite
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import QuestionError, did_you_mean, listed

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
