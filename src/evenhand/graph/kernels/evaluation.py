"""From a batch of tests to p-values: which table answers each test, and which kernel counts."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.graph.independence import TESTS, Statistic, p_values
from evenhand.graph.kernels.batch import Batch, Indices, Plan
from evenhand.graph.kernels.tables import Table, narrowed

import os
from evenhand.graph.kernels.partitions import Partitions
SPARSE={'auto':32.0,'numpy':float(os.environ.get('SN','4')),'numba':float(os.environ.get('SC','32'))}
# Memory that the partitions of one lattice may take.
_MOST_BYTES = 2**27


class Evaluator:
    """Answers batches of tests on one table of counts."""

    def __init__(self, counts: CountTable, names, *, kernel="auto") -> None:
        self.root = Table.of(counts, names)
        self.narrow: dict[int, tuple[NDArray[np.bool_], Table]] = {}
        self.kernel = kernel
        self.parts = {}

    def p(self, batch: Batch, kind) -> NDArray[np.float64]:
        return p_values(*self.statistics(batch, kind))

    def statistics(self, batch: Batch, kind):
        statistic = np.empty(len(batch))
        degrees = np.empty(len(batch), np.int64)
        self._fill(batch, TESTS.index(kind), statistic, degrees)
        return np.where(degrees > 0, np.maximum(statistic, 0), 0), degrees

    def _fill(self, batch, kind, statistic, degrees):
        from evenhand.graph.kernels import vectorized

        if self.kernel != "numpy":
            from evenhand.graph.kernels import compiled

        tables, table = self._tables(batch)
        plan = Plan.of(batch, table, len(self.root.cards))
        s, d = np.empty(len(batch)), np.empty(len(batch), np.int64)
        fast = vectorized if self.kernel == "numpy" else compiled
        cells = self.root.cards[plan.members].astype(np.float64).prod(axis=1)
        lines = np.array([len(table.rows) for table in tables])[plan.table]
        sparse = cells > SPARSE[self.kernel] * lines
        for number, table in enumerate(tables):
            chosen = np.flatnonzero((plan.table == number) & ~sparse)
            if len(chosen):
                fast.run(table, plan, chosen, kind, s, d)
            chosen = np.flatnonzero((plan.table == number) & sparse)
            if len(chosen):
                if (id(table)) not in self.parts:
                    self.parts[id(table)] = Partitions(table, fast), table
                self.parts[id(table)][0].run(plan, chosen, kind, s, d)
        statistic[plan.order], degrees[plan.order] = s, d

    def _tables(self, batch: Batch):
        lines, depth = len(self.root.rows), batch.given.shape[1]
        if not depth or lines < 2000:
            return [self.root], np.zeros(len(batch), np.intp)
        V = len(self.root.cards)
        within = np.zeros((V, V), bool)
        for column in (batch.side, batch.x, batch.y, *batch.given.T):
            within[batch.side, column] = True
        tests = np.bincount(batch.side, minlength=V)
        found = []
        for side in np.flatnonzero(tests > 4 * within.sum(axis=1)):
            members, table = self.narrow.get(side, (None, self.root))
            if members is None or (members != within[side]).any():
                if members is None or (within[side] & ~members).any():
                    table = self.root
                table = narrowed(table, np.flatnonzero(within[side]))
                self.narrow[side] = within[side], table
            if len(table.rows) < 0.7 * lines:
                found.append((side, table))
        found.sort(key=lambda item: -len(item[1].rows))
        of_side = np.zeros(V, np.intp)
        for number, (side, _) in enumerate(found):
            of_side[side] = number + 1
        return [self.root, *(table for _, table in found)], of_side[batch.side]
