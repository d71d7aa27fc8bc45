"""Laws of the modified model and of the tables made from it, on random networks."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.strategies import asked_dags

from evenhand import CountTable, Question
from evenhand.evidence import Partition, certify
from evenhand.graph import CausalGraph
from evenhand.graph.conditional_tables import Factor, eliminate, fitted_tables
from evenhand.releasing.apply_to_counts import generate_counts
from evenhand.removal import ModifyData, ModifyGraph, plan_removal
from evenhand.removal.modify_graph import cell_weights

THRESHOLDS = [Fraction(1, 40), Fraction(1, 20), Fraction(1, 7), Fraction(1, 2)]
SIZES = [4, 9, 30, 200, 3000]


def random_certificate(graph, question, rows, seed):
    """Counts that need not follow the graph; None where a group or decision is absent."""
    rng = np.random.default_rng(seed)
    two = {question.protected, question.decision}
    columns = {
        node: rng.integers(0, 2 if node in two else rng.integers(1, 5), rows).astype(str)
        for node in graph.nodes
    }
    counts = CountTable.of({name: column.tolist() for name, column in columns.items()})
    if any(len(counts.attribute(name)) < 2 for name in two):
        return None
    return certify(counts, graph, question)


@st.composite
def certificates(draw):
    graph, question = draw(asked_dags(max_nodes=6))
    asked = replace(question, threshold=draw(st.sampled_from(THRESHOLDS)))
    rows, seed = draw(st.sampled_from(SIZES)), draw(st.integers(0, 2**32))
    found = random_certificate(graph, asked, rows, seed)
    assume(found is not None)
    return found


def planned(found, **options):
    return plan_removal(found, method=ModifyGraph(generate=True, **options))


def made(found, plan, seed=0):
    counts = generate_counts(plan, np.random.default_rng(seed))
    return Partition.of(replace(found.examined, counts=counts), found.partition.names), counts


@pytest.mark.paper("alg:mg")
@given(certificates(), st.integers(0, 99))
def test_counted_out_tables_certify_by_construction(found, seed):
    after, counts = made(found, planned(found), seed)
    assert after.violating == 0
    assert counts.row_count == found.row_count


@pytest.mark.slow
def test_a_thousand_random_networks_certify():
    checked, seed = 0, 0
    while checked < 1000:
        seed += 1
        rng = np.random.default_rng(seed)
        found = _random_network(rng)
        if found is None:
            continue
        after, counts = made(found, planned(found), seed)
        assert after.violating == 0, seed
        assert counts.row_count == found.row_count
        checked += 1


def _random_network(rng):
    nodes = [f"v{at}" for at in range(rng.integers(2, 8))]
    arrows = [
        (a, b) for at, a in enumerate(nodes) for b in nodes[at + 1 :] if rng.random() < 0.5
    ]
    first, second = sorted(rng.choice(len(nodes), 2, replace=False))
    asked = Question(
        protected=nodes[first],
        group="0",
        decision=nodes[second],
        favorable="1",
        threshold=str(rng.choice(["0.025", "0.05", "0.1", "1/3"])),
    )
    graph = CausalGraph(tuple(nodes), frozenset(arrows))
    return random_certificate(graph, asked, int(rng.choice(SIZES)), int(rng.integers(2**32)))


@given(certificates())
def test_each_quota_is_the_feasible_pair_nearest_to_its_target(found):
    plan = planned(found)
    after, counts = made(found, plan)
    table = plan.fitted[plan.question.decision]
    yes = table.node.values.index(plan.question.favorable)
    for at in np.flatnonzero(after.measured & (after.row_counts <= 40)).tolist():
        yes_of_group, of_group, yes_of_other, of_other = after.lead_cells[:, at].tolist()
        sizes = of_group, of_other
        labels = after.where(at)
        rates = []
        for side in (plan.question.group, plan.question.other):
            where = labels | {plan.question.protected: side}
            cell = tuple(p.values.index(where[p.name]) for p in table.parents)
            rates.append(plan.decision_shares[(*cell, yes)])

        def distance(pair, sizes=sizes, rates=rates):
            return sum((k - n * p) ** 2 for k, n, p in zip(pair, sizes, rates, strict=True))

        allowed = [
            pair
            for pair in product(range(sizes[0] + 1), range(sizes[1] + 1))
            if abs(Fraction(pair[1], sizes[1]) - Fraction(pair[0], sizes[0])) < plan.threshold
        ]
        assert distance((yes_of_group, yes_of_other)) == pytest.approx(
            min(map(distance, allowed))
        )
    assert counts.row_count == found.row_count


@given(certificates())
def test_values_that_the_model_excludes_are_never_made(found):
    plan = planned(found)
    _, counts = made(found, plan)
    for node, parents, shares in plan.tables:
        if node.name != plan.question.decision:
            assert not counts.cube([*parents, node.name])[shares == 0].any()


@given(certificates())
def test_tables_are_met_within_a_row_but_for_the_decisions(found):
    plan = planned(found)
    _, counts = made(found, plan)
    for node, parents, shares in plan.tables:
        if node.name != plan.question.decision:
            cube = counts.cube([*parents, node.name])
            wanted = shares * cube.sum(axis=-1, keepdims=True)
            # One row of rounding for each value that is dealt before.
            assert (abs(cube - wanted) <= max(1, len(node) - 1) + 1e-6).all()


@given(certificates())
def test_the_modified_table_is_a_table_within_the_threshold(found):
    plan = planned(found)
    shares = plan.decision_shares
    assert shares.min() >= 0
    assert shares.max() <= 1
    assert shares.sum(axis=-1) == pytest.approx(1)
    table = plan.fitted[plan.question.decision]
    sexes = [parent.name for parent in table.parents].index(plan.question.protected)
    one, other = np.moveaxis(shares, sexes, 0)
    seen = np.moveaxis(table.counts.sum(axis=-1), sexes, 0) > 0
    apart = abs(one - other)[seen.any(axis=0)]
    assert (apart <= float(plan.threshold) + 1e-12).all()
    for name, own in plan.fitted.items():
        if name != plan.question.decision:
            assert np.array_equal(own.shares, dict(_shares(plan))[name])


def _shares(plan):
    return [(node.name, shares) for node, _, shares in plan.tables]


@given(certificates())
def test_no_way_of_meeting_the_criterion_is_nearer_in_the_model(found):
    """The fewest changes also meet it, so they cannot be nearer."""
    plan = planned(found)
    fewest = plan_removal(found, method=ModifyData())
    before, after = fewest.partition, fewest.after
    weights = cell_weights(plan.fitted, before)
    a, n, b, m = before.lead_cells
    yes_of_group, _, yes_of_other, _ = after.lead_cells
    moved = [(yes_of_group - a) / np.maximum(n, 1), (yes_of_other - b) / np.maximum(m, 1)]
    theirs = np.sqrt((weights * np.square(moved)).sum())
    assert plan.model_distance <= theirs + 1e-12


@given(certificates())
def test_below_the_threshold_the_model_stays_as_it_is(found):
    assume(found.partition.measured.any())
    largest = max(
        abs(found.partition.risk_difference(at))
        for at in np.flatnonzero(found.partition.measured)
    )
    assume(largest < 1)
    asked = replace(found.question, threshold=(largest + 1) / 2)
    same = certify(found.examined.counts, found.graph, asked)
    plan = planned(same)
    table = plan.fitted[plan.question.decision]
    both = (table.counts.sum(axis=-1) > 0)[..., None]
    assert plan.model_distance == 0
    assert np.where(both, plan.decision_shares - table.shares, 0) == pytest.approx(0)
    assert plan_removal(same, method=ModifyGraph()).changed_rows == 0


@given(certificates())
def test_the_factorised_joint_sums_to_one(found):
    plan = planned(found)
    network = fitted_tables(found.examined.counts, found.graph)
    factors = [Factor(table.names, table.shares) for table in network.values()]
    modified = [Factor((*parents, node.name), shares) for node, parents, shares in plan.tables]
    assert eliminate(factors, ()).table == pytest.approx(1)
    assert eliminate(modified, ()).table == pytest.approx(1)


@given(certificates())
def test_sampled_tables_have_as_many_rows_and_follow_the_seed(found):
    plan = plan_removal(found, method=ModifyGraph(sample=True))
    _, once = made(found, plan, 1)
    _, twice = made(found, plan, 1)
    assert once == twice
    assert once.row_count == found.row_count
