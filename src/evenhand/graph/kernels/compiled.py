"""The compiled kernel, one set of attributes at a time.

Needs numba (the extra ``fast``); import it only where the work pays for that. Compiled code is
kept on disk, and works on flat arrays only, so that it loads fast and runs without the lock.

For a set T the lines are gathered into cells. Leaving out one member v, the cells fall into
groups; the groups of T − y fall into the strata of T − x − y. So a test reads every cell once,
and what it needs of x alone or of y alone is computed once for all tests of T.
"""

from collections.abc import Callable
from math import log
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evenhand.graph.kernels.batch import G_SQUARE, Answers, Floats, Indices, Numbers, Plan
from evenhand.graph.kernels.tables import Table

Function = TypeVar("Function", bound=Callable[..., Any])
Integers = NDArray[np.int64]
Places = NDArray[np.int32]


def _compiled(function: Function) -> Function:
    return cast("Function", njit(cache=True, nogil=True)(function))


def _summing(function: Function) -> Function:
    # Sums may be taken in any order, which lets the processor add several at a time.
    options = {"reassoc", "contract"}
    return cast("Function", njit(cache=True, nogil=True, fastmath=options)(function))


class _Cells(NamedTuple):
    """Cells of one set, the groups they form without each member, and room to work in.

    Every array has room for as many cells as there are lines, at least.
    """

    key: Integers
    line: Places
    rows: Floats
    # One row for each member that is left out.
    group: NDArray[np.int32]
    weight: Floats
    groups: Integers
    group_cell: NDArray[np.int32]
    group_key: NDArray[np.int64]
    group_rows: Floats
    # Where a key is found while keys are numbered; -1 everywhere else.
    place: Places
    first: Places
    keys: Integers
    dense: Floats
    stratum: Places
    stratum_rows: Floats
    attested: Integers
    ratio: Floats


class _Tests(NamedTuple):
    """Sets, the tests of each from ``start`` to ``end``, and the positions of their ends."""

    members: Indices
    start: Indices
    end: Indices
    x: Indices
    y: Indices


def run(table: Table, plan: Plan, sets: Indices, kind: int, answers: Answers) -> None:
    """Fill in the answers to the tests of some sets."""
    lines, size = len(table.rows), plan.members.shape[1]
    span = int(table.cards[plan.members[sets]].prod(axis=1).max())
    # Dense counting looks at four numbers for each line, at most.
    most = 4 * lines + 1
    cells = _Cells(
        key=np.empty(most, np.int64),
        line=np.empty(most, np.int32),
        rows=np.empty(most),
        group=np.empty((size, lines), np.int32),
        weight=np.empty((size, lines)),
        groups=np.empty(size, np.int64),
        group_cell=np.empty((size, lines + 1), np.int32),
        group_key=np.empty((size, lines), np.int64),
        group_rows=np.empty((size, lines)),
        place=np.full(span, -1, np.int32),
        first=np.empty(max(most, lines + 1), np.int32),
        keys=np.empty(lines, np.int64),
        dense=np.empty(most),
        stratum=np.empty(lines, np.int32),
        stratum_rows=np.empty(lines),
        attested=np.empty(lines, np.int64),
        ratio=np.empty(lines),
    )
    chosen = _Tests(plan.members[sets], plan.start[sets], plan.start[sets + 1], plan.x, plan.y)
    _run(table, chosen, cells, kind, answers)


@_compiled
def _run(table: Table, tests: _Tests, cells: _Cells, kind: int, answers: Answers) -> None:
    codes, rows, cards = table.codes, table.rows, table.cards
    members, size = tests.members, tests.members.shape[1]
    chain = np.zeros((size + 1, len(rows)), np.int64)
    stride = np.ones(size, np.int64)
    for t in range(len(members)):
        shared = 0
        while t > 0 and shared < size and members[t, shared] == members[t - 1, shared]:
            shared += 1
        for at in range(shared, size):
            _extend(chain[at], cards[members[t, at]], codes[members[t, at]], chain[at + 1])
        for at in range(size - 2, -1, -1):
            stride[at] = stride[at + 1] * cards[members[t, at + 1]]
        count = _gather(chain[size], rows, stride[0] * cards[members[t, 0]], cells)
        cells.groups[:] = 0
        for test in range(tests.start[t], tests.end[t]):
            x, y = tests.x[test], tests.y[test]
            for at in (x, y):
                if cells.groups[at] == 0:
                    _group(at, codes[members[t, at]], stride[at], count, cells)
            # y is left out first: the end without which there are fewer groups.
            if cells.groups[x] < cells.groups[y]:
                x, y = y, x
            strata, degrees = _stratify(x, y, codes[members[t, x]], stride[x], cells)
            answers.degrees[test] = degrees
            if kind == G_SQUARE:
                answers.statistic[test] = _log_sum(x, y, count, strata, cells)
            else:
                found = _cell_sum(x, y, count, kind, cells)
                answers.statistic[test] = found - table.total + kind * strata


@_compiled
def _extend(before: Integers, card: int, code: Numbers, after: Integers) -> None:
    for line in range(len(before)):
        after[line] = before[line] * card + code[line]


