"""Structural causal models with known effects, by going through every unit: slow and obvious.

A unit is a level of noise for each node. All levels of a node are equally likely, and for each
assignment of its parents each level has a value of the node. So whatever would be if nodes read
other values can be looked up for each unit, and shares are fractions. Nothing of evenhand is
used.
"""

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

PROTECTED, DECISION = "c", "e"
EFFECTS = ("direct", "through", "explained", "combination", "total", "spurious")


@dataclass(frozen=True)
class StructuralModel:
    """For each node, causes first, its parents, and its value by their values and noise.

    ``responses[node][values of the parents]`` has a value for each level of noise.
    """

    parents: dict[str, tuple[str, ...]]
    cards: dict[str, int]
    responses: dict[str, dict[tuple[int, ...], tuple[int, ...]]]

    @cached_property
    def units(self):
        """Every unit: the level of noise of each node."""
        levels = (range(len(next(iter(rows.values())))) for rows in self.responses.values())
        return [dict(zip(self.parents, unit, strict=True)) for unit in product(*levels)]

    def value(self, unit, node, inputs):
        return self.responses[node][tuple(inputs)][unit[node]]

    def world(self, unit, reads=None, fixed=None):
        """The values of all nodes of a unit.

        With ``reads`` each child of the protected attribute reads what it gives for it instead
        of the unit's own; nodes that are ``fixed`` have those values.
        """
        values = {}
        for node, causes in self.parents.items():
            inputs = [
                reads(node) if reads and cause == PROTECTED else values[cause]
                for cause in causes
            ]
            values[node] = self.value(unit, node, inputs)
            if fixed and node in fixed:
                values[node] = fixed[node]
        return values

    @cached_property
    def own_worlds(self):
        return [self.world(unit) for unit in self.units]

    def counts(self):
        """How many units have each assignment of values."""
        return Counter(tuple(world.values()) for world in self.own_worlds)

    @cached_property
    def occurring(self):
        """For each node the assignments of its parents that some unit has."""
        return {
            node: {tuple(world[cause] for cause in causes) for world in self.own_worlds}
            for node, causes in self.parents.items()
        }

    @property
    def is_positive(self):
        """Whether every assignment of the parents of every node occurs."""
        return all(
            len(self.occurring[node]) == len(rows) for node, rows in self.responses.items()
        )

    def children(self, node):
        return [child for child, causes in self.parents.items() if node in causes]

    def paths(self, start, end):
        """Every directed path between two nodes."""
        if start == end:
            yield (end,)
        for child in self.children(start):
            for path in self.paths(child, end):
                yield (start, *path)

    def explained_children(self, chosen):
        """The children of the protected attribute from which no path meets what is chosen."""
        for child in self.children(PROTECTED):
            paths = [*self.paths(child, DECISION)]
            if child != DECISION and not any({*path} & {*chosen} for path in paths):
                yield child

    def nested(self, unit, chosen, start, end):
        """The decision with ``start``, the chosen nodes as they would be with ``end``."""
        there = self.world(unit, lambda _: end)
        return self.world(unit, lambda _: start, {node: there[node] for node in chosen})

    def along_paths(self, unit, chosen, start, end):
        """The decision if ``end`` is read along exactly the paths that meet what is chosen.

        Each path is followed back from the decision, edge by edge.
        """

        def value(node, *, meets):
            meets = meets or node in chosen
            return self.value(
                unit,
                node,
                [
                    (end if meets else start)
                    if cause == PROTECTED
                    else value(cause, meets=meets)
                    for cause in self.parents[node]
                ],
            )

        return value(DECISION, meets=False)

    def effect_of_children(self, children, start, end):
        """What changes for those with ``start`` if only these children read ``end``."""
        own = [*zip(self.units, self.own_worlds, strict=True)]
        rows = [u for u, world in own if world[PROTECTED] == start]
        changes = (
            self.world(u, lambda node: end if node in children else start)[DECISION]
            - self.world(u, lambda _: start)[DECISION]
            for u in rows
        )
        return Fraction(sum(changes), len(rows))

    def effects(self, chosen, start, end, *, basis="group"):
        """The effects from one value of the protected attribute to the other.

        The basis is the units that have the first, or all. ``"along paths"`` is the effect
        through what is chosen by its other definition.
        """
        explained = {*self.explained_children(chosen)}
        worlds = {
            "reference": lambda u: self.world(u, lambda _: start)[DECISION],
            "direct": lambda u: self.world(u, lambda node: end if node == DECISION else start)[
                DECISION
            ],
            "through": lambda u: self.nested(u, chosen, start, end)[DECISION],
            "along paths": lambda u: self.along_paths(u, chosen, start, end),
            "explained": lambda u: self.world(
                u, lambda node: end if node in explained else start
            )[DECISION],
            "total": lambda u: self.world(u, lambda _: end)[DECISION],
        }
        own = [*zip(self.units, self.own_worlds, strict=True)]
        rows = [u for u, world in own if basis == "all" or world[PROTECTED] == start]
        shares = {
            name: Fraction(sum(favorable(u) for u in rows), len(rows))
            for name, favorable in worlds.items()
        }
        reference = shares.pop("reference")
        effects = {name: share - reference for name, share in shares.items()}
        first, second = (
            [world[DECISION] for world in self.own_worlds if world[PROTECTED] == value]
            for value in (start, end)
        )
        gap = Fraction(sum(second), len(second)) - Fraction(sum(first), len(first))
        parts = sum(effects[name] for name in ("direct", "through", "explained"))
        return effects | {
            "combination": effects["total"] - parts,
            "spurious": gap - effects["total"],
        }


