"""The numba kernel, with the same functions as ``numpy_kernel``.

Sets of few possible cells are counted in cubes: neighboring sets that together have few
combinations share one, which is counted from the lines. For each set the other attributes are
then summed out of it, and its tests are evaluated stratum by stratum. Sets of many cells are
counted by partitions, of which the loops over lines and cells are here.

Needs numba (the extra ``fast``); import it only where the work pays for that. Compiling must be
short, for it is waited for. What counts is the number of statements and of arrays that are
handed on, so functions take the few plain arrays they need.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evenhand.graph import independence_tests
from evenhand.graph.independence_tests import STATISTICS, Statistic
from evenhand.graph.kernels.batch import (
    BatchPlan,
    BatchResults,
    CodedTable,
    Floats,
    Indices,
    Numbers,
)
from evenhand.graph.kernels.numpy_kernel import count_cells
from evenhand.graph.kernels.partition_kernel import Cells, Margins, Rows, Strata

Integers = NDArray[np.int64]
Places = NDArray[np.int32]
Flags = NDArray[np.bool_]
Lines = tuple[Numbers, Numbers, Rows, Numbers]
Groups = tuple[Numbers, Numbers, Rows]

# Sets share a cube of so many cells, or of so many for each line of a table, if that is more.
_SHARED_CELLS = 2**12
_SHARED_CELLS_PER_LINE = 0.5

# Two values at one end and at most so many at the other have a loop of their own.
_NARROW = 4

# Where strata are, in an array: the first, how many, how far apart; how many values each end
# has, that with fewer first, and how far apart these are; and two loops around them.
_START, _COUNT, _STEP, _X, _X_STEP, _Y, _Y_STEP = range(7)
_OUTER, _OUTER_STEP, _MIDDLE, _MIDDLE_STEP, _ENTRIES = range(7, 12)

Function = TypeVar("Function", bound=Callable[..., Any])

# Without the interpreter's lock; sums may be reassociated, so that several terms are added at
# a time. Nothing but Python calls us, so no entry for C is made.
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract"},
    "no_cfunc_wrapper": True,
}


def compiled(function: Function) -> Function:
    """Compile a function that Python calls, and cache it on disk."""
    return cast("Function", njit(cache=True, **_OPTIONS)(function))


def inlined(function: Function) -> Function:
    """Inline a function into the only one that calls it: it is not compiled by itself."""
    return cast("Function", njit(inline="always")(function))


def shared(function: Function) -> Function:
    """Compile a function that compiled ones call from several places.

    An entry for Python would take as long to compile as the function. Arguments must not be
    literals, for each of which numba compiles anew.
    """
    return cast("Function", njit(no_cpython_wrapper=True, **_OPTIONS)(function))


term = shared(independence_tests.term)


def is_on_disk() -> bool:
    """Whether this machine has compiled the kernel before."""
    folder: str = cast("Any", _run_cubes).stats.cache_path
    return any(Path(folder).glob("numba_kernel._run_cubes-*.nbi"))


class _Buffers(NamedTuple):
    """What a run fills again and again."""

    # The shared cube, and that of a single set.
    shared: Floats
    single: Floats
    # The attributes of the shared cube, marked and listed; keys of lines, and margins.
    held: Flags
    attributes: Integers
    keys: Places
    margins: Floats
    # Where the strata of a test are.
    strata: Integers


def run(
    table: CodedTable, plan: BatchPlan, sets: Indices, test: str, results: BatchResults
) -> None:
    """Fill in the results of the tests of some sets."""
    members, attributes = plan.members[sets], len(table.cards)
    most_shared = max(_SHARED_CELLS, int(_SHARED_CELLS_PER_LINE * len(table.rows)))
    most = max(most_shared, int(table.cards[members].prod(axis=1).max()))
    buffers = _Buffers(
        shared=np.empty(most),
        single=np.empty(most),
        held=np.zeros(attributes, np.bool_),
        attributes=np.empty(attributes, np.int64),
        keys=np.empty(len(table.rows), np.int32),
        margins=np.empty(2 * int(table.cards.max())),
        strata=np.zeros(_ENTRIES, np.int64),
    )
    _run_cubes(table, plan, sets, members, most_shared, buffers, STATISTICS[test], results)


@compiled
def _run_cubes(
    table: CodedTable,
    plan: BatchPlan,
    sets: Indices,
    members: Indices,
    most_shared: int,
    buffers: _Buffers,
    kind: Statistic,
    results: BatchResults,
) -> None:
    end, size = 0, 0
    for t in range(len(members)):
        if t == end:
            end = _mark(members, t, table.cards, most_shared, buffers.held)
            size = _count(table, buffers)
        cells = _sum_out(members[t], table.cards, buffers, size)
        for test in range(plan.start[sets[t]], plan.start[sets[t] + 1]):
            _lay_out(members[t], table.cards, plan.x[test], plan.y[test], buffers.strata)
            statistic, degrees = _evaluate(cells, buffers.strata, kind, buffers.margins)
            results.statistic[test], results.degrees[test] = statistic, degrees


@inlined
def _mark(members: Indices, t: int, cards: Integers, most: int, held: Flags) -> int:
    """Mark the attributes of set t and of those after it that can share a cube with it."""
    held[:] = False
    span, end = 1, t
    while end < len(members):
        for at in range(members.shape[1]):
            span *= 1 if held[members[end, at]] else cards[members[end, at]]
        if end > t and span > most:
            break
        for at in range(members.shape[1]):
            held[members[end, at]] = True
        end += 1
    return end


@inlined
def _count(table: CodedTable, buffers: _Buffers) -> int:
    """Count lines by the marked attributes into the shared cube; returns how many these are."""
    keys, span, size = buffers.keys, 1, 0
    keys[:] = 0
    for attribute in range(len(buffers.held)):
        if buffers.held[attribute]:
            card, code = table.cards[attribute], table.codes[attribute]
            for line in range(len(keys)):
                keys[line] = keys[line] * np.int32(card) + code[line]
            buffers.attributes[size] = attribute
            size += 1
            span *= card
    add_up(table.rows, len(keys), keys, buffers.shared[:span])
    return size


@inlined
def _sum_out(members: Indices, cards: Integers, buffers: _Buffers, size: int) -> Floats:
    """Make the cube of a set from the shared one, by summing over the other attributes."""
    source, after, at = buffers.shared, cards[buffers.attributes[0]], 0
    for i in range(1, size):
        after *= cards[buffers.attributes[i]]
    # No literal: for one ``sum_over`` would be compiled once more.
    before = after // after
    for i in range(size):
        attribute = buffers.attributes[i]
        card = cards[attribute]
        after //= card
        if at < len(members) and members[at] == attribute:
            before *= card
            at += 1
            continue
        sum_over(source, before, card, after, buffers.single)
        source = buffers.single
    return source


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
    strata[_COUNT], strata[_OUTER], strata[_MIDDLE] = inner, outer, middle
    strata[_STEP] = inner_step
    strata[_OUTER_STEP], strata[_MIDDLE_STEP] = outer_step, middle_step
    strata[_X], strata[_X_STEP], strata[_Y], strata[_Y_STEP] = few, few_step, many, many_step


@inlined
def _evaluate(
    cells: Floats, strata: Integers, kind: Statistic, margins: Floats
) -> tuple[float, int]:
    """The statistic and the degrees of freedom of a test, added up over its strata."""
    statistic, degrees = 0.0, 0
    for outer in range(strata[_OUTER]):
        for middle in range(strata[_MIDDLE]):
            strata[_START] = outer * strata[_OUTER_STEP] + middle * strata[_MIDDLE_STEP]
            more, free = _evaluate_strata(cells, strata, kind, margins)
            statistic += more
            degrees += free
    return statistic, degrees


@shared
def _evaluate_strata(
    cells: Floats, strata: Integers, kind: Statistic, margins: Floats
) -> tuple[float, int]:
    """Statistic and degrees of freedom, added up over strata at one distance."""
    if (
        strata[_X] == 2
        and strata[_Y] <= _NARROW
        and not (kind.likelihood_ratio or kind.weighted)
    ):
        return _narrow(cells, strata)
    statistic, degrees = 0.0, 0
    for i in range(strata[_COUNT]):
        at = strata[_START] + i * strata[_STEP]
        more, free = _wide(cells, at, strata, kind, margins)
        statistic += more
        degrees += free
    return statistic, degrees


@inlined
def _narrow(cells: Floats, strata: Integers) -> tuple[float, int]:
    """Chi-square of two rows and two, three or four columns, several strata at a time."""
    start, count, step = strata[_START], strata[_COUNT], strata[_STEP]
    x, columns, y = strata[_X_STEP], strata[_Y], strata[_Y_STEP]
    statistic, degrees = 0.0, 0
    three, four = columns > 2, columns > 3
    for i in range(count):
        at = start + i * step
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
        total = d0 * d0 / max(c0, 1.0) + d1 * d1 / max(c1, 1.0)
        if three:
            total += d2 * d2 / max(c2, 1.0) + d3 * d3 / max(c3, 1.0)
        statistic += total / max(a * b, 1.0)
        attested = (c0 > 0) + (c1 > 0) + (c2 > 0) + (c3 > 0)
        degrees += attested - 1 if a * b > 0 else 0
    return statistic, degrees


@inlined
def _wide(
    cells: Floats, start: int, strata: Integers, kind: Statistic, margins: Floats
) -> tuple[float, int]:
    """The statistic and the degrees of freedom of one stratum of any shape."""
    x_values, x_step = strata[_X], strata[_X_STEP]
    y_values, y_step = strata[_Y], strata[_Y_STEP]
    total, attested_x, attested_y = 0.0, 0, 0
    for y in range(y_values):
        margins[y] = 0.0
    for x in range(x_values):
        rows = 0.0
        for y in range(y_values):
            cell = cells[start + x * x_step + y * y_step]
            rows += cell
            margins[y] += cell
        margins[y_values + x] = rows
        attested_x += rows > 0
        total += rows
    for y in range(y_values):
        attested_y += margins[y] > 0
    free = max(attested_x - 1, 0) * max(attested_y - 1, 0)
    terms = 0.0
    # Strata without freedom are many, and add nothing.
    if free:
        for x in range(x_values):
            rows = margins[y_values + x]
            for y in range(y_values if rows > 0 else 0):
                if margins[y] > 0:
                    cell = cells[start + x * x_step + y * y_step]
                    terms += term(kind, cell, rows / total * margins[y])
    return terms * ((total - 1) / max(total, 1.0) if kind.weighted else 1.0), free


@shared
def add_up(rows: Floats, count: int, numbers: Places, totals: Floats) -> None:
    """Add ``rows[i]`` to ``totals[numbers[i]]``, from zero."""
    for i in range(len(totals)):
        totals[i] = 0.0
    # In four streams: neighbors often have the same number, and would wait for each other.
    quarter = count // 4
    for i in range(quarter):
        for part in range(4):
            totals[numbers[part * quarter + i]] += rows[part * quarter + i]
    for i in range(4 * quarter, count):
        totals[numbers[i]] += rows[i]


@shared
def sum_over(source: Floats, before: int, card: int, after: int, target: Floats) -> None:
    """Sum over the middle of three dimensions; source and target may be the same."""
    for block in range(before):
        # Slices, whose indices cannot be negative, take a third of the time of offsets.
        total = target[block * after : (block + 1) * after]
        first = source[block * card * after : (block * card + 1) * after]
        if card == 1:
            for i in range(after):
                total[i] = first[i]
            continue
        # The first two together: most loops are short, and now half as many. All subsets of ten
        # attributes of hepar2 take 0.7 ms to sum, and took 1.2.
        second = source[(block * card + 1) * after : (block * card + 2) * after]
        for i in range(after):
            total[i] = first[i] + second[i]
        for value in range(2, card):
            part = source[(block * card + value) * after : (block * card + value + 1) * after]
            for i in range(after):
                total[i] += part[i]


def split(
    of: Numbers, code: Numbers, values: int, rows: Rows, place: Numbers
) -> tuple[Numbers, Numbers, Rows]:
    """Split groups by an attribute: each line's group; of each group a line, its rows."""
    fine, line, totals = np.empty_like(of), np.empty_like(of), np.empty_like(rows)
    place.fill(np.iinfo(place.dtype).max)
    groups = _split((of, code, rows, place), values, place.max(), (fine, line, totals))
    return fine, line[:groups].copy(), totals[:groups].copy()


