from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from evenhand import datasets
from evenhand.evidence import certify
from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.conditional_tables import Network
from evenhand.removal import ModifyGraph, plan_removal
from evenhand.removal.modify_graph import cell_weights, optimal_rates

# A twist: an effect of the decision, an attribute beside it, and one before the group.
TWIST = CausalGraph.parse("u -> c; c -> q; c -> e; q -> e; e -> d; q -> d; u -> z")


def twisted(seed):
    """Random counts over the twisted graph, with a question about them."""
    from evenhand import CountTable, Question  # noqa: PLC0415

    rng = np.random.default_rng(seed)
    names = ("u", "c", "q", "e", "d", "z")
    codes = [rng.integers(0, 3 if name == "q" else 2, 400) for name in names]
    codes[3] = (codes[3] + (rng.random(400) < 0.5) * codes[1]) % 2
    counts = CountTable.of(
        {name: [str(c) for c in column] for name, column in zip(names, codes, strict=True)}
    )
    return counts, Question(protected="c", group="0", decision="e", favorable="1")


def brute_force_weights(network, partition):
    """Square every cell of the joint divided by the decision's share, and add up."""
    names = network.nodes
    question = partition.question
    tables = [t for n, t in network.tables.items() if n != question.decision]
    domains = {n: network.tables[n].node.values for n in names}
    weights = np.zeros((2, len(partition)))
    for cell in np.ndindex(*(len(domains[n]) for n in names)):
        at = dict(zip(names, cell, strict=True))
        product = 1.0
        for table in tables:
            product *= table.shares[tuple(at[n] for n in table.names)]
        group = (question.group, question.other).index(domains[question.protected][at["c"]])
        for line in range(len(partition)):
            if all(domains[n][at[n]] == v for n, v in partition.where(line).items()):
                weights[group, line] += product**2
    return weights


@pytest.mark.paper("alg:mg")
@pytest.mark.parametrize("seed", range(3))
def test_weights_are_those_of_brute_force(seed):
    counts, question = twisted(seed)
    partition = certify(counts, TWIST, question).partition
    network = Network.estimate(counts, TWIST)
    assert cell_weights(network, partition) == pytest.approx(
        brute_force_weights(network, partition)
    )


@pytest.mark.paper("alg:mg")
@pytest.mark.parametrize("seed", range(5))
def test_the_closed_form_is_the_optimum_of_the_quadratic_programme(seed):
    cvxopt = pytest.importorskip("cvxopt")
    counts, question = twisted(seed)
    partition = certify(counts, TWIST, question).partition
    weights = cell_weights(Network.estimate(counts, TWIST), partition)
    threshold = float(question.threshold)
    optimum = optimal_rates(partition, weights, question.threshold)
    size = len(partition)
    old = np.concatenate(
        [partition.group_yes / partition.group, partition.other_yes / partition.other]
    )
    # Scaled so that the solver's absolute tolerance is small beside the weights.
    scaled = weights.ravel() / weights.max()
    eye = np.eye(size)
    gap = np.hstack([-eye, eye])
    box = np.eye(2 * size)
    matrix = cvxopt.matrix
    cvxopt.solvers.options.update(
        show_progress=False, abstol=1e-12, reltol=1e-12, feastol=1e-12
    )
    solved = cvxopt.solvers.qp(
        matrix(np.diag(2 * scaled)),
        matrix(-2 * scaled * old),
        matrix(np.vstack([gap, -gap, box, -box])),
        matrix(
            np.concatenate(
                [np.full(2 * size, threshold), np.ones(2 * size), np.zeros(2 * size)]
            )
        ),
    )
    ours = np.concatenate([optimum.group, optimum.other])
    theirs = np.array(solved["x"]).ravel()
    assert ours == pytest.approx(theirs, abs=1e-5)
    assert optimum.distance == pytest.approx(
        np.sqrt((weights.ravel() * (theirs - old) ** 2).sum()), rel=1e-4, abs=1e-8
    )


@pytest.mark.parametrize("seed", range(5))
def test_new_rates_stay_between_the_old_ones_and_within_the_threshold(seed):
    counts, question = twisted(seed)
    partition = certify(counts, TWIST, question).partition
    weights = cell_weights(Network.estimate(counts, TWIST), partition)
    new = optimal_rates(partition, weights, question.threshold)
    old = (partition.group_yes / partition.group, partition.other_yes / partition.other)
    low, high = np.minimum(*old), np.maximum(*old)
    for rates in (new.group, new.other):
        assert (rates >= low - 1e-12).all()
        assert (rates <= high + 1e-12).all()
    assert (abs(new.other - new.group) <= float(question.threshold) + 1e-12).all()


@pytest.mark.parametrize("seed", range(5))
def test_quotas_meet_the_criterion_and_redraw_only_effects(seed):
    counts, question = twisted(seed)
    plan = plan_removal(certify(counts, TWIST, question), method=ModifyGraph())
    assert plan.reaches_criterion
    assert [table.node.name for table in plan.redrawn] == ["d"]


def test_nothing_moves_below_the_threshold():
    counts, question = twisted(0)
    largest = replace(question, threshold=Fraction(99, 100))
    plan = plan_removal(certify(counts, TWIST, largest), method=ModifyGraph())
    assert plan.changed_rows == 0
    assert plan.model_distance == 0


@pytest.mark.paper("table:setting")
def test_the_optimum_on_adult_is_the_papers(paper_adult):
    """All other attributes are causes, so the network is the joint itself."""
    names = [name for name in paper_adult.names if name != "income"] + ["income"]
    whole = CausalGraph.parse(
        "; ".join(f"{a} -> {b}" for i, a in enumerate(names) for b in names[i + 1 :])
    )
    question = datasets.question("adult").question
    found = []
    for threshold in ("0.025", "0.05", "0.075", "0.1"):
        asked = replace(question, threshold=Fraction(threshold))
        found.append(plan_removal(certify(paper_adult, whole, asked), method=ModifyGraph()))
    distances = [round(1000 * plan.model_distance, 3) for plan in found]
    assert distances == pytest.approx([1.470, 1.073, 0.783, 0.562], abs=0.001)
    assert all(plan.reaches_criterion for plan in found)
    assert [2 * plan.changed_rows for plan in found] == pytest.approx(
        [1910, 1348, 1026, 772], rel=0.01
    )
