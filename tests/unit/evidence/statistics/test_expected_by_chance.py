"""How many subpopulations chance alone would make: against enumeration and permutation."""

from fractions import Fraction
from functools import reduce
from itertools import product
from math import comb

import numpy as np
import pytest

from evenhand import CountTable, Question, datasets
from evenhand.counts import examined_counts
from evenhand.evidence.comparisons import Comparisons
from evenhand.evidence.partition import Partition
from evenhand.evidence.statistics.expected_by_chance import (
    by_chance,
    reach_probabilities,
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
    lines = np.arange(len(columns[0]))
    return by_chance(Comparisons(lines, 0 * lines, 0 * lines, *columns, threshold))


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
    monkeypatch.setattr("evenhand.evidence.statistics.expected_by_chance._MOST_TERMS", 1)
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


def test_of_many_groups_it_is_that_of_the_leading_pair():
    columns = {
        "race": [*"aabbcc"] * 2,
        "town": ["x"] * 6 + ["y"] * 6,
        "hired": ["yes", "no"] * 6,
    }
    counts = CountTable.of(columns, [30, 70, 60, 40, 31, 69, 28, 72, 59, 41, 29, 71])
    asked = Question(protected="race", decision="hired", favorable="yes")
    whole = Partition.of(examined_counts(counts, asked), ["town"])
    assert whole.leading_labels in (("a", "b"), ("b", "c"))
    of_two = Question(
        protected="race",
        group=whole.leading_labels[0],
        other=whole.leading_labels[1],
        decision="hired",
        favorable="yes",
    )
    pair = Partition.of(examined_counts(counts, of_two), ["town"]).by_chance
    found = whole.by_chance
    assert found.pair == " and ".join(whole.leading_labels)
    assert (found.expected, found.p, found.rows) == (pair.expected, pair.p, pair.rows)
    assert (found.seen, found.measured) == (pair.seen, pair.measured) == (2, 2)
    assert f"between {found.pair}, where 2 of 2 do" in str(found)
