"""The numba kernel, with the same functions as ``numpy_kernel``.

Sets of few possible cells are counted in cubes, others by the cells that occur. Needs numba
(the extra ``fast``); import it only where the work pays for that. Compiled code takes flat
arrays only, so that it loads fast.
"""

from collections.abc import Callable

import numpy as np

from evenhand.graph.kernels import numba_cells, numba_cubes
from evenhand.graph.kernels.batch import (
    Batch,
    BatchPlan,
    BatchResults,
    Floats,
    Indices,
    Numbers,
)
from evenhand.graph.kernels.coded_table import CodedTable
from evenhand.graph.kernels.numba_jit import compiled, is_cached
from evenhand.graph.kernels.numba_subsets import every_subset
from evenhand.graph.kernels.partition_kernel import Rows

__all__ = [
    "count_within",
    "every_subset",
    "is_on_disk",
    "load",
    "run",
    "split",
    "sum_cells",
    "sum_products",
    "weigh",
]

# Sets with so many possible cells, or so many for each line, at most, are counted in cubes.
_CUBE_CELLS = 2**13
_CUBE_CELLS_PER_LINE = 0.25


def is_on_disk(*, by_cells: bool) -> bool:
    """Whether this machine has compiled all before, with large sets counted so."""
    return numba_cubes.is_on_disk() and is_cached(numba_cells.run_sets if by_cells else _split)


def load(report: Callable[[int, int], None], *, by_cells: bool) -> None:
    """Load the compiled functions, or compile them; ``report`` is told how many are done.

    Large sets are counted by cells or by partitions: the other way is not compiled, which takes
    2 s for cells and 0.4 s for partitions.
    """
    codes, rows = np.zeros((3, 1), np.uint16), np.ones(1)
    table = CodedTable(codes, rows, np.ones(3, np.int64), 1.0)
    first, second, third = (np.array([at]) for at in range(3))
    plan = BatchPlan.of(Batch(first, second, third[:, None]), 3)
    results = BatchResults.empty(1)
    steps: list[Callable[[], object]] = [
        lambda: numba_cubes.run(table, plan, first, 0, results),
        lambda: every_subset(table, 0, 1, third, 0),
        (lambda: numba_cells.run(table, plan, first, 0, results))
        if by_cells
        else _load_partitions,
    ]
    for done, step in enumerate(steps):
        report(done, len(steps))
        step()
    report(len(steps), len(steps))


def _load_partitions() -> None:
    short, rows, line = np.zeros(1, np.uint16), np.ones(1, np.int32), np.zeros(1, np.intp)
    split(short, short, 1, rows, short.copy())
    weights = weigh(np.ones(1), line, short, rows)
    sum_cells(weights, weights, line, short, rows)
    counts = np.zeros(1, np.uint8)
    count_within(short, short, counts)
    sum_products(counts, counts)


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
    of: Numbers, code: Numbers, values: int, rows: Rows, place: Numbers
) -> tuple[Numbers, Numbers, Rows]:
    """Split groups by an attribute: each line's group; of each group a line, its rows."""
    fine, line, totals = np.empty_like(of), np.empty_like(of), np.empty_like(rows)
    place.fill(nothing := np.iinfo(place.dtype).max)
    groups = _split(of, code, values, rows, place, nothing, fine, line, totals)
    return fine, line[:groups].copy(), totals[:groups].copy()


@compiled
def _split(
    of: Numbers,
    code: Numbers,
    values: int,
    rows: Rows,
    place: Numbers,
    nothing: int,
    fine: Numbers,
    example: Numbers,
    totals: Rows,
) -> int:
    groups = 0
    for line in range(len(of)):
        key = np.int64(of[line]) * values + code[line]
        if place[key] == nothing:
            place[key], example[groups], totals[groups] = groups, line, 0
            groups += 1
        fine[line] = place[key]
        totals[place[key]] += rows[line]
    return groups


def weigh(n: Floats, line: Indices, of: Numbers, rows: Rows) -> Floats:
    """The rows of each group, over those of the other partition's group it lies in."""
    weights = np.empty(len(n))
    _weigh(n, line, of, rows, weights)
    return weights


@compiled
def _weigh(n: Floats, line: Indices, of: Numbers, rows: Rows, weights: Floats) -> None:
    for group in range(len(n)):
        weights[group] = n[group] / rows[of[line[group]]]


@compiled
def sum_cells(x: Floats, y: Floats, line: Indices, of: Numbers, rows: Rows) -> float:
    """The sum of x · y · rows over groups; rows are the other partition's."""
    total = 0.0
    for group in range(len(x)):
        total += x[group] * y[group] * rows[of[line[group]]]
    return total


@compiled
def count_within(line: Numbers, of: Numbers, counts: Numbers) -> None:
    """Count how many groups lie in each of the other partition's."""
    for group in range(len(line)):
        counts[of[line[group]]] += 1


@compiled
def sum_products(x: Numbers, y: Numbers) -> int:
    """The sum of x · y."""
    total = 0
    for stratum in range(len(x)):
        total += int(x[stratum]) * int(y[stratum])
    return total
