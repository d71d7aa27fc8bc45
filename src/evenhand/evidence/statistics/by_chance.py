"""How many subpopulations chance alone would put at or beyond the threshold.

If the protected attribute changed nothing, the favorable decisions of a subpopulation would be
spread over its people by chance: with its totals fixed, the group's share of them follows the
hypergeometric distribution, and the probability of a difference at or beyond the threshold is
exact. The number of such subpopulations then follows the Poisson-binomial distribution.

With more groups or values the decisions are dealt out many times, and counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np
from numpy.typing import NDArray

from evenhand.display import Plain
from evenhand.evidence.comparisons import Comparisons, for_each_distinct
from evenhand.evidence.statistics.p_values import (
    Counts,
    Floats,
    point_probability,
    probability_below,
)
from evenhand.verdict import INT64_END, sides

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
    them, ``error`` the standard error of ``expected`` if it was simulated.
    """

    keys = "expected lower upper p rows error?"

    expected: float
    lower: int
    upper: int
    p: float
    rows: float
    error: float | None = None

    def __str__(self) -> str:
        """The number expected with its range, as in *about 35 (28 to 42)*."""
        return self.text()

    def text(self, space: str = " ", what: str = "") -> str:
        """The same with what is counted, and another space, which a page may not break."""
        span = f"({self.lower:,}{space}to{space}{self.upper:,})"
        return f"about {_rounded(self.expected)}{what} {span}"


def _rounded(number: float) -> str:
    """Whole numbers from ten on, one digit below.

    >>> _rounded(1234.5), _rounded(9.96), _rounded(0.31), _rounded(0.01)
    ('1,234', '10', '0.3', '0')
    """
    return f"{number:.1f}" if 0 < round(number, 1) < 10 else f"{number:,.0f}"


def by_chance(compared: Comparisons, violating: int) -> ByChance | None:
    """What chance alone would make of two groups' comparisons; None if there is none."""
    if not len(compared):
        return None
    group_yes, group, other_yes, other = compared.tables
    p = reach_probabilities(group_yes + other_yes, group, other, compared.threshold)
    return chance_of(p, group + other, violating)


