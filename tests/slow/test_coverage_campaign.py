"""How often intervals miss and verdicts are wrong, where the truth is known.

Bounds leave room for chance: three standard errors of each share. docs/statistics.md has the
figures; `python -m bench.campaign_statistics` prints them.
"""

import numpy as np
import pytest
from tests.populations import (
    adult_sizes,
    common_coverage,
    interval_coverage,
    overall_shares,
    verdict_shares,
    within_share,
)

from evenhand.verdict import StatisticalVerdict

pytestmark = pytest.mark.slow


@pytest.fixture
def generator():
    return np.random.default_rng(20170613)


@pytest.fixture(scope="module")
def sizes():
    return adult_sizes()


def test_intervals_cover_in_95_of_100_tables_and_nowhere_in_much_fewer(generator):
    coverage = interval_coverage(generator)
    assert 0.945 < coverage.mean() < 0.975
    assert np.quantile(coverage, 0.01) > 0.92


def test_without_any_difference_one_is_shown_in_fewer_than_5_of_100_tables(generator, sizes):
    shares = verdict_shares(generator, sizes, 0.0, draws=1500)
    assert shares[StatisticalVerdict.SHOWN] < 0.05


def test_with_all_at_the_threshold_one_is_shown_in_5_of_100_tables_at_most(generator, sizes):
    shares = verdict_shares(generator, sizes, 0.05, draws=1500)
    assert shares[StatisticalVerdict.SHOWN] < 0.05 + 3 * 0.0056


@pytest.mark.parametrize(("places", "rate"), [(1, 0.3), (4, 0.3), (4, 0.02), (20, 0.9)])
def test_a_difference_of_the_threshold_is_hardly_ever_called_within(generator, places, rate):
    assert within_share(generator, places=places, rows=3000, rate=rate, draws=1500) < 0.05


def test_the_common_interval_covers_in_many_small_tables(generator, sizes):
    for difference in (0.0, 0.05):
        shares = overall_shares(generator, sizes, difference, draws=1000)
        assert abs(shares["coverage"] - 0.95) < 3 * 0.007


def test_the_common_interval_covers_where_differences_vary(generator):
    for places, rates in ((100, ([0.001], [0.001])), (10, ([0.5], [0, 1]))):
        group, other = np.full(places, 2 if places == 100 else 5), np.full(places, 1000)
        share = common_coverage(generator, group, other, *rates, draws=1500)
        assert share > 0.93 - 3 * 0.0066


def test_tests_over_all_reject_one_common_difference_in_about_5_of_100(generator, sizes):
    nothing = overall_shares(generator, sizes, 0.0, draws=1000)
    assert nothing["p_zero"] < 0.05 + 3 * 0.007
    assert nothing["heterogeneity"] < 0.05 + 4 * 0.007
    assert nothing["opposite"] < 0.05
