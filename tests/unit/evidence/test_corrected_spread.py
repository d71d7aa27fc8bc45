"""How much of the spread of differences is noise."""

import numpy as np
import pytest
from scipy.stats import binom
from tests.populations import (
    SPREADS,
    partition_of,
    partition_of_adult,
    partition_of_dutch,
    spreads,
)

from evenhand import datasets
from evenhand.evidence import certify
from evenhand.evidence.corrected_spread import sampling_variance, spread
from evenhand.graph.causal_graph import CausalGraph


def test_the_noise_in_adult_depends_on_how_it_is_estimated(adult):
    found = spread(partition_of_adult(adult))
    shares = {one.estimator: round(100 * one.share) for one in found.corrected}
    assert shares == {"as seen": 32, "smoothed": 69}
    assert round(found.corrected[1].sd, 3) == 0.073
    assert not found.solid
    assert "not solid" in found.sentence()


def test_the_noise_in_dutch_is_negligible_either_way(dutch):
    found = spread(partition_of_dutch(dutch))
    assert max(one.share for one in found.corrected) < 0.01
    assert round(found.mean, 3) == 0.222
    assert found.solid


def test_the_plain_bound_is_the_relaxed_certificates(adult):
    asked = datasets.question("adult").question
    causes = [name for name in adult.names if name != asked.decision]
    graph = CausalGraph(adult.names, frozenset((name, asked.decision) for name in causes))
    certificate = certify(adult, graph, asked)
    assert certificate.population.spread.bound == pytest.approx(
        float(certificate.relaxed().bound)
    )


def test_differences_that_do_not_vary_have_no_share_of_noise():
    found = spread(partition_of([30, 300], [100, 1000], [30, 300], [100, 1000]))
    assert found.sentence() == "The differences do not vary."


def test_noise_from_rates_as_seen_is_right_on_average():
    for rows, rate in ((2, 0.3), (3, 0.05), (20, 0.6)):
        yes = np.arange(rows + 1.0)
        nobody = np.zeros_like(yes), np.full_like(yes, 5.0)
        found = sampling_variance(yes, np.full_like(yes, rows), *nobody, smoothed=False)
        mean = binom.pmf(yes, rows, rate) @ found
        assert mean == pytest.approx(rate * (1 - rate) / rows)


def test_of_one_row_no_noise_is_taken_away():
    one = np.ones(1)
    assert sampling_variance(one, one, 0 * one, one, smoothed=False).tolist() == [0]


@pytest.mark.parametrize("setting", SPREADS)
def test_a_bound_that_is_said_to_stand_rarely_exceeds_the_true_one_by_a_tenth(setting):
    tables = list(spreads(np.random.default_rng(3), *setting, draws=100))
    standing = [
        max(one.bound for one in found.corrected) > true + 0.1
        for found, true in tables
        if "stands" in found.sentence() or found.solid
    ]
    # In 5 of 100, and three standard errors.
    assert sum(standing) <= 0.05 * len(standing) + 3 * (0.05 * 0.95 * len(standing)) ** 0.5


@pytest.mark.parametrize("setting", SPREADS)
def test_the_bound_lies_within_its_standard_error(setting):
    tables = spreads(np.random.default_rng(4), *setting, draws=100)
    off = np.array(
        [
            [(one.bound - true) / one.bound_error for one in found.corrected]
            for found, true in tables
        ]
    )
    assert (np.abs(off.mean(axis=0)) < 0.5).all()
    assert (off.std(axis=0) < 1.2).all()
    assert ((off > 1.645).mean(axis=0) < 0.05 + 3 * 0.022).all()


def test_where_much_is_known_the_corrected_bound_stands():
    found, _ = next(spreads(np.random.default_rng(3), 400, 4000, 0.02, 0.3, draws=1))
    assert "the corrected bound stands" in found.sentence()


def test_where_little_is_known_the_error_is_told():
    found, _ = next(spreads(np.random.default_rng(3), 50, 300, 0.03, 0.3, draws=1))
    assert "the corrected one has a standard error of" in found.sentence()
    found, _ = next(spreads(np.random.default_rng(3), 10, 50, 0.03, 0.3, draws=1))
    assert "not known" in found.sentence()
