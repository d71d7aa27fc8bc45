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
