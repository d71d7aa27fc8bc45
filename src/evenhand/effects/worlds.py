"""What the protected attribute reaches, and favorable shares if nodes read the other value.

Every node reads the protected attribute as the group has it, or as the others have it. The
effect through chosen attributes R is what changes if R is as it would be with the others'
value while everything else reads the group's. What both makes R and reaches the decision
without it would have to read both values at once: such a node is a witness, and the effect is
then not identified (the recanting-witness criterion of Avin, Shpitser and Pearl).

``WorldShares`` computes F(reads | rows): the share among the rows of a group, or of all, if the
children of the protected attribute in ``reads`` read it as the others have it and all further
ones as the group has it. Rows of a table that were never seen count as neither decision, so
each share is an interval: from what is seen to be favorable, to all that is not seen to be
unfavorable.

Given the distribution m of the causes of the decision, a share is the sum over these causes of
m(q) times the favorable rate at q; m does not depend on the decisions.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable, ExaminedCounts
from evenhand.display import points
from evenhand.errors import Remedy, ResourceError, listed
from evenhand.graph import PartialGraph
from evenhand.graph.conditional_tables import Factor, eliminate

MOST_EXACT_CELLS = 2**20


# The counts of a node's values for each assignment of its parents: an axis for each name.
TableSource: TypeAlias = Callable[[tuple[str, ...]], NDArray[np.int64]]


def compared_counts(examined: ExaminedCounts) -> CountTable:
    """The counts with the groups and the kinds of decision as they are compared.

    Of further attributes there is no value without rows.
    """
    counts, question = examined.counts.pruned(), examined.question
    columns = {
        question.groups_column: (examined.groups, examined.group_codes),
        question.decision: (examined.decisions, examined.decision_codes),
    }
    for name, (values, column) in columns.items():
        counts = counts.with_column(name, values, column)
    return counts


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelTables:
    """For each node of a graph its parents, and the counts by them and its own values.

    The first value of the protected attribute is the group, that of the decision the favorable
    one. With ``exact`` shares are fractions, else floats. Where an assignment of the parents
    never occurs nothing stands in for it: its shares are 0, and what is lost widens intervals.
    """

    protected: str
    decision: str
    parents: Mapping[str, tuple[str, ...]]
    counts: Mapping[str, NDArray[np.int64]]
    exact: bool = True

    @classmethod
    def of(
        cls, source: TableSource, graph: PartialGraph, *, protected: str, decision: str
    ) -> "ModelTables":
        """Count the tables of a graph."""
        parents = {
            node: tuple(sorted(graph.parents(node))) for node in graph.topological_order()
        }
        counts = {node: source((*causes, node)) for node, causes in parents.items()}
        return cls(protected=protected, decision=decision, parents=parents, counts=counts)

    def swapped(self) -> "ModelTables":
        """The same tables with the two groups exchanged."""
        return replace(
            self,
            counts={
                node: np.flip(counts, self.names(node).index(self.protected))
                if self.protected in self.names(node)
                else counts
                for node, counts in self.counts.items()
            },
        )

    def names(self, node: str) -> tuple[str, ...]:
        """The axes of a node's table: its parents, and itself."""
        return (*self.parents[node], node)

    @property
    def causes(self) -> tuple[str, ...]:
        """The causes of the decision but for the protected attribute."""
        return tuple(name for name in self.parents[self.decision] if name != self.protected)

    @property
    def children(self) -> tuple[str, ...]:
        """The nodes that the protected attribute directly causes."""
        return tuple(node for node in self.parents if self.protected in self.parents[node])

    @cached_property
    def cards(self) -> Mapping[str, int]:
        """How many values each node has."""
        return {node: counts.shape[-1] for node, counts in self.counts.items()}

    @cached_property
    def shares(self) -> Mapping[str, NDArray[Any]]:
        """Each value's share among the rows with the same parents; 0 where there are none."""
        return {node: self._shares(node) for node in self.counts}

    def read(self, node: str, group: int) -> Factor:
        """The node's shares if it reads the protected attribute as this group has it."""
        return read_slice(Factor(self.names(node), self.shares[node]), self.protected, group)

    def _shares(self, node: str) -> NDArray[Any]:
        counts = self.counts[node]
        totals = counts.sum(axis=-1, keepdims=True)
        if not self.exact:
            shares: NDArray[np.float64] = counts / np.maximum(totals, 1)
            return shares
        if counts.size > MOST_EXACT_CELLS:
            raise ResourceError.of(
                f"An exact table over {listed(self.names(node))} would have {counts.size:,} "
                "cells.",
                f"At most {MOST_EXACT_CELLS:,} are computed exactly.",
                (Remedy("Merge values", "merge"), Remedy("use coarser bins", "bins")),
            )
        pairs = zip(
            counts.ravel().tolist(),
            np.broadcast_to(np.maximum(totals, 1), counts.shape).ravel().tolist(),
            strict=True,
        )
        exact = np.empty(counts.size, object)
        exact[:] = [Fraction(count, total) for count, total in pairs]
        return exact.reshape(counts.shape)


