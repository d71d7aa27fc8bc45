"""Standard errors of effects: how far they would move in other rows of the same population.

The delta method: each row of each conditional table is a multinomial sample of its own, so the
variance of an effect is the sum over all rows of the variance of its linear approximation
there. The graph is taken as given; that it was learned from the same rows is not in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.effects.effects import DirectionEffects, Effect
from evenhand.effects.model_tables import ModelTables, read_slice
from evenhand.effects.worlds import (
    FAVORABLE,
    GROUP,
    OTHER,
    UNFAVORABLE,
    World,
    WorldShares,
)
from evenhand.graph.conditional_tables import gradients

# The derivative of a number by each share of each node's table.
Slopes: TypeAlias = Mapping[str, NDArray[np.float64]]

NO_ERROR = 1e-12  # less is rounding
_PRIOR_ROWS = 2  # Agresti and Coull's: one for each of two values


def with_errors(effects: DirectionEffects) -> dict[str, Effect]:
    """The effects with standard errors, of those that are a sum of shares.

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
