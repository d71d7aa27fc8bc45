"""Bounds of the effect through chosen attributes where witnesses leave it open.

Two worlds are joined: one reads the others' value and makes the chosen attributes, one reads
the group's and takes them over. What the protected attribute does not reach is the same in
both. Of the witnesses, which are in both worlds, each world gives a distribution; how the two
go together no data can tell. For each assignment z of the causes of the witnesses the least
share is a transport problem, tight for one witness and valid for several.

If z itself depends on a witness, the least over the group's witnesses is taken inside the sum
instead, which is always valid.

A transport problem asks for joint probabilities with given row and column sums that cost
least. Any potentials u of its rows prove a lower bound without solving it (weak duality): with
v of each column the least of cost minus u, the bound is the sum of u times the row sums plus v
times the column sums. The solver only chooses good potentials; the bound is then exact.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.effects.worlds import (
    FAVORABLE,
    GROUP,
    OTHER,
    UNFAVORABLE,
    Bounds,
    PathSides,
    WorldShares,
    read_slice,
)
from evenhand.errors import InputError, Remedy, ResourceError, listed
from evenhand.graph.conditional_tables import Factor, eliminate

# Potentials of the rows for each problem; none where a problem has no proper sums.
Potentials: TypeAlias = tuple[tuple[Fraction, ...], ...]

_DIGITS = 15
_SMALL_DENOMINATOR = 10**6


@dataclass(frozen=True, eq=False, kw_only=True)
class TransportProblems:
    """Problems side by side: costs[problem, row, column] and the sums of rows and columns.

    A problem whose row or column sums do not add up to one is left out: nothing is known of
    the joint distribution there, and its least cost counts as 0.
    """

    costs: NDArray[Any]
    rows: NDArray[Any]
    columns: NDArray[Any]

    def solve(self) -> Potentials:
        """Potentials whose bound is the least cost, up to rounding."""
        potentials, _ = self.solution
        proper = self._proper.tolist()
        return tuple(
            # As short fractions: of decimals and small ones what proves more.
            max(
                tuple(Fraction(one).limit_denominator(_SMALL_DENOMINATOR) for one in u),
                tuple(Fraction(f"{one:.{_DIGITS}f}") for one in u),
                key=partial(self._bound, at),
            )
            if proper[at]
            else ()
            for at, u in enumerate(potentials.tolist())
        )

    @cached_property
    def solution(self) -> tuple[NDArray[np.float64], float]:
        """Potentials of the rows, and the least cost, as floats, which prove nothing."""
        rows, columns = self.rows.astype(float), self.columns.astype(float)
        at, row, column = np.nonzero(
            self._proper[:, None, None] & (rows > 0)[:, :, None] & (columns > 0)[:, None, :]
        )
        if not len(at):
            return np.zeros(rows.shape), 0.0
        # One equation for each row and each column of each problem that occurs.
        of_row = np.ravel_multi_index((at, row), rows.shape)
        of_column = rows.size + np.ravel_multi_index((at, column), columns.shape)
        used, equation = np.unique(np.concatenate([of_row, of_column]), return_inverse=True)
        cells = np.arange(len(at))
        # Slow to import: 0.4 s, and few questions need it.
        from scipy.optimize import linprog  # noqa: PLC0415
        from scipy.sparse import csr_array  # noqa: PLC0415

        matrix = csr_array(
            (np.ones(2 * len(at)), (equation, np.concatenate([cells, cells]))),
            shape=(len(used), len(at)),
        )
        sums = np.concatenate([rows.ravel(), columns.ravel()])[used]
        costs = self.costs.astype(float)[at, row, column]
        solution = linprog(costs, A_eq=matrix, b_eq=sums, method="highs")
        potentials = np.zeros(rows.size + columns.size)
        if solution.status:  # any potentials will do, with a weaker bound
            return potentials[: rows.size].reshape(rows.shape), 0.0
        potentials[used] = solution.eqlin.marginals
        return potentials[: rows.size].reshape(rows.shape), float(solution.fun)

    def bound(self, potentials: Potentials) -> Fraction:
        """The lower bound that potentials prove, exactly.

        Of a problem that is left out there are none: they would prove anything.
        """
        many = self.rows.shape[1]
        if [len(u) for u in potentials] != [many * proper for proper in self._proper.tolist()]:
            raise InputError.of("The potentials are not those of the transport problems.")
        return sum(
            (self._bound(at, u) for at, u in enumerate(potentials) if u), start=Fraction(0)
        )

    @cached_property
    def _proper(self) -> NDArray[np.bool_]:
        """Whether both sums of each problem are one."""
        sums = np.stack([self.rows.sum(axis=1), self.columns.sum(axis=1)])
        if sums.dtype != object:  # floats
            return np.asarray(np.isclose(sums, 1).all(axis=0))
        return np.asarray((sums == 1).all(axis=0), bool)

    def _bound(self, at: int, potentials: Sequence[Fraction]) -> Fraction:
        occurring = [i for i, share in enumerate(self.rows[at].tolist()) if share]
        costs = self.costs[at].tolist()
        bound = sum((potentials[i] * self.rows[at][i] for i in occurring), start=Fraction(0))
        for column, share in enumerate(self.columns[at].tolist()):
            if share:
                bound += share * min(costs[i][column] - potentials[i] for i in occurring)
        return bound


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
            favorable, unfavorable = (one.solution[1] for one in self._problems)
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
        # Which values the group's witnesses may have: all where a table has no row.
        tables, factors = self.shares.tables, []
        for name in witnesses:
            counts = tables.counts[name]
            seen = (counts > 0) | (counts.sum(axis=-1, keepdims=True) == 0)
            whole = Factor(tables.names(name), seen.astype(np.int64))
            factors.append(read_slice(whole, tables.protected, GROUP))
        possible = self._eliminate(factors, (*given, *witnesses)).reshape(-1, many)
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
        return tuple(node for node in self.shares.relevant(self.rows) if node in single)

    def _first_world(self) -> list[Factor]:
        """Shared nodes, and those that make the chosen attributes; no witnesses."""
        tables, own = self.shares.tables, {*self._group_nodes, *self.sides.witnesses}
        return [
            *self.shares.context(self.rows),
            *(
                self._primed(tables.read(node, OTHER))
                for node in self.shares.relevant(self.rows)
                if node not in own
            ),
        ]

    def _second_world(self, kind: int) -> list[Factor]:
        """What reads the group's value and leads to this kind of decision; no witnesses."""
        tables = self.shares.tables
        decision = read_slice(tables.read(tables.decision, GROUP), tables.decision, kind)
        return [*(tables.read(node, GROUP) for node in self._group_nodes), decision]

    def _witness_tables(self, group: int) -> list[Factor]:
        factors = [self.shares.tables.read(name, group) for name in self.sides.witnesses]
        return [self._primed(one) for one in factors] if group == OTHER else factors

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
