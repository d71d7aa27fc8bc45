"""Tests by intersecting columns that are packed into bits, for tables whose lines hardly merge.

The counts are the same whole numbers as in the cubes of ``numpy_kernel``, and go through the
same formulas.
"""

from collections.abc import Iterator
from math import prod

import numpy as np
from numpy.typing import NDArray

from evenhand.graph.kernels import numpy_kernel
from evenhand.graph.kernels.batch import BatchPlan, BatchResults, Floats, Indices
from evenhand.graph.kernels.bitset_choice import CUBE_COSTS, sets_by_bits
from evenhand.graph.kernels.coded_table import CodedTable
from evenhand.graph.kernels.joint_counts import JointCounts

# Sets are counted up to so many cells at a time, which bounds the memory.
_BLOCK_CELLS = 2**19
# Tests of one shape are evaluated up to so many cells at a time.
_STACKED_CELLS = 2**15


class BitsetKernel:
    """Evaluates tests on one table."""

    def __init__(self, table: CodedTable) -> None:
        self.table = table
        self._words = np.bitwise_count(table.rows.astype(np.int64)).sum() / 64
        self._counts: JointCounts | None = None

    def choose(self, plan: BatchPlan, kernel: str) -> NDArray[np.bool_]:
        """Which sets are cheaper this way than by the cubes of a kernel."""
        return sets_by_bits(self.table, self._words, plan, CUBE_COSTS[kernel])

    def run(self, plan: BatchPlan, sets: Indices, kind: int, results: BatchResults) -> None:
        """Fill in the results of the tests of some sets."""
        if not len(sets):
            return
        if self._counts is None:
            self._counts = JointCounts(self.table)
        cells = self.table.cards[plan.members[sets]].prod(axis=1)
        block = np.cumsum(cells) // _BLOCK_CELLS
        for some in np.split(sets, np.flatnonzero(np.diff(block)) + 1):
            waiting: dict[tuple[int, ...], list[tuple[Indices, Floats]]] = {}
            for tests, strata in self._by_strata(self._counts, plan, some):
                shape = (*strata.shape[:2], strata.shape[3])
                waiting.setdefault(shape, []).append((tests, strata))
            for parts in waiting.values():
                _evaluate(
                    np.concatenate([tests for tests, _ in parts]),
                    np.concatenate([strata for _, strata in parts], axis=2),
                    kind,
                    results,
                )

    def _by_strata(
        self, counts: JointCounts, plan: BatchPlan, sets: Indices
    ) -> Iterator[tuple[Indices, Floats]]:
        """Tests with their cells by the values of both ends, by test and by stratum."""
        begin, end = plan.start[sets], plan.start[sets + 1]
        of = np.repeat(np.arange(len(sets)), end - begin)
        test = np.arange(len(of)) + np.repeat(end - np.cumsum(end - begin), end - begin)
        for chosen, cubes in counts.cubes(plan.members[sets]):
            place = np.full(len(sets), -1)
            place[chosen] = np.arange(len(chosen))
            here = np.flatnonzero(place[of] >= 0)
            ends = plan.x[test[here]] * cubes.ndim + plan.y[test[here]]
            for pair in np.unique(ends).tolist():
                x, y = divmod(pair, cubes.ndim)
                some = here[ends == pair]
                cells = np.moveaxis(cubes[place[of[some]]], (x + 1, y + 1), (0, 1))
                yield test[some], cells.reshape(*cells.shape[:3], prod(cells.shape[3:]))


def _evaluate(tests: Indices, strata: Floats, kind: int, results: BatchResults) -> None:
    """Evaluate tests of one shape, some at a time."""
    step = 1 + _STACKED_CELLS * len(tests) // strata.size
    for begin in range(0, len(tests), step):
        # In the order of numpy_kernel's arrays, so that sums are rounded as there.
        cells = np.array(strata[:, :, begin : begin + step], order="C")
        numpy_kernel.evaluate(tests[begin : begin + step], cells, kind, results)
