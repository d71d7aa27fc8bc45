"""How many subpopulations chance alone would make: against enumeration and permutation."""

from fractions import Fraction
from functools import reduce
from itertools import product
from math import comb, factorial, prod, sqrt

import numpy as np
import pytest
from scipy.stats import hypergeom
from tests.window_brute_force import compositions

from evenhand import CountTable, Question, datasets
from evenhand.counts import examined_counts
from evenhand.evidence.comparisons import Comparisons
from evenhand.evidence.partition import Partition
from evenhand.evidence.statistics.by_chance import (
    by_chance,
    reach_probabilities,
    simulate_reach,
)

THRESHOLDS = [Fraction(1, 20), Fraction(1, 3), Fraction(1, 2), Fraction(1, 1000), Fraction(1)]


def exact_reach(favorable, group, other, threshold):
    """Every way to deal the favorable decisions out, in integers."""
    rows = group + other
    reaching = 0
    for yes in range(max(0, favorable - other), min(group, favorable) + 1):
        difference = Fraction(favorable - yes, other) - Fraction(yes, group)
        if abs(difference) >= threshold:
            reaching += comb(group, yes) * comb(other, favorable - yes)
    return Fraction(reaching, comb(rows, favorable))


def arrays(*columns):
    return [np.array(column, np.int64) for column in columns]


def chance(group_yes, group, other_yes, other, threshold=Fraction(1, 20)):
    columns = arrays(group_yes, group, other_yes, other)
    violating = sum(
        abs(Fraction(int(y), int(z)) - Fraction(int(w), int(x))) >= threshold
        for w, x, y, z in zip(*columns, strict=True)
    )
    lines = np.arange(len(columns[0]))
    return by_chance(Comparisons(lines, 0 * lines, 0 * lines, *columns, threshold), violating)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_every_small_table_has_its_enumerated_probability(threshold):
    tables = [(k, n, m) for n, m in product(range(1, 10), repeat=2) for k in range(n + m + 1)]
    got = reach_probabilities(*arrays(*zip(*tables, strict=True)), threshold)
    right = [float(exact_reach(*table, threshold)) for table in tables]
    assert got == pytest.approx(right, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    "table", [(300, 400, 500), (17, 1200, 3), (999, 1000, 1000), (5, 20, 3000), (1, 7, 900)]
)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_larger_tables_have_their_enumerated_probability(table, threshold):
    got = reach_probabilities(*arrays(*([value] for value in table)), threshold)
    assert got[0] == pytest.approx(float(exact_reach(*table, threshold)), rel=1e-11, abs=1e-18)


def test_a_difference_of_just_the_threshold_counts():
    # Deals of 8 favorable decisions to 20 and 20: a difference of 2/20 is reached, not missed.
    exact = exact_reach(8, 20, 20, Fraction(1, 10))
    got = reach_probabilities(*arrays([8], [20], [20]), Fraction(1, 10))
    assert got[0] == pytest.approx(float(exact), rel=1e-13)
    assert exact_reach(8, 20, 20, Fraction(1001, 10000)) < exact


def test_many_rows_have_the_limit_of_their_shares():
    # 2 deviations of the difference as threshold, at any size: the same normal tail.
    for size in (10**6, 10**9, 10**12, 10**15):
        deviation = Fraction(1, int((2 * size) ** 0.5))
        got = reach_probabilities(*arrays([size], [size], [size]), 2 * deviation)
        assert got[0] == pytest.approx(0.0455, rel=0.01)


@pytest.mark.parametrize("shares", [(1, 1, 1), (1, 2, 20), (5, 3, 3)])
def test_the_normal_curve_of_very_many_rows_gives_what_the_sum_gives(shares, monkeypatch):
    table = arrays(*([share * 400_000] for share in shares))
    added_up = reach_probabilities(*table, Fraction(1, 2000))
    monkeypatch.setattr("evenhand.evidence.statistics.by_chance._MOST_TERMS", 1)
    assert reach_probabilities(*table, Fraction(1, 2000)) == pytest.approx(added_up, rel=1e-4)


