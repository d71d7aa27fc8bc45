"""Hundreds of joint problems against brute force."""

import numpy as np
import pytest
from tests.joint_brute_force import fewest_changes, meets, random_problem

from evenhand.errors import CannotReleaseError
from evenhand.removal.effect_limits import fewest_with_effects

pytestmark = pytest.mark.slow

OPTIONS = [
    {},
    {"only_raise": True},
    {"may_change": np.array([True, False])},
    {"may_change": np.array([False, True]), "only_raise": True},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("most_rows", [4, 5])
def test_two_hundred_small_problems_need_what_brute_force_needs(options, most_rows):
    rng = np.random.default_rng([most_rows, len(options)])
    for _ in range(200):
        problem = random_problem(rng, most_rows=most_rows, **options)
        least = fewest_changes(problem)
        if least is None:
            with pytest.raises(CannotReleaseError):
                fewest_with_effects(problem)
            continue
        counts, at_least = fewest_with_effects(problem)
        assert problem.changed(counts) == at_least == least
        assert meets(problem, counts)
