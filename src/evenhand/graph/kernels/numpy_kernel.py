"""The numpy kernel: cubes that have a number for each combination of values.

Neighboring sets that together have few combinations share a cube, which is counted from the
lines. For each set the other attributes are then summed out of it. Tests of the same shape are
evaluated together.
"""

from collections.abc import Iterator
from math import prod

import numpy as np

from evenhand.graph.independence_tests import STATISTICS, Statistic, term
from evenhand.graph.kernels.batch import (
    BatchPlan,
    BatchResults,
    CodedTable,
    Floats,
    Indices,
    Numbers,
)
from evenhand.graph.kernels.partition_kernel import Cells, Margins, Rows, Strata

# Sets share a cube of so many cells, or of so many for each line of a table, if that is more.
_SHARED_CELLS = 2**13
_SHARED_CELLS_PER_LINE = 0.25

# Tests are stacked up to so many cells, and so many strata of a cube with totals are evaluated
# at a time, which fit into the processor's cache.
_MOST_CELLS = 2**15
_STRATA = 2**13

_NEARLY_NOTHING = 1e-150

Shape = tuple[int, int, int]


def run(
    table: CodedTable, plan: BatchPlan, sets: Indices, test: str, results: BatchResults
) -> None:
    """Fill in the results of the tests of some sets."""
    waiting: dict[Shape, list[tuple[int, Floats]]] = {}
    starts, xs, ys = plan.start.tolist(), plan.x.tolist(), plan.y.tolist()
    members, values = plan.members[sets].tolist(), table.cards.tolist()
    for number, row, cells in zip(sets.tolist(), members, _cubes(table, members), strict=True):
        cards = [values[member] for member in row]
        for at in range(starts[number], starts[number + 1]):
            strata = _by_strata(cells, cards, xs[at], ys[at])
            tests = waiting.setdefault(strata.shape, [])
            tests.append((at, strata))
            if len(tests) * strata.size > _MOST_CELLS:
                _evaluate(waiting.pop(strata.shape), test, results)
    for tests in waiting.values():
        _evaluate(tests, test, results)


def _cubes(table: CodedTable, members: list[list[int]]) -> Iterator[Floats]:
    """The cells of each set: those of a cube that it shares, summed over other attributes."""
    cards, end = table.cards.tolist(), 0
    most = max(_SHARED_CELLS, int(_SHARED_CELLS_PER_LINE * len(table.rows)))
    for at, row in enumerate(members):
        if at == end:
            held: set[int] = set()
            span = 1
            while end < len(members):
                span *= prod(cards[member] for member in members[end] if member not in held)
                if span > most and end > at:
                    break
                held.update(members[end])
                end += 1
            attributes = sorted(held)
            shared = count_cells(table, attributes)
        cells, before, after = shared, 1, len(shared)
        for attribute in attributes:
            card = cards[attribute]
            after //= card
            if attribute in row:
                before *= card
            else:
                parts = cells.reshape(before, card, after)
                # Adding slices is much faster than a sum over a short dimension.
                cells = parts[:, 0] + parts[:, 1] if card > 1 else parts[:, 0]
                for value in range(2, card):
                    cells += parts[:, value]
        yield cells.reshape(-1)


def count_cells(table: CodedTable, attributes: list[int]) -> Floats:
    """How many rows each combination of values has, the last attribute innermost."""
    keys = np.zeros(len(table.rows), np.int32)
    for attribute in attributes:
        keys *= table.cards[attribute]
        keys += table.codes[attribute]
    span = int(table.cards[attributes].prod())
    return np.bincount(keys, table.rows, span).astype(np.float64, copy=False)


def _by_strata(cells: Floats, cards: list[int], x: int, y: int) -> Floats:
    """The cells of a test by the value of one end, that of the other, and the stratum."""
    outer, middle, inner = prod(cards[:x]), prod(cards[x + 1 : y]), prod(cards[y + 1 :])
    parts = cells.reshape(outer, cards[x], middle, cards[y], inner).transpose(1, 3, 0, 2, 4)
    return parts.reshape(cards[x], cards[y], outer * middle * inner)


def _evaluate(tests: list[tuple[int, Floats]], test: str, results: BatchResults) -> None:
    """Evaluate tests of the same shape together."""
    at = np.array([number for number, _ in tests])
    evaluate_tests(at, np.stack([cells for _, cells in tests], axis=2), test, results)


def evaluate_tests(at: Indices, cells: Floats, test: str, results: BatchResults) -> None:
    """Fill in the results of tests, from cells by the ends' values, by test and by stratum."""
    statistic, degrees = evaluate_strata(cells, STATISTICS[test])
    results.statistic[at], results.degrees[at] = statistic.sum(axis=1), degrees.sum(axis=1)


