"""The numba kernel, with the same functions as ``numpy_kernel``.

Sets of few possible cells are counted in cubes, others by the cells that occur. Needs numba
(the extra ``fast``); import it only where the work pays for that. Compiled code takes flat
arrays only, so that it loads fast.
"""

from collections.abc import Callable

import numpy as np

from evenhand.graph.kernels import numba_cells, numba_cubes, numpy_kernel
from evenhand.graph.kernels.batch import (
    Batch,
    BatchPlan,
    BatchResults,
    Floats,
    Indices,
    Numbers,
)
from evenhand.graph.kernels.coded_table import CodedTable
from evenhand.graph.kernels.numba_cubes import is_on_disk
from evenhand.graph.kernels.numba_jit import Places, compiled
from evenhand.graph.kernels.numba_subsets import every_subset

__all__ = ["every_subset", "is_on_disk", "load", "run", "split"]

# Sets with so many possible cells, or so many for each line, at most, are counted in cubes.
_CUBE_CELLS = 2**13
_CUBE_CELLS_PER_LINE = 0.25

# Keys index an array if so few are possible for each line; otherwise numpy sorts them.
_PLACES_PER_LINE = 32


def load(report: Callable[[int, int], None]) -> None:
    """Load the compiled functions, or compile them; ``report`` is told how many are done."""
    codes, rows = np.zeros((3, 1), np.uint16), np.ones(1)
    table = CodedTable(codes, rows, np.ones(3, np.int64), 1.0)
    first, second, third = (np.array([at]) for at in range(3))
    plan = BatchPlan.of(Batch(first, second, third[:, None]), 3)
    results = BatchResults.empty(1)
    steps: list[Callable[[], object]] = [
        lambda: numba_cubes.run(table, plan, first, 0, results),
        lambda: every_subset(table, 0, 1, third, 0),
        lambda: numba_cells.run(table, plan, first, 0, results),
    ]
    for done, step in enumerate(steps):
        report(done, len(steps))
        step()
    report(len(steps), len(steps))


def run(
    table: CodedTable, plan: BatchPlan, sets: Indices, kind: int, results: BatchResults
) -> None:
    """Fill in the results of the tests of some sets."""
    spans = table.cards[plan.members[sets]].prod(axis=1)
    few = spans <= max(_CUBE_CELLS, _CUBE_CELLS_PER_LINE * len(table.rows))
    for part, some in ((numba_cubes, sets[few]), (numba_cells, sets[~few])):
        if len(some):
            part.run(table, plan, some, kind, results)


def split(
    of: Numbers, groups: int, code: Numbers, values: int, rows: Floats
) -> tuple[Numbers, Floats]:
    """Split groups of lines by one more attribute: each line's group, and the groups' rows."""
    if groups * values > _PLACES_PER_LINE * len(rows):
        return numpy_kernel.split(of, groups, code, values, rows)
    place = np.full(groups * values, -1, np.int32)
    fine, totals = np.empty_like(of), np.zeros(len(rows))
    return fine, totals[: _split(of, code, values, rows, place, fine, totals)].copy()


@compiled
def _split(
    of: Numbers,
    code: Numbers,
    values: int,
    rows: Floats,
    place: Places,
    fine: Numbers,
    totals: Floats,
) -> int:
    number = 0
    for line in range(len(rows)):
        key = np.int64(of[line]) * values + code[line]
        if place[key] < 0:
            place[key] = number
            number += 1
        fine[line] = place[key]
        totals[place[key]] += rows[line]
    return number