def test_number_and_people_are_those_of_the_poisson_binomial_distribution():
    generator = np.random.default_rng(5)
    group, other = generator.integers(1, 60, (2, 300))
    group_yes, other_yes = generator.binomial(group, 0.3), generator.binomial(other, 0.4)
    p = reach_probabilities(group_yes + other_yes, group, other, Fraction(1, 20))
    oracle = reduce(lambda chances, one: np.convolve(chances, [1 - one, one]), p, [1.0])
    at_most = np.cumsum(oracle)
    seen = chance(group_yes, group, other_yes, other)
    difference = other_yes / other - group_yes / group
    violating = int((np.abs(difference) > 0.05 - 1e-12).sum())
    assert seen.expected == pytest.approx(p.sum(), rel=1e-13)
    assert seen.rows == pytest.approx((p * (group + other)).sum(), rel=1e-13)
    assert (seen.lower, seen.upper) == (
        (at_most < 0.025).sum(),
        (at_most < 0.975).sum(),
    )
    assert seen.p == pytest.approx(oracle[violating:].sum(), rel=1e-9)


def test_permuting_the_protected_column_makes_as_many_as_are_expected():
    generator = np.random.default_rng(11)
    rows = 4000
    place = generator.integers(0, 40, rows)
    sex = generator.integers(0, 3, rows) > 0
    hired = generator.random(rows) < 0.2 + 0.015 * place
    question = Question(protected="sex", group="0", decision="hired", favorable="1")
    numbers, people = [], []
    for _ in range(120):
        for cell in range(40):
            at = np.flatnonzero(place == cell)
            sex[at] = generator.permutation(sex[at])
        table = CountTable.of(
            {
                name: column.astype(int).astype(str).tolist()
                for name, column in (("sex", sex), ("hired", hired), ("place", place))
            }
        )
        partition = Partition.of(examined_counts(table, question), ["place"])
        numbers.append(partition.violating)
        people.append(partition.row_counts[partition.side != 0].sum())
    seen = partition.by_chance
    error = np.std(numbers) / np.sqrt(120)
    assert abs(np.mean(numbers) - seen.expected) < 3 * error
    assert abs(np.mean(people) - seen.rows) < 3 * np.std(people) / np.sqrt(120)
    inside = np.mean([seen.lower <= number <= seen.upper for number in numbers])
    assert inside > 0.9


def test_golden_figures_of_adult():
    counts, question = datasets.adult(), datasets.question("adult").question
    causes = [name for name in counts.names if name not in ("sex", "income")]
    partition = Partition.of(examined_counts(counts, question), causes)
    seen = partition.by_chance
    assert (partition.violating, int(partition.measured.sum())) == (154, 268)
    assert round(seen.expected, 1) == 134.5
    assert (seen.lower, seen.upper) == (126, 143)
    assert f"{seen.p:.1e}" == "1.2e-05"


def test_where_nothing_is_measured_chance_makes_nothing():
    assert chance([], [], [], []) is None


def test_a_number_beyond_all_chance_has_a_smallest_p():
    seen = chance([0] * 60, [500] * 60, [500] * 60, [500] * 60)
    assert seen.p == 1e-25
    assert chance([5], [10], [5], [10]).p == 1


THREE = [(0, 1), (0, 2), (1, 2)]
ONE_CUT = ((True, False),)


def simulated(counts, cuts, pairs, *, threshold, seed=1, least_rows=1):
    favorable = np.einsum("cd,dgl->cgl", np.array(cuts, np.int64), counts)
    compared = Comparisons.of(
        favorable, counts.sum(axis=0), pairs, least_rows=least_rows, threshold=threshold
    )
    return simulate_reach(counts, cuts, compared, seed=seed)


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
