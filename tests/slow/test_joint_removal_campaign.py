"""Hundreds of joint problems: brute force, and prices against the whole integer programme."""

from fractions import Fraction

import numpy as np
import pytest
from tests.joint_brute_force import fewest_changes, larger_problem, meets, random_problem

from evenhand.errors import CannotReleaseError
from evenhand.removal import fewest_with_effects as module
from evenhand.removal.fewest_with_effects import fewest_with_effects

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
        change = fewest_with_effects(problem)
        assert change.changed == change.lower_bound == least
        assert meets(problem, change.counts)


@pytest.mark.parametrize("mean", [3, 12, 60, 800, 20_000])
def test_prices_and_the_whole_programme_agree(monkeypatch, mean, record_property):
    rng = np.random.default_rng(mean)
    gaps = []
    for _ in range(12 if mean < 100 else 4):
        threshold = Fraction(int(rng.integers(2, 12)), 100)
        problem = larger_problem(rng, int(rng.integers(61, 300)), mean, threshold)
        monkeypatch.setattr(module, "MOST_CELLS", 0)
        priced = fewest_with_effects(problem)
        monkeypatch.setattr(module, "MOST_CELLS", 5_000)
        whole = fewest_with_effects(problem)
        assert problem.is_met(priced.counts)
        assert problem.is_met(whole.counts)
        assert priced.lower_bound <= whole.lower_bound <= whole.changed <= priced.changed
        gaps.append(priced.changed / max(whole.lower_bound, 1) - 1)
    record_property("largest gap", f"{max(gaps):.2%}")
    assert max(gaps) < 0.01
