"""Whether the differences vary by more than chance, and whether to opposite sides.

A difference of nothing on average may hide differences of opposite signs, the tokenism of the
paper: so beside the average stand a test of whether the differences are all the same, and two
of whether they point to opposite sides.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from evenhand.display import Plain
from evenhand.evidence.comparisons import Comparisons, for_each_distinct
from evenhand.evidence.statistics.p_values import variance_at, zero_p
from evenhand.evidence.statistics.tails import Counts, Floats

_FEWEST_PEOPLE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Heterogeneity(Plain):
    """Whether the differences vary by more than chance, and whether to opposite sides.

    ``statistic`` adds up the squared deviations from the common difference, each in units of
    its variance there; ``p`` compares it with a chi-square of the same mean and variance, as
    small tables do not give a plain one. Both are of the subpopulations where either group has
    eight people and each kind of decision is expected at least once: with fewer, the test finds
    differences where there are none. ``p`` is None where fewer than two are left.

    Opposite sides have two tests. ``p_gail_simon`` is Gail and Simon's of qualitative
    interaction, which adds up the evidence on the weaker side: strong where many differ a
    little. ``p_extremes`` asks for one difference on each side that stands after Bonferroni's
    correction: strong where few differ much. ``p_opposite`` is twice the smaller of the two.
    ``for_group`` and ``for_other`` count who is favored in how many.
    """

    keys = "statistic expected p p_opposite p_gail_simon p_extremes for_group for_other"

    statistic: float
    expected: float
    p: float | None
    p_gail_simon: float
    p_extremes: float
    for_group: int
    for_other: int

    @property
    def p_opposite(self) -> float:
        """Whether some favor one group and some the other, by either test."""
        return min(1.0, 2 * min(self.p_gail_simon, self.p_extremes))


def heterogeneity(compared: Comparisons, common: float) -> Heterogeneity:
    """Test whether the differences are one, and whether they have opposite signs.

    Where everybody got the same decision nothing is learned, and nothing counted.
    """
    from scipy.special import chdtrc  # noqa: PLC0415

    a, n, b, m = compared.tables
    varied = (a + b > 0) & (a + b < n + m)
    a, n, b, m = a[varied], n[varied], b[varied], m[varied]
    difference = b / m - a / n

    def of_each(a: Counts, n: Counts, b: Counts, m: Counts) -> tuple[Floats, Floats]:
        return variance_at(a, n, b, m, common), zero_p(a, n, b, m)

    variance, p_zero = for_each_distinct(of_each, a, n, b, m)
    smaller, yes = np.minimum(n, m), a + b
    least = smaller * np.minimum(yes, n + m - yes) / (n + m)
    # Without variance, all and nobody being favored, there is no deviation either.
    fit = (variance > 0) & (smaller >= _FEWEST_PEOPLE) & (least >= 1)
    statistic = float(((difference - common)[fit] ** 2 / variance[fit]).sum())
    expected, p = max(int(fit.sum()) - 1, 0), None
    if expected:
        # A squared normal deviate has a variance of 2; small tables have another.
        scale = float((_kurtosis(n[fit], m[fit], yes[fit]) - 1).mean()) / 2
        p = float(chdtrc(expected / scale, statistic / scale)) if scale > 0 else 1.0
    return Heterogeneity(
        statistic=statistic,
        expected=float(expected),
        p=p,
        p_gail_simon=_gail_simon(difference, p_zero),
        p_extremes=_extremes(difference, p_zero),
        for_group=int((difference < 0).sum()),
        for_other=int((difference > 0).sum()),
    )


def _kurtosis(group: Counts, other: Counts, favorable: Counts) -> Floats:
    """Of the hypergeometric distribution: how unevenly a difference of small tables spreads."""
    n, m, yes = group.astype(float), other.astype(float), favorable.astype(float)
    rows = n + m
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


def _extremes(difference: Floats, p_zero: Floats) -> float:
    """The larger p, of the two sides, of their most unlikely difference among all."""
    one_sided = p_zero / 2 * len(p_zero)
    return float(
        max(one_sided[side].min(initial=1.0) for side in (difference > 0, difference < 0))
    )
