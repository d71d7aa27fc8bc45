"""How many subpopulations chance alone would put at or beyond the threshold.

If the protected attribute changed nothing, the favorable decisions of a subpopulation would be
spread over its people by chance: with its totals fixed, the group's share of them follows the
hypergeometric distribution, and the probability of a difference at or beyond the threshold is
exact. The number of such subpopulations then follows the Poisson-binomial distribution.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Any

import numpy as np

from evenhand.display import Plain
from evenhand.evidence.comparisons import Comparisons, for_each_distinct
from evenhand.evidence.statistics.p_values import (
    Counts,
    Floats,
    point_probability,
    probability_below,
)
from evenhand.verdict import INT64_END

# Up to this variance of the group's favorable decisions the tail is added up.
_MOST_TERMS = 1e6
# Factors that are multiplied at once, in all places, before products are joined in pairs.
_FACTORS = 64
# Probabilities of counts below this share of the largest one are left out.
_NEGLIGIBLE = 1e-30
# A probability smaller than this is not told apart from others.
_SMALLEST_P = 1e-25


@dataclass(frozen=True, slots=True, kw_only=True)
class ByChance(Plain):
    """Subpopulations at or beyond the threshold if nothing but chance made differences.

    ``expected`` is their number, ``lower`` and ``upper`` its central 95 % range, ``p`` the
    probability of at least as many as were seen, ``rows`` the expected number of people in
    them. ``seen`` is how many of ``measured`` are at or beyond it. Of many groups all of it is
    about the two that ``pair`` names.
    """

    keys = "expected lower upper p rows between?"

    expected: float
    lower: int
    upper: int
    p: float
    rows: float
    seen: int
    measured: int
    pair: str = ""

    @property
    def between(self) -> dict[str, Any] | None:
        """Of many groups which two it is about, and what was seen of them."""
        told = {"pair": self.pair, "violating": self.seen, "measured": self.measured}
        return told if self.pair else None

    def __str__(self) -> str:
        """The number expected with its range, as in *about 35 (28 to 42)*."""
        return self.text()

    def text(self, space: str = " ", what: str = "") -> str:
        """The same with what is counted, and another space, which a page may not break.

        Of many groups it says between which, and what was seen there.
        """
        span = f"({self.lower:,}{space}to{space}{self.upper:,})"
        where = f" between {self.pair}, where {self.seen:,} of {self.measured:,} do"
        return f"about {_rounded(self.expected)}{what} {span}" + where * bool(self.pair)


def _rounded(number: float) -> str:
    """Whole numbers from ten on, one digit below.

    >>> _rounded(1234.5), _rounded(9.96), _rounded(0.31), _rounded(0.01)
    ('1,234', '10', '0.3', '0')
    """
    return f"{number:.1f}" if 0 < round(number, 1) < 10 else f"{number:,.0f}"


def by_chance(compared: Comparisons, pair: str = "") -> ByChance | None:
    """What chance alone would make of two groups' comparisons; None if there is none."""
    if not len(compared):
        return None
    group_yes, group, other_yes, other = compared.tables
    p = reach_probabilities(group_yes + other_yes, group, other, compared.threshold)
    violating = int(np.count_nonzero(compared.side))
    first, chances = _number_distribution(p)
    cumulated = np.cumsum(chances)
    lower, upper = first + np.searchsorted(cumulated, (0.025, 0.975))
    tail = float(chances[violating - first :].sum()) if violating > first else 1.0
    return ByChance(
        expected=float(p.sum()),
        lower=int(lower),
        upper=int(upper),
        p=min(max(tail, _SMALLEST_P), 1.0),
        rows=float(p @ (group + other)),
        seen=violating,
        measured=len(compared),
        pair=pair,
    )


def reach_probabilities(
    favorable: Counts, group: Counts, other: Counts, threshold: Fraction
) -> Floats:
    """The probability of a difference at or beyond the threshold if nothing differs.

    Either too few favorable decisions fall to the group, or too few unfavorable ones.
    """

    def reach(favorable: Counts, group: Counts, other: Counts) -> tuple[Floats]:
        unfavorable = group + other - favorable
        few = _few_probability(favorable, group, other, threshold)
        return (few + _few_probability(unfavorable, group, other, threshold),)

    (p,) = for_each_distinct(reach, favorable, group, other)
    return np.minimum(p, 1.0)


