"""The numpy kernel: many sets of attributes at a time, in flat arrays of their cells.

For each set the lines are gathered into cells by one mixed-radix key. Leaving out a member
makes its digit zero, so that the cells of a group get one key, and the rows of groups and of
strata are sums by such keys. Keys of different sets are kept apart by an offset, so that one
pass serves many sets.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from evenhand.graph.kernels.batch import G_SQUARE, Answers, Floats, Indices, Numbers, Plan
from evenhand.graph.kernels.tables import Table

# About so many cells, occupied or not, are worked on at a time: they stay in the cache.
_MOST_CELLS = 2**16


def run(table: Table, plan: Plan, sets: Indices, kind: int, answers: Answers) -> None:
    """Fill in the answers to the tests of some sets."""
    spans = table.cards[plan.members[sets]].prod(axis=1)
    part = np.cumsum(spans) // _MOST_CELLS
    for some in np.split(sets, np.flatnonzero(np.diff(part)) + 1):
        cells = _Cells(table, plan.members[some])
        margins = [_Margin(cells, at) for at in range(plan.members.shape[1])]
        for x, y, sets_of, tests in _by_position(plan, some):
            found, df = cells.test(margins[x], margins[y], kind)
            answers.statistic[tests] = found[sets_of]
            answers.degrees[tests] = df[sets_of]


class _Cells:
    """The cells of some sets, one after the other in flat arrays."""

    def __init__(self, table: Table, members: Indices) -> None:
        cards = table.cards[members]
        spans = cards.prod(axis=1)
        ends = np.cumsum(spans)
        lines = zip(_keys(table, members), spans.tolist(), strict=True)
        rows = np.concatenate([np.bincount(key, table.rows, span) for key, span in lines])
        self.span = len(rows)
        self.key = np.flatnonzero(rows)
        self.rows = rows[self.key]
        self.total = float(table.rows.sum())
        self.start = np.searchsorted(self.key, ends - spans)
        self.place = np.arange(len(self.key))
        of = np.repeat(np.arange(len(members)), np.diff(self.start, append=len(self.key)))
        # What to take from a cell's key to leave a member out: its digit times its stride.
        self.part: list[Indices] = [np.zeros_like(self.key)] * members.shape[1]
        left, stride = self.key - (ends - spans)[of], np.ones(len(members), np.intp)
        for at in reversed(range(members.shape[1])):
            left, digit = np.divmod(left, cards[of, at])
            self.part[at] = digit * stride[of]
            stride *= cards[:, at]

    def test(self, x: "_Margin", y: "_Margin", kind: int) -> tuple[Floats, NDArray[np.int64]]:
        """Test the members at two positions, in every set."""
        key = x.key - self.part[y.at]
        rows = np.bincount(key, self.rows, self.span)
        strata = self.added(self.is_first(key))
        # Each value of one end that a stratum has meets each value of the other.
        cells = self.added(y.first * np.bincount(key, x.first, self.span)[key])
        df = (cells - x.groups - y.groups + strata).astype(np.int64)
        if kind == G_SQUARE:
            logarithm = np.log(self.rows * rows[key] * x.inverse * y.inverse)
            return 2 * self.added(self.rows * logarithm), df
        ratio = self.rows * x.inverse * (self.rows * y.inverse) * (rows - kind)[key]
        return self.added(ratio) - self.total + kind * strata, df

    def is_first(self, key: Indices) -> NDArray[np.bool_]:
        """Whether each cell is the one that stands for its key."""
        chosen = np.empty(self.span, np.intp)
        chosen[key] = self.place
        first: NDArray[np.bool_] = chosen[key] == self.place
        return first

    def added(self, of_cell: NDArray[np.generic]) -> Floats:
        """Add up what cells have, set by set."""
        return np.add.reduceat(of_cell, self.start, dtype=np.float64)


class _Margin:
    """The groups of cells that differ in the member at one position only."""

    def __init__(self, cells: _Cells, at: int) -> None:
        self.at = at
        self.key = cells.key - cells.part[at]
        self.inverse = 1 / np.bincount(self.key, cells.rows, cells.span)[self.key]
        first = cells.is_first(self.key)
        self.first = first.astype(np.float64)
        self.groups = cells.added(first)


def _keys(table: Table, members: Indices) -> Iterator[Indices]:
    """Each line's cell in each set, as a mixed-radix number."""
    chain = [np.zeros(len(table.rows), np.intp)]
    before: list[int] = []
    for row in members.tolist():
        shared = 0
        while shared < len(before) and row[shared] == before[shared]:
            shared += 1
        del chain[shared + 1 :]
        for at in row[shared:]:
            chain.append(chain[-1] * table.cards[at] + table.codes[at])
        before = row
        yield chain[-1]


def _by_position(plan: Plan, sets: Indices) -> Iterator[tuple[int, int, Indices, Indices]]:
    """Tests with their ends at the same positions: of which of the sets, and which tests."""
    sizes = plan.start[sets + 1] - plan.start[sets]
    of = np.repeat(np.arange(len(sets)), sizes)
    within = np.arange(len(of)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    tests = plan.start[sets][of] + within
    size = plan.members.shape[1]
    position = plan.x[tests] * size + plan.y[tests]
    order = np.argsort(position, kind="stable")
    cuts = np.flatnonzero(np.diff(position[order])) + 1
    for some in np.split(order, cuts):
        yield *divmod(int(position[some[0]]), size), of[some], tests[some]


def split(
    of: Numbers, groups: int, code: Numbers, values: int, rows: Floats
) -> tuple[Numbers, Floats]:
    """Split groups of lines by one more attribute: each line's group, and the groups' rows."""
    key = of.astype(np.intp) * values + code
    totals = np.bincount(key, rows, groups * values).astype(np.float64, copy=False)
    present = totals > 0
    return (np.cumsum(present) - 1).astype(of.dtype)[key], totals[present]


def attested(of: Numbers, groups: int, within: Numbers, strata: int) -> NDArray[np.integer]:
    """How many groups lie in each stratum."""
    stratum = np.empty(groups, np.intp)
    stratum[of] = within
    return np.bincount(stratum, minlength=strata)


def line_sum(weight: Floats, x: Floats, y: Floats, rows: Floats, of: Numbers) -> float:
    """The sum of weight · x · y · rows[of] over lines."""
    # Not np.dot: libraries of linear algebra start threads, which cost more than they save.
    return float((weight * x * y * rows[of]).sum())
