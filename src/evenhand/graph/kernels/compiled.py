"""The compiled kernel, one set of attributes at a time.

Needs numba (the extra ``fast``); import it only where the work pays for that. Compiled code is
kept on disk, and works on flat arrays only, so that it loads fast and runs without the lock.

For a set T the lines are gathered into cells. Leaving out one member v, the cells fall into
groups, and the groups of T − y into the strata of T − x − y. So a test reads each cell once, and
what it needs of x alone or of y alone is computed once for all tests of T.
"""

from math import log

import numpy as np
from numba import njit

from evenhand.graph.kernels.batch import Plan
from evenhand.graph.kernels.tables import Table

# Keys up to here are looked up directly, longer ones by hashing.
_DIRECT = 2**22

_exact = njit(cache=True, nogil=True)
# Sums may be taken in any order, which lets the processor add several at a time.
_sum = njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})


def run(table: Table, plan: Plan, sets, kind: int, statistic, degrees) -> None:
    """Fill in statistic and degrees of freedom for the tests of some sets."""
    _evaluate(
        table.codes, table.rows, table.cards, plan.members[sets],
        plan.start[sets], plan.start[sets + 1], plan.x, plan.y, kind, statistic, degrees,
    )


@_exact
def _hashed(key, table_key, mask):
    """The place of a key, or the empty one where it belongs."""
    at = (key * np.int64(-7046029254386353131) >> np.int64(20)) & mask
    while table_key[at] != key and table_key[at] != -1:
        at = (at + 1) & mask
    return at


@_exact
def _numbered(keys, count, place, table_key, direct, number, first):
    """Number distinct keys by first appearance; returns how many, and leaves no trace."""
    found = 0
    if direct:
        for i in range(count):
            key = keys[i]
            seen = place[key]
            # Without a branch, which would be guessed wrong half of the time.
            fresh = seen < 0
            group = found if fresh else seen
            place[key] = group
            number[i] = group
            first[found] = i
            found += fresh
        for group in range(found):
            place[keys[first[group]]] = -1
    else:
        mask = len(table_key) - 1
        for i in range(count):
            at = _hashed(keys[i], table_key, mask)
            if table_key[at] == -1:
                table_key[at] = keys[i]
                place[at] = found
                first[found] = i
                found += 1
            number[i] = place[at]
        for group in range(found):
            # All keys go, so a probe that would stop early at a removed one does no harm.
            first_key = keys[first[group]]
            at = (first_key * np.int64(-7046029254386353131) >> np.int64(20)) & mask
            while table_key[at] != -1:
                place[at] = -1
                table_key[at] = -1
                at = (at + 1) & mask
    return found


@_sum
def _product_sum(weight, ratio, group):
    total = 0.0
    for cell in range(len(weight)):
        total += weight[cell] * ratio[group[cell]]
    return total


@_sum
def _entropy(totals):
    found = 0.0
    for total in totals:
        found += total * log(total)
    return found


@_exact
def _cells(keys, rows, span, dense, line, place, table_key, direct, number, first, key, n):
    """Gather lines of the same key; returns how many cells there are."""
    lines, found = len(rows), 0
    if not direct or span > 4 * lines:
        found = _numbered(keys, lines, place, table_key, direct, number, first)
        n[:found] = 0
        for i in range(lines):
            n[number[i]] += rows[i]
        for cell in range(found):
            line[cell] = first[cell]
            key[cell] = keys[first[cell]]
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
    for i in range(4 * quarter, lines):
        dense[keys[i]] += rows[i]
        first[keys[i]] = i
    if quarter:
        for i in range(span):
            dense[i] += dense[span + i] + dense[2 * span + i] + dense[3 * span + i]
    for i in range(span):
        line[found] = first[i]
        key[found] = i
        n[found] = dense[i]
        found += dense[i] > 0
    return found


