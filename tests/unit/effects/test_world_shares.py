"""On which side of the threshold an interval lies."""

from fractions import Fraction

import pytest

from evenhand.effects.world_shares import Bounds


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
