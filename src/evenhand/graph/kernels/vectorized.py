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
_MOST_CELLS = 2**14


def run(table: Table, plan: Plan, sets: Indices, kind: int, answers: Answers) -> None:
    """Fill in the answers to the tests of some sets."""
    sets = sets[_alike(plan, sets)]
    spans = table.cards[plan.members[sets]].prod(axis=1)
    part = np.cumsum(spans) // _MOST_CELLS
    for some in np.split(sets, np.flatnonzero(np.diff(part)) + 1):
        cells = _Cells(table, plan.members[some])
        for x, y, sets_of, tests in _by_position(plan, some):
            found, df = cells.test(cells.margin(x), cells.margin(y), kind)
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
        self.key = np.flatnonzero(rows)
        self.rows = rows[self.key]
        self.base, self.span = ends - spans, len(rows)
        self.start = np.searchsorted(self.key, self.base)
        self.total = float(table.rows.sum())
        self.margins: dict[int, _Margin] = {}
        # What to take from a cell's key to leave a member out: its digit times its stride. In
        # floating point, because integer division is slow; half a unit keeps it exact.
        sizes = np.diff(self.start, append=len(self.key))
        self.part: list[Indices] = [self.key] * members.shape[1]
        left = (self.key - np.repeat(self.base, sizes)).astype(np.float64)
        stride = np.ones(len(members), np.int64)
        for at in reversed(range(members.shape[1])):
            card = np.repeat(cards[:, at], sizes)
            rest = np.floor((left + 0.5) / card)
            self.part[at] = ((left - rest * card) * np.repeat(stride, sizes)).astype(np.intp)
            left, stride = rest, stride * cards[:, at]

    def margin(self, at: int) -> "_Margin":
        """The groups without the member at one position."""
        if at not in self.margins:
            self.margins[at] = _Margin(self, at)
        return self.margins[at]

    def test(self, x: "_Margin", y: "_Margin", kind: int) -> tuple[Floats, NDArray[np.int64]]:
        """Test the members at two positions, in every set."""
        key = x.key - self.part[y.at]
        rows = np.bincount(key, self.rows, self.span)
        strata = np.add.reduceat(rows > 0, self.base, dtype=np.intp)
        # Each value of one end that a stratum has meets each value of the other.
        attested = np.bincount(key[x.cell], minlength=self.span)
        met = np.add.reduceat(attested[key[y.cell]], y.start)
        df = met - x.groups - y.groups + strata
        if kind == G_SQUARE:
            ratio = np.log(x.share * rows[key] / y.rows)
            return 2 * np.add.reduceat(self.rows * ratio, self.start), df
        ratio = x.share * y.share * (rows - kind if kind else rows)[key]
        return np.add.reduceat(ratio, self.start) - self.total + kind * strata, df


class _Margin:
    """The groups of cells that differ in the member at one position only."""

    def __init__(self, cells: _Cells, at: int) -> None:
        self.at = at
        self.key = cells.key - cells.part[at]
        self.rows = np.bincount(self.key, cells.rows, cells.span)[self.key]
        # What part of its group each cell is.
        self.share = cells.rows / self.rows
        # One cell of each group, and where those of each set begin.
        place = np.arange(len(self.key))
        chosen = np.empty(cells.span, np.intp)
        chosen[self.key] = place
        self.cell = np.flatnonzero(chosen[self.key] == place)
        self.start = np.searchsorted(self.cell, cells.start)
        self.groups = np.diff(self.start, append=len(self.cell))


def _alike(plan: Plan, sets: Indices) -> Indices:
    """Bring sets together whose tests have their ends at the same positions."""
    first, last = plan.start[sets], plan.start[sets + 1] - 1
    return np.lexsort((plan.y[last], plan.x[last], plan.y[first], plan.x[first]))


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
