"""Shares of favorable decisions if children of the protected attribute read another value.

A share is an interval: what no table has rows for counts as neither decision.
"""

from collections import Counter
from fractions import Fraction

from .recorded_paths import RecordedPaths
from .share_products import Shares, eliminate

Bounds = tuple[Fraction, Fraction]
World = tuple[frozenset[str], int | None]  # who reads the others' value, on whose rows


class PathWorlds:
    """The tables of a graph as one group reads them: 0, or 1 with the two exchanged."""

    def __init__(
        self, paths: RecordedPaths, tables: dict[str, Shares], values: dict[str, int], own: int
    ) -> None:
        self.paths, self.tables, self.values, self.own = paths, tables, values, own
        self.known = dict[World, Bounds]()

    def rows_of(self, group: int) -> int | None:
        """The group; None, for all rows, if nothing causes who is in it."""
        return group if self.tables[self.paths.protected].names[1:] else None

    def read(self, node: str, *, others: bool = False) -> Shares:
        """A node's shares if it reads the group's value, or the others'."""
        return self.tables[node].fixed(
            self.paths.protected, 1 - self.own if others else self.own
        )

    def relevant(self, rows: int | None) -> list[str]:
        """The nodes that bear on a share, decision and protected attribute aside."""
        protected, decision = self.paths.protected, self.paths.decision
        above = self.paths.above({decision}, frozenset([protected]))
        above |= set() if rows is None else self.paths.above({protected})
        return [node for node in self.paths.nodes if node in above - {protected, decision}]

    def context(self, rows: int | None) -> list[Shares]:
        """How much a group's rows count by its causes, at most: what is not the other group."""
        if rows is None:
            return []
        protected = self.paths.protected
        above = [self.tables[node] for node in self.paths.above({protected})]
        most = 1 - eliminate(above, [protected]).at({protected: 1 - rows})
        own = self.tables[protected].fixed(protected, rows)
        return [Shares(own.names, {line: share / most for line, share in own.cells.items()})]

    def share(self, world: World) -> Bounds:
        """The share in a world."""
        if world not in self.known:
            (reads, rows), decision = world, self.paths.decision
            nodes = [*self.relevant(rows), decision]
            factors = [self.read(node, others=node in reads) for node in nodes]
            decided = eliminate([*self.context(rows), *factors], [decision])
            self.known[world] = decided.at({decision: 0}), 1 - decided.at({decision: 1})
        return self.known[world]

    def bounds(self, worlds: "Counter[World]") -> Bounds:
        """The interval of a sum of shares."""
        ends = [(self.share(world), times) for world, times in worlds.items() if times]
        low = sum((times * end[times < 0] for end, times in ends), Fraction(0))
        return low, sum((times * end[times > 0] for end, times in ends), Fraction(0))
