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
from evenhand.graph.conditional_tables import Factor, Network, eliminate
from evenhand.removal.modify_data import (
    ModifyData,
    at_threshold,
    check_releasable,
    measured_counts,
    reduced_threshold,
)
from evenhand.removal.removal_plan import GeneratedPlan, RemovalPlan, StoredDecisions
from evenhand.removal.window import Ranges, Sweep, Whole, column_blocks, within_window


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
    each = np.arange(corners.shape[1])

    def root(low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.float64]:
        low, high = low.clip(0), high.clip(max=len(corners) - 1)
        (a, b), (f, g) = ((of[low, each], of[high, each]) for of in (corners, slope))
        share = np.where(g > f, -f / np.where(g > f, g - f, 1.0), 0.0)
        return np.asarray(a + (b - a) * share.clip(0.0, 1.0))

    falling, rising = (slope < 0).sum(axis=0), len(corners) - (slope > 0).sum(axis=0)
    first, last = root(falling - 1, falling), root(rising - 1, rising)
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
        ranges = Ranges.of(
            counts[:, part].astype(kind), rows[:, part].astype(kind), threshold, None
        )
        search = _NearestCounts(ranges, targets[:, part], smallest[part])
        counts[:, part], _ = search.solve()
    return counts


class _NearestCounts(Sweep):
    """The cost is the squared distance to the targets; ``favorable`` are these, rounded."""

    def __init__(
        self, ranges: Ranges, targets: NDArray[np.float64], smallest: NDArray[np.int64]
    ) -> None:
        self.targets, self.smallest = targets, smallest
        self.size = ranges.rows.astype(np.float64)
        absent = self.size == 0
        rates = np.where(absent, np.nan, targets / np.where(absent, 1.0, self.size))
        begin = nearest_rates(rates.clip(0.0, 1.0), self.size**2, float(ranges.threshold))
        self.length = (ranges.scale // ranges.threshold.denominator).astype(np.float64)
        place = np.rint(np.nanmin(begin, axis=0)[ranges.column] * self.length)
        super().__init__(ranges, place.astype(np.int64).astype(ranges.rows.dtype), np.inf)

    def _score(
        self, family: NDArray[np.int64], changes: list[Whole]
    ) -> tuple[NDArray[np.float64], Whole]:
        column = self.ranges.column[family]
        wide = (..., *(None,) * (changes[0].ndim - 1))
        distance = np.zeros(changes[0].shape)
        rank = np.zeros_like(changes[0])
        for group, change in enumerate(changes):
            count = self.ranges.favorable[group, column][wide] + change
            apart = (count - self.targets[group, column][wide]).astype(np.float64)
            distance += apart**2
            rank += (change != 0) & (abs(apart) == 0.5)
            rank += np.where((self.smallest[column] == group)[wide], count, 0) * len(self.size)
        return distance, rank

    def _least_score(
        self, family: NDArray[np.int64], place: Whole, direction: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], Whole]:
        changes, _ = self.ranges.changes(family, place)
        # What is raised on the way up stays raised; the rest may come to its rounded target.
        sided = [np.where(change * direction > 0, change, 0) for change in changes]
        cost, rank = self._score(family, sided)
        others = np.any(
            [(change * direction < 0).astype(np.bool_) for change in changes], axis=0
        )
        here, before = (self._real_cost(family, at) for at in (place, place - direction))
        return np.maximum(cost, np.where(here >= before, here, 0.0)), np.where(others, -1, rank)

    def _real_cost(self, family: NDArray[np.int64], place: Whole) -> NDArray[np.float64]:
        """The squared distance if counts were real: convex, and less a rounding error."""
        column = self.ranges.column[family]
        begin = place.astype(np.float64) / self.length[family]
        targets, size = self.targets[:, column], self.size[:, column]
        short = np.maximum(
            size * begin - targets, targets - size * (begin + float(self.ranges.threshold))
        )
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
        check_two_decisions(certificate)
        if not self.sample:
            _check_no_effects(certificate)
        counts, question = certificate.examined.counts, certificate.question
        graph = model_graph(certificate)
        network = Network.estimate(counts, graph)
        threshold = reduced_threshold(question.threshold, self.margin)
        weights = cell_weights(network, partition)
        optimum = optimal_rates(partition, weights, threshold)
        if self.generate or self.sample:
            return GeneratedPlan(
                policy=self.policy,
                sampled=self.sample,
                network=network,
                decision_shares=modified_shares(network, partition, optimum),
                certificate=certificate,
                threshold=threshold,
                names=tuple(name for name in counts.names if name in graph.nodes),
                row_count=counts.row_count,
                model_distance=optimum.distance,
            )
        effects = graph.descendants(question.decision)
        return RemovalPlan(
            method=self.name,
            policy=self.policy,
            certificate=certificate,
            changes=StoredDecisions.of(certificate).changes_across(
                _nearest_change(partition, optimum, threshold)
            ),
            redrawn=tuple(network.tables[node] for node in network.nodes if node in effects),
            model_distance=optimum.distance,
        )