def evaluate_strata(cells: Floats, statistic: Statistic) -> tuple[Floats, Floats]:
    """Statistic and degrees of freedom of each stratum; the first two dimensions are the ends.

    Rows are whole numbers, so the smaller of one and a margin says whether it has any.
    """
    if not any(statistic) and cells.shape[:2] == (2, 2):
        return _fourfold(*cells)
    by_x, by_y = cells.sum(axis=1), cells.sum(axis=0)
    rows = by_x.sum(axis=0)
    x, y = (np.minimum(margin, 1).sum(axis=0) - 1 for margin in (by_x, by_y))
    degrees = np.maximum(x, 0) * np.maximum(y, 0)
    # Nearly nothing is expected where a margin has no rows, and nothing is added there.
    by_row = np.maximum(by_x, _NEARLY_NOTHING) / np.maximum(rows, 1)
    terms = term(statistic, cells, by_row[:, None] * np.maximum(by_y, _NEARLY_NOTHING))
    total: Floats = terms.sum(axis=(0, 1))
    if statistic.weighted:
        total *= (rows - 1) / np.maximum(rows, 1)
    return total, degrees


def _fourfold(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Chi-square of two rows and two columns, by their determinant: a third of the time."""
    (a, b), (c, d) = one, other
    determinant = a * d
    determinant -= b * c
    statistic = determinant * determinant
    first, second = a + b, c + d
    statistic *= first + second
    margins = first
    margins *= second
    margins *= a + c
    margins *= b + d
    degrees = np.minimum(margins, 1)
    statistic /= np.maximum(margins, 1, out=margins)
    return statistic, degrees


def split(
    of: Numbers, code: Numbers, values: int, rows: Rows, place: Numbers
) -> tuple[Numbers, Numbers, Rows]:
    """Split groups by an attribute: each line's group; of each group a line, its rows.

    ``place`` has an entry of any content for each group and value.
    """
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


def rows_around(line: Indices, of: Numbers, rows: Rows) -> Floats:
    """For each group the rows of the other partition's group it lies in."""
    # ``take``, and numbers of one type: half the time of indices and of two types.
    return rows.astype(np.float64).take(of.take(line))


def count_within(line: Numbers, of: Numbers, counts: Numbers) -> None:
    """Count how many groups lie in each of the other partition's."""
    counts[:] = np.bincount(of.take(line), minlength=len(counts))


def evaluate(
    test: str, cells: Cells, margins: Margins, strata: Strata, weights: Floats
) -> tuple[float, int]:
    """The sum of terms, and that of the numbers of values of both ends, multiplied.

    There are weights of strata, or none. A term is less what the cell would add without rows:
    the cells that are not there add as much as their strata have rows, less what these would.
    """
    (n, line), (of, rows, x, y) = cells, strata
    at, statistic = of.take(line), STATISTICS[test]
    expected = margins[0] * margins[1]
    expected /= rows.astype(np.float64).take(at)
    terms = term(statistic, n, expected)
    if len(weights):
        of_cells = weights.take(at)
        terms *= of_cells
        expected *= of_cells
    # Not np.dot: BLAS starts threads, which cost more than they save.
    total = float(terms.sum() - term(statistic, 0.0, 1.0) * expected.sum())
    return total, int(np.multiply(x, y, dtype=np.int64).sum())


def every_subset(table: CodedTable, x: int, y: int, pool: Indices, test: str) -> BatchResults:
    """Results for each subset; bit i of its number says whether it holds ``pool[i]``.

    The cube has, along the axis of each attribute of the pool, a total after the values. One of
    its strata is a stratum of one subset: of the attributes whose total it does not take. So
    each is evaluated once, and sums over the values of each attribute give all subsets.
    """
    axes = pool[::-1]
    values: list[int] = table.cards[axes].tolist()
    cells = _with_totals(count_cells(table, [x, y, *axes]), values)
    cells = cells.reshape(table.cards[x], table.cards[y], -1)
    statistic, degrees = np.empty(cells.shape[2]), np.empty(cells.shape[2])
    for start in range(0, cells.shape[2], _STRATA):
        part = slice(start, start + _STRATA)
        statistic[part], degrees[part] = evaluate_strata(cells[:, :, part], STATISTICS[test])
    return BatchResults(
        _by_subset(statistic, values), _by_subset(degrees, values).astype(np.int64)
    )


def _with_totals(cells: Floats, values: list[int]) -> Floats:
    """The cells with a total along each axis but the first two."""
    after = 1
    for count in reversed(values):
        parts = cells.reshape(-1, count, after)
        cells = np.empty((len(parts), count + 1, after))
        cells[:, :count] = parts
        _sum_into(cells[:, count], parts)
        after *= count + 1
    return cells


def _by_subset(numbers: Floats, values: list[int]) -> Floats:
    """Of each axis keep the total, and the sum of the values."""
    subsets = 1
    for count in values:
        parts = numbers.reshape(subsets, count + 1, -1)
        numbers = np.empty((subsets, 2, parts.shape[2]))
        numbers[:, 0] = parts[:, count]
        _sum_into(numbers[:, 1], parts[:, :count])
        subsets *= 2
    return numbers.reshape(-1)


def _sum_into(total: Floats, parts: Floats) -> None:
    """Sum over the middle dimension: adding slices is faster if that is short."""
    if parts.shape[1] == 1:
        total[:] = parts[:, 0]
        return
    np.add(parts[:, 0], parts[:, 1], out=total)
    for value in range(2, parts.shape[1]):
        total += parts[:, value]
