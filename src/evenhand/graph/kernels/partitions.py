"""Sets of attributes with far more possible cells than lines: partitions of the lines.

A partition numbers the groups of lines that agree in some attributes. It is made from one with an
attribute less, so keys stay small whatever is conditioned on, and it is kept, because each serves
as cells, as margins and as strata of many tests. A test is then one sum over lines.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.counts.table import code_type
from evenhand.graph.kernels.batch import Indices, Plan
from evenhand.graph.kernels.tables import Table

# Memory that partitions may take until the one that was not used longest is forgotten.
_MOST_BYTES = 3 * 2**26

Floats = NDArray[np.float64]
Numbers = NDArray[np.unsignedinteger]


class Primitives(Protocol):
    """What has to be fast: two passes over lines, and one over groups."""

    def split(
        self, of: Numbers, groups: int, code: Numbers, values: int, rows: Floats, like: Numbers
    ) -> tuple[Numbers, Floats]:
        """Split groups by one more attribute: each line's group, and the groups' rows."""

    def attested(self, of: Numbers, groups: int, within: Numbers, strata: int) -> Numbers:
        """How many groups lie in each stratum."""

    def line_sum(self, weight: Floats, x: Floats, y: Floats, rows: Floats, of: Numbers) -> float:
        """The sum of weight · x · y · rows[of] over lines."""


@dataclass(slots=True, eq=False)
class Partition:
    """Each line's group, each group's rows, and how many groups lie in groups of fewer members."""

    of: Numbers
    rows: Floats
    attested: dict[int, Numbers] = field(default_factory=dict)


class Partitions:
    """The partitions of one table's lines."""

    def __init__(self, table: Table, primitives: Primitives) -> None:
        self.table, self.primitives = table, primitives
        self.number = code_type(len(table.rows))
        self.kept: OrderedDict[tuple[int, ...], Partition] = OrderedDict()
        self.bytes = 0

    def by(self, members: tuple[int, ...]) -> Partition:
        """The partition by some attributes, split from one that is known if there is any."""
        found = self.kept.get(members)
        if found:
            self.kept.move_to_end(members)
            return found
        table = self.table
        if not members:
            found = Partition(np.zeros(len(table.rows), self.number), table.rows.sum(keepdims=True))
        else:
            last = min(
                members,
                key=lambda at: (without(members, at) not in self.kept, table.cards[at], at),
            )
            coarse = self.by(without(members, last))
            found = Partition(
                *self.primitives.split(
                    coarse.of, len(coarse.rows), table.codes[last], int(table.cards[last]), table.rows, coarse.of[:0]
                )
            )
        self.keep(members, found)
        return found

    def keep(self, members: tuple[int, ...], found: Partition) -> None:
        self.kept[members] = found
        self.bytes += found.of.nbytes + found.rows.nbytes
        while self.bytes > _MOST_BYTES and len(self.kept) > 64:
            _, gone = self.kept.popitem(last=False)
            self.bytes -= gone.of.nbytes + gone.rows.nbytes
            self.bytes -= sum(counts.nbytes for counts in gone.attested.values())

    def attested(self, members: tuple[int, ...], at: int) -> Numbers:
        """How many values of an attribute occur in each group of the other members."""
        whole, strata = self.by(members), self.by(without(members, at))
        if at not in whole.attested:
            counts = self.primitives.attested(whole.of, len(whole.rows), strata.of, len(strata.rows))
            whole.attested[at] = counts.astype(code_type(int(self.table.cards[at]) + 1))
            self.bytes += whole.attested[at].nbytes
        return whole.attested[at]

    def run(self, plan: Plan, sets: Indices, kind: int, statistic: Floats, degrees: NDArray[np.int64]) -> None:
        """Fill in statistic and degrees of freedom for the tests of some sets."""
        for number in sets.tolist():
            members = tuple(plan.members[number].tolist())
            tests = range(plan.start[number], plan.start[number + 1])
            self._answer(members, plan, tests, kind, statistic, degrees)

    def _answer(self, members, plan, tests, kind, statistic, degrees):
        cells = self.by(members)
        rows = self.table.rows
        total = float(rows.sum())
        weight = rows * cells.rows[cells.of]
        inverse: dict[int, Floats] = {}
        entropy = None
        for test in tests:
            x, y = members[plan.x[test]], members[plan.y[test]]
            by_x, by_y = without(members, y), without(members, x)
            strata_of = without(by_x, x)
            strata = self.by(strata_of)
            margins = self.by(by_x), self.by(by_y)
            attested = np.multiply(self.attested(by_x, x), self.attested(by_y, y), dtype=np.int64).sum()
            degrees[test] = int(attested) - len(margins[0].rows) - len(margins[1].rows) + len(strata.rows)
            if kind == 2:
                statistic[test] = 2 * (_entropy(cells) - _entropy(margins[0]) - _entropy(margins[1]) + _entropy(strata))
                continue
            for left, margin in ((y, margins[0]), (x, margins[1])):
                if left not in inverse:
                    inverse[left] = (1 / margin.rows)[margin.of]
            found = self.primitives.line_sum(weight, inverse[x], inverse[y], strata.rows - kind, strata.of)
            statistic[test] = found - total + kind * len(strata.rows)


def without(members: tuple[int, ...], at: int) -> tuple[int, ...]:
    """The members but one."""
    return tuple(member for member in members if member != at)


def _entropy(partition: Partition) -> float:
    return float((partition.rows * np.log(partition.rows)).sum())
