"""Which paths meet chosen attributes, and shares of worlds."""

from fractions import Fraction

import pytest

from evenhand.effects.worlds import Bounds, PathSides
from evenhand.graph import CausalGraph


def sides_of(arrows, *chosen, explained=None):
    graph = CausalGraph.parse(arrows)
    return PathSides(
        graph=graph, protected="c", decision="e", chosen=chosen, explained=explained
    )


def test_each_child_is_on_the_side_of_its_paths():
    sides = sides_of("c -> r; r -> e; c -> x; x -> e; c -> e; c -> m; m -> r", "r")
    assert sides.sides == {"e": "direct", "m": "through", "r": "through", "x": "explained"}
    assert not sides.witnesses


def test_what_makes_the_chosen_and_reaches_the_decision_is_a_witness():
    sides = sides_of("c -> w; w -> r; w -> e; r -> e", "r")
    assert sides.witnesses == ("w",)
    assert sides.sides == {"w": "witness"}


def test_a_cause_of_both_that_is_no_effect_of_the_protected_attribute_is_none():
    assert not sides_of("c -> r; r -> e; z -> r; z -> e", "r").witnesses


def test_what_is_reached_through_the_chosen_alone_is_no_witness():
    # x is reached from c only past r, and is the same in both worlds.
    assert not sides_of("c -> r; r -> x; x -> s; s -> e; x -> e", "r", "s").witnesses


def test_witnesses_stand_causes_first():
    sides = sides_of("c -> b; b -> a; a -> r; a -> e; r -> e", "r")
    assert sides.witnesses == ("b", "a")


@pytest.mark.parametrize("arrows", ["c -> e; r -> e", "c -> r; c -> e"])
def test_an_attribute_on_no_path_is_not_in_use(arrows):
    assert not sides_of(arrows, "r").in_use


def test_what_is_neither_chosen_nor_explained_is_not_judged():
    arrows = "c -> r; r -> e; c -> x; x -> e; c -> y; y -> e; c -> v; v -> x"
    sides = sides_of(arrows, "r", explained=("x",))
    assert sides.sides == {
        "r": "through",
        "v": "explained",  # every path from it meets x
        "x": "explained",
        "y": "not judged",
    }
    assert sides.children_on("explained") | sides.children_on("not judged") == {"v", "x", "y"}


@pytest.mark.parametrize(
    ("lower", "upper", "within", "beyond"),
    [
        (-4, 4, True, False),
        (-5, 0, False, False),
        (0, 5, False, False),
        (5, 6, False, True),
        (-6, -5, False, True),
        (-6, -4, False, False),
        (4, 6, False, False),
    ],
)
def test_an_end_at_the_threshold_has_reached_it(lower, upper, within, beyond):
    bounds = Bounds(Fraction(lower, 100), Fraction(upper, 100))
    assert bounds.within(Fraction(1, 20)) == within
    assert bounds.beyond(Fraction(1, 20)) == beyond
