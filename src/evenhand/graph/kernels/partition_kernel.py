"""Tests of sets with many possible cells, by cached partitions of the lines.

A partition numbers the groups of lines that agree in some attributes. It is made from one with
an attribute less, so its keys stay small whatever is conditioned on; and it is cached, because
it serves as cells, as margins and as strata of many tests. A test is then one sum over cells:
each has a line, and a line has a group in every other partition. The loops over lines and cells
are the kernel's: there ``line`` has a line of each group of one partition, ``of`` each line's
group of another.
"""

from collections import OrderedDict
from collections.abc import Callable
from itertools import chain
from types import ModuleType
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts.count_table import code_type
from evenhand.graph.independence_tests import STATISTICS, term
from evenhand.graph.kernels.batch import (
    BatchPlan,
    BatchResults,
    CodedTable,
    Floats,
    Indices,
    Numbers,
)

# Beyond so much memory the least recently used partitions are dropped; a test needs four.
# Adult as recorded makes 2,400 partitions in all, and twice as many with 2**27 bytes.
_MOST_BYTES = 3 * 2**26
_FEWEST_CACHED = 4
# Keys index an array if so few are possible for each line; otherwise they are sorted.
_PLACES_PER_LINE = 16
# Up to so many lines a number of sixteen bits says which one, or that there is none.
SHORT = 2**16 - 1

# int32 if the total fits, else float64.
Rows = NDArray[np.number]

# Of a test: the rows and a line of each cell; for each cell the rows of both margins; each
# line's stratum and, of each stratum, the rows and how many values the ends have.
Cells: TypeAlias = tuple[Floats, Indices]
Margins: TypeAlias = tuple[Floats, Floats]
Strata: TypeAlias = tuple[Numbers, Rows, Numbers, Numbers]

_NO_WEIGHTS: Floats = np.empty(0)


class LinePartition(NamedTuple):
    """Each line's group; of each group a line, and its rows."""

    of: Numbers
    line: Numbers
    rows: Rows
    # By another attribute: how many values of it occur in each group.
    attested: dict[int, Numbers]

    @property
    def bytes(self) -> int:
        """The memory it takes."""
        parts = (self.of, self.line, self.rows, *self.attested.values())
        return sum(part.nbytes for part in parts)


class PartitionCache:
    """A least-recently-used cache of partitions of one table's lines."""

    def __init__(
        self,
        table: CodedTable,
        kernel: ModuleType,
        after_each: Callable[[int], None] = lambda _tests: None,
    ) -> None:
        self.table, self.kernel, self.after_each = table, kernel, after_each
        self.cached: OrderedDict[int, LinePartition] = OrderedDict()
        self.bytes = 0
        # Short numbers: with them all partitions of a level fit into the cache.
        self._number: type[np.unsignedinteger] = (
            np.uint16 if len(table.rows) <= SHORT else np.uint32
        )
        self._value = code_type(int(table.cards.max(initial=0)) + 1)
        self._rows: Rows = table.rows.astype(np.int32 if table.total < 2**31 else np.float64)
        self._place: Numbers = np.empty(0, self._number)

    def run(self, plan: BatchPlan, sets: Indices, test: str, results: BatchResults) -> None:
        """Fill in the results of the tests of some sets."""
        bits, start = [1 << at for at in range(len(self.table.cards))], plan.start.tolist()
        total, empty = self.table.total, term(STATISTICS[test], 0.0, 1.0)
        for number, members in zip(sets.tolist(), plan.members[sets].tolist(), strict=True):
            held = sum(bits[member] for member in members)
            cells = self.by(held)
            n, line = cells.rows.astype(np.float64), cells.line.astype(np.intp)
            tests = slice(start[number], start[number + 1])
            pairs = [
                (members[x], members[y])
                for x, y in zip(plan.x[tests].tolist(), plan.y[tests].tolist(), strict=True)
            ]
            # By the end that is left out: the margin of the other, and its rows around cells.
            margins = {end: self.by(held ^ bits[end]) for end in {*chain(*pairs)}}
            around = {
                end: self.kernel.rows_around(line, margin.of, margin.rows)
                for end, margin in margins.items()
            }
            found = []
            for x, y in pairs:
                strata = self.by(held ^ bits[x] ^ bits[y])
                by_x, by_y = margins[y], margins[x]
                attested = self._attested(strata, x, by_x), self._attested(strata, y, by_y)
                weights = _NO_WEIGHTS
                if STATISTICS[test].weighted:
                    weights = 1 - 1 / strata.rows.astype(np.float64)
                terms, products = self.kernel.evaluate(
                    test,
                    (n, line),
                    (around[x], around[y]),
                    (strata.of, strata.rows, *attested),
                    weights,
                )
                rows = float((weights * strata.rows).sum()) if len(weights) else total
                # The sum of (x − 1)(y − 1) over strata that have x and y values of the ends.
                degrees = products - len(by_x.rows) - len(by_y.rows) + len(strata.rows)
                found.append((terms + empty * rows, degrees))
            results.statistic[tests], results.degrees[tests] = zip(*found, strict=True)
            self.after_each(len(found))

    def by(self, held: int) -> LinePartition:
        """The partition by the attributes whose bits are set.

        It is split from a cached one if there is any.
        """
        partition = self.cached.get(held)
        if partition:
            self.cached.move_to_end(held)
            return partition
        partition = self._split(held) if held else self._whole()
        self.cached[held] = partition
        self.bytes += partition.bytes
        while self.bytes > _MOST_BYTES and len(self.cached) > _FEWEST_CACHED:
            self.bytes -= self.cached.popitem(last=False)[1].bytes
        return partition

    def _whole(self) -> LinePartition:
        """All lines in one group."""
        group = np.zeros(len(self._rows), self._number)
        rows = self._rows.sum(keepdims=True, dtype=self._rows.dtype)
        return LinePartition(group, group[:1], rows, {})

    def _split(self, held: int) -> LinePartition:
        cards = self.table.cards
        last = min(
            (at for at in range(held.bit_length()) if held >> at & 1),
            key=lambda at: (held ^ 1 << at not in self.cached, cards[at], at),
        )
        coarse = self.by(held ^ 1 << last)
        code, values = self.table.codes[last], int(cards[last])
        places = len(coarse.rows) * values
        if places > _PLACES_PER_LINE * len(code):
            keys = coarse.of.astype(np.intp) * values + code
            _, line, of = np.unique(keys, return_index=True, return_inverse=True)
            rows = np.bincount(of, self._rows).astype(self._rows.dtype)
            return LinePartition(of.astype(self._number), line.astype(self._number), rows, {})
        if len(self._place) < places:
            # Kept, because the system clears new memory.
            self._place = np.empty(places, self._number)
        place = self._place[:places]
        of, line, rows = self.kernel.split(coarse.of, code, values, self._rows, place)
        return LinePartition(of, line, rows, {})

    def _attested(self, strata: LinePartition, end: int, margin: LinePartition) -> Numbers:
        """How many values of an end each stratum has."""
        if end not in strata.attested:
            counts = np.zeros(len(strata.rows), self._value)
            self.kernel.count_within(margin.line, strata.of, counts)
            strata.attested[end] = counts
            self.bytes += counts.nbytes
        return strata.attested[end]
