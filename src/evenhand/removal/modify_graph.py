"""``ModifyGraph``: change the decision's conditional table as little as the joint allows.

The paper's quadratic programme falls apart into one small problem for each assignment q of the
decision causes, because an unfavorable rate is one minus a favorable one and no constraint
joins two q. With a window that begins at t each rate moves to its nearest point in it; the
weighted sum of squared moves is convex in t, and its slope is piecewise linear: the best t is
where it is zero. With two groups the excess over the threshold is shared in inverse proportion
to their weights.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import CannotReleaseError, Remedy, listed
from evenhand.evidence import Certificate, Partition
from evenhand.graph import CausalGraph
from evenhand.graph.conditional_tables import Factor, Tables, eliminate, fitted_tables
from evenhand.removal.fewest_changes import (
    Ranges,
    Sweep,
    Whole,
    column_blocks,
    crossing,
    within_window,
)
from evenhand.removal.modify_data import (
    ModifyData,
    check_releasable,
    differing_lines,
    measured_counts,
    more_favorable,
    reduced_threshold,
)
from evenhand.removal.moves import changes_to
from evenhand.removal.plan import GeneratedPlan, RemovalPlan


def nearest_rates(
    rates: NDArray[np.float64], weights: NDArray[np.float64], threshold: float
) -> NDArray[np.float64]:
    """The rates, groups × subpopulations, nearest in weighted squares with range ≤ threshold.

    A rate that is not a number is that of an absent group, and stays. Where weights of zero
    leave a choice of windows, it is the one that moves all rates least.

    >>> nearest_rates(np.array([[0.2], [0.5]]), np.array([[1.0], [3.0]]), 0.1).ravel()
    array([0.35, 0.45])

    Paper: alg:mg
    """
    present = ~np.isnan(rates)
    known = np.where(present, rates, 0.0)
    weight = np.where(present, weights, 0.0)
    first, last = _best_windows(known, weight, present, threshold)
    even = _best_windows(known, present.astype(np.float64), present, threshold)[0]
    begin = np.minimum(np.maximum(even, first), last)
    return np.where(present, np.clip(known, begin, begin + threshold), rates)


def _best_windows(
    rates: NDArray[np.float64],
    weights: NDArray[np.float64],
    present: NDArray[np.bool_],
    threshold: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The first and the last beginning of a window at which the slope is zero."""
    # A group that is absent has its corners where another has them.
    anywhere = np.take_along_axis(rates, present.argmax(axis=0)[None], axis=0)
    rates = np.where(present, rates, anywhere)
    corners = np.sort(np.concatenate([rates - threshold, rates]), axis=0)
    slope = np.zeros_like(corners)
    for rate, weight in zip(rates, weights, strict=True):
        slope += weight * np.maximum(corners - rate, 0.0)
        slope -= weight * np.maximum(rate - threshold - corners, 0.0)
    first, last = crossing(corners, slope, 0.0), crossing(corners, slope, 0.0, last=True)
    return np.minimum(first, last), np.maximum(first, last)


def nearest_counts_in_window(
    targets: NDArray[np.float64], rows: NDArray[np.int64], threshold: Fraction
) -> NDArray[np.int64]:
    """The counts with rates in one window that are nearest to targets in squares.

    Of equally near counts those with the smallest count in the smallest group; then a half goes
    to the even number.

    >>> targets, rows = np.array([[90.0], [240.0]]), np.array([[200], [600]])
    >>> nearest_counts_in_window(targets, rows, Fraction(1, 20)).ravel()
    array([ 89, 240])
    """
    smallest = np.where(rows > 0, rows, np.iinfo(np.int64).max).argmin(axis=0)
    each = np.arange(rows.shape[1])
    rounded = np.rint(targets)
    rounded[smallest, each] = np.ceil(targets[smallest, each] - 0.5)
    counts = np.clip(rounded, 0, rows).astype(np.int64)
    left = np.flatnonzero(~within_window(counts, rows, threshold))
    for block, kind in column_blocks(rows[:, left], threshold):
        part = left[block]
        sizes: Whole = rows[:, part].astype(kind)
        ranges = Ranges(counts[:, part].astype(kind), sizes, threshold)
        search = _NearestCounts(ranges, float(threshold), targets[:, part], smallest[part])
        counts[:, part], _ = search.solve()
    return counts


