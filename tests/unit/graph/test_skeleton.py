"""The fast skeleton against PC written as its definition reads, and against causal-learn."""

import warnings

import numpy as np
import pytest
from tests.naive_pc import naive_skeleton
from tests.networks import network

from evenhand import Knowledge, Tiers
from evenhand.graph.cached_tests import Evaluator
from evenhand.graph.discovery import search
from evenhand.graph.skeleton import Limits

ADULT = Tiers(["sex", "age", "native_country", "race"], ["education"], ...)
DUTCH = Tiers(["sex", "age", "country_birth"], ["edu_level"], ...)


def found(counts, knowledge, significance=0.01, *, kernel="numpy", max_depth=None):
    """Edges, separating sets with their p, and tests at each depth, by names."""
    names = sorted(counts.names)
    evaluator = Evaluator(counts, names, kernel=kernel)
    skeleton, _ = search(
        names,
        Knowledge.of(knowledge).about(counts.names),
        significance,
        lambda batch: evaluator.p_values(batch, "chi-square"),
        Limits(max_depth=max_depth),
    )
    edges = {(names[x], names[y]) for x, y in np.argwhere(np.triu(skeleton.adjacent))}
    separating = {
        (names[x], names[y]): (tuple(names[z] for z in verdict.given), verdict.p)
        for (x, y), verdict in skeleton.weakest.items()
        if not skeleton.adjacent[x, y]
    }
    return edges, separating, skeleton.tests


def assert_as_naive(counts, knowledge, significance=0.01, max_depth=None):
    order = Knowledge.of(knowledge).about(counts.names)
    edges, separating, tests = naive_skeleton(counts, order, significance, max_depth)
    for kernel in ("numpy", "numba"):
        ours, our_sets, our_tests = found(
            counts, knowledge, significance, kernel=kernel, max_depth=max_depth
        )
        assert ours == edges
        assert our_tests == tests
        assert {pair: given for pair, (given, _) in our_sets.items()} == {
            pair: given for pair, (given, _) in separating.items()
        }
        for pair, (_, p) in separating.items():
            assert our_sets[pair][1] == pytest.approx(p, rel=1e-6)


def by_causal_learn(counts, significance):
    """The skeleton of causal-learn's stable PC with chi-square."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from causallearn.search.ConstraintBased.PC import pc  # noqa: PLC0415

        rows = np.stack([np.repeat(code, counts.counts) for code in counts.codes], axis=1)
        graph = pc(rows.astype(int), significance, "chisq", show_progress=False).G.graph
    return {
        tuple(sorted((counts.names[i], counts.names[j])))
        for i, j in np.argwhere(np.triu(graph != 0))
    }


def test_adult_as_the_definition_reads(paper_adult):
    assert_as_naive(paper_adult, ADULT, max_depth=4)


def test_dutch_as_the_definition_reads_in_small_sets(dutch):
    assert_as_naive(dutch, DUTCH, max_depth=1)


@pytest.mark.slow
def test_adult_and_dutch_as_the_definition_reads_in_all_sets(paper_adult, dutch):
    assert_as_naive(paper_adult, ADULT)
    assert_as_naive(dutch, DUTCH)


@pytest.mark.slow
def test_seventy_nodes_as_the_definition_reads():
    assert_as_naive(network("hepar2").sample(10_000, 1), None, 0.05)


@pytest.mark.parametrize("name", ["asia", "cancer", "earthquake", "survey", "sachs"])
def test_published_networks_have_the_edges_that_causal_learn_finds(name):
    counts = network(name).sample(3_000, 7)
    assert found(counts, None, 0.05)[0] == by_causal_learn(counts, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["child", "insurance", "alarm", "win95pts", "hepar2"])
def test_larger_networks_have_the_edges_that_causal_learn_finds(name):
    counts = network(name).sample(10_000, 7)
    expected = by_causal_learn(counts, 0.05)
    for kernel in ("numpy", "numba"):
        assert found(counts, None, 0.05, kernel=kernel)[0] == expected


def test_required_pairs_are_never_tested_and_forbidden_ones_never_joined(adult):
    counts = adult.marginal(["sex", "age", "race", "income"])
    knowledge = Knowledge(
        required=["sex -> age"], forbidden=["race -> income", "income -> race"]
    )
    edges, separating, _ = found(counts, knowledge)
    assert ("age", "sex") in edges
    assert ("income", "race") not in edges
    assert not {("age", "sex"), ("income", "race")} & separating.keys()
