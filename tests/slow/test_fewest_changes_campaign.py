"""Thousands of small tables against exhaustive search: groups, values, nearest counts."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from tests.window_brute_force import (
    THRESHOLDS,
    best_counts,
    cost_of_values,
    least_cost_of_values,
    meets,
    random_table,
    random_values,
)

from evenhand.removal.fewest_changes import fewest_in_window
from evenhand.removal.many_values import (
    fewest_rows,
    fewest_steps_cumulative,
)
from evenhand.removal.modify_graph import nearest_counts_in_window

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", ["all", "raise", "only", "reference"])
@pytest.mark.parametrize("groups", [2, 3, 4])
def test_four_thousand_eight_hundred_tables_of_groups(kind, groups):
    rng = np.random.default_rng([11, groups, len(kind)])
    compared = 0
    while compared < 400:
        favorable, rows = random_table(rng, groups)
        threshold = THRESHOLDS[rng.integers(len(THRESHOLDS))]
        options = {
            "all": {},
            "raise": {"only_raise": True},
            "only": {"may_change": rng.random(groups) < 0.5},
            "reference": {"reference": int(rng.integers(groups))},
        }[kind]
        if meets(favorable, rows, threshold, options.get("reference")):
            continue
        new, feasible = fewest_in_window(
            favorable[:, None], rows[:, None], threshold, **options
        )
        expected = best_counts(favorable.tolist(), rows.tolist(), threshold, **options)
        assert bool(feasible[0]) == (expected is not None)
        assert new[:, 0].tolist() == (expected or favorable.tolist())
        compared += 1


@pytest.mark.parametrize(
    ("solve", "options"),
    [
        (fewest_rows, {"cumulative": False}),
        (partial(fewest_rows, cumulative=True), {"cumulative": True}),
        (fewest_steps_cumulative, {"cumulative": True, "steps": True}),
    ],
)
def test_six_hundred_tables_of_values(solve, options):
    rng = np.random.default_rng(12)
    for _ in range(200):
        counts = random_values(rng)
        threshold = THRESHOLDS[rng.integers(len(THRESHOLDS))]
        reference = int(rng.integers(counts.shape[1])) if rng.random() < 0.4 else None
        new = solve(counts[..., None], threshold, reference=reference)[..., 0]
        assert cost_of_values(counts, new, steps="steps" in options) == least_cost_of_values(
            counts, threshold, reference=reference, **options
        )


@pytest.mark.parametrize("groups", [2, 3, 4])
def test_six_hundred_targets(groups):
    rng = np.random.default_rng([13, groups])
    for _ in range(200):
        _, rows = random_table(rng, groups)
        targets = rng.random(groups) * rows
        threshold = THRESHOLDS[rng.integers(len(THRESHOLDS))]
        found = nearest_counts_in_window(targets[:, None], rows[:, None], threshold)[:, 0]
        least = min(
            ((np.array(counts) - targets) ** 2).sum()
            for counts in product(*(range(n + 1) for n in rows))
            if meets(counts, rows, threshold)
        )
        assert meets(found, rows, threshold)
        assert ((found - targets) ** 2).sum() == pytest.approx(least, abs=1e-9)