def _few_probability(
    drawn: Counts, group: Counts, other: Counts, threshold: Fraction
) -> Floats:
    """The probability that the group's rate lies the threshold or more below the others'."""
    most = _most_at_threshold(drawn, group, other, threshold)
    p = np.zeros(len(group))
    rows = group + other
    expected = group * (drawn / rows)
    # Hoeffding: so far from what is expected a count of the smallest margin never lies.
    margin = np.minimum(np.minimum(group, other), np.minimum(drawn, rows - drawn))
    near = 2 * (expected - most) ** 2 <= -log(_SMALLEST_P) * margin
    at = np.flatnonzero(near & (most >= np.maximum(0, drawn - other)))
    a, k, n, m = (column[at].astype(float) for column in (most, drawn, group, other))
    rows = n + m
    variance = n * (k / rows) * ((rows - k) / rows) * m / np.maximum(rows - 1, 1)
    exact = variance <= _MOST_TERMS
    e = np.flatnonzero(exact)
    table = a[e], n[e] - a[e], k[e] - a[e], m[e] - k[e] + a[e]
    point = point_probability(*table)
    p[at[e]] = point + probability_below(*table, point)
    w = np.flatnonzero(~exact)
    p[at[w]] = _normal_tail(a[w], k[w], n[w], m[w], variance[w])
    return p


def _most_at_threshold(
    drawn: Counts, group: Counts, other: Counts, threshold: Fraction
) -> Counts:
    """The most that the group may have of what was drawn, the difference being at threshold.

    ⌊n (k - τ m) / (n + m)⌋, in integers: a float could put a table on the wrong side.
    """
    num, den = threshold.numerator, threshold.denominator
    rows = int((group + other).max(initial=0))
    integer = np.int64 if rows * rows * den < INT64_END else object
    k, n, m = (column.astype(integer) for column in (drawn, group, other))
    most: Counts = (n * (k * den - num * m) // ((n + m) * den)).astype(np.int64)
    return most


def _normal_tail(a: Floats, k: Floats, n: Floats, m: Floats, variance: Floats) -> Floats:
    """The same of very many rows: the normal tail, corrected for steps and for skewness."""
    from scipy.special import ndtr  # noqa: PLC0415  # slow to import

    rows = n + m
    deviation = np.sqrt(variance)
    z = (a + 0.5 - n * (k / rows)) / deviation
    skewness = (1 - 2 * k / rows) * ((m - n) / rows) / deviation
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    p: Floats = np.clip(ndtr(z) - skewness / 6 * (z**2 - 1) * density, 0, 1)
    return p


def _number_distribution(p: Floats) -> tuple[int, Floats]:
    """How many of independent events happen: the least number, and the chance of each.

    Only positive numbers are added and multiplied, so that small chances keep their digits.
    """
    padded = np.zeros(-(-len(p) // _FACTORS) * _FACTORS)
    padded[: len(p)] = p
    yes = padded.reshape(-1, _FACTORS).T
    product = np.zeros((_FACTORS + 1, yes.shape[1]))
    product[0] = 1
    for many, chance in enumerate(yes, 1):  # of so many there are no more: half of the work
        more = slice(1, many + 1)
        product[more] = product[more] * (1 - chance) + product[:many] * chance
        product[0] *= 1 - chance
    parts = [_trimmed(0, column) for column in product.T]
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        joined = [_trimmed(a + b, np.convolve(left, right)) for (a, left), (b, right) in pairs]
        parts = joined + parts[len(joined) * 2 :]
    return parts[0]


def _trimmed(first: int, chances: Floats) -> tuple[int, Floats]:
    kept = np.flatnonzero(chances > _NEGLIGIBLE * chances.max())
    return first + int(kept[0]), chances[kept[0] : kept[-1] + 1]
