"""The effects of the protected attribute on the decision along its paths, in one graph.

From the group's value to the others', on the group's rows: what changes if only the decision
reads the others' value (direct), if the chosen attributes are as they would be with it
(through), if the children from which no path meets these read it (explained), if everything
does (total). What the parts together do beyond their sum is their combination; what remains
of the gap between the two groups is spurious. The other direction exchanges the groups.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from evenhand.effects.bounds import Potentials, TwoWorlds
from evenhand.effects.model_tables import ModelTables, TableSource
from evenhand.effects.worlds import (
    GROUP,
    OTHER,
    Bounds,
    Expression,
    PathSides,
    World,
    WorldShares,
)
from evenhand.graph import PartialGraph
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
