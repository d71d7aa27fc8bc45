"""Chance of many groups and values against the enumeration of all tables with their margins."""

from fractions import Fraction
from itertools import product
from math import factorial, prod, sqrt

import numpy as np
import pytest
from scipy.stats import hypergeom
from tests.window_brute_force import compositions

from evenhand.evidence.comparisons import Comparisons
from evenhand.evidence.statistics.by_chance import simulate_reach

THREE = [(0, 1), (0, 2), (1, 2)]
ONE_CUT = ((True, False),)


def simulated(counts, cuts, pairs, *, threshold, seed=1, least_rows=1):
    favorable = np.einsum("cd,dgl->cgl", np.array(cuts, np.int64), counts)
    compared = Comparisons.of(
        favorable, counts.sum(axis=0), pairs, least_rows=least_rows, threshold=threshold
    )
    return simulate_reach(counts, cuts, compared, pairs, seed=seed)


def exact(table, cuts, pairs, threshold):
    """The share of deals with a difference at or beyond the threshold: every table, weighted.

    A table comes from the product of its margins' factorials, divided by n! and the product of
    its cells' factorials, of all deals.
    """
    rows, totals = table.sum(axis=0), table.sum(axis=1)
    margins = prod(map(factorial, [*map(int, rows), *map(int, totals)]))
    whole = factorial(int(table.sum()))
    reaching = Fraction(0)
    for columns in product(*(tuple(compositions(int(n), len(table))) for n in rows)):
        dealt = np.array(columns).T
        if dealt.sum(axis=1).tolist() != totals.tolist():
            continue
        weight = Fraction(margins, whole * prod(map(factorial, map(int, dealt.ravel()))))
        rates = [
            [
                Fraction(
                    sum(int(k) for k, own in zip(dealt[:, g], cut, strict=True) if own), int(n)
                )
                if n
                else None
                for g, n in enumerate(rows)
            ]
            for cut in cuts
        ]
        if any(
            own[a] is not None and own[b] is not None and abs(own[a] - own[b]) >= threshold
            for own in rates
            for a, b in pairs
        ):
            reaching += weight
    return float(reaching)


EVERY = ((True, False, False), (False, True, False), (False, False, True))
UP_TO = ((True, False, False), (True, True, False))
SMALL = [[1, 0, 2], [2, 3, 1], [1, 1, 0]]
CASES = [
    ([[2, 1, 3], [3, 4, 1]], ONE_CUT, THREE, Fraction(1, 2)),
    ([[2, 1, 3], [3, 4, 1]], ONE_CUT, [(0, 2), (1, 2)], Fraction(1, 2)),
    (SMALL, EVERY, THREE, Fraction(2, 3)),
    (SMALL, UP_TO, THREE, Fraction(2, 3)),
    ([[1, 2], [2, 1], [2, 1]], UP_TO, [(0, 1)], Fraction(1, 2)),
]


@pytest.mark.parametrize(("table", "cuts", "pairs", "threshold"), CASES)
def test_simulated_chance_is_that_of_all_tables_with_these_margins(
    table, cuts, pairs, threshold
):
    table = np.array(table)
    expected = exact(table, cuts, pairs, threshold)
    lines, p, error = simulated(table[..., None], cuts, pairs, threshold=threshold)
    assert lines.tolist() == [0]
    assert 0.02 < expected < 0.98
    assert error == pytest.approx(sqrt(expected * (1 - expected) / 5000), rel=0.1)
    assert abs(p[0] - expected) < 5 * error


def test_the_enumeration_is_a_distribution():
    table = np.array([[1, 0, 2], [2, 3, 1], [1, 1, 0]])
    assert exact(table, [(True, False, False)], THREE, Fraction(0)) == pytest.approx(1)


def test_of_two_groups_it_is_hypergeometric():
    tables = np.array([[[3, 8], [5, 2]], [[6, 12], [9, 20]]])
    _, p, error = simulated(tables, ONE_CUT, [(0, 1)], threshold=Fraction(1, 10))
    expected = []
    for line in range(2):
        (a, b), (c, d) = tables[..., line].tolist()
        n, m, yes = a + c, b + d, a + b
        law = hypergeom(n + m, yes, n)
        expected.append(
            sum(
                law.pmf(k)
                for k in range(max(0, yes - m), min(n, yes) + 1)
                if abs(Fraction(k, n) - Fraction(yes - k, m)) >= Fraction(1, 10)
            )
        )
    assert p == pytest.approx(expected, abs=5 * error)


def test_a_group_with_too_few_rows_is_not_dealt_to():
    """Its decisions take no part: the chance is that of the others alone."""
    table = np.array([[4, 1, 5], [6, 1, 3]])
    _, p, error = simulated(
        table[..., None], ONE_CUT, THREE, threshold=Fraction(1, 5), least_rows=3
    )
    alone = exact(table[:, [0, 2]], ONE_CUT, [(0, 1)], Fraction(1, 5))
    assert abs(p[0] - alone) < 5 * error


def test_the_same_seed_gives_the_same_chance():
    tables = np.random.default_rng(0).integers(0, 9, (3, 4, 20))
    cuts = ((True, False, False), (True, True, False))
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    first, again, other = (
        simulated(tables, cuts, pairs, threshold=Fraction(3, 5), seed=seed)
        for seed in (5, 5, 6)
    )
    assert first[1].tolist() == again[1].tolist()
    assert first[1].tolist() != other[1].tolist()


def test_the_error_is_that_of_the_sum_over_lines_that_share_their_deals():
    """Forty lines with the same margins get the same estimate: their errors add up."""
    table = np.array([[4, 3, 5], [6, 5, 3]])
    tables = np.repeat(table[..., None], 40, axis=2)
    runs = [
        simulated(tables, ONE_CUT, THREE, threshold=Fraction(2, 5), seed=seed)
        for seed in range(60)
    ]
    sums, errors = np.array([(p.sum(), error) for _, p, error in runs]).T
    assert errors.mean() == pytest.approx(sums.std(ddof=1), rel=0.35)


def test_large_populations_are_dealt_by_shares():
    """NumPy draws without replacement from less than 10⁹ only; equal rates stay near."""
    tables = np.full((2, 3, 1), 10**9)
    _, p, _ = simulated(tables, ONE_CUT, THREE, threshold=Fraction(1, 20))
    assert p.tolist() == [0]


def test_deals_keep_rows_and_decisions():
    """With everybody favorable, or one row each, chance is what counting gives."""
    same = np.array([[5, 4, 3], [0, 0, 0]])[..., None]
    assert simulated(same, ONE_CUT, THREE, threshold=Fraction(1, 20))[1].tolist() == [0]
    one = np.array([[1, 0, 1], [0, 1, 0]])[..., None]
    assert simulated(one, ONE_CUT, THREE, threshold=Fraction(1, 20))[1].tolist() == [1]