def read_slice(factor: Factor, name: str, value: int) -> Factor:
    """A factor at one value of a name; as it is where the name is not among its axes."""
    if name not in factor.names:
        return factor
    at = factor.names.index(name)
    rest = (*factor.names[:at], *factor.names[at + 1 :])
    part = factor.table.take(value, axis=at)
    return Factor(rest, np.asarray(part, factor.table.dtype))


Side: TypeAlias = Literal["direct", "through", "explained", "not judged", "witness"]


@dataclass(frozen=True, kw_only=True)
class PathSides:
    """The children of the protected attribute by the paths that lead on from them.

    ``graph`` has only ancestors of the decision and of the protected attribute.

    >>> graph = PartialGraph.parse("race -> zip -> loan; race -> income -> loan; race -> loan")
    >>> PathSides(graph=graph, protected="race", decision="loan", chosen=("zip",)).sides
    {'income': 'explained', 'loan': 'direct', 'zip': 'through'}
    """

    graph: PartialGraph
    protected: str
    decision: str
    chosen: tuple[str, ...]
    explained: tuple[str, ...] | None = None

    @cached_property
    def in_use(self) -> frozenset[str]:
        """The chosen attributes that lie on a path to the decision."""
        between = self.graph.descendants(self.protected) & self.graph.ancestors(self.decision)
        return between.intersection(self.chosen)

    @cached_property
    def affected(self) -> frozenset[str]:
        """What the protected attribute reaches by a path on which nothing is chosen."""
        return _reached([self.protected], self.graph.children, avoid=self.in_use)

    @cached_property
    def makes_chosen(self) -> frozenset[str]:
        """What is affected and causes a chosen attribute, be it through others."""
        causes = _reached(self.in_use, self.graph.parents, avoid=())
        return self.affected & causes

    @cached_property
    def reaches_decision(self) -> frozenset[str]:
        """What is affected and leads to the decision past all chosen attributes, and that."""
        causes = _reached([self.decision], self.graph.parents, avoid=self.in_use)
        return self.affected & (causes | {self.decision})

    @cached_property
    def witnesses(self) -> tuple[str, ...]:
        """The nodes because of which the effect is not identified, causes first."""
        both = self.makes_chosen & self.reaches_decision
        return tuple(name for name in self.graph.topological_order() if name in both)

    @cached_property
    def sides(self) -> Mapping[str, Side]:
        """For each child of the protected attribute, which paths lead on from it."""
        return {name: self._side(name) for name in sorted(self.graph.children(self.protected))}

    def children_on(self, side: str) -> frozenset[str]:
        """The children of the protected attribute on this side."""
        return frozenset(name for name, own in self.sides.items() if own == side)

    def _side(self, child: str) -> Side:
        if child == self.decision:
            return "direct"
        if child in self.witnesses:
            return "witness"
        if child in self.in_use or child in self.makes_chosen:
            return "through"
        if self.explained is None or child in self.explained:
            return "explained"
        past = _reached([child], self.graph.children, avoid=frozenset(self.explained))
        return "not judged" if self.decision in past else "explained"


def _reached(
    start: Iterable[str], step: Callable[[str], Collection[str]], *, avoid: Collection[str]
) -> frozenset[str]:
    """Everything that steps from the start lead to, without entering what is avoided."""
    reached: set[str] = set()
    ahead = list(start)
    while ahead:
        for name in step(ahead.pop()):
            if name not in reached and name not in avoid:
                reached.add(name)
                ahead.append(name)
    return frozenset(reached)


GROUP, OTHER = 0, 1
FAVORABLE, UNFAVORABLE = 0, 1


class Bounds(NamedTuple):
    """An interval that holds a share or an effect; a single number if both ends agree.

    Floats stand in it where nothing exact is asked for.
    """

    lower: Fraction
    upper: Fraction

    @classmethod
    def hull(cls, bounds: Iterable["Bounds"]) -> "Bounds":
        """From the least lower end to the largest upper one."""
        lower, upper = zip(*bounds, strict=True)
        return cls(min(lower), max(upper))

    def text(self, threshold: Fraction) -> str:
        """Both ends in percentage points, or one number if they are alike."""
        ends = (points(end, threshold=threshold) for end in self)
        return " to ".join(dict.fromkeys(ends))

    def within(self, threshold: Fraction) -> bool:
        """Whether all of it is nearer to zero than the threshold."""
        return -threshold < self.lower and self.upper < threshold

    def beyond(self, threshold: Fraction) -> bool:
        """Whether all of it reaches the threshold, on one side."""
        return self.lower >= threshold or self.upper <= -threshold


