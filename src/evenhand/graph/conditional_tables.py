"""Conditional tables of a causal graph, estimated from counts, and variable elimination.

Where an assignment of the parents never occurs in the counts, the data say nothing about the
node there. Its overall shares stand in, so that every table is a full one and the product of
all tables sums to one.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable
from evenhand.errors import ColumnError, InputError, ResourceError, listed
from evenhand.graph.graph import PartialGraph

# Floats, whole numbers, or objects such as fractions: numpy multiplies and adds them all.
Numbers: TypeAlias = NDArray[Any]

_MOST_CELLS = 2**27


@dataclass(frozen=True, eq=False)
class ConditionalTable:
    """How often each value of a node occurs with each assignment of its parents.

    ``counts`` has one axis for each parent, in order, and a last one for the node.

    >>> table = CountTable.of({"sex": ["f", "f", "m"], "hired": ["no", "yes", "no"]})
    >>> hired = ConditionalTable.estimate(table, "hired", ["sex"])
    >>> hired.shares.tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """

    node: Attribute
    parents: tuple[Attribute, ...]
    counts: NDArray[np.int64]

    @classmethod
    def estimate(
        cls, counts: CountTable, node: str, parents: Iterable[str]
    ) -> "ConditionalTable":
        """Count a node's values for every assignment of its parents."""
        if counts.row_count == 0:
            raise InputError.of(
                f"The table of {node!r} cannot be estimated from no rows.",
                remedy="Give counts of at least one row.",
            )
        causes = tuple(parents)
        cube = counts.cube([*causes, node])
        cube.flags.writeable = False
        return cls(counts.attribute(node), tuple(map(counts.attribute, causes)), cube)

    @property
    def names(self) -> tuple[str, ...]:
        """The parents' names and then the node's, as the axes stand."""
        return (*(parent.name for parent in self.parents), self.node.name)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Each value's share among the rows with the same parents.

        Where the parents' assignment never occurs, the node's share among all rows.
        """
        seen = self.counts.sum(axis=-1, keepdims=True) > 0
        overall = self.counts.sum(axis=tuple(range(len(self.parents))))
        rows = np.where(seen, self.counts, overall)
        shares: NDArray[np.float64] = rows / rows.sum(axis=-1, keepdims=True)
        return shares


@dataclass(frozen=True, eq=False)
class Factor:
    """A table of numbers with one named axis for each variable."""

    names: tuple[str, ...]
    table: Numbers

    def over(self, names: Sequence[str]) -> Numbers:
        """View the table with these axes, of length one where the factor lacks a name."""
        table = self.table.transpose([self.names.index(n) for n in names if n in self.names])
        lengths = iter(table.shape)
        return table.reshape([next(lengths) if n in self.names else 1 for n in names])


# By its node.
Tables: TypeAlias = Mapping[str, ConditionalTable]


def fitted_tables(counts: CountTable, graph: PartialGraph) -> dict[str, ConditionalTable]:
    """The conditional table of every node of a causal graph, causes before effects.

    >>> table = CountTable.of({"sex": ["f", "f", "m"], "hired": ["no", "yes", "no"]})
    >>> [*fitted_tables(table, PartialGraph.parse("sex -> hired"))]
    ['sex', 'hired']

    The product of the tables is the joint distribution of all attributes.

    Paper: eq:ff
    """
    unknown = [node for node in graph.nodes if node not in counts.names]
    if unknown:
        raise ColumnError.unknown(unknown, counts.names, where="graph")
    return {
        node: ConditionalTable.estimate(
            counts, node, [name for name in counts.names if name in graph.parents(node)]
        )
        for node in graph.topological_order()
    }


def eliminate(
    factors: Iterable[Factor], keep: Iterable[str], *, most_cells: int = _MOST_CELLS
) -> Factor:
    """Multiply factors and sum over every variable that is not kept.

    Variables are summed out one at a time in a min-fill order, each from the product of only
    those factors that contain it. Axes of the result are in the order of ``keep``. Tables may
    hold any numbers, also fractions, and need not sum to one.

    >>> rain = Factor(("rain",), np.array([0.75, 0.25]))
    >>> wet = Factor(("rain", "wet"), np.array([[1.0, 0.0], [0.5, 0.5]]))
    >>> eliminate([rain, wet], ["wet"]).table.tolist()
    [0.875, 0.125]
    """
    kept, waiting = tuple(keep), list(factors)
    cards = {n: c for f in waiting for n, c in zip(f.names, f.table.shape, strict=True)}
    if not set(kept) <= cards.keys():
        raise ColumnError.unknown(sorted(set(kept) - cards.keys()), cards, where="factors")
    for name in _min_fill([f.names for f in waiting], set(kept), cards):
        touched = [f for f in waiting if name in f.names]
        names = (*sorted({n for f in touched for n in f.names} - {name}), name)
        waiting = [f for f in waiting if name not in f.names]
        whole = _product(touched, names, cards, most_cells)
        waiting.append(Factor(names[:-1], np.asarray(whole.sum(axis=-1), whole.dtype)))
    return Factor(kept, _product(waiting, kept, cards, most_cells))


def gradients(factors: Sequence[Factor]) -> tuple[float, list[NDArray[np.float64]]]:
    """The sum of the product of all factors, and its derivative by each of their cells.

    The derivatives come from one pass back through the elimination.

    >>> rain = Factor(("rain",), np.array([0.75, 0.25]))
    >>> wet = Factor(("rain",), np.array([0.0, 0.5]))
    >>> total, (by_rain, by_wet) = gradients([rain, wet])
    >>> total, by_rain.tolist(), by_wet.tolist()
    (0.125, [0.0, 0.5], [0.75, 0.25])
    """
    nodes = list(factors)
    cards = {n: c for f in nodes for n, c in zip(f.names, f.table.shape, strict=True)}
    waiting, steps = [*range(len(nodes))], []
    for name in _min_fill([f.names for f in nodes], set(), cards):
        touched = [at for at in waiting if name in nodes[at].names]
        names = (*sorted({n for at in touched for n in nodes[at].names} - {name}), name)
        whole = _product([nodes[at] for at in touched], names, cards, _MOST_CELLS)
        waiting = [at for at in waiting if at not in touched] + [len(nodes)]
        steps.append((touched, names, len(nodes)))
        nodes.append(Factor(names[:-1], whole.sum(axis=-1)))
    steps.append((waiting, (), len(nodes)))
    total = float(_product([nodes[at] for at in waiting], (), cards, _MOST_CELLS))
    slopes: dict[int, NDArray[np.float64]] = {len(nodes): np.ones(())}
    for touched, names, result in reversed(steps):
        slope = slopes[result][..., None] if names else slopes[result]
        for at in touched:
            others = [nodes[other] for other in touched if other != at]
            own = nodes[at].names
            whole = slope * _product(others, names, cards, _MOST_CELLS)
            summed = whole.sum(axis=tuple(i for i, n in enumerate(names) if n not in own))
            left = [n for n in names if n in own]
            slopes[at] = summed.transpose([left.index(n) for n in own])
    return total, [slopes[at] for at in range(len(factors))]


def _product(
    factors: Sequence[Factor],
    names: Sequence[str],
    cards: Mapping[str, int],
    most_cells: int,
) -> Numbers:
    shape = [cards[name] for name in names]
    if prod(shape) > most_cells:
        raise ResourceError.of(
            f"A table over {listed(names)} would have {prod(shape):,} cells.",
            f"At most {most_cells:,} are allowed.",
            "Ask for fewer attributes at once, or merge their values.",
        )
    whole: Numbers = np.ones((), np.int64)
    for factor in factors:
        whole = whole * factor.over(names)
    return np.broadcast_to(whole, shape)


def _min_fill(
    scopes: Iterable[Sequence[str]], kept: Collection[str], cards: Mapping[str, int]
) -> list[str]:
    """An order of elimination in which each variable joins few neighbors not yet joined."""
    near: dict[str, set[str]] = {name: set() for name in cards}
    for scope in scopes:
        for name in scope:
            near[name] |= set(scope) - {name}

    def cost(name: str) -> tuple[int, int, str]:
        fill = sum(b not in near[a] for a, b in combinations(near[name], 2))
        return fill, prod(cards[other] for other in near[name]), name

    order, left = [], set(cards) - set(kept)
    while left:
        name = min(left, key=cost)
        for a, b in product(near[name], repeat=2):
            if a != b:
                near[a].add(b)
        for other in near.pop(name):
            near[other].discard(name)
        left.remove(name)
        order.append(name)
    return order