@_compiled
def _gather(keys: Integers, rows: Floats, span: int, cells: _Cells) -> int:
    """Gather lines of the same key into cells; returns how many cells there are."""
    lines, found = len(rows), 0
    dense, first = cells.dense, cells.first
    if span > 4 * lines:
        found = _number(keys, lines, cells.place, cells.group[0], first)
        cells.rows[:found] = 0
        for line in range(lines):
            cells.rows[cells.group[0, line]] += rows[line]
        for cell in range(found):
            cells.line[cell] = first[cell]
            cells.key[cell] = keys[first[cell]]
        return found
    # Lines that add to the same number must wait for each other: four numbers wait less.
    quarter = lines // 4 if 4 * span <= lines else 0
    dense[: 4 * span if quarter else span] = 0
    for a in range(quarter):
        b, c, d = a + quarter, a + 2 * quarter, a + 3 * quarter
        dense[keys[a]] += rows[a]
        dense[span + keys[b]] += rows[b]
        dense[2 * span + keys[c]] += rows[c]
        dense[3 * span + keys[d]] += rows[d]
        first[keys[a]] = a
        first[keys[b]] = b
        first[keys[c]] = c
        first[keys[d]] = d
    for line in range(4 * quarter, lines):
        dense[keys[line]] += rows[line]
        first[keys[line]] = line
    if quarter:
        for key in range(span):
            dense[key] += dense[span + key] + dense[2 * span + key] + dense[3 * span + key]
    for key in range(span):
        cells.line[found] = first[key]
        cells.key[found] = key
        cells.rows[found] = dense[key]
        found += dense[key] > 0
    return found


@_compiled
def _number(keys: Integers, count: int, place: Places, number: Places, first: Places) -> int:
    """Number distinct keys by first appearance; returns how many there are."""
    found = 0
    for i in range(count):
        seen = place[keys[i]]
        # Without a branch, which would be guessed wrong half of the time.
        fresh = seen < 0
        number[i] = found if fresh else seen
        place[keys[i]] = number[i]
        first[found] = i
        found += fresh
    for group in range(found):
        place[keys[first[group]]] = -1
    return found


@_compiled
def _group(at: int, code: Numbers, stride: int, count: int, cells: _Cells) -> None:
    """Gather cells that differ in one member only."""
    keys, group, rows = cells.keys, cells.group[at], cells.group_rows[at]
    for cell in range(count):
        keys[cell] = cells.key[cell] - code[cells.line[cell]] * stride
    found = _number(keys, count, cells.place, group, cells.group_cell[at])
    cells.groups[at] = found
    rows[:found] = 0
    for cell in range(count):
        rows[group[cell]] += cells.rows[cell]
    for i in range(found):
        cells.group_key[at, i] = keys[cells.group_cell[at, i]]
    for cell in range(count):
        cells.weight[at, cell] = cells.rows[cell] * cells.rows[cell] / rows[group[cell]]


@_compiled
def _stratify(x: int, y: int, code: Numbers, stride: int, cells: _Cells) -> tuple[int, int]:
    """Gather the groups without y that differ in x only: number of strata, and df."""
    keys, count = cells.keys, cells.groups[y]
    y_cell, y_key, y_rows = cells.group_cell[y], cells.group_key[y], cells.group_rows[y]
    for i in range(count):
        keys[i] = y_key[i] - code[cells.line[y_cell[i]]] * stride
    strata = _number(keys, count, cells.place, cells.stratum, cells.first)
    cells.stratum_rows[:strata] = 0
    cells.attested[:strata] = 0
    for i in range(count):
        cells.stratum_rows[cells.stratum[i]] += y_rows[i]
        cells.attested[cells.stratum[i]] += 1
    # Each value of y that a stratum has meets each of its values of x.
    met = np.int64(0)
    y_group, x_cell = cells.group[y], cells.group_cell[x]
    for i in range(cells.groups[x]):
        met += cells.attested[cells.stratum[y_group[x_cell[i]]]]
    return strata, met - cells.groups[x] - count + strata


@_summing
def _cell_sum(x: int, y: int, count: int, less: int, cells: _Cells) -> float:
    ratio, weight, group = cells.ratio, cells.weight[x], cells.group[y]
    for i in range(cells.groups[y]):
        ratio[i] = (cells.stratum_rows[cells.stratum[i]] - less) / cells.group_rows[y, i]
    found = 0.0
    for cell in range(count):
        found += weight[cell] * ratio[group[cell]]
    return found


@_compiled
def _log_sum(x: int, y: int, count: int, strata: int, cells: _Cells) -> float:
    margins = _entropy(cells.group_rows[x, : cells.groups[x]])
    margins += _entropy(cells.group_rows[y, : cells.groups[y]])
    inner = _entropy(cells.rows[:count]) + _entropy(cells.stratum_rows[:strata])
    return 2 * (inner - margins)


@_summing
def _entropy(rows: Floats) -> float:
    found = 0.0
    for n in rows:
        found += n * log(n)
    return found


@_compiled
def split(
    of: Numbers, groups: int, code: Numbers, values: int, rows: Floats
) -> tuple[Numbers, Floats]:
    """Split groups of lines by one more attribute: each line's group, and the groups' rows."""
    place = np.full(groups * values, -1, np.int32)
    fine, totals = np.empty_like(of), np.empty(len(rows))
    found = 0
    for line in range(len(rows)):
        key = np.int64(of[line]) * values + code[line]
        group = place[key]
        if group < 0:
            group = found
            place[key] = group
            totals[group] = 0.0
            found += 1
        fine[line] = group
        totals[group] += rows[line]
    return fine, totals[:found].copy()


@_compiled
def attested(of: Numbers, groups: int, within: Numbers, strata: int) -> NDArray[np.integer]:
    """How many groups lie in each stratum."""
    seen = np.zeros(groups, np.bool_)
    counts = np.zeros(strata, np.int32)
    for line in range(len(of)):
        counts[within[line]] += not seen[of[line]]
        seen[of[line]] = True
    return counts


@_summing
def line_sum(weight: Floats, x: Floats, y: Floats, rows: Floats, of: Numbers) -> float:
    """The sum of weight · x · y · rows[of] over lines."""
    found = 0.0
    for line in range(len(weight)):
        found += weight[line] * x[line] * y[line] * rows[of[line]]
    return found