def chance_of(
    p: Floats, rows: Counts, violating: int, *, error: float | None = None
) -> ByChance:
    """The number of subpopulations that reach the threshold with these probabilities."""
    first, chances = _number_distribution(p)
    cumulated = np.cumsum(chances)
    lower, upper = first + np.searchsorted(cumulated, (0.025, 0.975))
    tail = float(chances[violating - first :].sum()) if violating > first else 1.0
    return ByChance(
        expected=float(p.sum()),
        lower=int(lower),
        upper=int(upper),
        p=min(max(tail, _SMALLEST_P), 1.0),
        rows=float(p @ rows),
        error=error,
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


Tables = NDArray[np.int64]  # by decision, group and line
# So many tables are dealt out in all, if there are not too many subpopulations for it.
_DEALS = 1_000_000
_FEWEST, _MOST = 100, 5_000
_BLOCK = 500_000  # groups in a block of dealt tables
_MOST_MARGINS = 20_000  # of more, evenly spaced ones stand for their neighbours
# NumPy draws from no larger population; from one so large it is as good to put back.
_LARGEST_POPULATION = 10**9


def simulate_reach(
    counts: Tables,
    cuts: Sequence[Sequence[bool]],
    compared: Comparisons,
    *,
    seed: int,
) -> tuple[NDArray[np.intp], Floats, float]:
    """The measured lines, how likely each reaches the threshold, the standard error of the sum.

    Lines with the same margins share their deals, and so their error.

    >>> counts = np.array([[[4], [4], [4]], [[4], [4], [4]]])
    >>> every = [(0, 1), (0, 2), (1, 2)]
    >>> compared = Comparisons.of(
    ...     counts[:1], counts.sum(axis=0), every, least_rows=1, threshold=Fraction(9, 10))
    >>> _, p, error = simulate_reach(counts, [(True, False)], compared, seed=1)
    >>> bool(p[0] < 0.01), error < 0.01
    (True, True)
    """
    lines = np.unique(compared.line)
    present = compared.groups_compared(counts.shape[1:])[:, lines]
    # Groups that are not compared take part in no difference: they are left out of the deal.
    margins = np.concatenate(
        [
            np.where(present, counts[:, :, lines].sum(axis=0), 0),
            np.where(present, counts[:, :, lines], 0).sum(axis=1),
        ]
    )
    distinct, place = np.unique(margins, axis=1, return_inverse=True)
    dealt, stands_for = _sample(distinct)
    deals = int(np.clip(_DEALS // max(dealt.shape[1], 1), _FEWEST, _MOST))
    generator = np.random.default_rng(seed)
    groups = counts.shape[1]
    p = np.zeros(dealt.shape[1])
    step = max(1, _BLOCK // (deals * groups))
    for begin in range(0, len(p), step):
        part = np.repeat(dealt[:, begin : begin + step], deals, axis=1)
        tables = np.stack([*_deal(part[groups:], part[:groups], generator)], axis=1)
        reached = _reaches(tables, cuts, compared.pairs, compared.threshold)
        p[begin : begin + step] = reached.reshape(-1, deals).mean(axis=1)
    # Where no deal reached it, or all did, the error is that of one deal more; where everybody
    # has the same decision, there is none.
    spread = np.maximum(p * (1 - p), 1 / deals)
    spread[np.count_nonzero(dealt[groups:], axis=0) < 2] = 0
    of_lines = stands_for[place.ravel()]
    alike = np.bincount(of_lines, minlength=len(p))
    return lines, p[of_lines], float(np.sqrt((alike**2 * spread).sum() / deals))


def _sample(margins: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Margins that are dealt out, and which of them stands for each.

    Of very many, in the order of their rows, evenly spaced ones are taken.
    """
    step = max(1, -(-margins.shape[1] // _MOST_MARGINS))
    order = np.argsort(margins.sum(axis=0), kind="stable")
    taken = order[step // 2 :: step]
    stands_for = np.empty(len(order), np.intp)
    stands_for[order] = np.minimum(np.arange(len(order)) // step, len(taken) - 1)
    return margins[:, taken], stands_for


def _deal(
    decisions: NDArray[np.int64], rows: NDArray[np.int64], generator: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """The decisions of each group in turn, drawn without putting back."""
    left = decisions.copy()
    for size in rows[:-1]:
        drawn, open_places = np.zeros_like(left), size.copy()
        for kind in range(len(left) - 1):
            later = left[kind + 1 :].sum(axis=0)
            drawn[kind] = _hypergeometric(left[kind], later, open_places, generator)
            open_places -= drawn[kind]
        drawn[-1] = open_places
        left -= drawn
        yield drawn
    yield left


def _hypergeometric(
    good: NDArray[np.int64],
    bad: NDArray[np.int64],
    drawn: NDArray[np.int64],
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    if (good + bad).max(initial=0) < _LARGEST_POPULATION:
        return generator.hypergeometric(good, bad, drawn)
    share = good / np.maximum(good + bad, 1)
    return np.clip(
        generator.binomial(drawn, share), np.maximum(drawn - bad, 0), np.minimum(good, drawn)
    )


def _reaches(
    tables: Tables,
    cuts: Sequence[Sequence[bool]],
    pairs: Sequence[tuple[int, int]],
    threshold: Fraction,
) -> NDArray[np.bool_]:
    """Which dealt tables have a difference at or beyond the threshold.

    Of all pairs only the groups with the highest and the lowest rate need to be compared.
    """
    rows = tables.sum(axis=0)
    reaches = np.zeros(rows.shape[1], bool)
    each = np.arange(rows.shape[1])
    references = {b for _, b in pairs}
    is_window = len(pairs) == len(rows) * (len(rows) - 1) // 2 and len(references) > 1
    for cut in np.array(cuts, bool):
        yes = tables[cut].sum(axis=0)
        rate = np.where(rows > 0, yes / np.maximum(rows, 1), np.nan)
        if is_window:
            ends = np.nanargmin(rate, axis=0), np.nanargmax(rate, axis=0)
            compared = [((yes[at, each], rows[at, each]) for at in ends)]
        else:
            compared = [((yes[at], rows[at]) for at in pair) for pair in pairs]
        for (a, n), (b, m) in compared:
            reaches |= sides(a, n, b, m, threshold) != 0
    return reaches
