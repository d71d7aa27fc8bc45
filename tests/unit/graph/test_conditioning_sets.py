"""The sets each pair is tested with."""

from itertools import combinations

import numpy as np
import pytest

from evenhand.graph.kernels import conditioning_sets
from evenhand.graph.kernels.batch import Batch
from evenhand.graph.kernels.conditioning_sets import batches_of, count_tests


@pytest.mark.parametrize("depth", range(5))
def test_every_pair_gets_each_set_of_either_end_once(depth):
    generator = np.random.default_rng(depth)
    pairs = np.triu(generator.random((7, 7)) < 0.6, 1)
    pairs |= pairs.T
    offers = (generator.random((7, 7)) < 0.7) & ~np.eye(7, dtype=bool)
    expected = {
        (x, y, given)
        for x, y in combinations(range(7), 2)
        if pairs[x, y]
        for a, b in ((x, y), (y, x))
        for given in combinations(np.flatnonzero(offers[a] & (np.arange(7) != b)), depth)
    }
    found = [
        (x, y, tuple(given))
        for batch in batches_of(pairs, offers, depth)
        for x, y, given in zip(batch.x, batch.y, batch.given, strict=True)
    ]
    assert sorted(found) == sorted(expected)
    assert count_tests(pairs, offers, depth) == len(expected)


def test_many_pairs_are_taken_some_at_a_time(monkeypatch):
    generator = np.random.default_rng(9)
    pairs = np.triu(generator.random((20, 20)) < 0.5, 1)
    pairs |= pairs.T
    whole = count_tests(pairs, pairs, 2), list(batches_of(pairs, pairs, 0))
    monkeypatch.setattr(conditioning_sets, "_MOST_PAIRS", 7)
    monkeypatch.setattr(conditioning_sets, "_MOST_TESTS", 7)
    parts = list(batches_of(pairs, pairs, 0))
    assert count_tests(pairs, pairs, 2) == whole[0]
    assert max(map(len, parts)) == 7
    assert Batch.joined(parts).y.tolist() == whole[1][0].y.tolist()
