"""``ModifyGraph``: change the decision's conditional table as little as the joint allows.

The paper's quadratic programme falls apart into one small problem for each assignment q of the
decision causes, because an unfavorable rate is one minus a favorable one and no constraint
joins two q. With weights of the two groups the excess over the threshold is shared in inverse
proportion to them; both new rates lie between the old ones, so nothing else can bind.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence import Certificate, Partition
from evenhand.graph.dag import CausalGraph
from evenhand.graph.tables import Factor, Network, eliminate
from evenhand.question import Question
from evenhand.removal.fewest import Pair, nearest_counts
from evenhand.removal.modify_data import ModifyData, at_threshold, lowered
from evenhand.removal.plan import RemovalPlan
from evenhand.removal.releasable import releasable


@dataclass(frozen=True, slots=True, kw_only=True)
class ModifyGraph:
    """Remove differences in the model, and release rows that follow it exactly.

    In each subpopulation the numbers of favorable decisions are the integers nearest to the
    optimal rates that meet the criterion; the fewest rows that reach them change, and in these
    the decision's effects are drawn anew. A ``margin`` asks for differences below threshold
    minus margin.

    Paper: alg:mg
    """

    margin: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "margin", ModifyData(margin=self.margin).margin)

    def plan(self, certificate: Certificate) -> RemovalPlan:
        """Decide how many decisions change in each subpopulation."""
        partition, unfavorable = releasable(certificate)
        graph = certificate.graph
        # Edges away from the decision may stay open in a learned graph; any way to direct them
        # will do, because the decision's causes are settled.
        directed = graph if isinstance(graph, CausalGraph) else graph.extension().graph
        network = Network.estimate(certificate.posed.counts, directed)
        threshold = lowered(partition, self.margin)
        optimum = optimal_rates(partition, cell_weights(network, partition), threshold)
        changes = np.zeros((2, len(partition)), np.int64)
        for at in np.flatnonzero(at_threshold(partition, threshold).side).tolist():
            changes[:, at] = _quota(partition, at, optimum, threshold)
        effects = directed.descendants(partition.question.decision)
        return RemovalPlan(
            method="modify-graph",
            policy="quotas",
            partition=partition,
            unfavorable=unfavorable,
            pooled=certificate.question.other if certificate.pools_others else None,
            group_change=changes[0],
            other_change=changes[1],
            redrawn=tuple(network.tables[node] for node in network.nodes if node in effects),
            model_distance=optimum.distance,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """The rates of favorable decisions nearest to the old ones, and how far the joint moved."""

    group: NDArray[np.float64]
    other: NDArray[np.float64]
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
    kept = (question.protected, *partition.names, question.decision)
    ones = [Factor(decision.names, np.ones(decision.counts.shape))]
    beta = eliminate([*others, *ones], kept).table.sum(axis=-1)
    at = tuple(np.asarray(codes) for codes in partition.assignments.codes)
    return np.stack([beta[(code, *at)] for code in _group_codes(network, question)])


def optimal_rates(
    partition: Partition, weights: NDArray[np.float64], threshold: Fraction
) -> Optimum:
    """Solve the programme in closed form; unmeasured subpopulations keep their rates.

    Paper: alg:mg
    """
    measured = partition.measured
    group = partition.group_yes / np.maximum(partition.group, 1)
    other = partition.other_yes / np.maximum(partition.other, 1)
    difference = np.where(measured, other - group, 0.0)
    excess = np.maximum(abs(difference) - float(threshold), 0.0)
    of_group, of_other = weights
    total = np.where(measured, of_group + of_other, 1.0)
    shift = np.sign(difference) * excess / total
    return Optimum(
        group=group + shift * of_other,
        other=other - shift * of_group,
        distance=float(np.sqrt((excess**2 * of_group * of_other / total).sum())),
    )


def _quota(
    partition: Partition, at: int, optimum: Optimum, threshold: Fraction
) -> tuple[int, int]:
    """The changes that bring a subpopulation to the feasible counts nearest to the optimum."""
    sizes = (int(partition.group[at]), int(partition.other[at]))
    yes = (int(partition.group_yes[at]), int(partition.other_yes[at]))
    target = (optimum.group[at] * sizes[0], optimum.other[at] * sizes[1])
    order = (0, 1) if sizes[0] <= sizes[1] else (1, 0)
    small, large = order
    new = nearest_counts(
        (float(target[small]), float(target[large])),
        Pair(sizes[small], sizes[large]),
        threshold,
    )
    changes = (new.small - yes[small], new.large - yes[large])
    return changes if order == (0, 1) else changes[::-1]


def _group_codes(network: Network, question: Question) -> tuple[int, int]:
    values = network.tables[question.protected].node.values
    return values.index(question.group), values.index(str(question.other))