class World(NamedTuple):
    """Which children of the protected attribute read the others' value, on whose rows.

    ``rows`` is the group whose rows are meant, by index, or None for all rows.
    """

    reads: frozenset[str]
    rows: int | None


# A sum of shares with whole coefficients.
Expression: TypeAlias = Mapping[World, int]


@dataclass(frozen=True, eq=False)
class WorldShares:
    """Shares of favorable decisions in worlds of a model; computed once each."""

    tables: ModelTables
    _causes: dict[World, NDArray[Any]] = field(default_factory=dict)
    _shares: dict[World, Bounds] = field(default_factory=dict)

    def share(self, world: World) -> Bounds:
        """The interval of the share in a world."""
        if world not in self._shares:
            of_causes = self.cause_shares(world)
            favorable, unfavorable = (
                self._number(np.sum(of_causes * self.rates(world, kind)))
                for kind in (FAVORABLE, UNFAVORABLE)
            )
            self._shares[world] = Bounds(favorable, 1 - unfavorable)
        return self._shares[world]

    def bounds(self, expression: Expression) -> Bounds:
        """The interval of a sum of shares."""
        lower = upper = self._number(0)
        for world, times in expression.items():
            ends = self.share(world)
            lower += times * ends[times < 0]
            upper += times * ends[times > 0]
        return Bounds(lower, upper)

    def value(self, expression: Expression) -> Fraction:
        """The sum of the shares that are seen to be favorable."""
        return sum(
            (times * self.share(world).lower for world, times in expression.items()),
            start=self._number(0),
        )

    def rates(self, world: World, kind: int = FAVORABLE) -> NDArray[Any]:
        """The rate of a kind of decision for each assignment of its causes."""
        decision = self.tables.decision
        read = self.tables.read(decision, OTHER if decision in world.reads else GROUP)
        rates: NDArray[Any] = read.table[..., kind]
        return rates

    def cause_shares(self, world: World) -> NDArray[Any]:
        """How often each assignment of the decision's causes occurs in a world."""
        tables = self.tables
        key = World(world.reads - {tables.decision}, world.rows)
        if key not in self._causes:
            factors = [
                *self.context(world.rows),
                *(
                    tables.read(node, OTHER if node in world.reads else GROUP)
                    for node in self.relevant(world.rows)
                ),
            ]
            whole = eliminate(factors, tables.causes, most_cells=self.most_cells)
            self._causes[key] = whole.table
        return self._causes[key]

    def relevant(self, rows: int | None) -> tuple[str, ...]:
        """The nodes, decision and protected attribute aside, that bear on a share."""
        tables = self.tables
        ends = {tables.decision} if rows is None else {tables.decision, tables.protected}
        causes = _reached(ends, tables.parents.__getitem__, avoid={tables.protected})
        return tuple(node for node in tables.parents if node in causes - {tables.decision})

    def context(self, rows: int | None) -> list[Factor]:
        """How much the rows of a group count, for each assignment of its causes."""
        if rows is None:
            return []
        own = read_slice(self._own_table(), self.tables.protected, rows)
        share = np.asarray(own.table / self.group_share(rows), own.table.dtype)
        return [Factor(own.names, share)]

    def group_share(self, rows: int) -> Any:  # noqa: ANN401  # a fraction or a float
        """The most that a group can be of all rows: what is not seen to be the other one."""
        return 1 - self._group_shares[1 - rows]

    @cached_property
    def group_ancestors(self) -> frozenset[str]:
        """Everything that causes the protected attribute."""
        return _reached([self.tables.protected], self.tables.parents.__getitem__, avoid=())

    @cached_property
    def _group_shares(self) -> NDArray[Any]:
        tables = self.tables
        factors = [
            Factor(tables.names(node), tables.shares[node]) for node in self.group_ancestors
        ]
        kept = [tables.protected]
        return eliminate([*factors, self._own_table()], kept, most_cells=self.most_cells).table

    def _own_table(self) -> Factor:
        protected = self.tables.protected
        return Factor(self.tables.names(protected), self.tables.shares[protected])

    @property
    def most_cells(self) -> int:
        """How large a table may become in between."""
        return MOST_EXACT_CELLS if self.tables.exact else 2**27

    def _number(self, value: Any) -> Any:  # noqa: ANN401  # a fraction or a float
        return Fraction(value) if self.tables.exact else float(value)
