"""Which rows move between stored values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.removal.value_moves import apportion, moves_across, moves_between


def random_counts(rng, values):
    return rng.integers(0, 9, (values, 2, 5))


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_moves_turn_old_counts_into_new_ones_with_the_fewest_rows(ordered, seed):
    rng = np.random.default_rng(seed)
    values = int(rng.integers(2, 6))
    old = random_counts(rng, values)
    new = np.stack(
        [
            rng.multinomial(int(total), np.full(values, 1 / values))
            for total in old.sum(axis=0).ravel()
        ],
        axis=-1,
    ).reshape(old.shape)
    moves = moves_between(old, new, ordered=ordered)
    assert (moves >= 0).all()
    assert (old - moves.sum(axis=1) + moves.sum(axis=0) == new).all()
    assert (moves.sum(axis=(0, 1)) == abs(new - old).sum(axis=0) // 2).all()
    if ordered:
        distance = abs(np.subtract.outer(np.arange(values), np.arange(values)))
        steps = (moves * distance[..., None, None]).sum(axis=(0, 1))
        assert (steps == abs(np.cumsum(new - old, axis=0)).sum(axis=0)).all()


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_as_many_rows_cross_the_border_as_are_asked_for(ordered, seed):
    rng = np.random.default_rng(seed)
    values = int(rng.integers(2, 6))
    favorable = np.arange(values) % int(rng.integers(2, 4)) == 0
    counts = random_counts(rng, values)
    yes, no = counts[favorable].sum(axis=0), counts[~favorable].sum(axis=0)
    change = rng.integers(-yes, no + 1)
    moves = moves_across(counts, favorable, change, ordered=ordered)
    new = counts - moves.sum(axis=1) + moves.sum(axis=0)
    assert (new >= 0).all()
    assert (new[favorable].sum(axis=0) == yes + change).all()
    assert (moves.sum(axis=(0, 1)) == abs(change)).all()
    assert not moves[favorable][:, favorable].any()


def test_ordered_rows_cross_by_the_nearest_values():
    counts = np.array([5, 3, 8, 4])[:, None, None]
    favorable = np.array([False, False, True, True])
    moves = moves_across(counts, favorable, np.array([[4]]), ordered=True)[..., 0, 0]
    assert moves[1, 2] == 3
    assert moves[0, 2] == 1
    assert moves.sum() == 4
    back = moves_across(counts, favorable, np.array([[-9]]), ordered=True)[..., 0, 0]
    assert (back[2, 1], back[3, 1], back.sum()) == (8, 1, 9)


def test_a_group_without_rows_across_the_border_takes_its_values_evenly():
    counts = np.array([6, 0, 0])[:, None, None]
    favorable = np.array([False, True, True])
    moves = moves_across(counts, favorable, np.array([[3]]), ordered=False)[..., 0, 0]
    assert moves[0].tolist() == [0, 2, 1]


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=6), st.data())
def test_apportioned_rows_are_less_than_one_from_their_quota(shares, data):
    total = data.draw(st.integers(0, sum(shares)))
    found = apportion(np.array(total), np.array(shares)).tolist()
    assert sum(found) == total
    for rows, share in zip(found, shares, strict=True):
        assert rows <= share
        assert abs(rows * sum(shares) - total * share) < max(sum(shares), 1)
