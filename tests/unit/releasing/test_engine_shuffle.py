"""The shuffle of keys that engines choose rows by."""

import numpy as np
import pytest

from evenhand.releasing.engine_shuffle import KEYS, Shuffle


def test_no_two_keys_come_to_the_same_place():
    keys = np.concatenate([np.arange(200_000), KEYS - 1 - np.arange(200_000)])
    places = Shuffle.of(1).place(keys)
    assert len(np.unique(places)) == len(keys)
    assert places.min() >= 0
    assert places.max() < KEYS


def test_arrays_and_plain_integers_come_to_the_same_places():
    keys = np.random.default_rng(0).integers(0, KEYS, 50)
    shuffle = Shuffle.of(2**100 + 1)
    assert shuffle.place(keys).tolist() == [shuffle.place(key) for key in keys.tolist()]


def test_no_number_on_the_way_is_too_large_for_a_float():
    class Number(int):
        def __new__(cls, value):
            assert 0 <= value < 2**53
            return super().__new__(cls, value)

    for name in ("__add__", "__sub__", "__mul__", "__mod__", "__floordiv__"):
        plain = getattr(int, name)
        setattr(Number, name, lambda a, b, plain=plain: Number(plain(a, b)))
    for key in (0, 1, 2**20 - 1, KEYS - 1):
        for seed in range(20):
            Shuffle.of(seed).place(Number(key))


@pytest.mark.parametrize("step", [1, 1024, 2**20 - 1, 2**20])
def test_a_tenth_of_the_keys_is_chosen_as_if_at_random(step):
    # Of 5,000 keys in a row a tenth is taken, with 200 seeds: how often each, and each two
    # neighbors together, lies within five standard errors of what chance would do.
    keys = np.arange(5000) * step
    taken = np.zeros((200, 5000), bool)
    for seed in range(200):
        taken[seed, np.argsort(Shuffle.of(seed).place(keys))[:500]] = True
    assert abs(taken.mean(axis=0) - 0.1).max() < 5 * np.sqrt(0.09 / 200)
    together = (taken[:, 1:] & taken[:, :-1]).mean()
    assert abs(together - 0.01) < 5 * np.sqrt(0.01 / (200 * 5000))


def test_other_seeds_take_other_rows():
    places = [Shuffle.of(seed).place(np.arange(5000)) for seed in range(40)]
    tenths = [set(np.argsort(place)[:500].tolist()) for place in places]
    shared = [len(a & b) / 500 for a in tenths for b in tenths if a is not b]
    assert max(shared) < 0.2
