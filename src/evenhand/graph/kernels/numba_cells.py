"""Tests of sets with many possible cells, of which few occur: only those are counted.

For a set T the lines are gathered into cells. Leaving out one member, the *hub*, the cells fall
into groups, which serve all tests that have the hub as an end. Leaving out the other end, too,
the groups fall into the strata of the test.
"""

from math import log
from typing import Any, NamedTuple

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
    Integers,
    Places,
    SetTests,
    add_up,
    compiled,
    inlined,
)

_CELLS, _GROUPS, _STRATA = range(3)


class _Cells(NamedTuple):
    """Cells of one set, their groups without the hub, and the strata without another member.

    There can be as many of them as there are lines.
    """

    # How many cells, groups and strata there are.
    sizes: Integers
    # Where keys are group_by_key: a place for each possible key, the others for each key given.
    place: Places
    last: Places
    rank: Places
    keys: Places
    unused: Places
    # Each line's cell.
    cell: Places
    # Each cell's key, a line of it, its rows; its group, its value of the hub, and its rows
    # squared over those of its group.
    key: Places
    line: Places
    rows: Floats
    group: Places
    value: Places
    weight: Floats
    # The same of groups, and the stratum of each.
    group_key: Places
    group_line: Places
    group_rows: Floats
    stratum: Places
    # The rows of each stratum, and how many values of the hub it has beyond one.
    stratum_rows: Floats
    attested: Places
    # The rows of each value of the hub in each stratum, and where each cell is distinct there.
    margin: Floats
    at: Places

    @classmethod
    def allocate(cls, lines: int, cards: Integers, span: int) -> "_Cells":
        """Buffers for the cells of that many lines, and for ``span`` possible keys."""
        floats = {"rows", "weight", "group_rows", "stratum_rows"}
        buffers: dict[str, Any] = {
            name: np.empty(lines, np.float64 if name in floats else np.int32)
            for name in cls._fields
        }
        buffers["sizes"] = np.zeros(3, np.int64)
        buffers["place"] = np.empty(span, np.int32)
        buffers["margin"] = np.empty(min(lines * int(cards.max()), span))
        return cls(**buffers)


def run(
    table: CodedTable, plan: BatchPlan, sets: Indices, kind: int, results: BatchResults
) -> None:
    """Fill in the results of the tests of some sets."""
    cards = table.cards[plan.members[sets]]
    cells = _Cells.allocate(len(table.rows), cards, int(cards.prod(axis=1).max()))
    _run(table, SetTests.of(plan, sets), cells, kind, results)


@compiled
def _run(
    table: CodedTable, tests: SetTests, cells: _Cells, kind: int, results: BatchResults
) -> None:
    members, size = tests.members, tests.members.shape[1]
    chain = np.empty((size + 1, len(table.rows)), np.int32)
    chain[0] = 0
    stride = np.ones(size, np.int64)
    waiting, done = np.zeros(size, np.int64), np.zeros(size, np.bool_)
    for t in range(len(members)):
        _extend(table, members, t, chain)
        for at in range(size - 2, -1, -1):
            stride[at] = stride[at + 1] * table.cards[members[t, at + 1]]
        _gather(chain[size], table.rows, cells)
        waiting[:] = 0
        done[:] = False
        for test in range(tests.start[t], tests.end[t]):
            waiting[tests.x[test]] += 1
            waiting[tests.y[test]] += 1
        while True:
            # The groups of a hub serve all its tests.
            hub = _hub(waiting, members[t], table.cards)
            if not waiting[hub]:
                break
            card = table.cards[members[t, hub]]
            _group(table.codes[members[t, hub]], card, stride[hub], cells)
            for test in range(tests.start[t], tests.end[t]):
                x, y = tests.x[test], tests.y[test]
                other = y if x == hub else x
                if hub not in (x, y) or done[other]:
                    continue
                step = stride[other] // card if other < hub else stride[other]
                _stratify(table.codes[members[t, other]], step, cells)
                results.degrees[test] = _margins(card, cells)
                if kind == G_SQUARE:
                    results.statistic[test] = _log_sum(cells)
                else:
                    results.statistic[test] = _cell_sum(card, kind, cells) - table.total
                waiting[other] -= 1
            waiting[hub], done[hub] = 0, True


@inlined
def _extend(table: CodedTable, members: Indices, t: int, chain: Places) -> None:
    """Make the keys of set t, from those of the first members that it shares with the last."""
    same = 0
    while t > 0 and members[t, same] == members[t - 1, same]:
        same += 1
    for at in range(same, members.shape[1]):
        card, code = np.int32(table.cards[members[t, at]]), table.codes[members[t, at]]
        for line in range(len(code)):
            chain[at + 1, line] = chain[at, line] * card + code[line]


