"""The bounds of the effect through chosen nodes, where witnesses leave it open.

One world reads the others' value and makes the chosen nodes, one reads the group's and takes
them over; what the protected attribute does not affect is the same in both. A witness is in
each of them, and how the two go together is open. For each assignment of the causes of the
witnesses that is a transport problem. Potentials u of its rows prove a least cost: the sum of u
by rows, and by columns of the least of cost - u (weak duality). Where a witness causes such a
cause, the least over the group's witnesses is taken inside the sum over all else.
"""

from fractions import Fraction
from itertools import product
from operator import mul

from .path_worlds import Bounds, PathWorlds
from .share_products import Shares, eliminate

PRIME = "\0′"  # marks the witnesses of the world that reads the others' value


class WitnessBounds:
    """The two worlds, on the rows of a group or on all."""

    def __init__(self, worlds: PathWorlds, rows: int | None) -> None:
        paths, relevant = worlds.paths, worlds.relevant(rows)
        self.worlds, self.witnesses, self.decision = worlds, paths.witnesses, paths.decision
        own = [n for n in relevant if n in paths.toward_decision and n not in self.witnesses]
        shared = [n for n in relevant if n not in (*own, *self.witnesses)]
        self.first = [*worlds.context(rows), *map(self.primed, shared)]
        self.second = [worlds.read(node) for node in (*own, self.decision)]
        causes = {a for a, b in paths.arrows if b in self.witnesses}
        self.given = causes - {*self.witnesses, paths.protected}
        self.is_nested = any(self.given & paths.below(witness) for witness in self.witnesses)
        between = self.given.union(*(factor.names for factor in self.second))
        self.between = between - {*own, *self.witnesses, self.decision}
        self.lines = self.assignments(self.witnesses)
        self.primes = [{name + PRIME: v for name, v in line.items()} for line in self.lines]

    def assignments(self, names: list[str]) -> list[dict[str, int]]:
        """Every assignment of some names."""
        lines = product(*(range(self.worlds.values[name]) for name in names))
        return [dict(zip(names, line, strict=True)) for line in lines]

    def primed(self, node: str) -> Shares:
        """What a node gives in the world that reads the others' value."""
        table = self.worlds.read(node, others=True)
        names = (name + PRIME if name in self.witnesses else name for name in table.names)
        return Shares(tuple(names), table.cells)

    def bounds(self, favorable: list[list[Fraction]], rest: list[list[Fraction]]) -> Bounds:
        """The share of favorable decisions, from the least share of either kind of decision."""
        if not self.is_nested:
            return self.proved(0, favorable), 1 - self.proved(1, rest)
        if favorable or rest:
            raise ValueError("indirect.graphs: there are potentials of no transport problem")
        return self.least(0), 1 - self.least(1)

    def proved(self, kind: int, potentials: list[list[Fraction]]) -> Fraction:
        """The least share that potentials prove; a problem with unseen rows adds nothing."""
        keep = [*self.given, *self.witnesses, *(name + PRIME for name in self.witnesses)]
        *others, decided = self.second
        decided = decided.fixed(self.decision, kind)
        cost = eliminate([*self.first, *others, decided], keep)
        first = eliminate(map(self.primed, self.witnesses), keep)
        second = eliminate(map(self.worlds.read, self.witnesses), keep)
        low = Fraction(0)
        for at, own in zip(self.assignments(sorted(self.given)), potentials, strict=True):
            rows = [first.at(at | one) for one in self.primes]
            columns = [second.at(at | one) for one in self.lines]
            if len(own) != (len(rows) if sum(rows) == sum(columns) == 1 else 0):
                raise ValueError(f"indirect.graphs: {len(own)} potentials of {at}")
            low += sum(map(mul, rows, own), Fraction(0))
            pairs = [
                (at | one, u)
                for one, u, row in zip(self.primes, own, rows, strict=False)
                if row
            ]
            for one, column in zip(self.lines, columns, strict=True):
                low += column * min((cost.at(one | other) - u for other, u in pairs), default=0)
        return low

    def least(self, kind: int) -> Fraction:
        """The sum over all else of the least share at a witness that can be."""
        names = sorted(self.between)
        weights = eliminate([*self.first, *map(self.primed, self.witnesses)], names)
        shares = eliminate(self.second, [*names, *self.witnesses, self.decision])
        low = Fraction(0)
        for line, weight in weights.cells.items():
            at = {self.decision: kind, **dict(zip(weights.names, line, strict=True))}
            low += weight * min(
                shares.at(at | one) for one in self.lines if self.can_be(at | one)
            )
        return low

    def can_be(self, values: dict[str, int]) -> bool:
        """Whether the group's witnesses can have values: they do, or no row tells."""
        tables = [self.worlds.read(witness) for witness in self.witnesses]
        return all(
            table.at(values) or not table.over(table.names[:-1]).at(values) for table in tables
        )
