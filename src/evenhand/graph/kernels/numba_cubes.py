"""Tests of sets with few possible cells: cubes with a number for each combination of values.

Neighboring sets that together have few combinations share a cube, which is counted from the
lines. Attributes are then summed out of it, for all sets that begin with the same members at
once, until the cube of a single set is left; its tests are evaluated stratum by stratum, many
strata at a time.
"""

from math import log
from typing import NamedTuple

import numpy as np

from evenhand.graph.kernels.batch import G_SQUARE, BatchPlan, BatchResults, Floats, Indices
from evenhand.graph.kernels.coded_table import CodedTable
from evenhand.graph.kernels.numba_jit import (
    Flags,
    Integers,
    Places,
    SetTests,
    add_up,
    compiled,
    inlined,
)

# Sets share a cube of so many cells, or of so many for each line of a table, if that is more.
_SHARED_CELLS = 2**12
_SHARED_CELLS_PER_LINE = 0.5

# Tests with two values at one end and at most so many at the other have a loop of their own.
_NARROW = 4


class _Cubes(NamedTuple):
    """A cube for each number of first members that sets share, from none to all.

    Cube i has the attributes ``attributes[i, : size[i]]`` and stands in ``cells[place[i]]``;
    it serves the sets up to ``end[i]``.
    """

    # How many cells a shared cube may have, at most.
    shared: int
    cells: Floats
    place: Integers
    attributes: Integers
    size: Integers
    end: Integers
    # The attributes of the next cube, keys of lines, and a buffer for ``_wide``.
    held: Flags
    keys: Places
    buffer: Floats


class _Strata(NamedTuple):
    """Where a cube has the strata of a test: three loops, the longest last, and two ends."""

    outer: int
    outer_step: int
    middle: int
    middle_step: int
    inner: int
    inner_step: int
    x: int
    x_step: int
    y: int
    y_step: int


def run(
    table: CodedTable, plan: BatchPlan, sets: Indices, kind: int, results: BatchResults
) -> None:
    """Fill in the results of the tests of some sets."""
    members = plan.members[sets]
    levels, attributes = members.shape[1] + 1, len(table.cards)
    shared = max(_SHARED_CELLS, int(_SHARED_CELLS_PER_LINE * len(table.rows)))
    most = max(shared, int(table.cards[members].prod(axis=1).max()))
    cubes = _Cubes(
        shared=shared,
        cells=np.empty((levels, most)),
        place=np.zeros(levels, np.int64),
        attributes=np.empty((levels, attributes), np.int64),
        size=np.zeros(levels, np.int64),
        end=np.zeros(levels, np.int64),
        held=np.zeros(attributes, np.bool_),
        keys=np.empty(len(table.rows), np.int32),
        buffer=np.empty(7 * most),
    )
    _run(table, SetTests.of(plan, sets), cubes, kind, results)


@compiled
def _run(
    table: CodedTable, tests: SetTests, cubes: _Cubes, kind: int, results: BatchResults
) -> None:
    members, size = tests.members, tests.members.shape[1]
    for t in range(len(members)):
        same = 0
        if t == cubes.end[0]:
            _mark_neighbors(members, t, table.cards, cubes)
            _count(table, cubes)
        else:
            while members[t, same] == members[t - 1, same]:
                same += 1
        for first in range(same + 1, size + 1):
            _mark_first(first, members, t, cubes)
            _sum_out(first, table.cards, cubes)
        cells = cubes.cells[cubes.place[size]]
        for test in range(tests.start[t], tests.end[t]):
            strata = _strata(members[t], table.cards, tests.x[test], tests.y[test])
            if kind == G_SQUARE:
                statistic, degrees = _log_sum(cells, strata, cubes.buffer)
            elif strata.x == 2 and strata.y <= _NARROW:
                statistic, degrees = _narrow(cells, strata, kind)
            else:
                statistic, degrees = _wide(cells, strata, kind, cubes.buffer)
            results.statistic[test], results.degrees[test] = statistic, degrees


@inlined
def _mark_neighbors(members: Indices, t: int, cards: Integers, cubes: _Cubes) -> None:
    """Mark the attributes of set t and of those after it that can share a cube with it."""
    held, span, end = cubes.held, 1, t
    held[:] = False
    while end < len(members):
        wider = span
        for member in members[end]:
            wider *= 1 if held[member] else cards[member]
        if end > t and wider > cubes.shared:
            break
        for member in members[end]:
            held[member] = True
        span = wider
        end += 1
    cubes.end[0] = end


