"""Effects through chosen attributes, against models of which every unit is known."""

from itertools import islice, product

import numpy as np
import pytest
from tests.measured_models import (
    ABOVE,
    DIRECTIONS,
    NESTED,
    asked,
    check_truth,
    graph_of,
    measure,
    nested_model,
    paths_from,
    recoupled,
    shares_first_edge,
    some_models,
    table,
    witnesses,
)
from tests.open_graphs import admitted
from tests.repetitions import repetitions
from tests.structural_models import (
    DECISION,
    EFFECTS,
    PROTECTED,
    other_fill,
    random_model,
    random_parents,
    random_sizes,
)

from evenhand import CausalGraph, CountTable, PartialGraph, Verdict
from evenhand.counts import examined_counts
from evenhand.effects.measure import measure_examined, measure_paths


@pytest.mark.parametrize("seed", range(repetitions(4)))
def test_formula_nested_definition_and_paths_agree_where_the_effect_is_identified(seed):
    models = (
        (model, chosen)
        for model, chosen in some_models(seed)
        if not shares_first_edge(model, chosen) and paths_from(model, PROTECTED)
    )
    for model, chosen in islice(models, 10):
        for basis in ("group", "all"):
            assert check_truth(model, chosen, basis).identified


@pytest.mark.parametrize("seed", range(repetitions(4)))
def test_bounds_hold_the_truth_where_the_effect_is_not_identified(seed):
    models = (
        (model, chosen)
        for model, chosen in some_models(100 + seed)
        if shares_first_edge(model, chosen)
    )
    for model, chosen in islice(models, 4):
        for basis in ("group", "all"):
            assert not check_truth(model, chosen, basis).identified


@pytest.mark.parametrize(("parents", "nested"), [(ABOVE, False), (NESTED, True)])
def test_bounds_hold_the_truth_where_a_chosen_attribute_causes_a_witness(parents, nested):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        cards, levels = random_sizes(rng, parents)
        model = random_model(rng, parents=parents, cards=cards, levels=levels)
        measured = check_truth(model, ["r", "s"], "group")
        assert measured.witnesses == (("v", "w") if nested else ("w",))
        (graph,) = measured.graphs
        assert graph.forward.two_worlds.is_nested == nested
        bounds = measured.forward["through"].bounds
        assert bounds.upper - bounds.lower < 1
        floats = measure_examined(
            examined_counts(table(model), asked(["r", "s"])), graph_of(parents), exact=False
        )
        assert [*map(float, floats.forward["through"].bounds)] == pytest.approx(
            [*map(float, bounds)], abs=1e-7
        )


@pytest.mark.parametrize("seed", [17, 39, 75, 91])
def test_bounds_hold_every_fill_where_a_witness_causes_what_causes_another(seed):
    rng = np.random.default_rng(seed)
    model = nested_model(rng)
    for filled in (model, *(other_fill(rng, model) for _ in range(4))):
        check_truth(filled, ["r", "s"], "group")


@pytest.mark.parametrize("seed", range(repetitions(4)))
def test_intervals_contain_every_fill_of_what_was_never_seen(seed):
    rng = np.random.default_rng(seed)
    sparse = (
        (model, chosen)
        for model, chosen in some_models(200 + seed, nodes=5, positive=False)
        if not model.is_positive and paths_from(model, PROTECTED)
    )
    wide = 0
    for model, chosen in islice(sparse, 8):
        for filled in (model, *(other_fill(rng, model) for _ in range(3))):
            assert filled.counts() == model.counts()
            for basis in ("group", "all"):
                wide += bool(check_truth(filled, chosen, basis).unseen_mass)
    assert wide


@pytest.mark.parametrize("seed", range(repetitions(3)))
def test_an_effect_is_identified_unless_an_edge_begins_paths_of_both_kinds(seed):
    rng = np.random.default_rng(seed)
    seen = set()
    for _ in range(40):
        parents = random_parents(rng, 6, density=rng.uniform(0.3, 0.9))
        binary = dict.fromkeys(parents, 2)
        model = random_model(rng, parents=parents, cards=binary, levels=binary)
        others = [node for node in parents if node not in (PROTECTED, DECISION)]
        chosen = rng.permutation(others)[: int(rng.integers(1, 4))].tolist()
        measured = measure(model, chosen)
        assert {*measured.witnesses} == witnesses(model, chosen)
        assert measured.identified == (not shares_first_edge(model, chosen))
        seen.add(measured.identified)
    assert seen == {True, False}


