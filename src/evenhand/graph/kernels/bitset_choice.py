"""Which sets of a batch are counted by intersecting bits: those for which that is cheaper.

What a set of k columns costs, in nanoseconds, of which only the ratio matters:

- *bits*: for each intersection 1.5 a word and 100; 200 × 2^k for its cube; and its part of the
  100,000 + 10,000 × 2^k that all sets of its shape, the cards in their order, take together.
- *cubes* of ``numpy_kernel``: 20,000, and its part of the 1.2 that each line takes for each
  column of a cube. Compiled: 2,000 and 0.2.

It has an intersection for each combination of values beyond the first; those of fewer columns
are mostly known from sets before. How many sets share a cube is taken from a few places of the
batch. The figures are of one machine; the choice changes the time, never the answer.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.graph.kernels.batch import BatchPlan, Indices
from evenhand.graph.kernels.coded_table import CodedTable
from evenhand.graph.kernels.packed_columns import MOST_VALUES

_WORD, _INTERSECTION, _CUBE, _SHAPE, _SHAPE_CUBE = 1.5, 100.0, 200.0, 1e5, 1e4

# Sets have at most so many cells; and packed columns take at most so much memory, or as much as
# the table.
_MOST_CELLS = 2**14
_MOST_BYTES = 2**26
# Sets of columns are encoded in one integer.
_LARGEST_KEY = 2**62

# At how many places a batch is looked at, and how many sets there.
_PLACES, _SETS = 4, 128


class CubeCosts(NamedTuple):
    """What a set costs in cubes: by itself, and for each line and column that is counted.

    Sets share a cube of so many cells, or of so many for each line, if that is more.
    """

    own: float
    per_line: float
    cells: int
    cells_per_line: float


CUBE_COSTS = {
    "numpy": CubeCosts(2e4, 1.2, 2**13, 0.25),
    "numba": CubeCosts(2e3, 0.2, 2**12, 0.5),
}


def sets_by_bits(
    table: CodedTable, words: float, plan: BatchPlan, costs: CubeCosts
) -> NDArray[np.bool_]:
    """Which sets of a plan are cheaper by bits, if a packed column has so many words."""
    sets, size = plan.members.shape
    shared = costs.own
    alone = shared + size * len(table.rows) * costs.per_line
    cube, shape = 2**size * _CUBE, _SHAPE + 2**size * _SHAPE_CUBE
    packed = 8 * words * (table.cards - 1)[table.cards <= MOST_VALUES].sum()
    if (
        sets * (alone - cube) < shape
        or packed > max(_MOST_BYTES, table.codes.nbytes)
        or len(table.cards) ** size > _LARGEST_KEY
    ):
        return np.zeros(sets, bool)
    cards = table.cards[plan.members].astype(np.float64)
    fit = (cards <= MOST_VALUES).all(axis=1) & (cards.prod(axis=1) <= _MOST_CELLS)
    shapes = np.minimum(cards, MOST_VALUES + 1) @ (MOST_VALUES + 2.0) ** np.arange(size)
    _, of, alike = np.unique(shapes, return_inverse=True, return_counts=True)
    intersections = (cards - 1).prod(axis=1) * (words * _WORD + _INTERSECTION)
    by_bits = intersections + cube + shape / alike[of]
    if (fit & (by_bits > shared) & (by_bits < alone)).any():
        most = max(costs.cells, costs.cells_per_line * len(table.rows))
        columns = columns_per_set(plan.members, table.cards.tolist(), most)
        shared += columns * len(table.rows) * costs.per_line
    result: NDArray[np.bool_] = fit & (by_bits < shared)
    return result


def columns_per_set(members: Indices, cards: list[int], most: float) -> float:
    """How many columns are counted for each set if neighbors share cubes of ``most`` cells."""
    columns = sets = 0
    for begin in range(0, len(members), -(-len(members) // _PLACES)):
        held: set[int] = set()
        span = 1.0
        for row in members[begin : begin + _SETS].tolist():
            for member in row:
                span *= 1 if member in held else cards[member]
            if span > most and held:
                break
            held.update(row)
            sets += 1
        columns += len(held)
    return columns / sets