@compiled
def _split(lines: Lines, values: int, nothing: int, groups: Groups) -> int:
    (of, code, rows, place), (fine, example, totals) = lines, groups
    count = 0
    for line in range(len(of)):
        key = np.int64(of[line]) * values + code[line]
        if place[key] == nothing:
            place[key], example[count], totals[count] = count, line, 0
            count += 1
        fine[line] = place[key]
        totals[place[key]] += rows[line]
    return count


@compiled
def rows_around(line: Indices, of: Numbers, rows: Rows) -> Floats:
    """For each group the rows of the other partition's group it lies in."""
    around = np.empty(len(line))
    for group in range(len(line)):
        around[group] = rows[of[line[group]]]
    return around


@compiled
def count_within(line: Numbers, of: Numbers, counts: Numbers) -> None:
    """Count how many groups lie in each of the other partition's."""
    for group in range(len(line)):
        counts[of[line[group]]] += 1


def evaluate(
    test: str, cells: Cells, margins: Margins, strata: Strata, weights: Floats
) -> tuple[float, int]:
    """The sum of terms, and that of the numbers of values of both ends, multiplied."""
    return _evaluate_cells(STATISTICS[test], cells, margins, strata, weights)


@compiled
def _evaluate_cells(
    kind: Statistic, cells: Cells, margins: Margins, strata: Strata, weights: Floats
) -> tuple[float, int]:
    (n, line), (by_x, by_y), (of, rows, x, y) = cells, margins, strata
    statistic, products, empty = 0.0, 0, term(kind, 0.0, 1.0)
    for cell in range(len(n)):
        stratum = of[line[cell]]
        expected = by_x[cell] * by_y[cell] / rows[stratum]
        factor = weights[stratum] if len(weights) else 1.0
        statistic += factor * (term(kind, n[cell], expected) - empty * expected)
    for stratum in range(len(x)):
        products += int(x[stratum]) * int(y[stratum])
    return statistic, products


