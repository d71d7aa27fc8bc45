"""Tests of sets with many possible cells, of which few occur: only those are counted.

For a set T the lines are gathered into cells. Leaving out one member, the *hub*, the cells fall
into groups, which serve all tests that have the hub as an end. Leaving out the other end, too,
the groups fall into the strata of the test.
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
    Integers,
    Places,
    SetTests,
    add_up,
    compiled,
    inlined,
    shared,
)

# Rows of ``_Buffers.numbers``. Where keys are numbered: keys, the last place of each, its rank.
_KEYS, _LAST, _RANK = range(3)
# Each line's cell. Each cell's key, a line of it, its group and its value of the hub; the same
# of groups, and the stratum of each; how many values of the hub a stratum has beyond one; where
# the margin of a cell is.
_CELL, _KEY, _LINE, _GROUP, _VALUE = range(3, 8)
_GROUP_KEY, _GROUP_LINE, _STRATUM, _ATTESTED, _AT = range(8, 13)
# Rows of ``_Buffers.sums``: of cells, rows and rows squared over those of the group; of groups
# and of strata, rows.
_ROWS, _WEIGHT, _GROUP_ROWS, _STRATUM_ROWS = range(4)


class _Buffers(NamedTuple):
    """Numbers and sums of cells, groups and strata; of each there can be one for each line."""

    numbers: Places
    sums: Floats
    # A place for each possible key, and the rows of each value of the hub in each stratum.
    place: Places
    margin: Floats
    # The keys of lines by the first members of a set, from none to all.
    chain: Places
    # For each member: its stride in keys, how many tests wait for it, and whether it was hub.
    order: Integers


def run(
    table: CodedTable, plan: BatchPlan, sets: Indices, kind: int, results: BatchResults
) -> None:
    """Fill in the results of the tests of some sets."""
    cards = table.cards[plan.members[sets]]
    lines, size, span = len(table.rows), cards.shape[1], int(cards.prod(axis=1).max())
    buffers = _Buffers(
        numbers=np.empty((13, lines), np.int32),
        sums=np.empty((4, lines)),
        place=np.empty(span, np.int32),
        margin=np.empty(min(lines * int(cards.max()), span)),
        chain=np.zeros((size + 1, lines), np.int32),
        order=np.ones((3, size), np.int64),
    )
    run_sets(table, SetTests.of(plan, sets), buffers, kind, results)


@compiled
def run_sets(
    table: CodedTable, tests: SetTests, buffers: _Buffers, kind: int, results: BatchResults
) -> None:
    """Fill in the results of sets; it is compiled."""
    members, codes, cards = tests.members, table.codes, table.cards
    lines, size = len(table.rows), members.shape[1]
    numbers, sums, place, chain = buffers.numbers, buffers.sums, buffers.place, buffers.chain
    stride, waiting, done = buffers.order[0], buffers.order[1], buffers.order[2]
    for t in range(len(members)):
        _extend(codes, cards, members, t, chain)
        for at in range(size - 2, -1, -1):
            stride[at] = stride[at + 1] * cards[members[t, at + 1]]
        count = _number(chain[size], lines, numbers, numbers[_CELL], numbers[_LINE], place)
        add_up(table.rows, lines, numbers[_CELL], sums[_ROWS, :count])
        for cell in range(count):
            numbers[_KEY, cell] = chain[size, numbers[_LINE, cell]]
        waiting[:], done[:] = 0, 0
        for test in range(tests.start[t], tests.end[t]):
            waiting[tests.x[test]] += 1
            waiting[tests.y[test]] += 1
        while True:
            # The groups of a hub serve all its tests.
            hub = _hub(waiting, members[t], cards)
            if not waiting[hub]:
                break
            card = cards[members[t, hub]]
            groups = _group(
                codes[members[t, hub]], card, stride[hub], count, numbers, sums, place
            )
            for test in range(tests.start[t], tests.end[t]):
                x, y = tests.x[test], tests.y[test]
                other = y if x == hub else x
                if hub not in (x, y) or done[other]:
                    continue
                step = stride[other] // card if other < hub else stride[other]
                strata = _stratify(codes[members[t, other]], step, groups, numbers, place)
                results.degrees[test] = _margins(
                    card, count, groups, strata, numbers, sums, buffers.margin
                )
                statistic = _sum_cells(card, count, strata, kind, numbers, sums, buffers.margin)
                results.statistic[test] = statistic - (0 if kind == G_SQUARE else table.total)
                waiting[other] -= 1
            waiting[hub], done[hub] = 0, 1


@inlined
def _extend(codes: Numbers, cards: Integers, members: Indices, t: int, chain: Places) -> None:
    """Make the keys of set t, from those of the first members that it shares with the last."""
    same = 0
    while t > 0 and members[t, same] == members[t - 1, same]:
        same += 1
    for at in range(same, members.shape[1]):
        card, code = np.int32(cards[members[t, at]]), codes[members[t, at]]
        before, after = chain[at], chain[at + 1]
        for line in range(len(code)):
            after[line] = before[line] * card + code[line]


@inlined
def _hub(waiting: Integers, members: Indices, cards: Integers) -> int:
    """The member with most tests for its number of values: the groups are made once for all."""
    hub = 0
    for at in range(1, len(waiting)):
        if waiting[at] * cards[members[hub]] > waiting[hub] * cards[members[at]]:
            hub = at
    return hub


@shared
def _number(
    keys: Places, count: int, numbers: Places, of: Places, examples: Places, place: Places
) -> int:
    """Number distinct keys, with an example of each; returns how many there are."""
    last, rank, distinct = numbers[_LAST], numbers[_RANK], 0
    # All writes first, then all reads: reading what was just written stalls the processor.
    for i in range(count):
        place[keys[i]] = i
    for i in range(count):
        last[i], rank[i], examples[distinct] = place[keys[i]], distinct, i
        distinct += last[i] == i
    for i in range(count):
        of[i] = rank[last[i]]
    return distinct


@inlined
def _group(
    code: Numbers,
    card: int,
    stride: int,
    count: int,
    numbers: Places,
    sums: Floats,
    place: Places,
) -> int:
    """Gather cells that differ in the hub only; returns how many groups there are."""
    keys, key, line, value = numbers[_KEYS], numbers[_KEY], numbers[_LINE], numbers[_VALUE]
    rows, group_rows, group = sums[_ROWS], sums[_GROUP_ROWS], numbers[_GROUP]
    group_line = numbers[_GROUP_LINE]
    for cell in range(count):
        value[cell] = code[line[cell]]
        keys[cell] = key[cell] - value[cell] * stride
    groups = _number(keys, count, numbers, group, group_line, place)
    add_up(rows, count, group, group_rows[:groups])
    for at in range(groups):
        cell = group_line[at]
        # Without the digit of the hub keys are smaller, and their places nearer to each other.
        above = keys[cell] // (stride * card)
        numbers[_GROUP_KEY, at] = keys[cell] - above * stride * (card - 1)
        group_line[at] = line[cell]
    for cell in range(count):
        sums[_WEIGHT, cell] = rows[cell] * rows[cell] / group_rows[group[cell]]
    return groups


@inlined
def _stratify(code: Numbers, stride: int, groups: int, numbers: Places, place: Places) -> int:
    """Gather groups that differ in the other end only; returns how many strata there are."""
    keys, key, line = numbers[_KEYS], numbers[_GROUP_KEY], numbers[_GROUP_LINE]
    for group in range(groups):
        keys[group] = key[group] - code[line[group]] * stride
    return _number(keys, groups, numbers, numbers[_STRATUM], numbers[_ATTESTED], place)


@inlined
def _margins(
    card: int,
    count: int,
    groups: int,
    strata: int,
    numbers: Places,
    sums: Floats,
    margin: Floats,
) -> int:
    """Count the rows of each value of the hub in each stratum; returns degrees of freedom."""
    at, stratum, attested = numbers[_AT], numbers[_STRATUM], numbers[_ATTESTED]
    stratum_rows = sums[_STRATUM_ROWS]
    for cell in range(count):
        at[cell] = numbers[_VALUE, cell] * strata + stratum[numbers[_GROUP, cell]]
    add_up(sums[_ROWS], count, at, margin[: strata * card])
    for s in range(strata):
        stratum_rows[s] = 0.0
        attested[s] = -1
    for value in range(card):
        for s in range(strata):
            rows = margin[value * strata + s]
            stratum_rows[s] += rows
            attested[s] += rows > 0
    # Each group is a value of the other end in its stratum; one of them has no freedom.
    degrees = 0
    for group in range(groups):
        degrees += attested[stratum[group]]
    for s in range(strata):
        degrees -= attested[s]
    return degrees


@inlined
def _sum_cells(
    card: int,
    count: int,
    strata: int,
    kind: int,
    numbers: Places,
    sums: Floats,
    margin: Floats,
) -> float:
    """The sum of n² (n_s − kind) / (r c) over cells, and of ``kind`` over strata; or G²."""
    at, total = numbers[_AT], 0.0
    if kind == G_SQUARE:
        for cell in range(count):
            rows, group = sums[_ROWS, cell], numbers[_GROUP, cell]
            expected = sums[_GROUP_ROWS, group] * margin[at[cell]]
            stratum_rows = sums[_STRATUM_ROWS, numbers[_STRATUM, group]]
            total += 2 * rows * log(rows * stratum_rows / expected)
        return total
    for value in range(card):
        for s in range(strata):
            # Margins are at least one where there are rows; elsewhere there is no cell.
            i = value * strata + s
            margin[i] = (sums[_STRATUM_ROWS, s] - kind) / max(margin[i], 1.0)
    for cell in range(count):
        total += sums[_WEIGHT, cell] * margin[at[cell]]
    return total + kind * strata
