"""Tests of sets with few possible cells: cubes with a number for each combination of values.

Neighboring sets that together have few combinations share a cube, which is counted from the
lines. Attributes are then summed out of it, for all sets that begin with the same members at
once, until the cube of a single set is left; its tests are evaluated stratum by stratum, many
strata at a time.
"""

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
from evenhand.graph.kernels.numba_jit import (
    Flags,
    Integers,
    Places,
    SetTests,
    add_up,
    compiled,
    inlined,
    is_cached,
    sum_over,
)
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

# Sets share a cube of so many cells, or of so many for each line of a table, if that is more.
_SHARED_CELLS = 2**12
_SHARED_CELLS_PER_LINE = 0.5


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
    # Where the strata of a test are.
    strata: Integers


# Further entries of the array that says where strata are: two loops around it.
_OUTER, _OUTER_STEP, _MIDDLE, _MIDDLE_STEP, _ENTRIES = range(7, 12)


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
        strata=np.zeros(_ENTRIES, np.int64),
    )
    _run(table, SetTests.of(plan, sets), cubes, kind, results)


def is_on_disk() -> bool:
    """Whether this machine has compiled the tests in cubes before."""
    return is_cached(_run)


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
            _lay_out(members[t], cards, tests.x[test], tests.y[test], cubes.strata)
            statistic, degrees = _evaluate(cells, cubes.strata, kind, cubes.margins)
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
    size, after = 0, cards[attributes[0]]
    for i in range(1, count):
        after *= cards[attributes[i]]
    # No literal: for one ``sum_over`` would be compiled once more.
    before = after // after
    for i in range(count):
        card = cards[attributes[i]]
        after //= card
        if held[attributes[i]]:
            left[size] = attributes[i]
            size += 1
            before *= card
            continue
        sum_over(source, before, card, after, target)
        source = target
    return size


@inlined
def _lay_out(members: Indices, cards: Integers, x: int, y: int, strata: Integers) -> None:
    """Say where a cube has the strata of a test, the longest of three loops innermost."""
    outer, middle, inner = 1, 1, 1
    for at in range(len(members)):
        if at < x:
            outer *= cards[members[at]]
        elif x < at < y:
            middle *= cards[members[at]]
        elif at > y:
            inner *= cards[members[at]]
    few, many = cards[members[x]], cards[members[y]]
    few_step, many_step = inner * many * middle, inner
    outer_step, middle_step, inner_step = few * few_step, inner * many, 1
    if few > many:
        few, few_step, many, many_step = many, many_step, few, few_step
    if outer > max(middle, inner):
        outer, outer_step, inner, inner_step = inner, inner_step, outer, outer_step
    elif middle > inner:
        middle, middle_step, inner, inner_step = inner, inner_step, middle, middle_step
    strata[COUNT], strata[STEP], strata[_OUTER], strata[_MIDDLE] = (
        inner,
        inner_step,
        outer,
        middle,
    )
    strata[_OUTER_STEP], strata[_MIDDLE_STEP] = outer_step, middle_step
    strata[X], strata[X_STEP], strata[Y], strata[Y_STEP] = few, few_step, many, many_step


@inlined
def _evaluate(cells: Floats, strata: Integers, kind: int, margins: Floats) -> tuple[float, int]:
    """The statistic and the degrees of freedom of a test, added up over its strata."""
    statistic, degrees = 0.0, 0
    for outer in range(strata[_OUTER]):
        for middle in range(strata[_MIDDLE]):
            strata[START] = outer * strata[_OUTER_STEP] + middle * strata[_MIDDLE_STEP]
            more, free = evaluate_strata(cells, strata, kind, margins)
            statistic += more
            degrees += free
    return statistic, degrees
