"""Bounds of the effect through chosen attributes where witnesses leave it open.

Two worlds are joined: one reads the others' value and makes the chosen attributes, one reads
the group's and takes them over. What the protected attribute does not reach is the same in
both. Of the witnesses, which are in both worlds, each world gives a distribution; how the two
go together no data can tell. For each assignment z of the causes of the witnesses the least
share is a transport problem, tight for one witness and valid for several.

If z itself depends on a witness, the least over the group's witnesses is taken inside the sum
instead, which is always valid.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.effects.model_tables import read_slice
from evenhand.effects.path_sides import PathSides
from evenhand.effects.transport import Potentials, TransportProblems
from evenhand.effects.world_shares import (
    FAVORABLE,
    GROUP,
    OTHER,
    UNFAVORABLE,
    Bounds,
    WorldShares,
)
from evenhand.errors import Remedy, ResourceError, listed
from evenhand.graph.conditional_tables import Factor, eliminate

MOST_WITNESS_VALUES = 1024
_PRIME = "\0′"  # marks the witness of the world that reads the others' value


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoWorlds:
    """The share of favorable decisions if the chosen attributes are as the others' would be."""

    shares: WorldShares
    sides: PathSides
    rows: int | None

    @cached_property
    def conditions(self) -> tuple[str, ...]:
        """The causes of the witnesses that both worlds share."""
        parents = self.shares.tables.parents
        causes = {cause for name in self.sides.witnesses for cause in parents[name]}
        return tuple(sorted(causes - {*self.sides.witnesses, self.sides.protected}))

    @cached_property
    def is_nested(self) -> bool:
        """Whether a witness causes what causes a witness: then no transport problem does."""
        descendants = {
            name
            for witness in self.sides.witnesses
            for name in self.sides.graph.descendants(witness)
        }
        return not descendants.isdisjoint(self.conditions)

    def solve(self) -> tuple[Potentials, Potentials]:
        """Potentials of the two problems, for the lower and the upper end."""
        if self.is_nested:
            return (), ()
        favorable, unfavorable = self._problems
        return favorable.solve(), unfavorable.solve()

    def estimate(self) -> Bounds:
        """The interval in floats; everything where the witnesses have too many values."""
        try:
            if self.is_nested:
                return self.loose_bounds()
            favorable, unfavorable = (one.least_cost() for one in self._problems)
        except ResourceError:
            favorable = unfavorable = 0.0
        return Bounds(Fraction(favorable), 1 - Fraction(unfavorable))

    def loose_bounds(self) -> Bounds:
        """The interval with the least over the group's witnesses inside the sum."""
        return Bounds(self._least(FAVORABLE), 1 - self._least(UNFAVORABLE))

    def bounds(self, potentials: tuple[Potentials, Potentials]) -> Bounds:
        """The interval of the share that the potentials prove."""
        if self.is_nested:
            return self.loose_bounds()
        favorable, unfavorable = (
            problems.bound(proof)
            for problems, proof in zip(self._problems, potentials, strict=True)
        )
        return Bounds(favorable, 1 - unfavorable)

    @cached_property
    def _problems(self) -> tuple[TransportProblems, TransportProblems]:
        """For each condition the cost of each pair of witnesses, and their distributions.

        One costs favorable decisions, the other unfavorable ones.
        """
        witnesses, given = self.sides.witnesses, self.conditions
        primed = tuple(name + _PRIME for name in witnesses)
        many = self._witness_values()
        of_first = self._eliminate(self._witness_tables(OTHER), (*given, *primed))
        of_second = self._eliminate(self._witness_tables(GROUP), (*given, *witnesses))
        favorable, unfavorable = (
            TransportProblems(
                costs=self._eliminate(
                    [*self._first_world(), *self._second_world(kind)],
                    (*given, *primed, *witnesses),
                ).reshape(-1, many, many),
                rows=of_first.reshape(-1, many),
                columns=of_second.reshape(-1, many),
            )
            for kind in (FAVORABLE, UNFAVORABLE)
        )
        return favorable, unfavorable

    def _least(self, kind: int) -> Fraction:
        """The sum over the first world of the least share over the group's witnesses."""
        witnesses, second = self.sides.witnesses, self._second_world(kind)
        own = {*self._group_nodes, self.sides.decision, *witnesses}
        between = {name for factor in second for name in factor.names}
        given = tuple(sorted((between | {*self.conditions}) - own))
        many = self._witness_values()
        shares = self._eliminate(second, (*given, *witnesses)).reshape(-1, many)
        first = [*self._first_world(), *self._witness_tables(OTHER)]
        weights = self._eliminate(first, given).reshape(-1)
        possible = self._eliminate(self._possible(), (*given, *witnesses)).reshape(-1, many)
        least = [
            min(share for share, occurs in zip(*line, strict=True) if occurs)
            for line in zip(shares.tolist(), possible.tolist(), strict=True)
        ]
        total: Fraction = np.sum(weights * np.array(least, weights.dtype))
        return total

    @cached_property
    def _group_nodes(self) -> tuple[str, ...]:
        """What only the world that reads the group's value needs, the decision aside."""
        sides = self.sides
        single = sides.reaches_decision - {*sides.witnesses, sides.decision}
        return tuple(node for node in self._nodes if node in single)

    @property
    def _nodes(self) -> tuple[str, ...]:
        return self.shares.relevant(self.rows)

    def _first_world(self) -> list[Factor]:
        """Shared nodes, and those that make the chosen attributes; no witnesses."""
        tables, own = self.shares.tables, {*self._group_nodes, *self.sides.witnesses}
        return [
            *self.shares.context(self.rows),
            *(self._primed(tables.read(n, OTHER)) for n in self._nodes if n not in own),
        ]

    def _second_world(self, kind: int) -> list[Factor]:
        """What reads the group's value and leads to this kind of decision; no witnesses."""
        tables = self.shares.tables
        decision = read_slice(tables.read(tables.decision, GROUP), tables.decision, kind)
        return [*(tables.read(node, GROUP) for node in self._group_nodes), decision]

    def _witness_tables(self, group: int) -> list[Factor]:
        factors = [self.shares.tables.read(name, group) for name in self.sides.witnesses]
        return [self._primed(one) for one in factors] if group == OTHER else factors

    def _possible(self) -> list[Factor]:
        """Which values the group's witnesses may have: all where a table has no row."""
        tables, factors = self.shares.tables, []
        for name in self.sides.witnesses:
            counts = tables.counts[name]
            possible = (counts > 0) | (counts.sum(axis=-1, keepdims=True) == 0)
            whole = Factor(tables.names(name), possible.astype(np.int64))
            factors.append(read_slice(whole, tables.protected, GROUP))
        return factors

    def _primed(self, factor: Factor) -> Factor:
        """The factor with the witnesses of the first world."""
        names = (n + _PRIME if n in self.sides.witnesses else n for n in factor.names)
        return Factor(tuple(names), factor.table)

    def _eliminate(self, factors: Iterable[Factor], keep: tuple[str, ...]) -> NDArray[Any]:
        """Sum out all names but some; a name that no factor has makes no difference."""
        factors, cards = list(factors), self.shares.tables.cards
        present = {name for factor in factors for name in factor.names}
        units = [
            Factor((name,), np.ones(cards[name.removesuffix(_PRIME)], np.int64))
            for name in keep
            if name not in present
        ]
        return eliminate([*factors, *units], keep, most_cells=self.shares.most_cells).table

    def _witness_values(self) -> int:
        """How many values the witnesses have together; refused if these are too many."""
        witnesses = self.sides.witnesses
        many = prod(self.shares.tables.cards[name] for name in witnesses)
        if many > MOST_WITNESS_VALUES:
            raise ResourceError.of(
                f"The witnesses {listed(witnesses)} have {many:,} values together.",
                f"Bounds are computed for at most {MOST_WITNESS_VALUES:,}.",
                (
                    Remedy("Name the witnesses too", "redlining"),
                    Remedy("merge their values", "merge"),
                    Remedy("use coarser bins", "bins"),
                ),
            )
        return many
