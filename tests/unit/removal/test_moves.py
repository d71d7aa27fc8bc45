"""Which rows become what, so that counts change as planned."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.removal.moves import across, apportion, moves_between


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
    new = across(counts, favorable, change, ordered=ordered)
    moves = moves_between(counts, new, ordered=ordered)
    assert (new >= 0).all()
    assert (new[favorable].sum(axis=0) == yes + change).all()
    assert (moves.sum(axis=(0, 1)) == abs(change)).all()
    assert not moves[favorable][:, favorable].any()


@pytest.mark.parametrize(
    ("counts", "favorable", "change", "ordered", "after"),
    [
        ([5, 3, 8, 4], [False, False, True, True], 4, True, [4, 0, 12, 4]),  # the nearest first
        ([5, 3, 8, 4], [False, False, True, True], -9, True, [5, 12, 0, 3]),
        ([6, 0, 0], [False, True, True], 3, False, [3, 2, 1]),  # evenly, if it has none
    ],
)
def test_rows_cross_by_near_values_or_in_proportion(counts, favorable, change, ordered, after):
    old = np.array(counts)[:, None, None]
    new = across(old, np.array(favorable), np.array([[change]]), ordered=ordered)
    assert new.ravel().tolist() == after


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=6), st.data())
def test_apportioned_rows_are_less_than_one_from_their_quota(shares, data):
    total = data.draw(st.integers(0, sum(shares)))
    found = apportion(np.array(total), np.array(shares)).tolist()
    assert sum(found) == total
    for rows, share in zip(found, shares, strict=True):
        assert rows <= share
        assert abs(rows * sum(shares) - total * share) < max(sum(shares), 1)
