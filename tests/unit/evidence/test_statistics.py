"""Intervals and p-values against published values and against brute force."""

from itertools import product
from math import comb, log

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import chi2_contingency, fisher_exact

from evenhand.evidence.multiplicity import holm
from evenhand.evidence.p_values import score_p, threshold_p
from evenhand.evidence.statistics import newcombe_interval, statistics

TABLES = [(7, 34, 1, 34), (56, 70, 48, 80), (9, 10, 3, 10), (5, 56, 0, 29), (60, 300, 90, 300)]


def columns(*counts):
    return tuple(np.array([n], np.int64) for n in counts)


def one(function, *arguments):
    return float(function(*columns(*arguments[:4]), *arguments[4:])[0])


@pytest.mark.parametrize(
    ("other", "group", "low", "high"),
    # Newcombe 1998, Statistics in Medicine 17:873-890, table II, method 10.
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0000),
    ],
)
def test_intervals_are_newcombes(other, group, low, high):
    found = newcombe_interval(*columns(*group, *other))
    assert [round(float(end[0]), 4) for end in found] == pytest.approx([low, high], abs=1e-4)


def likelihood(yes, total, rate):
    value = 0.0
    for count, chance in ((yes, rate), (total - yes, 1 - rate)):
        if count:
            value += count * log(max(chance, 1e-300))
    return value


def slow_score_p(group_yes, group, other_yes, other, threshold):
    """The score test with its nuisance rate found by numerical search."""
    if group_yes / group > other_yes / other:
        group_yes, group, other_yes, other = other_yes, other, group_yes, group

    def unlikely(low):
        return -likelihood(group_yes, group, low) - likelihood(
            other_yes, other, low + threshold
        )

    low = minimize_scalar(
        unlikely, bounds=(0, 1 - threshold), method="bounded", options={"xatol": 1e-12}
    ).x
    high = low + threshold
    rows = group + other
    variance = (low * (1 - low) / group + high * (1 - high) / other) * rows / (rows - 1)
    from scipy.stats import norm  # noqa: PLC0415

    return norm.sf((other_yes / other - group_yes / group - threshold) / variance**0.5)


@pytest.mark.parametrize("table", [(7, 34, 1, 34), (48, 80, 56, 70), (60, 300, 90, 300)])
@pytest.mark.parametrize("threshold", [0.01, 0.05, 0.2])
def test_the_score_test_takes_the_most_likely_rates(table, threshold):
    assert one(score_p, *table, threshold) == pytest.approx(
        slow_score_p(*table, threshold), abs=1e-6
    )


def test_with_many_rows_p_zero_is_the_chi_square_test_with_n_minus_one():
    found = statistics(
        **dict(zip(NAMES, columns(600, 3000, 680, 3000), strict=True)), threshold=0.05
    )
    table = [[600, 2400], [680, 2320]]
    statistic = chi2_contingency(table, correction=False).statistic * 5999 / 6000
    from scipy.stats import chi2  # noqa: PLC0415

    assert float(found.p_zero[0]) == pytest.approx(chi2.sf(statistic, 1))


NAMES = ("group_yes", "group", "other_yes", "other")


def exact_tail(group_yes, group, other_yes, other, threshold):
    """Add up all tables with so large a difference, at the most likely rates."""

    def chance(rate):
        return (
            comb(group, group_yes)
            * rate**group_yes
            * (1 - rate) ** (group - group_yes)
            * (
                comb(other, other_yes)
                * (rate + threshold) ** other_yes
                * (1 - rate - threshold) ** (other - other_yes)
            )
        )

    grid = np.linspace(0, 1 - threshold, 200_001)
    low = grid[np.argmax([chance(rate) for rate in grid[::100]]) * 100]
    near = np.linspace(max(0, low - 0.001), min(1 - threshold, low + 0.001), 20_001)
    low = near[np.argmax([chance(rate) for rate in near])]
    seen = other_yes * group - group_yes * other
    return sum(
        comb(group, a) * low**a * (1 - low) ** (group - a)
        * comb(other, b) * (low + threshold) ** b * (1 - low - threshold) ** (other - b)
        for a, b in product(range(group + 1), range(other + 1))
        if b * group - a * other >= seen
    )  # fmt: skip


@pytest.mark.parametrize("table", [(0, 13, 1, 1), (1, 4, 3, 4), (0, 2, 9, 30), (2, 25, 6, 7)])
def test_in_tiny_groups_tails_are_added_up(table):
    assert one(threshold_p, *table, 0.05) == pytest.approx(exact_tail(*table, 0.05), rel=1e-3)


def test_swapping_the_groups_changes_no_p_value():
    for a, n, b, m in [*TABLES, (0, 13, 1, 1), (2, 2, 26, 152)]:
        assert one(threshold_p, a, n, b, m, 0.05) == pytest.approx(
            one(threshold_p, b, m, a, n, 0.05)
        )


def test_swapping_the_decisions_changes_no_p_value():
    for a, n, b, m in [*TABLES, (0, 13, 1, 1), (2, 2, 26, 152)]:
        turned = one(threshold_p, n - a, n, m - b, m, 0.05)
        assert one(threshold_p, a, n, b, m, 0.05) == pytest.approx(turned)


@pytest.mark.parametrize("many", [2, 10, 1000, 10**6])
def test_one_person_against_many_is_weak_evidence(many):
    assert one(threshold_p, 0, many, 1, 1, 0.05) > 0.025
    assert one(threshold_p, many, many, 0, 1, 0.05) > 0.025


def test_nobody_favored_is_no_evidence():
    found = statistics(**dict(zip(NAMES, columns(0, 50, 0, 60), strict=True)), threshold=0.05)
    assert not found.shown[0]
    assert found.p_zero[0] == 1
    assert found.p_threshold[0] > 0.5


def test_p_zero_is_near_fishers_test_where_that_is_good():
    found = statistics(
        **dict(zip(NAMES, columns(60, 300, 90, 300), strict=True)), threshold=0.05
    )
    fisher = fisher_exact([[60, 240], [90, 210]]).pvalue
    assert float(found.p_zero[0]) == pytest.approx(fisher, rel=0.3)


def test_holm_never_reverses_and_never_exceeds_one():
    p = np.array([0.001, 0.5, 0.01, 0.04, 0.9])
    adjusted = holm(p)
    assert (np.argsort(p) == np.argsort(adjusted, kind="stable")).all()
    assert adjusted[0] == 0.005
    assert adjusted.max() == 1


def test_shown_needs_the_interval_beyond_the_threshold_and_a_small_adjusted_p():
    # One woman against nine men: the interval lies beyond the threshold, and yet.
    found = statistics(**dict(zip(NAMES, columns(1, 1, 0, 9), strict=True)), threshold=0.05)
    assert found.high[0] < -0.05
    assert not found.shown[0]


@pytest.mark.parametrize("table", [(0, 1, 21, 21), (1, 1, 0, 21), (21, 21, 0, 1)])
def test_a_p_of_just_five_in_a_hundred_shows_nothing_from_either_side(table):
    found = statistics(**dict(zip(NAMES, columns(*table), strict=True)), threshold=0.05)
    assert found.p_threshold[0] == pytest.approx(0.05)
    assert not found.shown[0]
