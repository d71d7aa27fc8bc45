"""Batches of independence tests, and what kernels read: a table of codes, and sets to count.

A pair is tested with all sets of one size that either end offers, each once. A plan groups the
tests by the set of all their attributes, which is counted once.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, count, islice
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable

Indices = NDArray[np.intp]
Floats = NDArray[np.float64]
Numbers = NDArray[np.unsignedinteger]
Matrix = NDArray[np.bool_]

# A cube with totals has at most so many cells, and so many for each subset: with more, the
# subsets are faster one by one.
_MOST_CELLS = 2**22
_CELLS_PER_SUBSET = 2**12
# Smaller pools are faster one subset at a time.
_SMALLEST_POOL = 3
# So many results are kept, at most.
_MOST_RESULTS = 2**22

# Stands for the bit of an attribute that is not in a pool.
_OUTSIDE = 2**40

# Up to so many values a code has sixteen bits.
_SHORT = 2**16
# Batches have about so many tests, to bound the memory they take.
_MOST_TESTS = 2**18
_MOST_SETS = 2**15
_MOST_PAIRS = 2**16


class CodedTable(NamedTuple):
    """Distinct lines: a row of codes for each attribute, and how many rows each line has."""

    codes: Numbers
    rows: Floats
    cards: NDArray[np.int64]
    total: float

    @classmethod
    def of(cls, counts: CountTable, names: Sequence[str]) -> "CodedTable":
        """The counts, with attributes in the order of ``names`` and lines sorted by them."""
        ordered = counts.marginal(names)
        cards = np.array(ordered.cards, np.int64)
        # One type for nearly all tables: numba compiles for each anew.
        number = np.uint16 if cards.max(initial=0) <= _SHORT else np.uint32
        codes: Numbers = np.empty((len(cards), len(ordered)), number)
        codes[:] = ordered.codes
        return cls(codes, ordered.counts.astype(np.float64), cards, float(ordered.row_count))


class BatchResults(NamedTuple):
    """Statistic and degrees of freedom of each test."""

    statistic: Floats
    degrees: NDArray[np.int64]

    @classmethod
    def empty(cls, tests: int) -> "BatchResults":
        """Uninitialised results of so many tests, for kernels to fill in."""
        return cls(np.empty(tests), np.empty(tests, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Tests that condition on equally many attributes, which are given by position.

    ``given`` has an ascending row for each test. ``pools``, if there, says that all subsets of
    ``pools[x]`` and of ``pools[y]`` are going to be asked for, so that it pays to evaluate them
    together.
    """

    x: Indices
    y: Indices
    given: Indices
    pools: Matrix | None = None

    def __len__(self) -> int:
        return len(self.x)

    def take(self, tests: Indices) -> "Batch":
        """Some of the tests."""
        return Batch(self.x[tests], self.y[tests], self.given[tests])

    @classmethod
    def joined(cls, parts: Sequence["Batch"], pools: Matrix | None = None) -> "Batch":
        """Concatenate batches of one depth."""
        return cls(
            np.concatenate([part.x for part in parts]),
            np.concatenate([part.y for part in parts]),
            np.concatenate([part.given for part in parts]),
            pools,
        )


class BatchPlan(NamedTuple):
    """The tests of a batch grouped by the set of all their attributes.

    ``members`` has an ascending row for each set, and the tests of set i are those from
    ``start[i]`` to ``start[i + 1]``. ``x`` and ``y`` are positions in the row, x the lower.
    ``order`` says where each test stood in the batch.
    """

    members: Indices
    start: Indices
    x: Indices
    y: Indices
    order: Indices

    @classmethod
    def of(cls, batch: Batch, attributes: int) -> "BatchPlan":
        """Group the tests; sets are sorted, so that neighbors share their first members."""
        low, high = np.minimum(batch.x, batch.y), np.maximum(batch.x, batch.y)
        x = (batch.given < low[:, None]).sum(axis=1)
        y = (batch.given < high[:, None]).sum(axis=1) + 1
        members = np.column_stack((low, high, batch.given))
        members.sort(axis=1)
        # Short numbers are sorted in a fifth of the time.
        keys = members.astype(np.uint16 if attributes <= _SHORT else np.uint32)
        order = np.lexsort(keys.T[::-1])
        keys = keys[order]
        is_first = np.ones(len(keys) + 1, bool)
        is_first[1:-1] = (keys[1:] != keys[:-1]).any(axis=1)
        start = np.flatnonzero(is_first)
        return cls(members[order[start[:-1]]], start, x[order], y[order], order)


