"""Which sets each pair is tested with: all of one size that either end offers, each once."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice
from math import comb

import numpy as np
from numpy.typing import NDArray

from evenhand.graph.kernels.batch import Batch, Indices

Matrix = NDArray[np.bool_]

# Batches have about so many tests, to bound the memory they take.
_MOST_TESTS = 2**18
_MOST_SETS = 2**15


def count_tests(pairs: Matrix, offers: Matrix, depth: int) -> int:
    """How many tests ``batches_of`` gives."""
    offered = offers.sum(axis=1)
    alone = offered[:, None] - (offers & pairs)
    numbers = offers.astype(np.float32)
    shared = (numbers @ numbers.T).astype(np.intp)
    x, y = np.nonzero(np.triu(pairs))
    of = [comb(size, depth) for size in range(int(offered.max(initial=0)) + 1)]
    return sum(
        of[a] + of[b] - of[both]
        for a, b, both in zip(
            alone[x, y].tolist(), alone[y, x].tolist(), shared[x, y].tolist(), strict=True
        )
    )


def batches_of(pairs: Matrix, offers: Matrix, depth: int) -> Iterator[Batch]:
    """The tests of the pairs, given the sets of so many attributes that their ends offer.

    ``pairs`` is symmetric; ``offers[a]`` are the attributes of which sets are made at end a.
    Sets of one end come in lexicographic order.
    """
    waiting: list[Batch] = []
    for side in range(len(pairs)):
        others = np.flatnonzero(pairs[side])
        pool = np.flatnonzero(offers[side])
        if not len(others) or len(pool) < depth:
            continue
        for chosen in _subsets(len(pool), depth, 1 + _MOST_TESTS // len(others)):
            waiting.append(_side(side, others, pool[chosen], offers))
            if sum(map(len, waiting)) > _MOST_TESTS:
                yield Batch.joined(waiting)
                waiting = []
    if any(map(len, waiting)):
        yield Batch.joined(waiting)


def _side(side: int, others: Indices, sets: Indices, offers: Matrix) -> Batch:
    """The tests of one end against others, without sets that an earlier end offers too."""
    held = np.zeros((len(sets), len(offers)), bool)
    held[np.arange(len(sets))[:, None], sets] = True
    fresh = ~held[:, others]
    earlier = others < side
    fresh[:, earlier] &= ~offers[others[earlier]][:, sets].all(axis=2).T
    at, other = np.nonzero(fresh)
    y = others[other]
    return Batch(np.minimum(side, y), np.maximum(side, y), sets[at])


def _subsets(size: int, depth: int, most: int) -> Iterator[Indices]:
    """All sets of ``depth`` out of ``size``, in arrays of at most ``most`` sets."""
    most = min(most, _MOST_SETS)
    if comb(size, depth) <= most:
        yield _all_subsets(size, depth)
        return
    chosen = combinations(range(size), depth)
    while some := list(islice(chosen, most)):
        yield np.array(some, np.intp)


@lru_cache(maxsize=512)
def _all_subsets(size: int, depth: int) -> Indices:
    chosen = np.array(list(combinations(range(size), depth)), np.intp)
    return chosen.reshape(comb(size, depth), depth)