def every_subset(table: CodedTable, x: int, y: int, pool: Indices, test: str) -> BatchResults:
    """Results for each subset; bit i of its number says whether it holds ``pool[i]``."""
    if table.cards[x] > table.cards[y]:
        x, y = y, x
    cards = table.cards[pool]
    cells = count_cells(table, [x, y, *pool])
    # Room for a cube of each number of attributes, whichever these are.
    room = len(cells) // np.cumprod([1, *np.sort(cards)])
    cubes = np.empty(room.sum())
    cubes[: len(cells)] = cells
    offset, strata = np.zeros(len(pool) + 2, np.int64), np.ones(7, np.int64)
    strata[_X], strata[_Y] = table.cards[x], table.cards[y]
    results = BatchResults.empty(1 << len(pool))
    margins = np.empty(table.cards[x] + table.cards[y])
    _run_subsets(cubes, offset, cards, strata, STATISTICS[test], margins, results)
    return results


@compiled
def _run_subsets(
    cubes: Floats,
    offset: Integers,
    cards: Integers,
    strata: Integers,
    kind: Statistic,
    margins: Floats,
    results: BatchResults,
) -> None:
    last, ends = len(results.statistic) - 1, strata[_X] * strata[_Y]
    # The attributes of a number's bits are left out, the lowest bit last: without it the number
    # is smaller, and the cube of that many attributes has not been overwritten since.
    for left_out in range(last + 1):
        level, axis = 0, 0
        for at in range(len(cards) - 1, -1, -1):
            if left_out >> at & 1:
                level, axis = level + 1, at
        before, after, count = ends, strata[_STEP], strata[_STEP]
        for at in range(len(cards)):
            if not left_out >> at & 1:
                count *= cards[at]
                before *= cards[at] if at < axis else 1
                after *= cards[at] if at > axis else 1
        if level:
            more, target = cubes[offset[level - 1] :], cubes[offset[level] :]
            sum_over(more, before, cards[axis], after, target)
        offset[level + 1] = offset[level] + ends * count
        strata[_START], strata[_COUNT] = offset[level], count
        strata[_X_STEP], strata[_Y_STEP] = count * strata[_Y], count
        statistic, degrees = _evaluate_strata(cubes, strata, kind, margins)
        results.statistic[last - left_out] = statistic
        results.degrees[last - left_out] = degrees
