"""All subpopulations together: their common difference, and whether it is common.

A difference of nothing on average may hide differences of opposite signs, the tokenism of the
paper: so beside the average stand a test of whether the differences are all the same, and one of
whether they point to opposite sides.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence.partition import Partition
from evenhand.evidence.tails import variance_at

Floats = NDArray[np.float64]

# The 97.5 % point of the standard normal distribution: intervals have 95 %.
Z = 1.959963984540054


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonDifference:
    """The Mantel-Haenszel risk difference, other minus group, and the test that it is 0.

    Its variance is Sato's, which holds for few large subpopulations and for many small ones;
    the test is Cochran, Mantel and Haenszel's without continuity correction.
    """

    difference: float
    low: float
    high: float
    p_zero: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "difference": self.difference,
            "interval": [self.low, self.high],
            "p_zero": self.p_zero,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Heterogeneity:
    """Whether the differences vary by more than chance, and whether to opposite sides.

    ``statistic`` adds up the squared deviations from the common difference, each in units of
    its variance there; ``p`` compares it with a chi-square of the same mean and variance, as
    small tables do not give a plain one. ``p_opposite`` is Gail and Simon's test of qualitative
    interaction: it is small where some subpopulations favor one group and some the other.
    ``for_group`` and ``for_other`` count who is favored in how many.
    """

    statistic: float
    expected: float
    p: float
    p_opposite: float
    for_group: int
    for_other: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "statistic": self.statistic,
            "expected": self.expected,
            "p": self.p,
            "p_opposite": self.p_opposite,
            "for_group": self.for_group,
            "for_other": self.for_other,
        }


def common_difference(partition: Partition) -> CommonDifference | None:
    """Average the differences with the weights of Mantel and Haenszel; None if there is none."""
    from scipy.special import chdtrc  # noqa: PLC0415  # slow to import

    a, n, b, m = _measured(partition)
    if not len(a):
        return None
    rows = n + m
    weight = (n * m / rows).sum()
    difference = float(((b * n - a * m) / rows).sum() / weight)
    slope = (a * (m / rows) ** 2 - b * (n / rows) ** 2 + n * m * (n - m) / (2 * rows**2)).sum()
    level = ((b * (n - a) + a * (m - b)) / rows).sum() / 2
    half = Z * sqrt(max(difference * slope + level, 0)) / weight
    yes = a + b
    variance = (n * m * yes * (rows - yes) / (rows**2 * (rows - 1))).sum()
    square = (b - m * yes / rows).sum() ** 2 / variance if variance else 0.0
    return CommonDifference(
        difference=difference,
        low=max(difference - half, -1.0),
        high=min(difference + half, 1.0),
        p_zero=float(chdtrc(1, square)),
    )


def heterogeneity(partition: Partition, common: float) -> Heterogeneity:
    """Test whether the differences are one, and whether they have opposite signs.

    Where everybody got the same decision nothing is learned, and nothing counted.
    """
    from scipy.special import chdtrc  # noqa: PLC0415

    a, n, b, m = partition.compared
    varied = (a + b > 0) & (a + b < n + m)
    table = tuple(counts[varied] for counts in (a, n, b, m))
    variance = variance_at(*table, common)
    a, n, b, m = (counts.astype(float) for counts in table)
    difference = b / m - a / n
    statistic = float(((difference - common) ** 2 / variance).sum())
    expected, spread = len(a) - 1, float((_kurtosis(a, n, b, m) - 1).sum())
    scale = spread / (2 * expected) if expected > 0 else 0.0
    found = scale > 0
    return Heterogeneity(
        statistic=statistic,
        expected=float(max(expected, 0)),
        p=float(chdtrc(expected / scale, statistic / scale)) if found else 1.0,
        p_opposite=_gail_simon(difference, partition.statistics.p_zero[varied]),
        for_group=int((difference < 0).sum()),
        for_other=int((difference > 0).sum()),
    )


def _measured(partition: Partition) -> tuple[Floats, Floats, Floats, Floats]:
    columns = (partition.group_yes, partition.group, partition.other_yes, partition.other)
    a, n, b, m = (column[partition.measured].astype(float) for column in columns)
    return a, n, b, m


def _kurtosis(a: Floats, n: Floats, b: Floats, m: Floats) -> Floats:
    """Of the hypergeometric distribution: how unevenly a difference of small tables spreads."""
    rows, yes = n + m, a + b
    cells = n * m * yes * (rows - yes)
    large = rows > 3
    few = np.where(rows < 3, 1.0, 1.5)
    rows = np.where(large, rows, 4)
    top = (rows - 1) * rows**2 * (
        rows * (rows + 1) - 6 * yes * (rows - yes) - 6 * n * m
    ) + 6 * cells * (5 * rows - 6)
    return np.where(large, 3 + top / (cells * (rows - 2) * (rows - 3)), few)


def _gail_simon(difference: Floats, p_zero: Floats) -> float:
    """The probability of so much evidence on the weaker side, were all on the other or none.

    A difference counts by the square of the normal deviate that has its exact p-value: so one
    person among many counts for no more than one person can.
    """
    from scipy.special import chdtrc, gammaln, ndtri  # noqa: PLC0415

    square = ndtri(np.maximum(p_zero, 1e-300) / 2) ** 2
    weaker = min(float(square[difference > 0].sum()), float(square[difference < 0].sum()))
    others = len(difference) - 1
    if others < 1 or not weaker:
        return 1.0
    # So many of the others lie on that side: a binomial, of which 10 deviations are enough.
    reach = 5 * sqrt(others)
    sides = np.arange(max(1, int(others / 2 - reach)), min(others, int(others / 2 + reach)) + 1)
    ways = gammaln(others + 1) - gammaln(sides + 1) - gammaln(others - sides + 1)
    return float((np.exp(ways - others * np.log(2)) * chdtrc(sides, weaker)).sum())
