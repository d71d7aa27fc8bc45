"""``Evaluator``: p-values of a batch of tests, by the kernel that is fastest for it.

A set of attributes is counted cell by cell where its cells are not many more than the lines of
the table, and by partitions of the lines otherwise. All kernels give the same numbers.
"""

import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from types import ModuleType
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.errors import QuestionError
from evenhand.graph.independence_tests import Statistic, p_values
from evenhand.graph.kernels import numpy_kernel
from evenhand.graph.kernels.batch import (
    KINDS,
    Batch,
    BatchPlan,
    BatchResults,
    Floats,
    Indices,
    Matrix,
)
from evenhand.graph.kernels.bitset_kernel import BitsetKernel
from evenhand.graph.kernels.coded_table import CodedTable
from evenhand.graph.kernels.partition_kernel import SHORT, PartitionCache
from evenhand.graph.kernels.pool_results import PoolResults

NamedTest: TypeAlias = tuple[str, str, Sequence[str]]
KernelName = Literal["auto", "numpy", "numba"]

_NUMBA_KERNEL = "evenhand.graph.kernels.numba_kernel"

# Cells are counted one by one up to so many possible cells per line, or _FEW_CELLS in all.
# Each takes memory, so beyond one per line there are at most _MANY_CELLS.
_CELLS_PER_LINE = {"numpy": 1, "numba": 512}
_FEW_CELLS, _MANY_CELLS = 2**13, 2**23
# Up to fewer, where there are so many lines that a partition costs more than to ask for it, and
# so few that a level's partitions fit into their cache: Adult as recorded takes numba 1.7 s
# instead of 2.2, Dutch numpy 1.3 instead of 1.4.
_FEWER_CELLS_PER_LINE = 0.25
_PARTITION_LINES = {"numpy": range(SHORT), "numba": range(2**14, SHORT)}

# Work, in lines × tests, above which loading numba, or threading, pays. Loading takes 0.7 s,
# in which numpy does so much. What compiling takes does not count: it is done once, and who
# installed numba asked for it.
_LOAD_WORK = 1e8
_THREAD_WORK = 2e7
# Each thread has buffers as long as the table; all together have at most so many lines.
_THREAD_LINES = 2**23
# Tests by name are evaluated so many at a time.
_BATCH = 2**13


class Evaluator:
    """Evaluates batches of tests on one table of counts.

    ``after_each`` is called with the number of tests of each set of attributes that takes long,
    ``while_compiling`` with how many functions are compiled and how many there are. ``tests``
    says about how many will be asked for, so that numba is loaded at once if they are many.
    """

    def __init__(
        self,
        counts: CountTable,
        names: Sequence[str],
        *,
        kernel: KernelName = "auto",
        after_each: Callable[[int], None] = lambda _tests: None,
        while_compiling: Callable[[int, int], None] = lambda _done, _total: None,
        tests: int = 0,
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
        self._while_compiling = while_compiling
        self.work = float(len(self.table.rows) * tests)
        self._pools: PoolResults | None = None
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
        lines, width = len(self.table.rows), len(self.table.cards)
        plan = BatchPlan.of(batch, width)
        by_bits = self._choose_bits(plan)
        work = lines * int(np.diff(plan.start)[~by_bits].sum())
        self.work += work
        kernel = self._choose()
        module = self._load() if kernel == "numba" else numpy_kernel
        found, left = BatchResults.empty(len(batch)), np.arange(len(batch))
        if batch.pools is not None and not by_bits.all():
            known = self._pool_results(batch.pools, KINDS[test], module)
            left = known.look_up(batch, found)
            batch = batch.take(left)
            if not len(batch):
                return found
            plan = BatchPlan.of(batch, width)
            by_bits = self._choose_bits(plan)
        per_line: float = _CELLS_PER_LINE[kernel]
        if lines in _PARTITION_LINES[kernel]:
            per_line = min(per_line, _FEWER_CELLS_PER_LINE)
        most = min(per_line * lines, max(lines, _MANY_CELLS))
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
        order = left[plan.order]
        found.statistic[order], found.degrees[order] = results
        return found

    def _choose_bits(self, plan: BatchPlan) -> NDArray[np.bool_]:
        """Which sets are cheaper by bits than by the kernel."""
        return self._bitsets.choose(plan, "numba" if self.kernel == "numba" else "numpy")

    def _pool_results(self, pools: Matrix, kind: int, module: ModuleType) -> PoolResults:
        """The results for all subsets of these pools, as far as they are known."""
        if not self._pools or self._pools.pools is not pools or self._pools.kind != kind:
            self._pools = PoolResults(self.table, pools, kind, module.every_subset)
        return self._pools

    def _choose(self) -> Literal["numpy", "numba"]:
        """The kernel for the next batch: numba once the work so far exceeds what it costs."""
        if self.kernel != "auto":
            return self.kernel
        if _NUMBA_KERNEL not in sys.modules and self.work <= _LOAD_WORK:
            return "numpy"
        self.kernel = "numpy" if _import_numba_kernel() else "numba"
        return self.kernel

    def _load(self) -> ModuleType:
        """The numba kernel; says so if it must be compiled first."""
        module = import_module(_NUMBA_KERNEL)
        by_cells = len(self.table.rows) not in _PARTITION_LINES["numba"]
        if by_cells not in _loaded:
            on_disk = module.is_on_disk(by_cells=by_cells)
            report = (lambda _done, _total: None) if on_disk else self._while_compiling
            module.load(report, by_cells=by_cells)
            _loaded.append(by_cells)
        return module


# What this process has loaded: with large sets by cells, or by partitions.
_loaded: list[bool] = []


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
