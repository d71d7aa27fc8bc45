"""``PoolResults``: results of pairs given all subsets of what their ends offer, looked up."""

from collections.abc import Callable

import numpy as np

from evenhand.graph.kernels.batch import Batch, BatchResults, CodedTable, Indices, Matrix

EverySubset = Callable[[CodedTable, int, int, Indices, str], BatchResults]

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