class _NearestCounts(Sweep):
    """The cost is the squared distance to the targets; ``favorable`` are these, rounded."""

    def __init__(
        self,
        ranges: Ranges,
        threshold: float,
        targets: NDArray[np.float64],
        smallest: NDArray[np.int64],
    ) -> None:
        column, self.threshold = ranges.column, threshold
        rows = ranges.rows.astype(np.float64)
        self.targets, self.size = targets[:, column], rows[:, column]
        # The group whose count decides among equals.
        self.first = np.arange(len(rows))[:, None] == smallest[column]
        self.length = ranges.length.astype(np.float64)
        rates = np.where(rows > 0, targets / np.maximum(rows, 1), np.nan).clip(0.0, 1.0)
        begin = nearest_rates(rates, rows**2, self.threshold)
        place = np.rint(np.nanmin(begin, axis=0)[column] * self.length)
        super().__init__(ranges, place.astype(np.int64).astype(ranges.step.dtype), np.inf)

    def _score(self, family: Whole, changes: Whole) -> tuple[NDArray[np.float64], Whole]:
        wide = (..., *(None,) * (changes.ndim - 2))
        counts = self.ranges.counts[:, family][wide] + changes
        apart = (counts - self.targets[:, family][wide]).astype(np.float64)
        halves = ((changes != 0) & (abs(apart) == 0.5)).sum(axis=0)
        deciding = np.where(self.first[:, family][wide], counts, 0).sum(axis=0)
        return (apart**2).sum(axis=0), halves + deciding * len(changes)

    def _least_score(
        self, family: Whole, place: Whole, direction: Whole
    ) -> tuple[NDArray[np.float64], Whole]:
        changes, _ = self.ranges.changes(family, place)
        # What is raised on the way up stays raised; the rest may come to its rounded target.
        cost, rank = self._score(family, np.where(changes * direction > 0, changes, 0))
        others = (changes * direction < 0).any(axis=0)
        here, before = (self._real_cost(family, at) for at in (place, place - direction))
        return np.maximum(cost, np.where(here >= before, here, 0.0)), np.where(others, -1, rank)

    def _real_cost(self, family: Whole, place: Whole) -> NDArray[np.float64]:
        """The squared distance if counts were real: convex, and less a rounding error."""
        begin = place.astype(np.float64) / self.length[family]
        targets, size = self.targets[:, family], self.size[:, family]
        short = np.maximum(size * begin - targets, targets - size * (begin + self.threshold))
        return np.asarray((np.maximum(short - 1e-15 * size, 0.0) ** 2).sum(axis=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModifyGraph:
    """Remove differences in the model, and release rows that follow it exactly.

    In each subpopulation the numbers of favorable decisions are the integers nearest to the
    optimal rates that meet the criterion; the fewest rows that reach them change, and in these
    the decision's effects are sampled again. With ``generate`` no row is kept: a new table of
    the graph's columns is generated, by quotas too. With ``sample`` its rows are drawn
    independently, as the paper has it, and nothing is promised. A ``margin`` asks for
    differences below threshold minus margin. Effects through other attributes are left to
    ``ModifyData``.

    Paper: alg:mg
    """

    margin: Fraction = Fraction(0)
    generate: bool = False
    sample: bool = False

    name: ClassVar[str] = "modify-graph"

    def __post_init__(self) -> None:
        object.__setattr__(self, "margin", ModifyData(margin=self.margin).margin)

    @property
    def policy(self) -> str:
        """How rows come to follow the model."""
        return "sample" if self.sample else "generate" if self.generate else "quotas"

    @property
    def guaranteed(self) -> bool:
        """Whether the released rows reach the criterion."""
        return not self.sample

    def plan(self, certificate: Certificate) -> RemovalPlan | GeneratedPlan:
        """Compute how many decisions change in each subpopulation, or what is generated."""
        partition = check_releasable(certificate)
        _check_modelled(certificate, guaranteed=self.guaranteed)
        counts, question = certificate.examined.counts, certificate.question
        graph = model_graph(certificate)
        tables = fitted_tables(counts, graph)
        threshold = reduced_threshold(question.threshold, self.margin)
        weights = cell_weights(tables, partition)
        rates, distance = optimal_rates(partition, weights, threshold)
        if self.generate or self.sample:
            return GeneratedPlan(
                method=self.name,
                policy=self.policy,
                sampled=self.sample,
                fitted=tables,
                decision_shares=modified_shares(tables, partition, rates),
                certificate=certificate,
                threshold=threshold,
                names=tuple(name for name in counts.names if name in graph.nodes),
                row_count=counts.row_count,
                model_distance=distance,
            )
        effects = graph.descendants(question.decision)
        change = _nearest_change(partition, rates, threshold)
        return RemovalPlan(
            method=self.name,
            policy=self.policy,
            certificate=certificate,
            changes=changes_to(certificate, more_favorable(partition, change)),
            redrawn=tuple(table for node, table in tables.items() if node in effects),
            model_distance=distance,
        )


def _nearest_change(
    partition: Partition, rates: NDArray[np.float64], threshold: Fraction
) -> NDArray[np.int64]:
    """By how many favorable decisions grow so that they are nearest to the optimal rates."""
    favorable, rows = measured_counts(partition)
    change = np.zeros_like(favorable)
    differing = differing_lines(partition, threshold)
    targets = np.nan_to_num(rates[:, differing]) * rows[:, differing]
    new = nearest_counts_in_window(targets, rows[:, differing], threshold)
    change[:, differing] = new - favorable[:, differing]
    return change


def cell_weights(tables: Tables, partition: Partition) -> NDArray[np.float64]:
    """How much a change of each group's rate moves the joint: one row per group.

    Each weight is a sum, over all attributes but the group, the decision causes and the
    decision, of the squared product of all tables but the decision's own. Squared tables do not
    sum to one, so no attribute may be left out, not even one without effects.

    Paper: alg:mg
    """
    question = partition.question
    decision = tables[question.decision]
    others = [
        Factor(table.names, table.shares**2)
        for name, table in tables.items()
        if name != question.decision
    ]
    remaining = (*question.protected_names, *partition.names, question.decision)
    ones = [Factor(decision.names, np.ones(decision.counts.shape))]
    beta = eliminate([*others, *ones], remaining).table.sum(axis=-1)
    at = tuple(np.asarray(codes) for codes in partition.assignments.codes)
    of_groups = (beta[(*codes, *at)] for codes in _group_codes(tables, partition))
    return np.stack([np.broadcast_to(one, len(partition)) for one in of_groups])


def optimal_rates(
    partition: Partition, weights: NDArray[np.float64], threshold: Fraction
) -> tuple[NDArray[np.float64], float]:
    """The rates in one window nearest by weighted squares, and how far the joint moved.

    There is a row of rates for each group; one that is not compared has no number.

    Paper: alg:mg
    """
    favorable, rows = measured_counts(partition)
    old = np.where(rows > 0, favorable / np.maximum(rows, 1), np.nan)
    new = old.copy()
    differing = differing_lines(partition, threshold)
    new[:, differing] = nearest_rates(
        old[:, differing], weights[:, differing], float(threshold)
    )
    moved = np.nan_to_num(new - old)
    return new, float(np.sqrt((weights * moved**2).sum()))


def modified_shares(
    tables: Tables, partition: Partition, optimum: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The decision's table with the optimal rates; all other tables stay as they are.

    A group that is not compared keeps its rate; one that a subpopulation lacks gets the mean of
    the others' rates, should it come to have rows.

    Paper: alg:mg
    """
    question = partition.question
    table = tables[question.decision]
    shares = table.shares.copy()
    favorable = table.node.values.index(question.favorable_label)
    rows = partition.rows
    own = partition.favorable[0] / np.maximum(rows, 1)
    known = np.where(np.isnan(optimum), own, optimum)
    mean = (known * rows).sum(axis=0) / partition.row_counts
    rates = np.where(rows > 0, known, mean).clip(0, 1)
    of_groups = dict(zip(_group_codes(tables, partition), rates, strict=True))
    values = (range(len(tables[name].node)) for name in question.protected_names)
    for codes in product(*values):
        code = dict(zip(question.protected_names, codes, strict=True))
        rate = of_groups.get(codes, mean)
        at = tuple(
            np.full(len(partition), code[parent.name])
            if parent.name in code
            else partition.assignments.column(parent.name)
            for parent in table.parents
        )
        shares[(*at, favorable)] = rate
        shares[(*at, 1 - favorable)] = 1 - rate
    return shares


def model_graph(certificate: Certificate) -> CausalGraph:
    """The certificate's graph with every edge directed, the group among the decision's causes.

    Open edges elsewhere are directed so that no collider is added where that is possible: all
    such ways give the model the same joint distribution, unless colliders are in doubt. Where
    discovery found no arrow from the protected attribute, differences are measured all the
    same, so the decision's table distinguishes the groups in any case.
    """
    graph, question = certificate.graph, certificate.question
    decision = question.decision
    graph, _ = graph.extension(question=question)
    causes = (*certificate.question.protected_names, *certificate.partition.names)
    arrows = {(cause, effect) for cause, effect in graph.arrows if effect != decision}
    arrows |= {(cause, decision) for cause in causes}
    return CausalGraph(graph.nodes, frozenset(arrows))


def _check_modelled(certificate: Certificate, *, guaranteed: bool) -> None:
    """Refuse decisions of more than two values, and effects, which the model does not know."""
    question = certificate.question
    values = certificate.examined.counts.attribute(question.decision).values
    if len(values) != 2 or not question.favorable:
        what = "The model of modify-graph knows one favorable decision and one other."
        found = f"The values of the decision are {listed(values)}."
    elif question.redlining and guaranteed:
        what = "modify-graph does not remove effects through other attributes."
        found = f"The question asks about those through {listed(question.redlining)}."
    else:
        return
    raise CannotReleaseError.of(what, found, Remedy("Use modify-data", "method", "modify-data"))


def _group_codes(tables: Tables, partition: Partition) -> list[tuple[int, ...]]:
    """The codes of each group's values of the protected attributes."""
    values = [partition.question.group_values(group) for group in partition.groups]
    return [
        tuple(tables[name].node.values.index(label) for name, label in group.items())
        for group in values
    ]
