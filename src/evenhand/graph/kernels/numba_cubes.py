"""Tests of sets with few possible cells: cubes with a number for each combination of values.

Neighboring sets that together have few combinations share a cube, which is counted from the
lines. Attributes are then summed out of it, for all sets that begin with the same members at
once, until the cube of a single set is left; its tests are evaluated stratum by stratum, many
strata at a time.
"""

from math import log
from typing import NamedTuple

import numpy as np

from evenhand.graph.kernels.batch import (
    G_SQUARE,
    BatchPlan,
    BatchResults,
    Floats,
    Indices,
    Numbers,
)
from evenhand.graph.kernels.coded_table import CodedTable
from evenhand.graph.kernels.numba_jit import (
    Flags,
    Integers,
    Places,
    SetTests,
    add_up,
    compiled,
    inlined,
    shared,
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
    # The attributes of the next cube, keys of lines, and margins.
    held: Flags
    keys: Places
    margins: Floats


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
        margins=np.empty(2 * int(table.cards.max())),
    )
    _run(table, SetTests.of(plan, sets), cubes, kind, results)


@compiled
def _run(
    table: CodedTable, tests: SetTests, cubes: _Cubes, kind: int, results: BatchResults
) -> None:
    members, cards, held = tests.members, table.cards, cubes.held
    attributes, size, place, end = cubes.attributes, cubes.size, cubes.place, cubes.end
    depth = members.shape[1]
    for t in range(len(members)):
        first = 0
        if t < end[0]:
            first = 1
            while members[t, first - 1] == members[t - 1, first - 1]:
                first += 1
        for at in range(first, depth + 1):
            last = end[at - 1] if at else len(members)
            end[at] = _mark(members, t, last, at, cards, cubes.shared, held)
            if at:
                source, target = cubes.cells[place[at - 1]], cubes.cells[at]
                size[at] = _sum_out(
                    source,
                    target,
                    cards,
                    attributes[at - 1],
                    size[at - 1],
                    held,
                    attributes[at],
                )
                place[at] = at if size[at] < size[at - 1] else place[at - 1]
            else:
                size[0] = _count(
                    table.codes,
                    table.rows,
                    cards,
                    held,
                    cubes.keys,
                    cubes.cells[0],
                    attributes[0],
                )
        cells = cubes.cells[place[depth]]
        for test in range(tests.start[t], tests.end[t]):
            strata = _strata(members[t], cards, tests.x[test], tests.y[test])
            if strata.x == 2 and strata.y <= _NARROW and kind != G_SQUARE:
                statistic, degrees = _narrow(cells, strata, kind)
            else:
                statistic, degrees = _wide(cells, strata, kind, cubes.margins)
            results.statistic[test], results.degrees[test] = statistic, degrees


@inlined
def _mark(
    members: Indices, t: int, last: int, first: int, cards: Integers, shared: int, held: Flags
) -> int:
    """Mark the attributes of set t and of those after it that can share a cube with it.

    These have their first members in common. Returns where they end.
    """
    held[:] = False
    span, end = 1, t
    while end < last and (first == 0 or members[end, first - 1] == members[t, first - 1]):
        for at in range(members.shape[1]):
            span *= 1 if held[members[end, at]] else cards[members[end, at]]
        if end > t and span > shared:
            break
        for at in range(members.shape[1]):
            held[members[end, at]] = True
        end += 1
    return end


@inlined
def _count(
    codes: Numbers,
    rows: Floats,
    cards: Integers,
    held: Flags,
    keys: Places,
    cells: Floats,
    attributes: Integers,
) -> int:
    """Count lines by the marked attributes; returns how many these are."""
    span, size = 1, 0
    keys[:] = 0
    for attribute in range(len(held)):
        if held[attribute]:
            card, code = cards[attribute], codes[attribute]
            for line in range(len(keys)):
                keys[line] = keys[line] * np.int32(card) + code[line]
            attributes[size] = attribute
            size += 1
            span *= card
    add_up(rows, len(keys), keys, cells[:span])
    return size


@inlined
def _sum_out(
    source: Floats,
    target: Floats,
    cards: Integers,
    attributes: Integers,
    count: int,
    held: Flags,
    left: Integers,
) -> int:
    """Sum a cube over attributes that are not marked; returns how many are left."""
    before, after, size = 1, 1, 0
    for i in range(count):
        after *= cards[attributes[i]]
    for i in range(count):
        card = cards[attributes[i]]
        after //= card
        if held[attributes[i]]:
            left[size] = attributes[i]
            size += 1
            before *= card
            continue
        for block in range(before):
            here, there = block * after, block * card * after
            for k in range(after):
                target[here + k] = source[there + k]
            for value in range(1, card):
                for k in range(after):
                    target[here + k] += source[there + value * after + k]
        source = target
    return size


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
def _wide(cells: Floats, strata: _Strata, kind: int, by: Floats) -> tuple[float, int]:
    """A statistic and degrees of freedom of any number of rows and columns."""
    x, x_step, y, y_step = strata.x, strata.x_step, strata.y, strata.y_step
    statistic, degrees = 0.0, 0
    for outer in range(strata.outer):
        for middle in range(strata.middle):
            start = outer * strata.outer_step + middle * strata.middle_step
            for inner in range(strata.inner):
                at = start + inner * strata.inner_step
                more, free = _stratum(cells, at, x, x_step, y, y_step, kind, by)
                statistic += more
                degrees += free
    return statistic, degrees


@shared
def _stratum(
    cells: Floats,
    start: int,
    x_values: int,
    x_step: int,
    y_values: int,
    y_step: int,
    kind: int,
    by: Floats,
) -> tuple[float, int]:
    """The statistic and the degrees of freedom of one stratum; ``by`` is for its margins."""
    total, attested_x, attested_y = 0.0, 0, 0
    for y in range(y_values):
        by[y] = 0.0
    for x in range(x_values):
        rows = 0.0
        for y in range(y_values):
            cell = cells[start + x * x_step + y * y_step]
            rows += cell
            by[y] += cell
        by[y_values + x] = rows
        attested_x += rows > 0
        total += rows
    for y in range(y_values):
        attested_y += by[y] > 0
    if attested_x < 2 or attested_y < 2:
        return 0.0, 0
    ratio, logs = -1.0, 0.0
    for x in range(x_values):
        for y in range(y_values):
            cell = cells[start + x * x_step + y * y_step]
            if cell > 0:
                part = cell / (by[y_values + x] * by[y])
                if kind == G_SQUARE:
                    logs += 2 * cell * log(total * part)
                else:
                    ratio += cell * part
    statistic = logs if kind == G_SQUARE else (total - kind) * ratio
    return statistic, (attested_x - 1) * (attested_y - 1)