@inlined
def _mark_first(first: int, members: Indices, t: int, cubes: _Cubes) -> None:
    """Mark the attributes of the sets that have their first members in common with set t."""
    end = t
    cubes.held[:] = False
    while end < cubes.end[first - 1] and members[end, first - 1] == members[t, first - 1]:
        for member in members[end]:
            cubes.held[member] = True
        end += 1
    cubes.end[first] = end


@inlined
def _count(table: CodedTable, cubes: _Cubes) -> None:
    """Count lines into the first cube."""
    keys, span, size = cubes.keys, 1, 0
    keys[:] = 0
    for attribute in range(len(cubes.held)):
        if cubes.held[attribute]:
            card, code = table.cards[attribute], table.codes[attribute]
            for line in range(len(keys)):
                keys[line] = keys[line] * np.int32(card) + code[line]
            cubes.attributes[0, size] = attribute
            size += 1
            span *= card
    cubes.size[0], cubes.place[0] = size, 0
    cubes.cells[0, :span] = 0
    add_up(table.rows, len(keys), keys, cubes.cells[0])


@inlined
def _sum_out(at: int, cards: Integers, cubes: _Cubes) -> None:
    """Make a cube from the one before by summing over attributes that are not marked."""
    source, target = cubes.cells[cubes.place[at - 1]], cubes.cells[at]
    cubes.place[at] = cubes.place[at - 1]
    before, after, size = 1, 1, 0
    for i in range(cubes.size[at - 1]):
        after *= cards[cubes.attributes[at - 1, i]]
    for i in range(cubes.size[at - 1]):
        attribute = cubes.attributes[at - 1, i]
        card = cards[attribute]
        after //= card
        if cubes.held[attribute]:
            cubes.attributes[at, size] = attribute
            size += 1
            before *= card
        else:
            _sum_over(source, before, card, after, target)
            source, cubes.place[at] = target, at
    cubes.size[at] = size


@inlined
def _sum_over(source: Floats, before: int, card: int, after: int, target: Floats) -> None:
    """Sum over the middle of three dimensions; source and target may be the same."""
    for block in range(before):
        here, there = block * after, block * card * after
        for i in range(after):
            target[here + i] = source[there + i]
        for value in range(1, card):
            there = (block * card + value) * after
            for i in range(after):
                target[here + i] += source[there + i]


@inlined
def _strata(members: Indices, cards: Integers, x: int, y: int) -> _Strata:
    """How to walk through a cube by strata; the end with fewer values becomes x."""
    outer, middle, inner = 1, 1, 1
    for at in range(len(members)):
        if at < x:
            outer *= cards[members[at]]
        elif x < at < y:
            middle *= cards[members[at]]
        elif at > y:
            inner *= cards[members[at]]
    x_values, y_values = cards[members[x]], cards[members[y]]
    few, many = (x_values, inner * y_values * middle), (y_values, inner)
    loops = (outer, few[0] * few[1]), (middle, inner * y_values), (inner, 1)
    if few[0] > many[0]:
        few, many = many, few
    a, b, c = loops
    if a[0] > max(b[0], c[0]):
        a, c = c, a
    elif b[0] > c[0]:
        b, c = c, b
    return _Strata(a[0], a[1], b[0], b[1], c[0], c[1], few[0], few[1], many[0], many[1])


@inlined
def _narrow(cells: Floats, strata: _Strata, kind: int) -> tuple[float, int]:
    """Chi-square and degrees of freedom of two rows and two, three or four columns."""
    x, y, step = strata.x_step, strata.y_step, strata.inner_step
    three, four = strata.y > 2, strata.y > 3
    statistic, degrees = 0.0, 0
    for outer in range(strata.outer):
        for middle in range(strata.middle):
            start = outer * strata.outer_step + middle * strata.middle_step
            for inner in range(strata.inner):
                at = start + inner * step
                a0, a1, b0, b1 = cells[at], cells[at + y], cells[at + x], cells[at + x + y]
                a2 = cells[at + 2 * y] if three else 0.0
                b2 = cells[at + x + 2 * y] if three else 0.0
                a3 = cells[at + 3 * y] if four else 0.0
                b3 = cells[at + x + 3 * y] if four else 0.0
                a, b = a0 + a1 + a2 + a3, b0 + b1 + b2 + b3
                c0, c1, c2, c3 = a0 + b0, a1 + b1, a2 + b2, a3 + b3
                d0, d1 = a0 * b - b0 * a, a1 * b - b1 * a
                d2, d3 = a2 * b - b2 * a, a3 * b - b3 * a
                # Columns with rows have at least one; empty columns add nothing.
                columns = d0 * d0 / max(c0, 1.0) + d1 * d1 / max(c1, 1.0)
                if three:
                    columns += d2 * d2 / max(c2, 1.0) + d3 * d3 / max(c3, 1.0)
                rows = a + b
                both = a * b > 0
                statistic += columns * (rows - kind) / (a * b * rows if both else 1.0)
                attested = (c0 > 0) + (c1 > 0) + (c2 > 0) + (c3 > 0)
                degrees += attested - 1 if both else 0
    return statistic, degrees