def random_model(rng, *, parents, cards, levels, positive=True):
    """A model with these parents; a positive one has every value in every row of each table."""
    return StructuralModel(
        parents,
        cards,
        {
            node: {
                row: _response(rng, cards[node], levels[node], positive=positive)
                for row in product(*(range(cards[cause]) for cause in causes))
            }
            for node, causes in parents.items()
        },
    )


def other_fill(rng, model):
    """The same model but where parents never occur: there nodes answer anew."""
    return replace(
        model,
        responses={
            node: {
                row: values
                if row in model.occurring[node]
                else _response(rng, model.cards[node], len(values), positive=False)
                for row, values in rows.items()
            }
            for node, rows in model.responses.items()
        },
    )


def random_parents(rng, nodes, *, density=0.6):
    """A graph on so many nodes in which the decision does not cause the protected attribute."""
    order = [*"abdfgh"[: nodes - 2]]
    first, second = sorted(rng.permutation(nodes)[:2].tolist())
    order.insert(first, PROTECTED)
    order.insert(second, DECISION)
    return {
        node: tuple(earlier for earlier in order[:at] if rng.random() < density)
        for at, node in enumerate(order)
    }


def random_sizes(rng, parents, *, ternary=0.3, most_units=1200):
    """How many values and levels of noise each node has."""
    cards = {
        node: 2 if node in (PROTECTED, DECISION) or rng.random() >= ternary else 3
        for node in parents
    }
    levels = {node: max(2, card) for node, card in cards.items()}
    units = 1
    for many in levels.values():
        units *= many
    for node in rng.permutation([*parents]).tolist():
        while levels[node] < 5 and units // levels[node] * (levels[node] + 1) <= most_units:
            units = units // levels[node] * (levels[node] + 1)
            levels[node] += 1
    return cards, levels


def _response(rng, card, levels, *, positive):
    """A value for each level of noise."""
    values = [*range(card)] if positive else []
    values += rng.integers(card, size=levels - len(values)).tolist()
    if not positive and rng.random() < 0.5:
        values = [values[0]] * levels
    return tuple(rng.permutation(values).tolist())
