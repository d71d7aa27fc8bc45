"""Intervals, corrections for many tests, and what counts as shown."""

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency, fisher_exact
from statsmodels.stats.multitest import multipletests

from evenhand.evidence.statistics import (
    benjamini_hochberg,
    holm,
    newcombe_interval,
    statistics,
)


def columns(*counts):
    return tuple(np.array([n], np.int64) for n in counts)


def of_one(group_yes, group, other_yes, other):
    names = ("group_yes", "group", "other_yes", "other")
    table = columns(group_yes, group, other_yes, other)
    return statistics(**dict(zip(names, table, strict=True)), threshold=0.05)


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
    ends = newcombe_interval(*columns(*group, *other))
    assert [round(float(end[0]), 4) for end in ends] == pytest.approx([low, high], abs=1e-4)


def test_with_many_rows_p_zero_is_the_chi_square_test_with_n_minus_one():
    table = [[600, 2400], [680, 2320]]
    statistic = chi2_contingency(table, correction=False).statistic * 5999 / 6000
    p = float(of_one(600, 3000, 680, 3000).p_zero[0])
    assert p == pytest.approx(chi2.sf(statistic, 1))


def test_p_zero_is_near_fishers_test_where_that_is_good():
    fisher = fisher_exact([[60, 240], [90, 210]]).pvalue
    assert float(of_one(60, 300, 90, 300).p_zero[0]) == pytest.approx(fisher, rel=0.3)


def test_nobody_favored_is_no_evidence():
    result = of_one(0, 50, 0, 60)
    assert not result.shown[0]
    assert result.p_zero[0] == 1
    assert result.p_threshold[0] > 0.5


def test_shown_needs_the_interval_beyond_the_threshold_and_a_small_adjusted_p():
    # One woman against nine men: the interval lies beyond the threshold, and yet.
    result = of_one(1, 1, 0, 9)
    assert result.high[0] < -0.05
    assert not result.shown[0]


@pytest.mark.parametrize("table", [(0, 1, 21, 21), (1, 1, 0, 21), (21, 21, 0, 1)])
def test_one_person_against_21_shows_nothing_from_either_side(table):
    result = of_one(*table)
    assert result.p_threshold[0] > 0.05
    assert not result.shown[0]


@pytest.mark.parametrize(("ours", "theirs"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
@pytest.mark.parametrize("tied", [False, True])
def test_corrections_are_those_of_statsmodels(ours, theirs, tied):
    p = np.random.default_rng(4).uniform(size=40) ** 3
    p = p.round(1) if tied else p
    assert ours(p).tolist() == pytest.approx(multipletests(p, method=theirs)[1].tolist())


@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
def test_no_tests_need_no_correction(correct):
    assert correct(np.array([])).tolist() == []


def test_holm_never_reverses_and_never_exceeds_one():
    p = np.array([0.001, 0.5, 0.01, 0.04, 0.9])
    adjusted = holm(p)
    assert (np.argsort(p) == np.argsort(adjusted, kind="stable")).all()
    assert adjusted[0] == 0.005
    assert adjusted.max() == 1
