"""From a batch of tests to p-values: what is counted where, and by which kernel.

A set is counted cell by cell where its cells are not many more than the lines of the table, and
by partitions of the lines otherwise. All ways give the same numbers.
"""

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Literal

import numpy as np

from evenhand.counts import CountTable
from evenhand.errors import Problem, QuestionError
from evenhand.graph.independence_tests import Statistic, p_values
from evenhand.graph.kernels import numpy_kernel
from evenhand.graph.kernels.batch import KINDS, Batch, BatchPlan, BatchResults, Floats, Indices
from evenhand.graph.kernels.coded_table import CodedTable
from evenhand.graph.kernels.partition_cache import PartitionCache

KernelName = Literal["auto", "numpy", "numba"]

_COMPILED = "evenhand.graph.kernels.numba_kernel"

# Cells are counted one by one if at most so many are possible for each line, or so many in all.
# Each takes memory: where one for each line is not enough, there may be no more than many.
_CELLS_PER_LINE = {"numpy": 1, "numba": 512}
_FEW_CELLS, _MANY_CELLS = 2**14, 2**23

# Work is measured in lines times tests. Loading numba costs as much as so much of it done by
# numpy, compiling as much as so much more; threads pay for themselves from so much on.
_IMPORT_WORK = 1.5e8
_COMPILE_WORK = 2e9
_THREAD_WORK = 2e7
# Each thread has cells of its own: together they may have room for so many lines.
_THREAD_LINES = 2**23


class Evaluator:
    """BatchResults batches of tests on one table of counts."""

    def __init__(
        self, counts: CountTable, names: Sequence[str], *, kernel: KernelName = "auto"
    ) -> None:
        if kernel == "numba" and (error := _loading()):
            raise QuestionError(
                Problem(
                    "The kernel 'numba' cannot be loaded.",
                    str(error),
                    "Install evenhand[fast], or leave the choice of kernel out; if numba has "
                    "nowhere to keep its code, name a folder in NUMBA_CACHE_DIR.",
                )
            ) from error
        self.kernel = kernel
        self.table = CodedTable.of(counts, names)
        self.work = 0.0
        self._partitions = PartitionCache(self.table, numpy_kernel)

    def p_values(self, batch: Batch, test: Statistic) -> Floats:
        """The p-value of each test."""
        return p_values(*self.results(batch, test))

    def results(self, batch: Batch, test: Statistic) -> BatchResults:
        """Statistic and degrees of freedom of each test."""
        if not len(self.table.rows):
            return BatchResults(np.zeros(len(batch)), np.zeros(len(batch), np.int64))
        plan = BatchPlan.of(batch, len(self.table.cards))
        lines = len(self.table.rows)
        work = lines * len(batch)
        self.work += work
        kernel = self._chosen()
        passes = import_module(_COMPILED) if kernel == "numba" else numpy_kernel
        most = min(_CELLS_PER_LINE[kernel] * lines, max(lines, _MANY_CELLS))
        cells = self.table.cards[plan.members].astype(np.float64).prod(axis=1)
        few = cells <= max(most, _FEW_CELLS)
        results, kind = BatchResults.empty(len(batch)), KINDS[test]
        self._partitions.passes = passes
        self._partitions.run(plan, np.flatnonzero(~few), kind, results)

        def run(sets: Indices) -> None:
            if len(sets):
                passes.run(self.table, plan, sets, kind, results)

        threads = 1
        if kernel == "numba" and work > _THREAD_WORK:
            threads = max(1, min(_cores(), _THREAD_LINES // lines))
        if threads == 1:
            run(np.flatnonzero(few))
        else:
            # Each thread fills in results of its own: whoever is first, they are the same.
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(run, np.array_split(np.flatnonzero(few), threads)))
        ordered = BatchResults.empty(len(batch))
        ordered.statistic[plan.order], ordered.degrees[plan.order] = results
        return ordered

    def _chosen(self) -> Literal["numpy", "numba"]:
        """The kernel for the next batch: numba once as much work is done as it costs."""
        if self.kernel != "auto":
            return self.kernel
        compiled = Path(__file__).parent.glob("kernels/__pycache__/*.nbi")
        price = _IMPORT_WORK if any(compiled) else _COMPILE_WORK
        if _COMPILED not in sys.modules and self.work <= price:
            return "numpy"
        self.kernel = "numpy" if _loading() else "numba"
        return self.kernel


def _loading() -> Exception | None:
    """Load the compiled kernel; returns what is the matter if that is not possible."""
    try:
        import_module(_COMPILED)
    except Exception as error:  # noqa: BLE001  # without numba, with a wrong one, or no room for code
        return error
    return None


def _cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
