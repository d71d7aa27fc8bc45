"""Comparisons of every pair of groups are those of fractions worked out one by one."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from tests.naive_groups import GROUPS, cases, naive_comparisons, partition_of

from evenhand.evidence.comparisons import Comparisons


@pytest.mark.parametrize("seed", range(6))
def test_every_cut_pair_and_place_is_compared_once(seed):
    for cells, question, groups, values in cases(seed, 12):
        partition = partition_of(cells, question)
        expected = naive_comparisons(cells, question, groups=groups, values=values)
        compared = partition.comparisons
        assert partition.groups == tuple(GROUPS[:groups])
        places = [partition.where(at)["place"] for at in range(len(partition))]
        found = {
            (
                int(compared.cut[at]),
                *(partition.groups[end] for end in partition.pairs[compared.pair[at]]),
                places[compared.line[at]],
            ): compared.difference(at)
            for at in range(len(compared))
        }
        assert list(found.items()) == list(expected.items())
        differences = [*expected.values()]
        reach = Fraction(1, 10)
        assert compared.side.tolist() == [(d >= reach) - (d <= -reach) for d in differences]
        at = np.append(np.arange(len(compared)), -1)
        assert compared.texts(at) == [*map(str, differences), None]
        widest = {}
        for number, (key, difference) in enumerate(expected.items()):
            best = widest.get(key[-1])
            if best is None or abs(difference) > abs(differences[best]):
                widest[key[-1]] = number
        assert compared.widest(len(partition)).tolist() == [widest.get(p, -1) for p in places]


def test_means_are_of_one_cut_and_pair():
    for cells, question, _, _ in cases(7, 8):
        compared = partition_of(cells, question).comparisons
        assert compared.means == compared.cuts * len(compared.pairs)
        parts = [compared.of_mean(at) for at in range(compared.means)]
        assert sum(map(len, parts)) == len(compared)
        for at, part in enumerate(parts):
            own = (compared.cut == at // len(compared.pairs)) & (
                compared.pair == at % len(compared.pairs)
            )
            assert [c.tolist() for c in part.tables] == [
                c[own].tolist() for c in compared.tables
            ]
            assert part.line.tolist() == compared.line[own].tolist()


@pytest.mark.parametrize("large", [1, 10**6, 10**12])
def test_widest_is_exact_where_floats_are_not(large):
    """Of differences that floats take for equal the larger is found, of equals the first."""
    n = 3 * large
    favorable = np.array([[0, large, large + 1, 2 * large + 2]])[..., None]
    rows = np.array([n, n, n + 1, n])[:, None]
    pairs = [*combinations(range(4), 2)]
    compared = Comparisons.of(favorable, rows, pairs, least_rows=1, threshold=Fraction(1, 20))
    exact = [
        abs(
            Fraction(int(favorable[0, b, 0]), int(rows[b, 0]))
            - Fraction(int(favorable[0, a, 0]), int(rows[a, 0]))
        )
        for a, b in pairs
    ]
    assert compared.widest(1).tolist() == [exact.index(max(exact))]
    assert compared.texts(np.arange(6)) == [str(compared.difference(at)) for at in range(6)]


def test_nothing_is_compared_where_nobody_has_enough_rows():
    favorable, rows = np.ones((1, 3, 2), np.int64), np.full((3, 2), 4)
    pairs = [(0, 1), (0, 2), (1, 2)]
    none = Comparisons.of(favorable, rows, pairs, least_rows=5, threshold=Fraction(1, 20))
    assert len(none) == 0
    assert none.widest(2).tolist() == [-1, -1]
    assert none.texts(np.array([-1, -1])) == [None, None]
    assert (none.means, len(none.of_mean(1))) == (3, 0)
