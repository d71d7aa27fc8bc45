"""Conditional tables of a causal graph, estimated from counts, and the joint they multiply to.

A table keeps the exact counts behind every share, so that shares can be given as fractions.
Where an assignment of the parents never occurs in the counts, the data say nothing about the
node there. Its overall shares stand in, so that every table is a full one and the product of
all tables sums to one; ``ConditionalTable.unseen`` lists the assignments that this concerns.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import prod
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable
from evenhand.errors import ColumnError, InputError, Problem, ResourceError, ValuesError, listed
from evenhand.graph.dag import CausalGraph

# Floats, or objects that are fractions: the arithmetic of numpy serves both.
Numbers: TypeAlias = NDArray[Any]

_LARGEST_FACTOR = 2**27
_LARGEST_EXACT = 2**16


@dataclass(frozen=True, eq=False)
class ConditionalTable:
    """How often each value of a node occurs with each assignment of its parents.

    ``counts`` has one axis for each parent, in order, and a last one for the node.

    >>> table = CountTable.of({"sex": ["f", "f", "m"], "hired": ["no", "yes", "no"]})
    >>> hired = ConditionalTable.estimate(table, "hired", ["sex"])
    >>> hired.share("yes", sex="f")
    Fraction(1, 2)
    """

    node: Attribute
    parents: tuple[Attribute, ...]
    counts: NDArray[np.int64]

    @classmethod
    def estimate(
        cls, counts: CountTable, node: str, parents: Iterable[str]
    ) -> "ConditionalTable":
        """Count a node's values for every assignment of its parents."""
        if counts.rows == 0:
            raise InputError(
                Problem(
                    f"The table of {node!r} cannot be estimated from no rows.",
                    remedy="Give counts of at least one row.",
                )
            )
        causes = tuple(parents)
        cube = counts.cube([*causes, node])
        cube.flags.writeable = False
        return cls(counts.attribute(node), tuple(map(counts.attribute, causes)), cube)

    @property
    def names(self) -> tuple[str, ...]:
        """The parents' names and then the node's, as the axes stand."""
        return (*(parent.name for parent in self.parents), self.node.name)

    @property
    def unseen(self) -> tuple[tuple[str, ...], ...]:
        """The assignments of the parents that never occur."""
        absent = np.argwhere(self.counts.sum(axis=-1) == 0)
        return tuple(
            tuple(p.values[code] for p, code in zip(self.parents, codes, strict=True))
            for codes in absent.tolist()
        )

    @cached_property
    def exact_shares(self) -> Numbers:
        """Each value's share among the rows with the same parents, as fractions.

        Where the parents' assignment is unseen, the node's share among all rows.
        """
        exact = self._filled.astype(object)
        totals = exact.sum(axis=-1, keepdims=True)
        return np.frompyfunc(Fraction, 2, 1)(exact, totals)  # type: ignore[no-any-return]

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The same shares as floats."""
        shares: NDArray[np.float64] = self._filled / self._filled.sum(axis=-1, keepdims=True)
        return shares

    def share(self, value: str, **given: str) -> Fraction | None:
        """The share of a value among the rows with these parents; None if there are none."""
        missing = [parent.name for parent in self.parents if parent.name not in given]
        if missing:
            raise ColumnError(
                Problem(
                    f"The share of {self.node.name!r} needs a value of {listed(missing)}.",
                    remedy="Give a value for every parent.",
                )
            )
        row = self.counts[tuple(_code(parent, given[parent.name]) for parent in self.parents)]
        total, chosen = int(row.sum()), int(row[_code(self.node, value)])
        return Fraction(chosen, total) if total else None

    @property
    def _filled(self) -> NDArray[np.int64]:
        axes = tuple(range(len(self.parents)))
        seen = self.counts.sum(axis=-1, keepdims=True) > 0
        return np.where(seen, self.counts, self.counts.sum(axis=axes))


@dataclass(frozen=True, eq=False)
class Factor:
    """A table of numbers with one named axis for each variable."""

    names: tuple[str, ...]
    table: Numbers

    def at(self, codes: Mapping[str, int]) -> "Factor":
        """The part of the table in which some variables have the values of these codes."""
        index = tuple(codes.get(name, slice(None)) for name in self.names)
        left = tuple(name for name in self.names if name not in codes)
        return Factor(left, np.asarray(self.table[index], self.table.dtype))

    def over(self, names: Sequence[str]) -> Numbers:
        """View the table with these axes, of length one where the factor lacks a name."""
        table = self.table.transpose([self.names.index(n) for n in names if n in self.names])
        lengths = iter(table.shape)
        return table.reshape([next(lengths) if n in self.names else 1 for n in names])


@dataclass(frozen=True, eq=False)
class Network:
    """A causal graph with a conditional table at every node, causes before effects.

    >>> table = CountTable.of({"sex": ["f", "f", "m"], "hired": ["no", "yes", "no"]})
    >>> network = Network.estimate(table, CausalGraph.parse("sex -> hired"))
    >>> network.probability(sex="f", hired="yes")
    Fraction(1, 3)
    """

    tables: Mapping[str, ConditionalTable]

    @classmethod
    def estimate(cls, counts: CountTable, graph: CausalGraph) -> "Network":
        """Estimate the table of every node of the graph from the counts."""
        unknown = [node for node in graph.nodes if node not in counts.names]
        if unknown:
            raise ColumnError.unknown(unknown, counts.names, where="graph")
        return cls(
            MappingProxyType(
                {
                    node: ConditionalTable.estimate(
                        counts, node, [n for n in counts.names if n in graph.parents(node)]
                    )
                    for node in graph.topological_order()
                }
            )
        )

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes, causes before effects."""
        return tuple(self.tables)

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The tables' shares, ready for ``eliminate``."""
        return tuple(Factor(table.names, table.shares) for table in self.tables.values())

    @property
    def exact_factors(self) -> tuple[Factor, ...]:
        """The same in fractions."""
        return tuple(Factor(table.names, table.exact_shares) for table in self.tables.values())

    def joint(self, names: Iterable[str] | None = None) -> Factor:
        """The joint distribution of some nodes, or of all: the product of the tables.

        Paper: eq:ff
        """
        return eliminate(self.factors, self.nodes if names is None else names)

    def exact_joint(self, names: Iterable[str] | None = None) -> Factor:
        """The same in fractions; refused where the tables are too large for that.

        Paper: eq:ff
        """
        kept = self.nodes if names is None else names
        return eliminate(self.exact_factors, kept, largest=_LARGEST_EXACT)

    def probability(self, **assignment: str) -> Fraction:
        """The exact probability of an assignment to some of the nodes."""
        unknown = [name for name in assignment if name not in self.tables]
        if unknown:
            raise ColumnError.unknown(unknown, self.nodes, where="network")
        codes = {name: _code(self.tables[name].node, v) for name, v in assignment.items()}
        matching = [factor.at(codes) for factor in self.exact_factors]
        return Fraction(eliminate(matching, (), largest=_LARGEST_EXACT).table.item())

    def sample(self, rows: int, seed: int | np.random.Generator) -> CountTable:
        """Count so many rows drawn independently from the joint distribution.

        Nodes are drawn causes first. Rows that agree so far are drawn together, by one
        multinomial draw, so time and memory follow the distinct assignments.
        """
        generator = np.random.default_rng(seed)
        counts = np.array([rows], np.int64)
        drawn: dict[str, NDArray[np.intp]] = {}
        for name, table in self.tables.items():
            shares = table.shares[tuple(drawn[parent.name] for parent in table.parents)]
            split = generator.multinomial(
                counts, np.broadcast_to(shares, (len(counts), len(table.node)))
            )
            line, code = np.nonzero(split)
            drawn = {earlier: codes[line] for earlier, codes in drawn.items()} | {name: code}
            counts = split[line, code]
        attributes = [table.node for table in self.tables.values()]
        return CountTable.build(attributes, drawn.values(), counts)


