"""The numba kernel: cubes for sets of few possible cells, occupied cells for the others.

Needs numba (the extra ``fast``); import it only where the work pays for that. Compiled code
takes flat arrays only, so that it loads fast.
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
    """Fill in the results of the tests of some sets."""
    spans = table.cards[plan.members[sets]].prod(axis=1)
    few = spans <= max(_CUBE_CELLS, _CUBE_CELLS_PER_LINE * len(table.rows))
    for part, some in ((numba_cubes, sets[few]), (numba_cells, sets[~few])):
        if len(some):
            part.run(table, plan, some, kind, results)
