"""Steps add up: from a rate over the effects to the rate of the others, exactly."""

from fractions import Fraction

import pytest
from tests.loans import INCOME_FIRST, QUESTION, ZIP_FIRST, loans
from tests.path_states import MEASURED

from evenhand.effects.indirect import measure_paths
from evenhand.effects.path_steps import PathSteps


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("state", MEASURED)
def test_steps_add_up_within_the_bounds(state, direction):
    indirect = measure_paths(*MEASURED[state])
    steps = PathSteps.of(indirect, direction)
    values = {name: effect.value for name, effect in steps.effects.items()}
    parts = ("direct", "through", "explained", "not judged", "combination")
    total = sum(values.get(name, 0) for name in parts)
    assert total == values["total"]
    assert steps.start.value + total == steps.reached.value
    assert steps.own.value + total + values["spurious"] == steps.others.value
    for effect in (*steps.effects.values(), steps.start, steps.reached, steps.others):
        assert effect.lower <= effect.value <= effect.upper
    for name, effect in indirect.effects[direction].items():
        assert steps.effects[name].bounds == effect.bounds
        assert steps.effects[name].standard_error == effect.standard_error


def test_the_steps_of_the_loans_are_those_of_pencil_and_paper():
    steps = PathSteps.of(measure_paths(*MEASURED["identified"]), "forward")
    assert steps.start.value == steps.own.value == Fraction(6, 25)
    assert steps.reached.value == steps.others.value == Fraction(1, 2)
    assert steps.effects["through"].value == Fraction(1, 150)
    assert steps.effects["combination"].value == Fraction(59, 1500)


def test_an_effect_with_bounds_alone_is_drawn_in_their_middle():
    steps = PathSteps.of(measure_paths(*MEASURED["witness"]), "forward")
    assert steps.effects["through"].value == (Fraction(1, 100) + Fraction(1, 60)) / 2


def test_of_several_graphs_the_numbers_are_those_of_one():
    several = PathSteps.of(measure_paths(*MEASURED["several graphs"]), "forward")
    alone = [
        PathSteps.of(measure_paths(loans(), graph, QUESTION), "forward")
        for graph in (ZIP_FIRST, INCOME_FIRST)
    ]
    values = [
        {name: effect.value for name, effect in one.effects.items()}
        for one in (several, *alone)
    ]
    assert values[0] in values[1:]
    for name, effect in several.effects.items():
        assert effect.lower == min(one.effects[name].lower for one in alone)
        assert effect.upper == max(one.effects[name].upper for one in alone)


def test_on_everybodys_rows_the_start_is_not_the_groups_own_rate():
    steps = PathSteps.of(measure_paths(*MEASURED["everybody"]), "forward")
    assert steps.start.value != steps.own.value
    group = PathSteps.of(measure_paths(*MEASURED["spurious"]), "forward")
    assert group.start.value == group.own.value
