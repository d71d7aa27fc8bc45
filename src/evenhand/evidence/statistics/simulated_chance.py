"""How often chance alone puts a subpopulation of many groups at or beyond the threshold.

If the protected attribute changed nothing, the decisions of a subpopulation would be dealt out
to its people at random. With two groups and a favorable decision the probability of a
difference at or beyond the threshold is exact (hypergeometric); with more groups or values the
decisions are dealt out many times, and counted.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence.comparisons import Comparisons
from evenhand.evidence.statistics.binomial_tails import Floats
from evenhand.verdict import sides

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
    pairs: Sequence[tuple[int, int]],
    *,
    seed: int,
) -> tuple[NDArray[np.intp], Floats, float]:
    """The measured lines, how likely each reaches the threshold, the standard error of the sum.

    Lines with the same margins share their deals, and so their error.

    >>> counts = np.array([[[4], [4], [4]], [[4], [4], [4]]])
    >>> every = [(0, 1), (0, 2), (1, 2)]
    >>> compared = Comparisons.of(
    ...     counts[:1], counts.sum(axis=0), every, least_rows=1, threshold=Fraction(9, 10))
    >>> _, p, error = simulate_reach(counts, [(True, False)], compared, every, seed=1)
    >>> bool(p[0] < 0.01), error < 0.01
    (True, True)
    """
    lines = np.unique(compared.line)
    present = _present(compared, pairs, counts.shape[1:])[:, lines]
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
        reached = _reaches(tables, cuts, pairs, compared.threshold)
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


def _present(
    compared: Comparisons, pairs: Sequence[tuple[int, int]], shape: tuple[int, ...]
) -> NDArray[np.bool_]:
    """Which groups are compared with another in which lines."""
    present = np.zeros(shape, bool)
    for ends in np.array(pairs, np.intp).T:
        present[ends[compared.pair], compared.line] = True
    return present


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
            reaches |= (
                sides(group_yes=a, group=n, other_yes=b, other=m, threshold=threshold) != 0
            )
    return reaches
