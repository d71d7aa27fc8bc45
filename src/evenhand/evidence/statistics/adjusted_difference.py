"""The difference of two groups that is left when further columns are held constant linearly.

People who are alike in classes of a number may differ in the number. A least-squares regression
of the decision on the group, the numbers and a dummy for each stratum takes out what goes with
the numbers within the strata. It assumes that they count linearly and everywhere alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence.statistics.p_values import Z
from evenhand.evidence.statistics.tails import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedDifference:
    """The difference of the rates, other minus group, with a 95 % interval."""

    difference: float
    low: float
    high: float


def adjusted_difference(
    stratum: NDArray[np.intp],
    is_other: NDArray[np.bool_],
    yes: NDArray[np.int64],
    rows: NDArray[np.int64],
    columns: Sequence[Floats],
) -> AdjustedDifference | None:
    """Regress the decision on the group and on columns within strata; one entry for each cell.

    None where the group is not told apart from the columns, or nothing is left to say how
    exact the difference is. The standard error allows for variances of any kind (HC1).
    """
    weight = rows.astype(float)
    units = map(_in_units, columns)
    matrix = np.column_stack([is_other.astype(float), *units, yes / np.maximum(rows, 1)])
    strata = int(stratum.max(initial=-1)) + 1
    totals = np.bincount(stratum, weight, strata)
    centered = np.empty_like(matrix)
    for at, column in enumerate(matrix.T):
        means = np.bincount(stratum, weight * column, strata) / np.maximum(totals, 1)
        centered[:, at] = column - means[stratum]
    *_, rate = centered.T
    regressors = centered[:, :-1]
    scale = np.sqrt(weight @ regressors**2)
    kept = scale > 1e-9 * np.sqrt(weight.sum())
    if not kept[0]:
        return None
    regressors = regressors[:, kept] / scale[kept]
    products = regressors.T @ (regressors * weight[:, None])
    free = weight.sum() - np.count_nonzero(totals) - len(products)
    if free < 1 or np.linalg.cond(products) > 1e10:
        return None
    inverse = np.linalg.inv(products)
    slopes = inverse @ (regressors.T @ (weight * rate))
    # Each row of a cell has the residual of its own decision.
    expected = yes / np.maximum(rows, 1) - rate + regressors @ slopes
    squares = yes * (1 - expected) ** 2 + (rows - yes) * expected**2
    spread = inverse @ (regressors.T @ (regressors * squares[:, None])) @ inverse
    difference = float(slopes[0] / scale[0])
    error = float(np.sqrt(max(spread[0, 0], 0) * weight.sum() / free) / scale[0])
    return AdjustedDifference(
        difference=difference, low=difference - Z * error, high=difference + Z * error
    )


def _in_units(column: Floats) -> Floats:
    """The column from 0 to 1: squares of huge numbers are infinite, those of tiny ones 0."""
    for _ in range(2):  # the span of the largest numbers is infinite, too
        column = column / (abs(column).max(initial=0.0) or 1.0)
        column = column - column.min(initial=1.0)
    return column
