"""``Evaluator``: p-values of a batch of tests, by the kernel that is fastest for it.

A set of attributes is counted cell by cell where its cells are not many more than the lines of
the table, and by partitions of the lines otherwise. All kernels give the same numbers.
"""

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from evenhand.counts import CountTable
from evenhand.errors import QuestionError
from evenhand.graph.independence_tests import Statistic, p_values
from evenhand.graph.kernels import numpy_kernel
from evenhand.graph.kernels.batch import KINDS, Batch, BatchPlan, BatchResults, Floats, Indices
from evenhand.graph.kernels.bitset_kernel import BitsetKernel
from evenhand.graph.kernels.coded_table import CodedTable
from evenhand.graph.kernels.partition_kernel import PartitionCache

NamedTest: TypeAlias = tuple[str, str, Sequence[str]]
KernelName = Literal["auto", "numpy", "numba"]

_NUMBA_KERNEL = "evenhand.graph.kernels.numba_kernel"

# Cells are counted one by one up to so many possible cells per line, or _FEW_CELLS in all.
# Each takes memory, so beyond one per line there are at most _MANY_CELLS.
_CELLS_PER_LINE = {"numpy": 1, "numba": 512}
_FEW_CELLS, _MANY_CELLS = 2**14, 2**23

# Work, in lines × tests, above which importing numba, compiling it, or threading pays.
_IMPORT_WORK = 1.5e8
_COMPILE_WORK = 2e9
_THREAD_WORK = 2e7
# Each thread has buffers as long as the table; all together have at most so many lines.
_THREAD_LINES = 2**23
# Tests by name are evaluated so many at a time.
_BATCH = 2**13


class Evaluator:
    """Evaluates batches of tests on one table of counts.

    ``after_each`` is called with the number of tests of each set of attributes that takes long.
    """

    def __init__(
        self,
        counts: CountTable,
        names: Sequence[str],
        *,
        kernel: KernelName = "auto",
        after_each: Callable[[int], None] = lambda _tests: None,
    ) -> None:
        if kernel == "numba" and (error := _import_numba_kernel()):
            raise QuestionError.of(
                "The kernel 'numba' cannot be loaded.",
                str(error),
                "Install evenhand[fast], or leave the choice of kernel out; if numba has "
                "nowhere to keep its code, name a folder in NUMBA_CACHE_DIR.",
            ) from error
        self.kernel = kernel
        self.names = tuple(names)
        self._place = {name: at for at, name in enumerate(self.names)}
        self.table = CodedTable.of(counts, names)
        self.work = 0.0
        self._bitsets = BitsetKernel(self.table)
        self._partitions = PartitionCache(self.table, numpy_kernel, after_each)

    def p_values(self, batch: Batch, test: Statistic) -> Floats:
        """The p-value of each test."""
        return p_values(*self.statistics(batch, test))

    def statistics_by_name(self, tests: Sequence[NamedTest], test: Statistic) -> BatchResults:
        """Statistic and degrees of freedom of each test; those given equally many together."""
        results = BatchResults.empty(len(tests))
        by_size: dict[int, list[int]] = {}
        for at, (_, _, given) in enumerate(tests):
            by_size.setdefault(len(given), []).append(at)
        for size, indices in by_size.items():
            for start in range(0, len(indices), _BATCH):
                chosen = indices[start : start + _BATCH]
                batch = Batch(
                    np.array([self._place[tests[at][0]] for at in chosen], np.intp),
                    np.array([self._place[tests[at][1]] for at in chosen], np.intp),
                    np.array(
                        [sorted(self._place[name] for name in tests[at][2]) for at in chosen],
                        np.intp,
                    ).reshape(len(chosen), size),
                )
                results.statistic[chosen], results.degrees[chosen] = self.statistics(
                    batch, test
                )
        return results

    def statistics(self, batch: Batch, test: Statistic) -> BatchResults:
        """Statistic and degrees of freedom of each test."""
        if not len(self.table.rows):
            return BatchResults(np.zeros(len(batch)), np.zeros(len(batch), np.int64))
        plan = BatchPlan.of(batch, len(self.table.cards))
        lines = len(self.table.rows)
        by_bits = self._bitsets.choose(plan, "numba" if self.kernel == "numba" else "numpy")
        work = lines * int(np.diff(plan.start)[~by_bits].sum())
        self.work += work
        kernel = self._choose()
        module = import_module(_NUMBA_KERNEL) if kernel == "numba" else numpy_kernel
        most = min(_CELLS_PER_LINE[kernel] * lines, max(lines, _MANY_CELLS))
        cells = self.table.cards[plan.members].astype(np.float64).prod(axis=1)
        few = cells <= max(most, _FEW_CELLS)
        results, kind = BatchResults.empty(len(batch)), KINDS[test]
        self._partitions.kernel = module
        self._bitsets.run(plan, np.flatnonzero(by_bits), kind, results)
        self._partitions.run(plan, np.flatnonzero(~few & ~by_bits), kind, results)
        few &= ~by_bits

        def run(sets: Indices) -> None:
            if len(sets):
                module.run(self.table, plan, sets, kind, results)

        threads = 1
        if kernel == "numba" and work > _THREAD_WORK:
            threads = max(1, min(_cores(), _THREAD_LINES // lines))
        if threads == 1:
            run(np.flatnonzero(few))
        else:
            # Threads write to disjoint results, so their order does not matter.
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(run, np.array_split(np.flatnonzero(few), threads)))
        ordered = BatchResults.empty(len(batch))
        ordered.statistic[plan.order], ordered.degrees[plan.order] = results
        return ordered

    def _choose(self) -> Literal["numpy", "numba"]:
        """The kernel for the next batch: numba once the work so far exceeds what it costs."""
        if self.kernel != "auto":
            return self.kernel
        cached_code = Path(__file__).parent.glob("kernels/__pycache__/*.nbi")
        price = _IMPORT_WORK if any(cached_code) else _COMPILE_WORK
        if _NUMBA_KERNEL not in sys.modules and self.work <= price:
            return "numpy"
        self.kernel = "numpy" if _import_numba_kernel() else "numba"
        return self.kernel


def _import_numba_kernel() -> Exception | None:
    """Import the numba kernel; returns the exception if that fails."""
    try:
        import_module(_NUMBA_KERNEL)
    except Exception as error:  # noqa: BLE001  # no numba, an unfit version, or no folder for its cache
        return error
    return None


def _cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
