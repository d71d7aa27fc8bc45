"""All subsets of a pool at once: the same results as each set alone, by both kernels."""

import numpy as np
import pytest
from tests.brute_force import independence

from evenhand import CountTable, Tiers, datasets, discover
from evenhand.counts import Attribute
from evenhand.graph.cached_tests import Evaluator
from evenhand.graph.independence_tests import TESTS
from evenhand.graph.kernels import batch, numba_kernel, numpy_kernel
from evenhand.graph.kernels.batch import Batch, CodedTable

MODULES = {"numpy": numpy_kernel, "numba": numba_kernel}
CARDS = (3, 2, 4, 1, 2, 5, 3)


def table(seed=1, cards=CARDS, lines=150):
    generator = np.random.default_rng(seed)
    codes = np.array([generator.integers(0, card, lines) for card in cards])
    attributes = [
        Attribute(f"a{i}", tuple(map(str, range(card)))) for i, card in enumerate(cards)
    ]
    return CountTable.build(attributes, codes, generator.integers(1, 9, lines))


def one_by_one(counts, x, y, given, test):
    lines = [*zip(*(code.tolist() for code in counts.codes), strict=True)]
    return independence(lines, counts.counts, x, y, sorted(given), test=test)


@pytest.mark.parametrize("kernel", MODULES)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("ends", [(0, 2), (1, 4), (2, 1)])
def test_every_subset_has_the_result_of_its_own_test(kernel, test, ends):
    counts = table()
    pool = np.array([at for at in (6, 5, 3, 4, 1, 2) if at not in ends])
    coded = CodedTable.of(counts, counts.names)
    found = MODULES[kernel].every_subset(coded, *ends, pool, test)
    assert len(found.statistic) == 2 ** len(pool)
    for subset in range(2 ** len(pool)):
        given = [int(at) for bit, at in enumerate(pool) if subset >> bit & 1]
        statistic, degrees = one_by_one(counts, *ends, given, test)
        assert found.degrees[subset] == degrees
        if degrees:
            assert found.statistic[subset] == pytest.approx(statistic, abs=1e-7, rel=1e-9)


LIMITS = {
    "all": {},
    "smaller pools": {"_CELLS_PER_SUBSET": 40},
    "none": {"_MOST_CELLS": 0},
    "no room": {"_MOST_RESULTS": 20},
}


@pytest.mark.parametrize("kernel", MODULES)
@pytest.mark.parametrize("limits", LIMITS)
def test_a_batch_with_pools_has_the_results_of_one_without(kernel, limits, monkeypatch):
    for name, value in LIMITS[limits].items():
        monkeypatch.setattr(batch, name, value)
    counts = table(2)
    pools = np.zeros((7, 7), bool)
    pools[0, 2:6] = pools[1, [3, 6]] = pools[2, [0, 1, 4, 5, 6]] = True
    evaluator = Evaluator(counts, counts.names, kernel=kernel)
    for given in ([[]] * 2, [[2], [4]], [[3, 4], [4, 6]], [[2, 4, 5], [0, 5, 6]]):
        sets = np.array(given, np.intp).reshape(2, len(given[0]))
        plain = Batch(np.array([0, 1]), np.array([1, 2]), sets)
        hinted = Batch(plain.x, plain.y, plain.given, pools)
        for test in TESTS:
            expected = evaluator.statistics(plain, test)
            found = evaluator.statistics(hinted, test)
            assert found.degrees.tolist() == expected.degrees.tolist()
            assert found.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("max_depth", [None, 2])
def test_votes_are_the_same_with_and_without_pools(max_depth, monkeypatch):
    counts = datasets.adult()
    tiers = Tiers(["sex", "age", "native_country", "race"], ["education"], ...)
    graph = discover(counts, knowledge=tiers, kernel="numpy", max_depth=max_depth)
    monkeypatch.setattr(batch, "_MOST_CELLS", 0)
    alone = discover(counts, knowledge=tiers, kernel="numpy", max_depth=max_depth)
    assert graph == alone
    assert graph.record == alone.record
