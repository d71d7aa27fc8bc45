"""Which sets each pair is tested with: all of one size that either end offers, each once."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice
from math import comb

import numpy as np

from evenhand.graph.kernels.batch import Batch, Indices, Matrix

# Batches have about so many tests, to bound the memory they take.
_MOST_TESTS = 2**18
_MOST_SETS = 2**15
_MOST_PAIRS = 2**16


def count_tests(pairs: Matrix, offers: Matrix, depth: int) -> int:
    """How many tests ``batches_of`` gives."""
    offered, packed = offers.sum(axis=1), np.packbits(offers, axis=1)
    x, y = np.nonzero(np.triu(pairs))
    # How many pairs offer so many at an end, less those that offer so many at both: counted in
    # bits, since a product of matrices starts threads, which took longer than the tests.
    numbers = np.zeros(len(offers) + 1, np.int64)
    for begin in range(0, len(x), _MOST_PAIRS):
        a, b = x[begin : begin + _MOST_PAIRS], y[begin : begin + _MOST_PAIRS]
        shared = np.bitwise_count(packed[a] & packed[b]).sum(axis=1, dtype=np.intp)
        alone = (offered[a] - offers[a, b], offered[b] - offers[b, a])
        numbers += sum(np.bincount(sizes, minlength=len(numbers)) for sizes in alone)
        numbers -= np.bincount(shared, minlength=len(numbers))
    return sum(number * comb(size, depth) for size, number in enumerate(numbers.tolist()))


def batches_of(
    pairs: Matrix, offers: Matrix, depth: int, *, all_subsets: bool = False
) -> Iterator[Batch]:
    """The tests of the pairs, given the sets of so many attributes that their ends offer.

    ``pairs`` is symmetric; ``offers[a]`` are the attributes of which sets are made at end a.
    Sets of one end come in lexicographic order. ``all_subsets`` says that sets of all other
    sizes are going to be asked for, too.
    """
    if depth == 0:
        x, y = np.nonzero(np.triu(pairs))
        for begin in range(0, len(x), _MOST_TESTS):
            some = slice(begin, begin + _MOST_TESTS)
            yield Batch(x[some], y[some], np.empty((len(x[some]), 0), np.intp))
        return
    waiting: list[Batch] = []
    tests, pools = 0, offers if all_subsets else None
    for side in range(len(pairs)):
        others = np.flatnonzero(pairs[side])
        pool = np.flatnonzero(offers[side])
        if not len(others) or len(pool) < depth:
            continue
        for chosen in _subsets(len(pool), depth, 1 + _MOST_TESTS // len(others)):
            waiting.append(_side(side, others, pool[chosen], offers))
            tests += len(waiting[-1])
            if tests > _MOST_TESTS:
                yield Batch.joined(waiting, pools)
                waiting, tests = [], 0
    if tests:
        yield Batch.joined(waiting, pools)


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
