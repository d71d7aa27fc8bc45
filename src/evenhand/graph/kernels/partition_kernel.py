"""Tests of sets with far more possible cells than lines, by cached partitions of the lines.

A partition numbers the groups of lines that agree in some attributes. It is made from one with
an attribute less, so its keys stay small whatever is conditioned on; and it is cached, because
it serves as cells, as margins and as strata of many tests. A test is then one sum over lines.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.counts.count_table import code_type
from evenhand.graph.kernels.batch import (
    G_SQUARE,
    BatchPlan,
    BatchResults,
    Floats,
    Indices,
    Numbers,
)
from evenhand.graph.kernels.coded_table import CodedTable

# Beyond so much memory the least recently used partitions are dropped.
_MOST_BYTES = 3 * 2**26
_FEWEST_CACHED = 16

Members = tuple[int, ...]


class LineOperations(Protocol):
    """The loops over lines that a kernel provides."""

    def split(
        self, of: Numbers, groups: int, code: Numbers, values: int, rows: Floats
    ) -> tuple[Numbers, Floats]:
        """Split groups by one more attribute: each line's group, and the groups' rows."""

    def attested(
        self, of: Numbers, groups: int, within: Numbers, strata: int
    ) -> NDArray[np.integer]:
        """How many groups lie in each stratum."""

    def line_sum(
        self, weight: Floats, x: Floats, y: Floats, rows: Floats, of: Numbers
    ) -> float:
        """The sum of weight · x · y · rows[of] over lines."""


@dataclass(slots=True, eq=False)
class LinePartition:
    """Each line's group and each group's rows.

    ``attested[a]`` says how many values of another attribute a occur in each group.
    """

    of: Numbers
    rows: Floats
    attested: dict[int, Numbers] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """The memory it takes."""
        parts = (self.of, self.rows, *self.attested.values())
        return sum(part.nbytes for part in parts)


class PartitionCache:
    """A least-recently-used cache of partitions of one table's lines."""

    def __init__(
        self,
        table: CodedTable,
        kernel: LineOperations,
        after_each: Callable[[int], None] = lambda _tests: None,
    ) -> None:
        self.table, self.kernel, self.after_each = table, kernel, after_each
        self.cached: OrderedDict[Members, LinePartition] = OrderedDict()
        self.bytes = 0

    def run(self, plan: BatchPlan, sets: Indices, kind: int, results: BatchResults) -> None:
        """Fill in the results of the tests of some sets."""
        for number in sets.tolist():
            members = tuple(plan.members[number].tolist())
            cells = self.by(members)
            rows, share = self.table.rows, cells.rows[cells.of]
            weight = rows * share
            inverse: dict[int, Floats] = {}
            for test in range(plan.start[number], plan.start[number + 1]):
                x, y = members[plan.x[test]], members[plan.y[test]]
                by_x, by_y = self.by(_without(members, y)), self.by(_without(members, x))
                strata = self.by(_without(members, x, y))
                attested_x = self.attested(strata, x, by_x)
                attested_y = self.attested(strata, y, by_y)
                products = np.multiply(attested_x, attested_y, dtype=np.int64)
                groups = len(by_x.rows) + len(by_y.rows) - len(strata.rows)
                results.degrees[test] = products.sum() - groups
                for left_out, margin in ((y, by_x), (x, by_y)):
                    if left_out not in inverse:
                        inverse[left_out] = (1 / margin.rows)[margin.of]
                if kind == G_SQUARE:
                    ratio = share * inverse[x] * inverse[y] * strata.rows[strata.of]
                    results.statistic[test] = 2 * (rows * np.log(ratio)).sum()
                    continue
                total = self.kernel.line_sum(
                    weight, inverse[x], inverse[y], strata.rows - kind, strata.of
                )
                results.statistic[test] = total - self.table.total + kind * len(strata.rows)
            self.after_each(int(plan.start[number + 1] - plan.start[number]))

    def by(self, members: Members) -> LinePartition:
        """The partition by some attributes, split from a cached one if there is any."""
        partition = self.cached.get(members)
        if partition:
            self.cached.move_to_end(members)
            return partition
        table = self.table
        if members:
            last = min(
                members,
                key=lambda at: (_without(members, at) not in self.cached, table.cards[at], at),
            )
            coarse = self.by(_without(members, last))
            partition = LinePartition(
                *self.kernel.split(
                    coarse.of,
                    len(coarse.rows),
                    table.codes[last],
                    int(table.cards[last]),
                    table.rows,
                )
            )
        else:
            # One type, whatever the number of lines: numba compiles for each anew.
            nothing = np.zeros(len(table.rows), np.uint32)
            partition = LinePartition(nothing, np.array([table.total]))
        self.cached[members] = partition
        self.bytes += partition.bytes
        while self.bytes > _MOST_BYTES and len(self.cached) > _FEWEST_CACHED:
            self.bytes -= self.cached.popitem(last=False)[1].bytes
        return partition

    def attested(self, strata: LinePartition, end: int, margin: LinePartition) -> Numbers:
        """How many values of an end of a test occur in each of its strata."""
        if end not in strata.attested:
            counts = self.kernel.attested(
                margin.of, len(margin.rows), strata.of, len(strata.rows)
            )
            narrow = counts.astype(code_type(int(self.table.cards[end]) + 1))
            strata.attested[end] = narrow
            self.bytes += narrow.nbytes
        return strata.attested[end]


def _without(members: Members, *ends: int) -> Members:
    return tuple(member for member in members if member not in ends)
