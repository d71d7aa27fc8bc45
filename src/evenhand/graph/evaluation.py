"""From a batch of tests to p-values: what is counted where, and by which kernel.

Tests of one family lie within few attributes, so a table merged to these answers them. A set is
counted cell by cell where its cells are not many more than the lines of the table, and by
partitions of the lines otherwise. All ways give the same numbers.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from os import cpu_count
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.errors import Problem, QuestionError
from evenhand.graph.independence import TESTS, Statistic, p_values
from evenhand.graph.kernels import vectorized
from evenhand.graph.kernels.batch import Answers, Batch, Floats, Indices, Plan
from evenhand.graph.kernels.partitions import Partitions
from evenhand.graph.kernels.tables import Table

KernelName = Literal["auto", "numpy", "numba"]

_COMPILED = "evenhand.graph.kernels.compiled"

# Cells are counted one by one if at most so many are possible for each line, or so many in all.
# Each takes memory: where one for each line is not enough, there may be no more than many.
_CELLS_PER_LINE = {"numpy": 1, "numba": 512}
_FEW_CELLS, _MANY_CELLS = 2**14, 2**23

# A table is merged for a family if this leaves so few of its lines, ...
_WORTH_MERGING = 0.7
# ... which is tried with tables of so many lines, for families of so many tests per attribute.
_LONG_TABLE = 2_000
_TESTS_PER_ATTRIBUTE = 0.5

# Work is measured in lines times tests. Loading numba costs as much as so much of it done by
# numpy, compiling as much as so much more; threads pay for themselves from so much on.
_IMPORT_WORK = 1.5e8
_COMPILE_WORK = 2e9
_THREAD_WORK = 2e7


class Evaluator:
    """Answers batches of tests on one table of counts."""

    def __init__(
        self, counts: CountTable, names: Sequence[str], *, kernel: KernelName = "auto"
    ) -> None:
        if kernel == "numba" and not find_spec("numba"):
            raise QuestionError(
                Problem(
                    "The kernel 'numba' needs numba, which is not installed.",
                    remedy="Install evenhand[fast], or leave the choice of kernel out.",
                )
            )
        self.kernel = kernel
        self.root = Table.of(counts, names)
        self.work = 0.0
        self._merged: dict[int, tuple[NDArray[np.bool_], Table]] = {}
        self._partitions = Partitions(self.root, vectorized)

    def p_values(self, batch: Batch, test: Statistic) -> Floats:
        """The p-value of each test."""
        return p_values(*self.answers(batch, test))

    def answers(self, batch: Batch, test: Statistic) -> Answers:
        """Statistic and degrees of freedom of each test."""
        if not len(self.root.rows):
            return Answers(np.zeros(len(batch)), np.zeros(len(batch), np.int64))
        tables, table = self._tables(batch)
        plan = Plan.of(batch, table, len(self.root.cards))
        lines = np.array([len(table.rows) for table in tables])
        work = float(lines[table].sum())
        self.work += work
        kernel = self._chosen()
        passes = import_module(_COMPILED) if kernel == "numba" else vectorized
        cells = self.root.cards[plan.members].astype(np.float64).prod(axis=1)
        few = np.minimum(_CELLS_PER_LINE[kernel] * lines, np.maximum(lines, _MANY_CELLS))
        dense = cells <= np.maximum(few, _FEW_CELLS)[plan.table]
        answers, kind = Answers.to(len(batch)), TESTS.index(test)
        threads = cpu_count() or 1 if kernel == "numba" and work > _THREAD_WORK else 1
        jobs = []
        for number, source in enumerate(tables):
            here = plan.table == number
            jobs += [(source, some) for some in _shares(np.flatnonzero(here & dense), threads)]
            for some in _shares(np.flatnonzero(here & ~dense), 1):
                partitions = Partitions(source, passes) if number else self._partitions
                partitions.passes = passes
                partitions.run(plan, some, kind, answers)

        def run(job: tuple[Table, Indices]) -> None:
            passes.run(job[0], plan, job[1], kind, answers)

        if threads == 1:
            list(map(run, jobs))
        else:
            # Each job fills in answers of its own: whoever is first, they are the same.
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(run, jobs))
        ordered = Answers.to(len(batch))
        ordered.statistic[plan.order], ordered.degrees[plan.order] = answers
        return ordered

    def _chosen(self) -> Literal["numpy", "numba"]:
        """The kernel for the next batch: numba once as much work is done as it costs."""
        if self.kernel != "auto":
            return self.kernel
        if _COMPILED in sys.modules:
            return "numba"
        compiled = Path(__file__).parent.glob("kernels/compiled/__pycache__/*.nbi")
        price = _IMPORT_WORK if any(compiled) else _COMPILE_WORK
        return "numba" if self.work > price and find_spec("numba") else "numpy"

    def _tables(self, batch: Batch) -> tuple[list[Table], Indices]:
        """Tables by falling length, and which of them each test is answered by."""
        lines = len(self.root.rows)
        family, of = np.unique(batch.family, return_inverse=True)
        number = np.zeros(len(family), np.intp)
        if lines <= _LONG_TABLE or not batch.given.shape[1]:
            return [self.root], number[of]
        within = np.zeros((len(family), len(self.root.cards)), bool)
        for column in (batch.x, batch.y, *batch.given.T):
            within[of, column] = True
        many = np.bincount(of) > _TESTS_PER_ATTRIBUTE * within.sum(axis=1)
        short = [
            (i, table)
            for i in np.flatnonzero(many).tolist()
            if (table := self._merge(int(family[i]), within[i])) is not self.root
        ]
        short.sort(key=lambda item: -len(item[1].rows))
        number[[i for i, _ in short]] = np.arange(1, len(short) + 1)
        return [self.root, *(table for _, table in short)], number[of]

    def _merge(self, family: int, members: NDArray[np.bool_]) -> Table:
        """A table of some attributes, or the whole one if it is not much longer."""
        known, table = self._merged.get(family, (np.ones_like(members), self.root))
        if (members & ~known).any():
            known, table = np.ones_like(members), self.root
        if (members != known).any():
            most = _WORTH_MERGING * len(self.root.rows)
            table = table.merged(np.flatnonzero(members), most) or self.root
        self._merged[family] = members, table
        return table


def _shares(sets: Indices, number: int) -> list[Indices]:
    """The sets in about equal parts, none of them empty."""
    return [part for part in np.array_split(sets, number) if len(part)]
