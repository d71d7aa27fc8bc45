"""The numpy kernel: many sets of attributes at a time, in flat arrays of their cells.

For each set the lines are gathered into cells by one mixed-radix key. Leaving out a member makes
its digit zero, so that cells of one group get one key; rows of groups and of strata are sums by
such keys. Keys of different sets are kept apart by an offset, so that one pass serves many sets.
"""

import numpy as np
from numpy.typing import NDArray

from evenhand.graph.kernels.batch import Indices, Plan
from evenhand.graph.kernels.tables import Table

# About so many cells, occupied or not, are worked on at a time: they stay in the cache.
_MOST_CELLS = 2**16


def run(
    table: Table,
    plan: Plan,
    sets: Indices,
    kind: int,
    statistic: NDArray[np.float64],
    degrees: NDArray[np.int64],
) -> None:
    """Fill in statistic and degrees of freedom for the tests of some sets."""
    spans = table.cards[plan.members[sets]].prod(axis=1)
    part = np.cumsum(spans) // _MOST_CELLS
    for some in np.split(sets, np.flatnonzero(np.diff(part)) + 1):
        _Cells(table, plan.members[some]).answer(plan, some, kind, statistic, degrees)


class _Cells:
    """The cells of some sets, one after the other in flat arrays."""

    def __init__(self, table: Table, members: Indices) -> None:
        cards = table.cards[members]
        self.cards = cards
        self.strides = np.cumprod(cards[:, :0:-1], axis=1)[:, ::-1]
        self.strides = np.column_stack((self.strides, np.ones(len(cards), np.int64)))
        spans = cards.prod(axis=1)
        self.base = np.cumsum(spans) - spans
        self.span = int(spans.sum())
        dense = np.concatenate(
            [
                np.bincount(key, table.rows, span)
                for key, span in zip(_keys(table, members), spans.tolist(), strict=True)
            ]
        )
        self.key = np.flatnonzero(dense)
        self.n = dense[self.key]
        self.of = np.repeat(
            np.arange(len(members)), np.diff(np.searchsorted(self.key, [*self.base, self.span]))
        )
        self.start = np.searchsorted(self.of, np.arange(len(members)))
        self.total = float(table.rows.sum())
        inside = self.key - self.base[self.of]
        # What to subtract from the key to leave a member out.
        self.part = [
            inside // self.strides[self.of, at] % cards[self.of, at] * self.strides[self.of, at]
            for at in range(members.shape[1])
        ]

    def answer(self, plan, sets, kind, statistic, degrees):
        size = plan.members.shape[1]
        number = np.full((len(sets), size, size), -1)
        for i, s in enumerate(sets.tolist()):
            a, b = plan.start[s], plan.start[s + 1]
            number[i, plan.x[a:b], plan.y[a:b]] = np.arange(a, b)
        line = np.arange(len(self.key))
        key, inverse, flag, groups, entropy = [], [], [], [], []
        for at in range(size):
            if not ((number[:, at] >= 0).any() or (number[:, :, at] >= 0).any()):
                for column in (key, inverse, flag, groups, entropy):
                    column.append(None)
                continue
            k = self.key - self.part[at]
            rows = np.bincount(k, self.n, self.span)[k]
            last = np.empty(self.span, np.intp)
            last[k] = line
            first = last[k] == line
            key.append(k)
            flag.append(first.astype(np.float64))
            groups.append(self.sum(flag[-1]))
            inverse.append(1 / rows)
            entropy.append(self.sum(self.n * np.log(rows)) if kind == 2 else None)
        weight = self.n * self.n
        own = self.sum(self.n * np.log(self.n)) if kind == 2 else None
        for x in range(size):
            for y in range(x + 1, size):
                which = number[:, x, y]
                chosen = np.flatnonzero(which >= 0)
                if not len(chosen):
                    continue
                k = key[x] - self.part[y]
                rows = np.bincount(k, self.n, self.span)
                attested = np.bincount(k, flag[x], self.span)
                found = self.sum(flag[y] * attested[k])
                last = np.empty(self.span, np.intp)
                last[k] = line
                strata = self.sum(last[k] == line)
                degrees[which[chosen]] = (found - groups[x] - groups[y] + strata)[chosen]
                if kind == 2:
                    s = 2 * (own - entropy[x] - entropy[y] + self.sum(self.n * np.log(rows[k])))
                else:
                    s = (
                        self.sum(weight * inverse[x] * inverse[y] * (rows - kind)[k])
                        - self.total
                        + kind * strata
                    )
                statistic[which[chosen]] = s[chosen]

    def sum(self, of_cell):
        """Add up what each cell has, set by set."""
        return np.add.reduceat(of_cell, self.start, dtype=np.float64)


def _keys(table, members):
    """Each line's cell in each set, as a mixed-radix number."""
    chain = [np.zeros(len(table.rows), np.intp)]
    before = []
    for row in members.tolist():
        shared = 0
        while shared < len(before) and row[shared] == before[shared]:
            shared += 1
        del chain[shared + 1 :]
        for at in row[shared:]:
            chain.append(chain[-1] * table.cards[at] + table.codes[at])
        before = row
        yield chain[-1]


def split(of, groups, code, values, rows, like):
    """Split groups by one more attribute: each line's group, and the groups' rows."""
    key = of.astype(np.intp) * values + code
    totals = np.bincount(key, rows, groups * values)
    present = totals > 0
    return (np.cumsum(present) - 1).astype(like.dtype)[key], totals[present]


def attested(of, groups, within, strata):
    """How many groups lie in each stratum."""
    parent = np.empty(groups, np.intp)
    parent[of] = within
    return np.bincount(parent, minlength=strata)


def line_sum(weight, x, y, rows, of):
    """The sum of weight · x · y · rows[of] over lines."""
    # Not np.dot: libraries of linear algebra start threads, which cost more than they save.
    return float((weight * x * y * rows[of]).sum())
