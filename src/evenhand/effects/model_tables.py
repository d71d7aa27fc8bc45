"""The conditional tables of a causal graph with two groups and two kinds of decision.

Where an assignment of the parents never occurs, the data say nothing about the node there.
Nothing stands in for it: its shares are 0, and what is lost so widens an interval.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable, ExaminedCounts
from evenhand.errors import Remedy, ResourceError, listed
from evenhand.graph import PartialGraph
from evenhand.graph.conditional_tables import Factor

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
    one. With ``exact`` shares are fractions, else floats.
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