def tests_by_depth(pairs: Matrix, offers: Matrix) -> Iterator[int]:
    """How many tests ``batches_of`` gives at each depth, as long as there are any."""
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
    tests = numbers.tolist()  # by how many attributes are offered: given none of them
    for depth in count():
        if not (total := sum(tests)):
            return
        yield total
        tests = [many * (size - depth) // (depth + 1) for size, many in enumerate(tests)]


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


EverySubset = Callable[[CodedTable, int, int, Indices, str], BatchResults]


class PoolResults:
    """Results for all subsets of the pools of some pairs; a pair has one pool for each end."""

    def __init__(
        self, table: CodedTable, pools: Matrix, test: str, every_subset: EverySubset
    ) -> None:
        self.table, self.pools, self.test = table, pools, test
        self.every_subset = every_subset
        # For each pair and end: the bit of each attribute, and where its results begin.
        self._family: dict[tuple[int, int], int] = {}
        self._bits: list[Indices] = []
        self._begin: list[int] = []
        self._results: list[BatchResults] = []
        self._count = 0

    def look_up(self, batch: Batch, results: BatchResults) -> Indices:
        """Fill in the results that are known; returns the tests that are left."""
        pairs, of = np.unique(np.stack((batch.x, batch.y)), axis=1, return_inverse=True)
        left = np.ones(len(batch), bool)
        for ends in (pairs, pairs[::-1]):
            families = [self._add(side, other) for side, other in ends.T.tolist()]
            if not self._results:
                continue
            family = np.array(families)[of.reshape(-1)]
            bits, begin = np.stack(self._bits), np.array(self._begin)
            subset = bits[family[:, None], batch.given].sum(axis=1)
            known = np.flatnonzero((subset < _OUTSIDE) & (begin[family] >= 0))
            at = begin[family[known]] + subset[known]
            for all_known, parts in zip(results, zip(*self._results, strict=True), strict=True):
                all_known[known] = np.concatenate(parts)[at]
            left[known] = False
        return np.flatnonzero(left)

    def _add(self, side: int, other: int) -> int:
        """The number of the family of one end of a pair; evaluates it when it is new."""
        if (side, other) not in self._family:
            pool = self._fitting(side, other)
            self._family[side, other] = len(self._begin)
            bits = np.full(len(self.pools), _OUTSIDE)
            bits[pool] = 1 << np.arange(len(pool))
            self._bits.append(bits)
            fits = len(pool) >= _SMALLEST_POOL and self._count < _MOST_RESULTS
            self._begin.append(self._count if fits else -1)
            if fits:
                found = self.every_subset(
                    self.table, min(side, other), max(side, other), pool, self.test
                )
                self._results.append(found)
                self._count += len(found.statistic)
        return self._family[side, other]

    def _fitting(self, side: int, other: int) -> Indices:
        """What one end offers, without the attributes of most values if these are too many."""
        cards = self.table.cards
        pool = np.flatnonzero(self.pools[side])
        pool = pool[np.argsort(-cards[pool], kind="stable")]
        ends = int(cards[side] * cards[other])
        for first in range(len(pool)):
            cells = ends * float((cards[pool[first:]] + 1.0).prod())
            if cells <= min(_MOST_CELLS, _CELLS_PER_SUBSET << (len(pool) - first)):
                return pool[first:]
        return pool[:0]
