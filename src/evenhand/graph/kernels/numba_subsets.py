"""Tests given every subset of a pool, from one cube: attributes are summed out one by one.

The cube of a subset is made from one with an attribute more, so nothing is counted twice:
hepar2's votes take 0.25 s, and 0.36 s set by set.
"""

import numpy as np

from evenhand.graph.kernels.batch import BatchResults, Floats, Indices
from evenhand.graph.kernels.coded_table import CodedTable
from evenhand.graph.kernels.numba_jit import Integers, compiled, sum_over
from evenhand.graph.kernels.numba_strata import (
    COUNT,
    START,
    STEP,
    X_STEP,
    Y_STEP,
    X,
    Y,
    evaluate_strata,
)
from evenhand.graph.kernels.numpy_subsets import count_cells


def every_subset(table: CodedTable, x: int, y: int, pool: Indices, kind: int) -> BatchResults:
    """Results for each subset; bit i of its number says whether it holds ``pool[i]``."""
    if table.cards[x] > table.cards[y]:
        x, y = y, x
    cards = table.cards[pool]
    cells = count_cells(table, [x, y, *pool])
    # Room for a cube of each number of attributes, whichever these are.
    room = len(cells) // np.cumprod([1, *np.sort(cards)])
    cubes = np.empty(room.sum())
    cubes[: len(cells)] = cells
    offset, strata = np.zeros(len(pool) + 2, np.int64), np.ones(7, np.int64)
    strata[X], strata[Y] = table.cards[x], table.cards[y]
    results = BatchResults.empty(1 << len(pool))
    margins = np.empty(table.cards[x] + table.cards[y])
    _run(cubes, offset, cards, strata, kind, margins, results)
    return results


@compiled
def _run(
    cubes: Floats,
    offset: Integers,
    cards: Integers,
    strata: Integers,
    kind: int,
    margins: Floats,
    results: BatchResults,
) -> None:
    last, ends = len(results.statistic) - 1, strata[X] * strata[Y]
    # The attributes of a number's bits are left out, the lowest bit last: without it the number
    # is smaller, and the cube of that many attributes has not been overwritten since.
    for left_out in range(last + 1):
        level, axis = 0, 0
        for at in range(len(cards) - 1, -1, -1):
            if left_out >> at & 1:
                level, axis = level + 1, at
        before, after, count = ends, strata[STEP], strata[STEP]
        for at in range(len(cards)):
            if not left_out >> at & 1:
                count *= cards[at]
                before *= cards[at] if at < axis else 1
                after *= cards[at] if at > axis else 1
        if level:
            more, target = cubes[offset[level - 1] :], cubes[offset[level] :]
            sum_over(more, before, cards[axis], after, target)
        offset[level + 1] = offset[level] + ends * count
        strata[START], strata[COUNT] = offset[level], count
        strata[X_STEP], strata[Y_STEP] = count * strata[Y], count
        statistic, degrees = evaluate_strata(cubes, strata, kind, margins)
        results.statistic[last - left_out], results.degrees[last - left_out] = (
            statistic,
            degrees,
        )
