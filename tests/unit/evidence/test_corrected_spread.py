"""How much of the spread of differences is noise."""

import pytest
from tests.populations import partition_of, partition_of_adult, partition_of_dutch

from evenhand import datasets
from evenhand.evidence import certify
from evenhand.evidence.corrected_spread import spread
from evenhand.graph.causal_graph import CausalGraph


def test_the_noise_in_adult_depends_on_how_it_is_estimated(adult):
    found = spread(partition_of_adult(adult))
    shares = {one.estimator: round(100 * one.share) for one in found.corrected}
    assert shares == {"plug-in": 26, "smoothed": 69}
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