@_exact
def _evaluate(codes, rows, cards, members, start, end, x_at, y_at, kind, statistic, degrees):
    lines, size = len(rows), members.shape[1]
    most = 4 * lines + 1
    place = np.full(max(_DIRECT, 4 * lines), -1, np.int32)
    bits = 1
    while bits < 2 * lines:
        bits *= 2
    table_key = np.full(bits, -1, np.int64)
    dense = np.empty(most)
    first = np.empty(most, np.int32)
    chain = np.zeros((size + 1, lines), np.int64)
    line = np.empty(most, np.int32)
    key = np.empty(most, np.int64)
    n = np.empty(most)
    group = np.empty((size, lines), np.int32)
    groups = np.zeros(size, np.int64)
    group_key = np.empty((size, lines), np.int64)
    group_line = np.empty((size, lines), np.int32)
    group_cell = np.empty((size, lines + 1), np.int32)
    group_rows = np.empty((size, lines))
    weight = np.empty((size, lines))
    used = np.zeros(size, np.bool_)
    stride = np.ones(size, np.int64)
    keys = np.empty(lines, np.int64)
    stratum = np.empty(lines, np.int32)
    stratum_first = np.empty(lines + 1, np.int32)
    stratum_rows = np.empty(lines)
    attested = np.empty(lines, np.int64)
    ratio = np.empty(lines)
    group_sum = np.zeros(size)
    total = rows.sum()
    for t in range(len(members)):
        shared = 0
        while t and shared < size and members[t, shared] == members[t - 1, shared]:
            shared += 1
        for at in range(shared, size):
            by = members[t, at]
            code, card = codes[by], cards[by]
            before, after = chain[at], chain[at + 1]
            for i in range(lines):
                after[i] = before[i] * card + code[i]
        span = np.int64(1)
        for back in range(size):
            at = size - 1 - back
            stride[at] = span
            span *= cards[members[t, at]]
        direct = span <= len(place)
        cells = _cells(
            chain[size],
            rows,
            span,
            dense,
            line,
            place,
            table_key,
            direct,
            group[0],
            first,
            key,
            n,
        )
        used[:] = False
        for test in range(start[t], end[t]):
            used[x_at[test]] = True
            used[y_at[test]] = True
        cell_sum = _entropy(n[:cells]) if kind == 2 else 0.0
        for at in range(size):
            if not used[at]:
                continue
            code = codes[members[t, at]]
            for cell in range(cells):
                keys[cell] = key[cell] - code[line[cell]] * stride[at]
            found = _numbered(keys, cells, place, table_key, direct, group[at], group_cell[at])
            groups[at] = found
            group_rows[at, :found] = 0
            for cell in range(cells):
                group_rows[at, group[at, cell]] += n[cell]
            for g in range(found):
                cell = group_cell[at, g]
                group_key[at, g] = keys[cell]
                group_line[at, g] = line[cell]
            if kind == 2:
                group_sum[at] = _entropy(group_rows[at, :found])
            else:
                for cell in range(cells):
                    weight[at, cell] = n[cell] * n[cell] / group_rows[at, group[at, cell]]
        for test in range(start[t], end[t]):
            # y is left out first: the end that leaves fewer groups.
            x, y = x_at[test], y_at[test]
            if groups[x] < groups[y]:
                x, y = y, x
            code, step, found = codes[members[t, x]], stride[x], groups[y]
            y_key, y_line, y_rows, y_group = (
                group_key[y],
                group_line[y],
                group_rows[y],
                group[y],
            )
            for g in range(found):
                keys[g] = y_key[g] - code[y_line[g]] * step
            strata = _numbered(keys, found, place, table_key, direct, stratum, stratum_first)
            stratum_rows[:strata] = 0
            attested[:strata] = 0
            for g in range(found):
                stratum_rows[stratum[g]] += y_rows[g]
                attested[stratum[g]] += 1
            product = np.int64(0)
            x_cell = group_cell[x]
            for g in range(groups[x]):
                product += attested[stratum[y_group[x_cell[g]]]]
            degrees[test] = product - found - groups[x] + strata
            if kind == 2:
                statistic[test] = 2 * (
                    cell_sum - group_sum[x] - group_sum[y] + _entropy(stratum_rows[:strata])
                )
                continue
            less = 1.0 if kind == 1 else 0.0
            for g in range(found):
                ratio[g] = (stratum_rows[stratum[g]] - less) / y_rows[g]
            statistic[test] = (
                _product_sum(weight[x, :cells], ratio, y_group) - total + less * strata
            )


def split(of, groups, code, values, rows, like):
    """Split groups by one more attribute: each line's group, and the groups' rows."""
    return _split(of, groups, code, values, rows, like)


@_exact
def _split(of, groups, code, values, rows, like):
    lines = len(rows)
    place = np.full(groups * values, -1, np.int32)
    fine = np.empty(lines, like.dtype)
    totals = np.empty(lines)
    found = 0
    for i in range(lines):
        key = np.int64(of[i]) * values + code[i]
        group = place[key]
        if group < 0:
            group = found
            place[key] = group
            totals[group] = 0.0
            found += 1
        fine[i] = group
        totals[group] += rows[i]
    return fine, totals[:found].copy()


@_exact
def attested(of, groups, within, strata):
    """How many groups lie in each stratum."""
    seen = np.zeros(groups, np.bool_)
    counts = np.zeros(strata, np.int32)
    for i in range(len(of)):
        group = of[i]
        counts[within[i]] += not seen[group]
        seen[group] = True
    return counts


@_sum
def line_sum(weight, x, y, rows, of):
    """The sum of weight · x · y · rows[of] over lines."""
    total = 0.0
    for i in range(len(weight)):
        total += weight[i] * x[i] * y[i] * rows[of[i]]
    return total
