"""``ModifyGraph``: change the decision's conditional table as little as the joint allows.

The paper's quadratic programme falls apart into one small problem for each assignment q of the
decision causes, because an unfavorable rate is one minus a favorable one and no constraint
joins two q. With weights of the two groups the excess over the threshold is shared in inverse
proportion to them; both new rates lie between the old ones, so nothing else can bind.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence import Certificate, Partition
from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.conditional_tables import Factor, Network, eliminate
from evenhand.graph.partial_graph import PartialGraph
from evenhand.question import Question
from evenhand.removal.generated_plan import GeneratedPlan
from evenhand.removal.modify_data import ModifyData, at_threshold, reduced_threshold
from evenhand.removal.preconditions import check_releasable
from evenhand.removal.removal_plan import RemovalPlan
from evenhand.removal.smallest_change import Pair, nearest_counts


@dataclass(frozen=True, slots=True, kw_only=True)
class ModifyGraph:
    """Remove differences in the model, and release rows that follow it exactly.

    In each subpopulation the numbers of favorable decisions are the integers nearest to the
    optimal rates that meet the criterion; the fewest rows that reach them change, and in these
    the decision's effects are sampled again. With ``generate`` no row is kept: a new table of
    the graph's columns is generated, by quotas too. With ``sample`` its rows are drawn
    independently, as the paper has it, and nothing is promised. A ``margin`` asks for
    differences below threshold minus margin.

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
        partition, unfavorable = check_releasable(certificate)
        counts, question = certificate.examined.counts, certificate.question
        graph = model_graph(certificate)
        network = Network.estimate(counts, graph)
        threshold = reduced_threshold(partition, self.margin)
        optimum = optimal_rates(partition, cell_weights(network, partition), threshold)
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
        changes = np.zeros((2, len(partition)), np.int64)
        sizes = np.stack([partition.group, partition.other])
        targets = np.stack([optimum.group, optimum.other]) * sizes
        for at in np.flatnonzero(at_threshold(partition, threshold).side).tolist():
            changes[:, at] = quotas(sizes[:, at], targets[:, at], threshold)
            changes[:, at] -= (partition.group_yes[at], partition.other_yes[at])
        effects = graph.descendants(question.decision)
        return RemovalPlan(
            method=self.name,
            policy=self.policy,
            certificate=certificate,
            unfavorable=unfavorable,
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
    remaining = (question.protected, *partition.names, question.decision)
    ones = [Factor(decision.names, np.ones(decision.counts.shape))]
    beta = eliminate([*others, *ones], remaining).table.sum(axis=-1)
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


def modified_shares(
    network: Network, partition: Partition, optimum: Optimum
) -> NDArray[np.float64]:
    """The decision's table with the optimal rates; all other tables stay as they are.

    A group that a subpopulation lacks gets the other's rate, should it come to have rows.

    Paper: alg:mg
    """
    question = partition.question
    table = network.tables[question.decision]
    shares = table.shares.copy()
    favorable = table.node.values.index(question.favorable)
    present = (partition.group > 0, partition.other > 0)
    rates = (
        np.where(present[0], optimum.group, optimum.other),
        np.where(present[1], optimum.other, optimum.group),
    )
    for code, rate in zip(_group_codes(network, question), rates, strict=True):
        at = tuple(
            np.full(len(partition), code)
            if parent.name == question.protected
            else partition.assignments.column(parent.name)
            for parent in table.parents
        )
        shares[(*at, favorable)] = rate.clip(0, 1)
        shares[(*at, 1 - favorable)] = 1 - rate.clip(0, 1)
    return shares


def quotas(
    sizes: NDArray[np.int64], targets: NDArray[np.float64], threshold: Fraction
) -> tuple[int, int]:
    """The favorable decisions of two groups of rows, feasible and nearest to the targets.

    >>> quotas(np.array([200, 600]), np.array([90.0, 240.0]), Fraction(1, 20))
    (89, 240)
    """
    small, large = (0, 1) if sizes[0] <= sizes[1] else (1, 0)
    counts = nearest_counts(
        (float(targets[small]), float(targets[large])),
        Pair(int(sizes[small]), int(sizes[large])),
        threshold,
    )
    return (counts.small, counts.large) if small == 0 else (counts.large, counts.small)


def model_graph(certificate: Certificate) -> CausalGraph:
    """The certificate's graph with every edge directed, the group among the decision's causes.

    Open edges elsewhere are directed so that no collider is added where that is possible: all
    such ways give the model the same joint distribution, unless colliders are in doubt. Where
    discovery found no arrow from the protected attribute, differences are measured all the
    same, so the decision's table distinguishes the groups in any case.
    """
    graph, question = certificate.graph, certificate.question
    decision = question.decision
    if isinstance(graph, PartialGraph):
        graph = graph.extension(question=question).graph
    causes = (certificate.question.protected, *certificate.partition.names)
    arrows = {(cause, effect) for cause, effect in graph.arrows if effect != decision}
    arrows |= {(cause, decision) for cause in causes}
    return CausalGraph(graph.nodes, frozenset(arrows))


def _group_codes(network: Network, question: Question) -> tuple[int, int]:
    values = network.tables[question.protected].node.values
    return values.index(question.group), values.index(str(question.other))
