"""The programme of ModifyGraph, and the nearest rates and counts in a window."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests import several_groups
from tests.window_brute_force import THRESHOLDS, meets, nearest_pair

from evenhand import CountTable, Question, datasets
from evenhand.errors import CannotReleaseError
from evenhand.evidence import certify
from evenhand.graph import CausalGraph
from evenhand.graph.conditional_tables import fitted_tables
from evenhand.releasing.apply_to_counts import apply_to_counts
from evenhand.removal import ModifyGraph, plan_removal
from evenhand.removal.modify_graph import (
    cell_weights,
    nearest_counts_in_window,
    nearest_rates,
    optimal_rates,
)


def closed_form(rates, weights, threshold):
    """Two groups: the excess is shared in inverse proportion to the weights."""
    difference = rates[1] - rates[0]
    excess = np.maximum(abs(difference) - threshold, 0.0)
    shift = np.sign(difference) * excess / weights.sum(axis=0)
    return np.stack([rates[0] + shift * weights[1], rates[1] - shift * weights[0]])


@pytest.mark.paper("alg:mg")
def test_two_groups_get_the_rates_of_the_closed_form():
    rng = np.random.default_rng(1)
    rates, weights = rng.random((2, 2, 5_000))
    weights[0, ::5] = 0.0
    weights[1, 1::5] = 0.0
    assert nearest_rates(rates, weights, 0.05) == pytest.approx(
        closed_form(rates, weights, 0.05), abs=1e-12
    )


@pytest.mark.paper("alg:mg")
@pytest.mark.parametrize("groups", [2, 3, 4, 6])
@pytest.mark.parametrize("seed", range(4))
def test_the_rates_are_the_optimum_of_the_quadratic_programme(groups, seed):
    cvxopt = pytest.importorskip("cvxopt")
    rng = np.random.default_rng([groups, seed])
    rates, weights = rng.random(groups), 0.1 + rng.random(groups)
    pairs = [(a, b) for a, b in product(range(groups), repeat=2) if a != b]
    gaps = np.zeros((len(pairs), groups))
    for line, (a, b) in enumerate(pairs):
        gaps[line, a], gaps[line, b] = 1.0, -1.0
    matrix = cvxopt.matrix
    cvxopt.solvers.options.update(
        show_progress=False, abstol=1e-12, reltol=1e-12, feastol=1e-12
    )
    answer = cvxopt.solvers.qp(
        matrix(2 * np.diag(weights)),
        matrix(-2 * weights * rates),
        matrix(gaps),
        matrix(np.full(len(pairs), 0.05)),
    )
    found = nearest_rates(rates[:, None], weights[:, None], 0.05)[:, 0]
    assert found == pytest.approx(np.array(answer["x"]).ravel(), abs=1e-6)
    assert np.ptp(found) <= 0.05 + 1e-12


def test_an_absent_group_stays_absent_and_moves_nobody():
    rates = np.array([[0.2, np.nan], [0.5, 0.3], [np.nan, 0.9]])
    weights = np.ones_like(rates)
    found = nearest_rates(rates, weights, 0.1)
    assert found[:2, 0] == pytest.approx([0.3, 0.4])
    assert found[1:, 1] == pytest.approx([0.55, 0.65])
    assert np.isnan(found[[2, 0], [0, 1]]).all()


def test_rates_in_one_window_stay():
    rates = np.array([[0.2], [0.25], [0.22]])
    assert (nearest_rates(rates, np.ones_like(rates), 0.05) == rates).all()


@pytest.mark.parametrize("largest", [10, 100])
def test_two_groups_get_the_nearest_of_all_pairs_of_counts(largest):
    """Halves among the targets: which of equally near counts is taken is the same, too."""
    rng = np.random.default_rng(largest)
    rows = rng.integers(1, largest, (2, 100))
    rows[1, ::3] = rows[0, ::3]
    targets = rng.random((2, 100)) * rows
    targets[:, ::2] = np.round(targets[:, ::2] * 2) / 2
    for threshold in THRESHOLDS:
        found = nearest_counts_in_window(targets, rows, threshold)
        for own, size, counts in zip(targets.T, rows.T, found.T.tolist(), strict=True):
            assert counts == nearest_pair(own, size, threshold)


@pytest.mark.parametrize("groups", [3, 4])
def test_no_counts_are_nearer(groups):
    rng = np.random.default_rng(groups)
    for _ in range(40):
        rows = rng.integers(0, 8 if groups == 3 else 6, groups)
        targets = rng.random(groups) * rows
        threshold = THRESHOLDS[rng.integers(len(THRESHOLDS))]
        found = nearest_counts_in_window(targets[:, None], rows[:, None], threshold)[:, 0]
        assert meets(found, rows, threshold)
        least = min(
            ((np.array(counts) - targets) ** 2).sum()
            for counts in product(*(range(n + 1) for n in rows))
            if meets(counts, rows, threshold)
        )
        assert ((found - targets) ** 2).sum() == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("rows", [(10**12, 2 * 10**12), (10, 10**9), (10**9, 10**9 + 1, 7)])
def test_targets_of_any_size_have_counts_beside_them(rows):
    rates = np.linspace(0.3, 0.36, len(rows))
    size = np.array(rows)
    found = nearest_counts_in_window((rates * size)[:, None], size[:, None], Fraction(1, 20))
    assert meets(found[:, 0], rows, Fraction(1, 20))
    real = nearest_rates(rates[:, None], size[:, None].astype(float) ** 2, 0.05)[:, 0]
    assert (
        np.abs(found[:, 0] / size - real).max() <= 1.5 / size.min() + 1e-9
    )  # squares of floats tell no more


# A twist: an effect of the decision, an attribute beside it, and one before the group.
TWIST = CausalGraph.parse("u -> c; c -> q; c -> e; q -> e; e -> d; q -> d; u -> z")


def twisted(seed):
    """Random counts over the twisted graph, with a question about them."""
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
    names = [*network]
    question = partition.question
    tables = [t for n, t in network.items() if n != question.decision]
    domains = {n: network[n].node.values for n in names}
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
    network = fitted_tables(counts, TWIST)
    assert cell_weights(network, partition) == pytest.approx(
        brute_force_weights(network, partition)
    )


@pytest.mark.parametrize("seed", range(5))
def test_new_rates_stay_between_the_old_ones_and_within_the_threshold(seed):
    counts, question = twisted(seed)
    partition = certify(counts, TWIST, question).partition
    weights = cell_weights(fitted_tables(counts, TWIST), partition)
    new, distance = optimal_rates(partition, weights, question.threshold)
    old = partition.favorable[0] / partition.rows
    assert distance == pytest.approx(np.sqrt((weights * (new - old) ** 2).sum()))
    low, high = np.minimum(*old), np.maximum(*old)
    for rates in new:
        assert (rates >= low - 1e-12).all()
        assert (rates <= high + 1e-12).all()
    assert (abs(np.diff(new, axis=0)) <= float(question.threshold) + 1e-12).all()


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


def crossed_people(rows=1200, seed=5):
    """Two sexes and three races, no woman of race c; the decision has an effect."""
    rng = np.random.default_rng(seed)
    columns = {
        name: rng.choice([*values], rows)
        for name, values in (("sex", "fm"), ("race", "abc"), ("town", "xyz"))
    }
    rate = 0.3 + 0.3 * (columns["race"] == "a") + 0.1 * (columns["sex"] == "m")
    columns["hired"] = np.where(rng.random(rows) < rate, "yes", "no")
    columns["pay"] = np.where(rng.random(rows) < 0.8, columns["hired"], "unknown")
    present = (columns["sex"] == "m") | (columns["race"] != "c")
    return CountTable.of({name: column[present].tolist() for name, column in columns.items()})


CROSSED = CausalGraph.parse("sex -> hired; race -> hired; town -> hired; hired -> pay")
ALL_PAIRS = Question(protected=("sex", "race"), decision="hired", favorable="yes")
MANY = {
    "pairs": replace(ALL_PAIRS, protected="race"),
    "reference": replace(ALL_PAIRS, protected="race", other="b"),
    "crossed": ALL_PAIRS,
    "least rows": replace(ALL_PAIRS, min_rows=60),
    "crossed two": replace(ALL_PAIRS, group=("f", "a"), other=("m", "b")),
}


@pytest.mark.parametrize("generate", [False, True])
@pytest.mark.parametrize("name", MANY)
def test_many_groups_are_certified_as_they_are_made(name, generate):
    """The model makes women of race c, whom nobody counted: they are in the window, too."""
    counts = crossed_people()
    found = certify(counts, CROSSED, MANY[name], min_coverage="0.1")
    plan = plan_removal(found, method=ModifyGraph(generate=generate))
    after = apply_to_counts(found.examined.counts, plan, np.random.default_rng(3))
    question = found.question
    rates = {}
    for labels, rows in after:
        own = dict(zip(after.names, labels, strict=True))
        group = " & ".join(own[one] for one in question.protected_names)
        place = tuple(own[one] for one in found.decision_causes)
        cell = rates.setdefault(place, {}).setdefault(group, [0, 0])
        cell[0] += rows * (own["hired"] == "yes")
        cell[1] += rows
    groups = {group for cells in rates.values() for group in cells}
    if generate and len(question.protected_names) > 1:
        assert groups > {*found.partition.groups}
    compared = groups if question.group is None else {question.group, question.other}
    for cells in rates.values():
        measured = {
            group: Fraction(yes, rows)
            for group, (yes, rows) in cells.items()
            if rows >= question.min_rows and group in compared
        }
        reference = measured.get(question.other) if question.group is None else None
        for group, rate in measured.items():
            for other in [reference] if reference is not None else measured.values():
                assert abs(rate - other) < Fraction(1, 20), group
    assert certify(after, CROSSED, question, min_coverage="0.1").partition.violating == 0


def test_a_group_with_too_few_rows_keeps_its_rate_in_new_rows():
    """Few of race c in a town, all hired, are not compared: nobody makes them unfavorable."""
    lines = [
        (race, town, hired, rows)
        for town in "xy"
        for race, yes, no in (("a", 40, 60), ("b", 20, 80), ("c", 3, 0))
        for hired, rows in (("yes", yes), ("no", no))
        if rows
    ] + [("c", "z", "yes", 1), ("a", "z", "yes", 2), ("a", "z", "no", 2)]
    race, town, hired, rows = zip(*lines, strict=True)
    counts = CountTable.of({"race": [*race], "town": [*town], "hired": [*hired]}, [*rows])
    question = Question(protected="race", decision="hired", favorable="yes", min_rows=5)
    graph = CausalGraph.parse("race -> hired; town -> hired; race -> town")
    found = certify(counts, graph, question, min_coverage="0.1")
    plan = plan_removal(found, method=ModifyGraph(generate=True))
    after = apply_to_counts(counts, plan, np.random.default_rng(0))
    few = {(labels[1], labels[2]): n for labels, n in after if labels[0] == "c"}
    assert few == {("x", "yes"): 3, ("y", "yes"): 3, ("z", "yes"): 1}
    alone = {labels[2]: n for labels, n in after if labels[:2] == ("a", "z")}
    assert alone == {"yes": 2, "no": 2}


def test_many_valued_decisions_are_refused_with_what_there_is():
    found = certify(
        several_groups.counted(), several_groups.GRAPH, several_groups.QUESTIONS["pairs"]
    )
    with pytest.raises(CannotReleaseError, match="one favorable decision and one other") as no:
        plan_removal(found, method=ModifyGraph())
    assert no.value.problems[0].remedies[0].value == "modify-data"
