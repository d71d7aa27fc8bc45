"""Corrections for many tests, and what counts as shown."""

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency, fisher_exact
from statsmodels.stats.multitest import multipletests
from tests import naive_groups
from tests.populations import compared, shown_shares

from evenhand.evidence.statistics.comparison_statistics import (
    benjamini_hochberg,
    holm,
    statistics,
)


@pytest.fixture(autouse=True)
def _no_garbage_is_collected(monkeypatch):
    """Holm's of statsmodels collects it in every call: 0.3 s beside thousands of tests."""
    monkeypatch.setattr("gc.collect", lambda: 0)


def columns(*counts):
    return tuple(np.array([n], np.int64) for n in counts)


def of_one(group_yes, group, other_yes, other):
    table = columns(group_yes, group, other_yes, other)
    return statistics(compared(*table), 0.05)


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


TABLE = np.array([(3, 9, 8, 11), (40, 90, 61, 100), (0, 4, 1, 2), (120, 400, 180, 380)]).T


def of_all(table):
    return statistics(compared(*table), 0.05)


def test_the_common_difference_is_one_more_hypothesis_in_the_family():
    found = of_all(TABLE)
    together = [*found.p_threshold, found.common.p_threshold]
    right = multipletests(together, method="holm")[1]
    assert [*found.p_adjusted, found.common.p_adjusted] == pytest.approx(right.tolist())


def test_one_subpopulation_and_its_mean_are_one_hypothesis():
    found = of_all(TABLE[:, [1]])
    assert found.p_adjusted == found.p_threshold
    assert found.common.p_adjusted == found.p_threshold[0]
    assert found.common.difference == pytest.approx(found.difference[0])


def test_of_one_subpopulation_the_mean_is_never_shown_alone():
    for b in range(101):
        found = of_one(20, 100, b, 100)
        assert found.shown[0] or not found.common.shown


def test_a_mean_beyond_the_threshold_needs_its_interval_there_too():
    found = of_all(TABLE[:, [1, 3]])
    assert found.common.shown == (
        (found.common.low > 0.05 or found.common.high < -0.05)
        and found.common.p_adjusted < 0.05
    )
    assert found.any_shown == (found.shown.any() or found.common.shown)


@pytest.mark.parametrize(
    ("sizes", "low", "signs"),
    [
        (([30] * 8, [300] * 8), 0.3, [1]),
        (([5] * 8, [1000] * 8), 0.001, [-1]),
        (([40] * 8, [40] * 8), 0.4, [1, -1]),
        (([3, 10, 30, 100], [100, 30, 10, 3]), 0.2, [1]),
    ],
)
def test_with_all_at_the_threshold_one_is_shown_in_5_of_100_tables_at_most(sizes, low, signs):
    places = len(sizes[0])
    differences = 0.05 * np.resize(signs, places)
    rates = low + np.maximum(-differences, 0), low + np.maximum(differences, 0)
    _, shown, _ = shown_shares(np.random.default_rng(1), sizes, rates, 0.05, draws=800)
    assert shown < 0.05 + 3 * 0.0077


def test_a_difference_in_many_small_groups_is_shown_by_their_mean():
    sizes, rates = ([50] * 30, [50] * 30), (np.full(30, 0.3), np.full(30, 0.45))
    alone, together, _ = shown_shares(np.random.default_rng(1), sizes, rates, 0.05, draws=200)
    assert alone < 0.5
    assert together > 0.95


def test_the_mean_of_one_subpopulation_is_that_subpopulation():
    one = of_one(100, 500, 300, 500)
    assert (one.common.low, one.common.high) == (one.low[0], one.high[0])
    assert one.common.p_zero == one.p_zero[0]
    assert one.common.p_threshold == one.p_threshold[0] == one.common.p_adjusted


@pytest.mark.parametrize("seed", range(4))
def test_the_family_is_every_comparison_and_every_mean_of_several(seed):
    """Means of one comparison are that comparison: one hypothesis, one adjusted p."""
    for cells, question, _, _ in naive_groups.cases(seed, 8):
        partition = naive_groups.partition_of(cells, question)
        found, own = partition.statistics, partition.comparisons
        members = [np.flatnonzero(own.mean == at) for at in range(own.means)]
        several = [at for at, places in enumerate(members) if len(places) > 1]
        p = [*found.p_threshold, *(found.means[at].p_threshold for at in several)]
        assert found.family == len(p)
        assert found.tested_means == len(several)
        if not p:
            continue
        adjusted = multipletests(p, method="holm")[1].tolist()
        assert found.p_adjusted.tolist() == pytest.approx(adjusted[: len(own)])
        for at, places in enumerate(members):
            mean = found.means[at]
            if not len(places):
                assert mean is None
                continue
            place = len(own) + several.index(at) if at in several else int(places[0])
            assert mean.p_adjusted == pytest.approx(adjusted[place])
            if at not in several:
                assert mean.p_threshold == p[place]
                assert (mean.low, mean.high) == (found.low[place], found.high[place])
        beyond = (found.low > 0.1) | (found.high < -0.1)
        assert (
            found.shown.tolist() == (beyond & (np.array(adjusted[: len(own)]) < 0.05)).tolist()
        )
        assert found.mean_count == sum(len(places) > 0 for places in members)


def test_the_leading_mean_is_the_farthest_from_chance():
    for cells, question, _, _ in naive_groups.cases(9, 8):
        found = naive_groups.partition_of(cells, question).statistics
        measured = [mean for mean in found.means if mean]
        if not measured:
            assert found.common is None
            continue
        assert found.common.p_threshold == min(mean.p_threshold for mean in measured)


def test_each_mean_is_that_of_its_two_groups_alone():
    """The mean of a pair among many is the common difference of a question about these two."""
    rng = np.random.default_rng(2)
    cells = naive_groups.random_cells(rng, groups=4, lines=6, most=40)
    partition = naive_groups.partition_of(cells, naive_groups.question_of())
    for at, (a, b) in enumerate(partition.pairs):
        pair = partition.groups[a], partition.groups[b]
        asked = naive_groups.question_of(group=pair[0], other=pair[1])
        alone = naive_groups.partition_of(cells, asked).statistics.common
        mean = partition.statistics.means[at]
        for name in ("difference", "low", "high", "p_zero", "p_threshold"):
            assert getattr(mean, name) == pytest.approx(getattr(alone, name))
        assert mean.p_adjusted >= alone.p_adjusted