@inlined
def _wide(cells: Floats, strata: _Strata, kind: int, buffer: Floats) -> tuple[float, int]:
    """Chi-square and degrees of freedom of any number of rows and columns."""
    needed = 6 + strata.x
    sums = buffer[: needed * strata.inner].reshape(needed, strata.inner)
    rows, ratio, attested_x, attested_y = sums[0], sums[1], sums[2], sums[3]
    statistic, degrees = 0.0, 0.0
    for outer in range(strata.outer):
        for middle in range(strata.middle):
            start = outer * strata.outer_step + middle * strata.middle_step
            for x in range(strata.x):
                _add_row(cells, start + x * strata.x_step, x, strata, sums)
            for y in range(strata.y):
                _add_column(cells, start + y * strata.y_step, y, strata, sums)
            for i in range(strata.inner):
                some = rows[i] > 0
                statistic += (rows[i] - kind) * (ratio[i] - 1) if some else 0.0
                degrees += (attested_x[i] - 1) * (attested_y[i] - 1) if some else 0.0
    return statistic, int(degrees)


@inlined
def _add_row(cells: Floats, start: int, x: int, strata: _Strata, sums: Floats) -> None:
    """Add a value of x to the rows of each stratum, and keep one over its own rows."""
    count, step = strata.inner, strata.inner_step
    rows, attested, inverse = sums[0], sums[2], sums[6 + x]
    for i in range(count):
        inverse[i] = cells[start + i * step]
    for y in range(1, strata.y):
        at = start + y * strata.y_step
        for i in range(count):
            inverse[i] += cells[at + i * step]
    for i in range(count):
        rows[i] = inverse[i] + (rows[i] if x else 0.0)
        attested[i] = (inverse[i] > 0) + (attested[i] if x else 0.0)
        # Margins are at least one where there are rows; empty cells add nothing to the sum.
        inverse[i] = 1 / max(inverse[i], 1.0)


@inlined
def _add_column(cells: Floats, start: int, y: int, strata: _Strata, sums: Floats) -> None:
    """Add n² / (r c) of the cells with one value of y."""
    count, step = strata.inner, strata.inner_step
    ratio, attested, column, weight = sums[1], sums[3], sums[4], sums[5]
    for x in range(strata.x):
        at, inverse = start + x * strata.x_step, sums[6 + x]
        for i in range(count):
            cell = cells[at + i * step]
            column[i] = cell + (column[i] if x else 0.0)
            weight[i] = cell * cell * inverse[i] + (weight[i] if x else 0.0)
    for i in range(count):
        ratio[i] = weight[i] / max(column[i], 1.0) + (ratio[i] if y else 0.0)
        attested[i] = (column[i] > 0) + (attested[i] if y else 0.0)


@inlined
def _log_sum(cells: Floats, strata: _Strata, buffer: Floats) -> tuple[float, int]:
    """G² and degrees of freedom."""
    by_x, by_y = buffer[: strata.x], buffer[strata.x : strata.x + strata.y]
    statistic, degrees = 0.0, 0
    for outer in range(strata.outer):
        for middle in range(strata.middle):
            for inner in range(strata.inner):
                start = outer * strata.outer_step + middle * strata.middle_step
                start += inner * strata.inner_step
                _add_margins(cells, start, strata, by_x, by_y)
                total, attested_x, attested_y = 0.0, 0, 0
                for rows in by_x:
                    total += rows
                    attested_x += rows > 0
                for rows in by_y:
                    attested_y += rows > 0
                degrees += (attested_x - 1) * (attested_y - 1) if total > 0 else 0
                for x in range(strata.x):
                    for y in range(strata.y):
                        rows = cells[start + x * strata.x_step + y * strata.y_step]
                        if rows > 0:
                            statistic += rows * log(rows * total / (by_x[x] * by_y[y]))
    return 2 * statistic, degrees


@inlined
def _add_margins(
    cells: Floats, start: int, strata: _Strata, by_x: Floats, by_y: Floats
) -> None:
    by_x[:], by_y[:] = 0, 0
    for x in range(strata.x):
        for y in range(strata.y):
            rows = cells[start + x * strata.x_step + y * strata.y_step]
            by_x[x] += rows
            by_y[y] += rows
