"""The numpy kernel: cubes that have a number for each combination of values.

Neighboring sets that together have few combinations share a cube, which is counted from the
lines. Attributes are then summed out of it, for all sets that begin with the same members at
once, until the cube of a single set is left. Tests of the same shape are evaluated together.
"""

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

import numpy as np

from evenhand.graph.kernels.batch import (
    BatchPlan,
    BatchResults,
    Floats,
    Indices,
    Numbers,
)
from evenhand.graph.kernels.coded_table import CodedTable
from evenhand.graph.kernels.numpy_strata import evaluate_strata
from evenhand.graph.kernels.numpy_subsets import every_subset
from evenhand.graph.kernels.partition_kernel import Rows

__all__ = ["count_within", "every_subset", "run", "split", "sum_cells", "sum_products", "weigh"]

# Sets share a cube of so many cells, or of so many for each line of a table, if that is more.
_SHARED_CELLS = 2**13
_SHARED_CELLS_PER_LINE = 0.25

# Tests are stacked up to so many cells, which fit into the processor's cache.
_MOST_CELLS = 2**15

Shape = tuple[int, int, int]


def run(
    table: CodedTable, plan: BatchPlan, sets: Indices, kind: int, results: BatchResults
) -> None:
    """Fill in the results of the tests of some sets."""
    waiting: dict[Shape, list[tuple[int, Floats]]] = {}
    starts, xs, ys = plan.start.tolist(), plan.x.tolist(), plan.y.tolist()
    members, values = plan.members[sets].tolist(), table.cards.tolist()
    for number, row, cells in zip(sets.tolist(), members, _cubes(table, members), strict=True):
        cards = [values[member] for member in row]
        for test in range(starts[number], starts[number + 1]):
            strata = _by_strata(cells, cards, xs[test], ys[test])
            tests = waiting.setdefault(strata.shape, [])
            tests.append((test, strata))
            if len(tests) * strata.size > _MOST_CELLS:
                _evaluate(waiting.pop(strata.shape), kind, results)
    for tests in waiting.values():
        _evaluate(tests, kind, results)


class _Cube(NamedTuple):
    """Rows for each combination of values of some attributes, the first outermost."""

    attributes: list[int]
    bits: int
    cells: Floats

    def sum_out(self, cards: list[int], held: int) -> "_Cube":
        """Sum over the attributes that are not among the bits of ``held``."""
        if self.bits == held:
            return self
        left, cells, before, after = [], self.cells, 1, len(self.cells)
        for attribute in self.attributes:
            card = cards[attribute]
            after //= card
            if held >> attribute & 1:
                left.append(attribute)
                before *= card
            else:
                parts = cells.reshape(before, card, after)
                # Adding slices is much faster than a sum over a short dimension.
                cells = parts[:, 0] + parts[:, 1] if card > 1 else parts[:, 0]
                for value in range(2, card):
                    cells += parts[:, value]
        return _Cube(left, held, cells.reshape(-1))


def _cubes(table: CodedTable, members: list[list[int]]) -> Iterator[Floats]:
    """The cells of each set."""
    cards = table.cards.tolist()
    bits = [sum(1 << member for member in row) for row in members]
    most = max(_SHARED_CELLS, int(_SHARED_CELLS_PER_LINE * len(table.rows)))
    # A stack of cubes, each of fewer sets, and where the sets of each end.
    cubes: list[tuple[int, _Cube]] = []
    for at, row in enumerate(members):
        while cubes and cubes[-1][0] == at:
            cubes.pop()
        if not cubes:
            end, held, span = at, 0, 1
            while end < len(members):
                for member in members[end]:
                    span *= 1 if held >> member & 1 else cards[member]
                if span > most and end > at:
                    break
                held |= bits[end]
                end += 1
            cubes.append((end, _count_cube(table, held)))
        end, cube = cubes[-1]
        while end > at + 1:
            last, same = members[end - 1], 0
            while row[same] == last[same]:
                same += 1
            end, held = at, 0
            while members[end][same] == row[same]:
                held |= bits[end]
                end += 1
            cube = cube.sum_out(cards, held)
            cubes.append((end, cube))
        yield cube.sum_out(cards, bits[at]).cells


def _count_cube(table: CodedTable, held: int) -> _Cube:
    """Count lines by some attributes."""
    attributes = [at for at in range(held.bit_length()) if held >> at & 1]
    keys = np.zeros(len(table.rows), np.int32)
    for attribute in attributes:
        keys *= table.cards[attribute]
        keys += table.codes[attribute]
    span = int(table.cards[attributes].prod())
    cells = np.bincount(keys, table.rows, span).astype(np.float64, copy=False)
    return _Cube(attributes, held, cells)


def _by_strata(cells: Floats, cards: list[int], x: int, y: int) -> Floats:
    """The cells of a test by the value of one end, that of the other, and the stratum."""
    outer, middle, inner = prod(cards[:x]), prod(cards[x + 1 : y]), prod(cards[y + 1 :])
    parts = cells.reshape(outer, cards[x], middle, cards[y], inner).transpose(1, 3, 0, 2, 4)
    return parts.reshape(cards[x], cards[y], outer * middle * inner)


def _evaluate(tests: list[tuple[int, Floats]], kind: int, results: BatchResults) -> None:
    """Evaluate tests of the same shape together."""
    at = np.array([test for test, _ in tests])
    evaluate(at, np.stack([cells for _, cells in tests], axis=2), kind, results)


def evaluate(at: Indices, cells: Floats, kind: int, results: BatchResults) -> None:
    """Fill in the results of tests, from cells by the ends' values, by test and by stratum."""
    statistic, degrees = evaluate_strata(cells, kind)
    results.statistic[at], results.degrees[at] = statistic.sum(axis=1), degrees.sum(axis=1)


def split(
    of: Numbers, code: Numbers, values: int, rows: Rows, place: Numbers
) -> tuple[Numbers, Numbers, Rows]:
    """Split groups by an attribute: each line's group; of each group a line, its rows."""
    keys = of.astype(np.intp)
    keys *= values
    keys += code
    # The last line of each key is the group's; nothing has to be cleared or sorted for that.
    lines = np.arange(len(rows), dtype=of.dtype)
    place[keys] = lines
    last = place.take(keys)
    line = np.flatnonzero(last == lines)
    rank = np.empty_like(of)
    rank[line] = lines[: len(line)]
    fine = rank.take(last)
    totals = np.bincount(fine, rows, len(line)).astype(rows.dtype)
    return fine, line.astype(of.dtype), totals


def weigh(n: Floats, line: Indices, of: Numbers, rows: Rows) -> Floats:
    """The rows of each group, over those of the other partition's group it lies in."""
    # ``take``, and numbers of one type: half the time of indices and of two types.
    weights: Floats = n / rows.astype(np.float64).take(of.take(line))
    return weights


def sum_cells(x: Floats, y: Floats, line: Indices, of: Numbers, rows: Rows) -> float:
    """The sum of x · y · rows over groups; rows are the other partition's."""
    parts = rows.astype(np.float64).take(of.take(line))
    parts *= x
    parts *= y
    # Not np.dot: BLAS starts threads, which cost more than they save.
    return float(parts.sum())


def count_within(line: Numbers, of: Numbers, counts: Numbers) -> None:
    """Count how many groups lie in each of the other partition's."""
    counts[:] = np.bincount(of.take(line), minlength=len(counts))


def sum_products(x: Numbers, y: Numbers) -> int:
    """The sum of x · y."""
    return int(np.multiply(x, y, dtype=np.int64).sum())