@pytest.mark.parametrize("seed", range(repetitions(3)))
def test_neither_the_order_of_the_columns_nor_the_names_of_others_matter(seed):
    rng = np.random.default_rng(seed)
    for model, chosen in islice(some_models(300 + seed, nodes=5), 5):
        names = {node: node for node in (PROTECTED, DECISION)}
        others = [node for node in model.parents if node not in names]
        names |= dict(zip(others, "".join(rng.permutation([*"pqxyz"])), strict=False))
        lines, at = model.counts(), rng.permutation(len(model.parents)).tolist()
        order = [[*model.parents][place] for place in at]
        columns = {
            names[node]: [str(line[place]) for line in lines]
            for node, place in zip(order, at, strict=True)
        }
        graph = graph_of(
            {names[n]: tuple(names[a] for a in causes) for n, causes in model.parents.items()}
        )
        question = asked([names[node] for node in chosen])
        measured = measure(model, chosen)
        other = measure_paths(CountTable.of(columns, [*lines.values()]), graph, question)
        assert other.verdict == measured.verdict
        for direction, name in product(DIRECTIONS, EFFECTS):
            one, two = (own.effects[direction][name] for own in (measured, other))
            if measured.identified:
                assert (one.lower, one.upper) == (two.lower, two.upper)
            assert one.lower == pytest.approx(two.lower, abs=1e-9)
            assert one.upper == pytest.approx(two.upper, abs=1e-9)


@pytest.mark.parametrize("seed", range(repetitions(3)))
def test_swapping_the_groups_exchanges_the_directions(seed):
    for model, chosen in islice(some_models(400 + seed, nodes=5), 6):
        measured, swapped = (measure(model, chosen, group=group) for group in "01")
        assert measured.verdict == swapped.verdict
        for name in EFFECTS:
            assert measured.forward[name].bounds == swapped.backward[name].bounds
            assert measured.backward[name].bounds == swapped.forward[name].bounds


@pytest.mark.parametrize("seed", range(repetitions(4)))
def test_of_an_open_graph_every_way_to_direct_it_is_measured(seed):
    rng = np.random.default_rng(seed)
    open_graphs = 0
    for model, chosen in islice(some_models(900 + seed, nodes=5), 8):
        whole = graph_of(model.parents)
        turned = {arrow for arrow in sorted(whole.arrows) if rng.random() < 0.4}
        partial = PartialGraph(whole.nodes, whole.arrows - turned, frozenset(turned))
        question, counts = asked(chosen), table(model)
        ways, consistent = admitted(partial, question)
        alone = [measure_paths(counts, CausalGraph(whole.nodes, way), question) for way in ways]
        together = measure_paths(counts, partial, question)
        assert together.consistent == consistent
        for direction, name in product(DIRECTIONS, EFFECTS):
            effects = [one.effects[direction][name] for one in alone]
            effect = together.effects[direction][name]
            assert effect.lower == min(one.lower for one in effects)
            assert effect.upper == max(one.upper for one in effects)
        verdicts = {one.verdict for one in alone}
        assert {together.verdict} == (
            verdicts if len(verdicts) == 1 else {Verdict.CANNOT_DECIDE}
        )
        open_graphs += len(together.graphs) > 1
    assert open_graphs


@pytest.mark.parametrize("seed", range(repetitions(3)))
def test_the_bounds_of_one_witness_are_reached(seed):
    """Its values in the two worlds may go together in any way: as alike or unlike as can be."""
    models = (
        (model, chosen, *witnesses(model, chosen))
        for model, chosen in some_models(1000 + seed, nodes=5)
        if len(witnesses(model, chosen)) == 1
    )
    binary = (case for case in models if case[0].cards[case[2]] == 2)
    for model, chosen, witness in islice(binary, 2):
        effect = measure(model, chosen).forward["through"]
        reached = [
            other.effects(chosen, 0, 1)["through"] for other in recoupled(model, witness)
        ]
        assert effect.lower == pytest.approx(min(reached), abs=1e-9)
        assert effect.upper == pytest.approx(max(reached), abs=1e-9)
        assert effect.lower <= min(reached) <= max(reached) <= effect.upper


def test_nothing_is_open_where_the_group_has_one_value_of_each_witness():
    rng = np.random.default_rng(5)
    cards = dict.fromkeys(NESTED, 2)
    for _ in range(4):
        model = random_model(rng, parents=NESTED, cards=cards, levels=dict.fromkeys(NESTED, 3))
        model.responses["v"][0,] = (0, 0, 0)
        model.responses["w"][0, 0], model.responses["w"][0, 1] = (0, 0, 0), (1, 1, 1)
        measured = check_truth(model, ["r", "s"], "group")
        assert measured.witnesses == ("v", "w")
        effect = measured.forward["through"]
        assert effect.lower == effect.upper


def test_children_on_neither_list_are_not_judged():
    rng = np.random.default_rng(0)
    seen = set()
    models = (
        (model, chosen)
        for model, chosen in some_models(1100)
        if not shares_first_edge(model, chosen)
        and sum(bool(paths_from(model, n)) for n in model.explained_children(chosen)) > 1
    )
    for model, chosen in islice(models, 8):
        children = {*model.explained_children(chosen)}
        rest = [n for n in model.parents if n not in (*chosen, PROTECTED, DECISION)]
        explained = rng.permutation(rest)[:1].tolist()
        judged = {
            child
            for child in children
            if all({*path} & {*explained} for path in paths_from(model, child))
        }
        measured = measure(model, chosen, explained=explained)
        for direction, (start, end) in DIRECTIONS.items():
            for name, own in (("explained", judged), ("not judged", children - judged)):
                truth = model.effect_of_children(own, start, end)
                assert measured.effects[direction][name].value == truth
                seen.add((name, bool(truth)))
    assert seen >= {("not judged", True), ("explained", True)}