def _nearest_change(
    partition: Partition, optimum: "Optimum", threshold: Fraction
) -> NDArray[np.int64]:
    """By how many favorable decisions grow so that they are nearest to the optimal rates."""
    favorable, rows = measured_counts(partition)
    change = np.zeros_like(favorable)
    differing = np.flatnonzero(at_threshold(partition, threshold).violates)
    targets = np.nan_to_num(optimum.rates[:, differing]) * rows[:, differing]
    new = nearest_counts_in_window(targets, rows[:, differing], threshold)
    change[:, differing] = new - favorable[:, differing]
    return change


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """The rates of favorable decisions nearest to the old ones, and how far the joint moved.

    ``rates`` has one row per group; it is not a number where a group is not compared.
    """

    rates: NDArray[np.float64]
    distance: float


def cell_weights(network: Network, partition: Partition) -> NDArray[np.float64]:
    """How much a change of each group's rate moves the joint: one row per group.

    Each weight is a sum, over all attributes but the group, the decision causes and the
    decision, of the squared product of all tables but the decision's own. Squared tables do not
    sum to one, so no attribute may be left out, not even one without effects.

    Paper: alg:mg
    """
    question = partition.question
    decision = network.tables[question.decision]
    others = [
        Factor(table.names, table.shares**2)
        for name, table in network.tables.items()
        if name != question.decision
    ]
    remaining = (*question.protected_names, *partition.names, question.decision)
    ones = [Factor(decision.names, np.ones(decision.counts.shape))]
    beta = eliminate([*others, *ones], remaining).table.sum(axis=-1)
    at = tuple(np.asarray(codes) for codes in partition.assignments.codes)
    of_groups = (beta[(*codes, *at)] for codes in _group_codes(network, partition))
    return np.stack([np.broadcast_to(one, len(partition)) for one in of_groups])


def optimal_rates(
    partition: Partition, weights: NDArray[np.float64], threshold: Fraction
) -> Optimum:
    """Solve the programme: rates in one window, the nearest by weighted squares.

    Paper: alg:mg
    """
    favorable, rows = measured_counts(partition)
    old = np.where(rows > 0, favorable / np.maximum(rows, 1), np.nan)
    new = old.copy()
    differing = np.flatnonzero(at_threshold(partition, threshold).violates)
    new[:, differing] = nearest_rates(
        old[:, differing], weights[:, differing], float(threshold)
    )
    moved = np.nan_to_num(new - old)
    return Optimum(rates=new, distance=float(np.sqrt((weights * moved**2).sum())))


def modified_shares(
    network: Network, partition: Partition, optimum: Optimum
) -> NDArray[np.float64]:
    """The decision's table with the optimal rates; all other tables stay as they are.

    A group that is not compared keeps its rate; one that a subpopulation lacks gets the mean of
    the others' rates, should it come to have rows.

    Paper: alg:mg
    """
    question = partition.question
    table = network.tables[question.decision]
    shares = table.shares.copy()
    favorable = table.node.values.index(question.favorable_label)
    rows = partition.rows
    own = partition.favorable[0] / np.maximum(rows, 1)
    known = np.where(np.isnan(optimum.rates), own, optimum.rates)
    mean = (known * rows).sum(axis=0) / partition.row_counts
    rates = np.where(rows > 0, known, mean).clip(0, 1)
    of_groups = dict(zip(_group_codes(network, partition), rates, strict=True))
    values = (range(len(network.tables[name].node)) for name in question.protected_names)
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
    graph = graph.extension(question=question).graph
    causes = (*certificate.question.protected_names, *certificate.partition.names)
    arrows = {(cause, effect) for cause, effect in graph.arrows if effect != decision}
    arrows |= {(cause, decision) for cause in causes}
    return CausalGraph(graph.nodes, frozenset(arrows))


def check_two_decisions(certificate: Certificate) -> None:
    """Refuse decisions of more than two values, which the model does not know."""
    values = certificate.examined.counts.attribute(certificate.question.decision).values
    if len(values) != 2 or not certificate.question.favorable:
        raise CannotReleaseError.of(
            "The model of modify-graph knows one favorable decision and one other.",
            f"The values of the decision are {listed(values)}.",
            remedy=Remedy("Use modify-data", "method", "modify-data"),
        )


def _check_no_effects(certificate: Certificate) -> None:
    """Refuse a question about effects through other attributes."""
    if certificate.question.redlining:
        raise CannotReleaseError.of(
            "modify-graph does not remove effects through other attributes.",
            f"The question asks about those through {listed(certificate.question.redlining)}.",
            remedy=Remedy("Use modify-data", "method", "modify-data"),
        )


def _group_codes(network: Network, partition: Partition) -> list[tuple[int, ...]]:
    """The codes of each group's values of the protected attributes."""
    values = [partition.question.group_values(group) for group in partition.groups]
    return [
        tuple(network.tables[name].node.values.index(label) for name, label in group.items())
        for group in values
    ]