@inlined
def _hub(waiting: Integers, members: Indices, cards: Integers) -> int:
    """The member with most tests for its number of values: the groups are made once for all."""
    hub = 0
    for at in range(1, len(waiting)):
        if waiting[at] * cards[members[hub]] > waiting[hub] * cards[members[at]]:
            hub = at
    return hub


@inlined
def _number(keys: Places, count: int, numbers: Places, examples: Places, cells: _Cells) -> int:
    """Number distinct keys, with an example of each; returns how many there are."""
    place, last, rank, distinct = cells.place, cells.last, cells.rank, 0
    # All writes first, then all reads: reading what was just written stalls the processor.
    for i in range(count):
        place[keys[i]] = i
    for i in range(count):
        last[i], rank[i], examples[distinct] = place[keys[i]], distinct, i
        distinct += last[i] == i
    for i in range(count):
        numbers[i] = rank[last[i]]
    return distinct


@inlined
def _gather(keys: Places, rows: Floats, cells: _Cells) -> None:
    """Gather lines of the same key into cells."""
    distinct = _number(keys, len(rows), cells.cell, cells.line, cells)
    cells.rows[:distinct] = 0
    add_up(rows, len(rows), cells.cell, cells.rows)
    for cell in range(distinct):
        cells.key[cell] = keys[cells.line[cell]]
    cells.sizes[_CELLS] = distinct


@inlined
def _group(code: Numbers, card: int, stride: int, cells: _Cells) -> None:
    """Gather cells that differ in the hub only."""
    keys, count = cells.keys, cells.sizes[_CELLS]
    for cell in range(count):
        cells.value[cell] = code[cells.line[cell]]
        keys[cell] = cells.key[cell] - cells.value[cell] * stride
    distinct = _number(keys, count, cells.group, cells.group_line, cells)
    cells.group_rows[:distinct] = 0
    add_up(cells.rows, count, cells.group, cells.group_rows)
    for group in range(distinct):
        cell = cells.group_line[group]
        # Without the digit of the hub keys are smaller, and their places nearer to each other.
        above = keys[cell] // (stride * card)
        cells.group_key[group] = keys[cell] - above * stride * (card - 1)
        cells.group_line[group] = cells.line[cell]
    for cell in range(count):
        rows = cells.rows[cell]
        cells.weight[cell] = rows * rows / cells.group_rows[cells.group[cell]]
    cells.sizes[_GROUPS] = distinct


@inlined
def _stratify(code: Numbers, stride: int, cells: _Cells) -> None:
    """Gather groups that differ in the other end only."""
    groups = cells.sizes[_GROUPS]
    for group in range(groups):
        cells.keys[group] = cells.group_key[group] - code[cells.group_line[group]] * stride
    distinct = _number(cells.keys, groups, cells.stratum, cells.unused, cells)
    cells.sizes[_STRATA] = distinct


@inlined
def _margins(card: int, cells: _Cells) -> int:
    """Count the rows of each value of the hub in each stratum; returns degrees of freedom."""
    margin, attested, strata = cells.margin, cells.attested, cells.sizes[_STRATA]
    for cell in range(cells.sizes[_CELLS]):
        cells.at[cell] = cells.value[cell] * strata + cells.stratum[cells.group[cell]]
    margin[: strata * card] = 0
    add_up(cells.rows, cells.sizes[_CELLS], cells.at, margin)
    cells.stratum_rows[:strata] = 0
    attested[:strata] = -1
    for value in range(card):
        for stratum in range(strata):
            rows = margin[value * strata + stratum]
            cells.stratum_rows[stratum] += rows
            attested[stratum] += rows > 0
    # Each group is a value of the other end in its stratum; one of them has no freedom.
    degrees = 0
    for group in range(cells.sizes[_GROUPS]):
        degrees += attested[cells.stratum[group]]
    for stratum in range(strata):
        degrees -= attested[stratum]
    return degrees


@inlined
def _cell_sum(card: int, less: int, cells: _Cells) -> float:
    """The sum of n² (n_s − less) / (r c) over cells, and of ``less`` over strata."""
    margin, strata = cells.margin, cells.sizes[_STRATA]
    for value in range(card):
        for stratum in range(strata):
            at = value * strata + stratum
            # Margins are at least one where there are rows; elsewhere there is no cell.
            margin[at] = (cells.stratum_rows[stratum] - less) / max(margin[at], 1.0)
    total = float(less * strata)
    for cell in range(cells.sizes[_CELLS]):
        total += cells.weight[cell] * margin[cells.at[cell]]
    return total


@inlined
def _log_sum(cells: _Cells) -> float:
    """G²."""
    total = 0.0
    for cell in range(cells.sizes[_CELLS]):
        rows, group = cells.rows[cell], cells.group[cell]
        margins = cells.group_rows[group] * cells.margin[cells.at[cell]]
        total += rows * log(rows * cells.stratum_rows[cells.stratum[group]] / margins)
    return 2 * total
