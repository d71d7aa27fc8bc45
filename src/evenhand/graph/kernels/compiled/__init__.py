"""The compiled kernel: sets in cubes if they have few possible cells, cell by cell otherwise.

Needs numba (the extra ``fast``); import it only where the work pays for that. Compiled code
works on flat arrays only, so that it loads fast.
"""

from evenhand.graph.kernels.batch import Answers, Indices, Plan
from evenhand.graph.kernels.coded_table import Table
from evenhand.graph.kernels.compiled import cells, cubes
from evenhand.graph.kernels.compiled.lines import attested, line_sum, split

__all__ = ["attested", "line_sum", "run", "split"]

# Sets with so many possible cells, or so many for each line, at most, are counted in cubes.
_CUBE_CELLS = 2**13
_CUBE_CELLS_PER_LINE = 0.25


def run(table: Table, plan: Plan, sets: Indices, kind: int, answers: Answers) -> None:
    """Fill in the answers to the tests of some sets."""
    spans = table.cards[plan.members[sets]].prod(axis=1)
    few = spans <= max(_CUBE_CELLS, _CUBE_CELLS_PER_LINE * len(table.rows))
    for way, some in ((cubes, sets[few]), (cells, sets[~few])):
        if len(some):
            way.run(table, plan, some, kind, answers)
