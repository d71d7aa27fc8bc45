"""Discovery with a perfect oracle finds the true class; kernels agree on any table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.brute_force import equivalent, is_separated
from tests.repetitions import repetitions
from tests.single_tests import SingleTests
from tests.strategies import dags, known_dags, tiered_dags

from evenhand import CountTable, Knowledge, Tiers, discover
from evenhand.graph import DiscoveryRecord
from evenhand.graph.cached_tests import Evaluator
from evenhand.graph.discovery import oriented_graph, search
from evenhand.graph.independence_tests import TESTS
from evenhand.graph.kernels.batch import Batch
from evenhand.graph.skeleton import Limits


def by_oracle(graph, knowledge, algorithm="stable"):
    """What the search finds if every test is answered by the true graph."""
    names = sorted(graph.nodes)
    order = Knowledge.of(knowledge).about(names)

    def evaluate(batch):
        return np.array(
            [
                float(is_separated(graph.arrows, names[x], names[y], {names[z] for z in given}))
                for x, y, given in zip(batch.x, batch.y, batch.given, strict=True)
            ]
        )

    skeleton, reading = search(names, order, 0.5, evaluate, Limits(), algorithm=algorithm)
    record = DiscoveryRecord(algorithm=algorithm, test="oracle", significance=0.5)
    return oriented_graph(names, order, skeleton, reading, record), order


def assert_true_class(graph, knowledge, algorithm="stable"):
    found, order = by_oracle(graph, knowledge, algorithm)
    members = equivalent(graph.arrows, order.may_cause)
    shared = frozenset.intersection(*members)
    open_edges = {tuple(sorted(arrow)) for member in members for arrow in member - shared}
    assert found.arrows == shared
    assert found.undirected == open_edges
    assert not found.record.conflicts


@pytest.mark.parametrize("algorithm", ["stable", "original"])
@given(graph=dags(min_nodes=2, max_nodes=6))
def test_a_perfect_oracle_gives_the_true_class(algorithm, graph):
    assert_true_class(graph, None, algorithm)


@pytest.mark.parametrize("algorithm", ["stable", "original"])
@given(tiered=tiered_dags(min_nodes=2, max_nodes=6))
def test_a_perfect_oracle_with_tiers_gives_what_is_left_of_the_true_class(algorithm, tiered):
    assert_true_class(*tiered, algorithm)


@given(known=known_dags(min_nodes=3, max_nodes=6))
def test_a_perfect_oracle_with_any_true_knowledge_gives_what_is_left_of_the_class(known):
    assert_true_class(*known)


@st.composite
def tables(draw, *, nodes=5):
    """Counts of a few attributes, many cells empty, and tests of one depth."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    lines = draw(st.integers(1, 60))
    cards = draw(st.lists(st.integers(1, 5), min_size=nodes, max_size=nodes))
    names = [f"n{i}" for i in range(nodes)]
    columns = {
        name: generator.integers(0, card, lines).astype(str).tolist()
        for name, card in zip(names, cards, strict=True)
    }
    counts = CountTable.of(columns, generator.integers(1, 40, lines).tolist())
    depth = draw(st.integers(0, nodes - 2))
    tests = [generator.permutation(nodes)[: depth + 2] for _ in range(12)]
    x = np.array([min(test[:2]) for test in tests])
    y = np.array([max(test[:2]) for test in tests])
    given_ = np.array([sorted(test[2:]) for test in tests], np.intp).reshape(12, depth)
    return counts, Batch(x, y, given_)


@pytest.mark.parametrize("test", TESTS)
@settings(max_examples=repetitions(40))
@given(asked=tables())
def test_both_kernels_agree_with_each_test_alone(test, asked):
    counts, batch = asked
    names = counts.names
    tester = SingleTests(counts, test=test)
    one_by_one = [
        tester.test(names[x], names[y], [names[z] for z in given])
        for x, y, given in zip(batch.x, batch.y, batch.given, strict=True)
    ]
    for kernel in ("numpy", "numba"):
        answers = Evaluator(counts, names, kernel=kernel).statistics(batch, test)
        assert answers.degrees.tolist() == [one.degrees_of_freedom for one in one_by_one]
        for found, degrees, one in zip(*answers, one_by_one, strict=True):
            assert not degrees or found == pytest.approx(one.statistic, abs=1e-8, rel=1e-9)


@settings(max_examples=repetitions(25))
@given(asked=tables(), data=st.data())
def test_the_order_of_columns_never_changes_graph_or_record(asked, data):
    counts, _ = asked
    order = data.draw(st.permutations(counts.names))
    first = discover(counts, significance=0.2)
    other = discover(counts.marginal(order), significance=0.2)
    assert (first, first.record) == (other, other.record)


@settings(max_examples=repetitions(60))
@given(asked=tables(), tiers=st.lists(st.integers(0, 2), min_size=5, max_size=5))
def test_a_search_that_reuses_tests_finds_what_a_new_one_finds(asked, tiers):
    counts, _ = asked
    tiers = [
        [n for n, at in zip(counts.names, tiers, strict=True) if at == k] for k in range(3)
    ]
    known = Tiers(*filter(None, tiers))
    before = discover(counts, significance=0.2)
    fresh = discover(counts, knowledge=known, significance=0.1)
    again = discover(counts, knowledge=known, significance=0.1, reuse=before)
    assert again == fresh
    assert again.record.tests == fresh.record.tests
    assert again.record.separating.keys() == fresh.record.separating.keys()
    for pair, by in again.record.separating.items():
        assert by.p == pytest.approx(fresh.record.separating[pair].p)
        assert by.given == fresh.record.separating[pair].given
    # Of other counts, or by another test, nothing is reused.
    other = CountTable(counts.attributes, counts.codes, counts.counts + 7)
    assert discover(other, reuse=before).record == discover(other).record
    assert discover(counts, test="g-square", reuse=before) == discover(counts, test="g-square")