def eliminate(
    factors: Iterable[Factor], keep: Iterable[str], *, largest: int = _LARGEST_FACTOR
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
        whole = _product(touched, names, cards, largest)
        waiting.append(Factor(names[:-1], np.asarray(whole.sum(axis=-1), whole.dtype)))
    return Factor(kept, _product(waiting, kept, cards, largest))


def _product(
    factors: Sequence[Factor], names: Sequence[str], cards: Mapping[str, int], largest: int
) -> Numbers:
    shape = [cards[name] for name in names]
    if prod(shape) > largest:
        raise ResourceError(
            Problem(
                f"A table over {listed(names)} would have {prod(shape):,} cells.",
                f"At most {largest:,} are allowed.",
                "Ask for fewer attributes at once, or merge their values.",
            )
        )
    whole: Numbers = np.ones((), np.int64)
    for factor in factors:
        whole = whole * factor.over(names)
    return np.broadcast_to(whole, shape)


def _min_fill(
    scopes: Iterable[Sequence[str]], kept: Collection[str], cards: Mapping[str, int]
) -> list[str]:
    """Order the variables that go so that each joins few neighbors that were not joined."""
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


def _code(attribute: Attribute, value: str) -> int:
    if value not in attribute.values:
        raise ValuesError(
            Problem(
                f"The column {attribute.name!r} has no value {value!r}.",
                f"Its values are {listed(attribute.values)}.",
                "Name one of these.",
            )
        )
    return attribute.values.index(value)
