"""The compiled kernel: sets in cubes if they have few possible cells, cell by cell otherwise.

Needs numba (the extra ``fast``); import it only where the work pays for that. Compiled code
works on flat arrays only, so that it loads fast.
"""

from evenhand.graph.kernels import numba_cells, numba_cubes
from evenhand.graph.kernels.batch import BatchPlan, BatchResults, Indices
from evenhand.graph.kernels.coded_table import CodedTable
from evenhand.graph.kernels.numba_lines import attested, line_sum, split

__all__ = ["attested", "line_sum", "run", "split"]

# Sets with so many possible cells, or so many for each line, at most, are counted in cubes.
_CUBE_CELLS = 2**13
_CUBE_CELLS_PER_LINE = 0.25


def run(
    table: CodedTable, plan: BatchPlan, sets: Indices, kind: int, results: BatchResults
) -> None:
    """Fill in the results to the tests of some sets."""
    spans = table.cards[plan.members[sets]].prod(axis=1)
    few = spans <= max(_CUBE_CELLS, _CUBE_CELLS_PER_LINE * len(table.rows))
    for way, some in ((numba_cubes, sets[few]), (numba_cells, sets[~few])):
        if len(some):
            way.run(table, plan, some, kind, results)
