"""The effects of the protected attribute on the decision along its paths, in one graph.

From the group's value to the others', on the group's rows: what changes if only the decision
reads the others' value (direct), if the chosen attributes are as they would be with it
(through), if the children from which no path meets these read it (explained), if everything
does (total). What the parts together do beyond their sum is their combination; what remains
of the gap between the two groups is spurious. The other direction exchanges the groups.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.effects.bounds import Potentials, TwoWorlds
from evenhand.effects.worlds import (
    FAVORABLE,
    GROUP,
    OTHER,
    UNFAVORABLE,
    Bounds,
    Expression,
    ModelTables,
    PathSides,
    TableSource,
    World,
    WorldShares,
    read_slice,
)
from evenhand.graph import PartialGraph
from evenhand.graph.conditional_tables import gradients
from evenhand.question.question import Basis, Question
from evenhand.verdict import Verdict, all_must_hold

DIRECTIONS = ("forward", "backward")
NORMAL = 1.959963984540054  # of a 95 % interval
_SLACK = Fraction(1, 10**9)  # between bounds that different solvers prove


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """An effect: where it lies, and what the rows that were seen give.

    ``value`` is None where the effect is not identified; it lies between the bounds, which
    agree with it if no table has an unseen row. ``standard_error`` is that of the value,
    ``end_errors`` are those of the bounds, None where the rows do not tell them.
    """

    lower: Fraction
    upper: Fraction
    value: Fraction | None = None
    standard_error: float | None = None
    end_errors: tuple[float, float] | None = None

    @property
    def bounds(self) -> Bounds:
        """Both ends."""
        return Bounds(self.lower, self.upper)

    @property
    def interval(self) -> tuple[float, float] | None:
        """A 95 % interval around both ends; None where their errors are not known."""
        if self.end_errors is None:
            return None
        lower, upper = self.end_errors
        return float(self.lower) - NORMAL * lower, float(self.upper) + NORMAL * upper

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "lower": float(self.lower),
            "upper": float(self.upper),
            "value": None if self.value is None else float(self.value),
            "standard_error": self.standard_error,
            "end_errors": self.end_errors and list(self.end_errors),
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class DirectionEffects:
    """The effects from one group's value to the other's, on the rows of the first.

    ``tables`` have the group whose rows are meant as their first. ``potentials`` prove the
    bounds where there are witnesses; without any the solver finds them.
    """

    tables: ModelTables
    sides: PathSides
    basis: Basis
    recorded: tuple[Potentials, Potentials] | None = None

    @cached_property
    def shares(self) -> WorldShares:
        """The shares of favorable decisions in each world."""
        return WorldShares(self.tables)

    @property
    def rows(self) -> int | None:
        """On whose rows effects are measured."""
        return self._rows_of(GROUP) if self.basis == "group" else None

    def _rows_of(self, group: int) -> int | None:
        """The rows of a group; all rows are like them where nothing causes who is in it."""
        return group if self.tables.parents[self.tables.protected] else None

    @property
    def identified(self) -> bool:
        """Whether the effect through the chosen attributes is one number, if all is seen."""
        return not self.sides.witnesses

    @cached_property
    def worlds(self) -> Mapping[str, World]:
        """The worlds that effects compare; "through" only where it is identified."""
        absent = {"not judged": self.sides.explained is None, "through": not self.identified}
        parts = [part for part in PARTS if not absent.get(part)]
        nobody, children = frozenset[str](), frozenset(self.tables.children)
        return {
            "reference": World(nobody, self.rows),
            **{part: World(self.sides.children_on(part), self.rows) for part in parts},
            "total": World(children, self.rows),
            "group": World(nobody, self._rows_of(GROUP)),
            "others": World(children, self._rows_of(OTHER)),
        }

    @cached_property
    def expressions(self) -> Mapping[str, Expression]:
        """Each effect as a sum of shares; where witnesses are, without the part through R."""
        worlds = self.worlds
        sums = {
            part: _difference(worlds[part], worlds["reference"])
            for part in PARTS
            if part in worlds
        }
        total = _difference(worlds["total"], worlds["reference"])
        combination, spurious = Counter(total), _difference(worlds["others"], worlds["group"])
        for part in sums.values():
            combination.subtract(part)
        spurious.subtract(total)
        sums |= {"combination": combination, "total": total, "spurious": spurious}
        return {
            name: {world: times for world, times in sums[name].items() if times}
            for name in EFFECTS
            if name in sums
        }

    @cached_property
    def potentials(self) -> tuple[Potentials, Potentials]:
        """What proves the bounds of the effect through the chosen attributes.

        Recorded ones unless others prove more.
        """
        if self.identified:
            return (), ()
        solved = self.two_worlds.solve()
        if self.recorded is None or self.two_worlds.is_nested:
            return solved
        own, best = map(self.two_worlds.bounds, (self.recorded, solved))
        is_weak = max(best.lower - own.lower, own.upper - best.upper) > _SLACK
        return solved if is_weak else self.recorded

    @cached_property
    def two_worlds(self) -> TwoWorlds:
        """The two worlds of an effect that is not identified."""
        return TwoWorlds(shares=self.shares, sides=self.sides, rows=self.rows)

    @cached_property
    def effects(self) -> Mapping[str, Effect]:
        """Every effect, in the order in which they are told."""
        effects = {}
        for name, expression in self.expressions.items():
            ends, value = self.shares.bounds(expression), self.shares.value(expression)
            effects[name] = Effect(lower=ends.lower, upper=ends.upper, value=value)
        if not self.identified:
            worlds = self.two_worlds
            exact = self.tables.exact
            reached = worlds.bounds(self.potentials) if exact else worlds.estimate()
            reference = self.reference
            through = Bounds(reached.lower - reference.upper, reached.upper - reference.lower)
            rest = effects["combination"]
            effects["through"] = Effect(lower=through.lower, upper=through.upper)
            effects["combination"] = Effect(
                lower=rest.lower - through.upper, upper=rest.upper - through.lower
            )
        return {name: effects[name] for name in EFFECTS if name in effects}

    @property
    def through(self) -> Effect:
        """The effect through the chosen attributes."""
        return self.effects["through"]

    @property
    def reference(self) -> Bounds:
        """The share of favorable decisions of the group as it is."""
        return self.shares.share(self.worlds["reference"])

    @property
    def gap(self) -> Bounds:
        """The others' share of favorable decisions minus the group's, in the model."""
        gap = _difference(self.worlds["others"], self.worlds["group"])
        return self.shares.bounds(gap)

    @property
    def unseen(self) -> Fraction:
        """The largest share of any world of which the tables say nothing."""
        ends = (self.shares.share(world) for world in {*self.worlds.values()})
        return max(end.upper - end.lower for end in ends)

    @property
    def weights(self) -> NDArray[Any]:
        """By how much the effect through R grows with the first group's rate, by its causes.

        An axis stands for each cause of the decision. No weight depends on a decision, so the
        effect is linear in the rates; it has to be identified.
        """
        through, reference = (
            self.shares.cause_shares(self.worlds[name]) for name in ("through", "reference")
        )
        weights: NDArray[Any] = through - reference
        return weights

    def limits(self, threshold: Fraction) -> Bounds:
        """Between which values of that sum, strictly, the effect is under the threshold.

        What is unseen may count either way, and does not depend on a decision.
        """
        through, reference = (
            self.shares.share(self.worlds[name]) for name in ("through", "reference")
        )
        return Bounds(
            reference.upper - reference.lower - threshold,
            threshold - (through.upper - through.lower),
        )

    def verdict(self, threshold: Fraction) -> Verdict:
        """Whether the effect through the chosen attributes is smaller than the threshold."""
        bounds = self.through.bounds
        if bounds.within(threshold):
            return Verdict.CERTIFIED
        return Verdict.NOT_CERTIFIED if bounds.beyond(threshold) else Verdict.CANNOT_DECIDE


EFFECTS = (
    *("direct", "through", "explained", "not judged", "combination"),
    *("total", "spurious"),
)
PARTS = EFFECTS[:4]


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphEffects:
    """The effects in one graph, in both directions by name."""

    sides: PathSides
    tables: ModelTables
    directions: Mapping[str, DirectionEffects]

    @classmethod
    def of(
        cls,
        source: TableSource,
        graph: PartialGraph,
        question: Question,
        *,
        potentials: Mapping[str, tuple[Potentials, Potentials]] | None = None,
        exact: bool = True,
    ) -> "GraphEffects":
        """Measure the effects that a question asks about, in a graph of ancestors."""
        sides = PathSides(
            graph=graph,
            protected=question.groups_column,
            decision=question.decision,
            chosen=question.redlining,
            explained=question.explained or None,
        )
        tables = ModelTables.of(
            source, graph, protected=sides.protected, decision=sides.decision
        )
        tables = replace(tables, exact=exact)
        known = potentials or {}
        directions = {
            direction: DirectionEffects(
                tables=own, sides=sides, basis=question.basis, recorded=known.get(direction)
            )
            for direction, own in zip(DIRECTIONS, (tables, tables.swapped()), strict=True)
        }
        return cls(sides=sides, tables=tables, directions=directions)

    @property
    def forward(self) -> DirectionEffects:
        """The effects from the group's value to the others'."""
        return self.directions["forward"]

    def verdict(self, threshold: Fraction) -> Verdict:
        """Whether both directions are smaller than the threshold."""
        return all_must_hold(one.verdict(threshold) for one in self.directions.values())


def _difference(world: World, reference: World) -> Counter[World]:
    difference = Counter({world: 1})
    difference[reference] -= 1
    return difference


# The derivative of a number by each share of each node's table.
Slopes: TypeAlias = Mapping[str, NDArray[np.float64]]

NO_ERROR = 1e-12  # less is rounding
_PRIOR_ROWS = 2  # Agresti and Coull's: one for each of two values


def with_errors(effects: DirectionEffects) -> dict[str, Effect]:
    """The effects with standard errors, of those that are a sum of shares.

    By the delta method: each row of each conditional table is a multinomial sample of its own.
    That the graph was learned from the same rows is not in it.

    Each end is a sum of its own where rows are unseen. That all rows alike in the causes have
    one value does not show that every further one has it: the ends count two more rows there,
    spread evenly. Ends have no error where one does not move although it depends on the rows:
    the first derivative does not tell by how much it would.
    """
    shares = WorldShares(replace(effects.tables, exact=False))
    slopes = {world: _end_slopes(shares, world) for world in {*effects.worlds.values()}}
    spread = _spread_shares(shares.tables)
    found = dict(effects.effects)
    for name, expression in effects.expressions.items():
        if name == "combination" and not effects.identified:
            continue
        of_value, of_lower, of_upper = (
            [(times, slopes[world][pick(times)]) for world, times in expression.items()]
            for pick in (lambda _: False, lambda times: times < 0, lambda times: times > 0)
        )
        value = _standard_error(shares.tables, shares.tables.shares, of_value)
        lower, upper = (
            _standard_error(shares.tables, spread, terms) for terms in (of_lower, of_upper)
        )
        is_known = not expression or min(lower, upper) > NO_ERROR
        ends = (lower, upper) if is_known else None
        found[name] = replace(found[name], standard_error=value, end_errors=ends)
    return found


def _standard_error(
    tables: ModelTables, shares: Slopes, terms: Sequence[tuple[int, Slopes]]
) -> float:
    variance = 0.0
    for node, counts in tables.counts.items():
        slope: Any = sum(times * slopes[node] for times, slopes in terms)
        own = shares[node]
        mean = (own * slope).sum(axis=-1, keepdims=True)
        spread = (own * (slope - mean) ** 2).sum(axis=-1)
        variance += float((spread / np.maximum(counts.sum(axis=-1), 1)).sum())
    return sqrt(variance)


def _spread_shares(tables: ModelTables) -> Slopes:
    """The shares; where all rows alike in the causes have one value, with two rows more."""
    shares = {}
    for node, counts in tables.counts.items():
        rows = counts.sum(axis=-1, keepdims=True)
        more = (counts + _PRIOR_ROWS / counts.shape[-1]) / (rows + _PRIOR_ROWS)
        has_one = (counts > 0).sum(axis=-1, keepdims=True) == 1
        shares[node] = np.where(has_one, more, tables.shares[node])
    return shares


def _end_slopes(shares: WorldShares, world: World) -> tuple[Slopes, Slopes]:
    """The derivatives of both ends of a share: the upper one is what is not unfavorable."""
    unfavorable = _slopes(shares, world, UNFAVORABLE)
    return (
        _slopes(shares, world, FAVORABLE),
        {node: -slope for node, slope in unfavorable.items()},
    )


def _slopes(shares: WorldShares, world: World, kind: int) -> Slopes:
    """The derivative of the share of a kind of decision by each cell of each table."""
    tables = shares.tables
    nodes = (*shares.relevant(world.rows), tables.decision)
    read = {node: OTHER if node in world.reads else GROUP for node in nodes}
    read |= {} if world.rows is None else {tables.protected: world.rows}
    total, slopes = _table_slopes(tables, read, kind)
    if world.rows is None:
        return slopes
    # A share of a group's rows is a quotient; its divisor is what the other group is not.
    rest = dict.fromkeys((*shares.group_ancestors, tables.protected), 1 - world.rows)
    other, by_group = _table_slopes(tables, rest, kind)
    own = 1 - other
    return {node: (slopes[node] + total / own * by_group[node]) / own for node in slopes}


def _table_slopes(
    tables: ModelTables, read: Mapping[str, int], kind: int
) -> tuple[float, Slopes]:
    """The sum of the product of some tables, and its derivative by each cell of each table.

    Each node reads the protected attribute as one group has it, and that node is this group.
    """
    factors = {
        node: read_slice(tables.read(node, group), tables.decision, kind)
        for node, group in read.items()
    }
    total, by_factor = gradients([*factors.values()])
    slopes = {node: np.zeros(counts.shape) for node, counts in tables.counts.items()}
    for (node, factor), slope in zip(factors.items(), by_factor, strict=True):
        fixed = {tables.protected: read[node], tables.decision: kind}
        place = tuple(
            slice(None) if name in factor.names else fixed[name] for name in tables.names(node)
        )
        slopes[node][place] = slope
    return total, slopes
