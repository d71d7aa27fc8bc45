"""Effects through chosen attributes in hundreds of models of which every unit is known."""

from itertools import islice

import numpy as np
import pytest
from tests.measured_models import (
    check_truth,
    has_two_of_each,
    interval_coverage,
    nested_model,
    paths_from,
    shares_first_edge,
    some_models,
)
from tests.structural_models import other_fill

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("identified", [True, False])
def test_the_truth_lies_where_it_is_measured(identified):
    models = (
        (model, chosen)
        for model, chosen in some_models(20171117)
        if paths_from(model, "c") and shares_first_edge(model, chosen) != identified
    )
    for model, chosen in islice(models, 300):
        for basis in ("group", "all"):
            assert check_truth(model, chosen, basis).identified == identified


def test_every_fill_of_what_was_never_seen_lies_where_it_is_measured():
    rng = np.random.default_rng(20171117)
    sparse = (
        (model, chosen)
        for model, chosen in some_models(20171118, positive=False)
        if not model.is_positive and paths_from(model, "c")
    )
    for model, chosen in islice(sparse, 150):
        for filled in (model, *(other_fill(rng, model) for _ in range(4))):
            for basis in ("group", "all"):
                check_truth(filled, chosen, basis)


@pytest.mark.parametrize("ternary", [0, 0.3])
@pytest.mark.parametrize(("rows", "least"), [(300, 0.90), (1000, 0.93), (5000, 0.93)])
def test_intervals_cover_in_95_of_100_samples(rows, least, ternary):
    """docs/statistics.md has the figures."""
    coverage = interval_coverage(rows, ternary=ternary)
    assert all(least < share < 0.97 for share in coverage.values()), coverage


def test_bounds_hold_every_fill_where_a_witness_causes_what_causes_another():
    checked = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        model = nested_model(rng)
        if not has_two_of_each(model):
            continue
        for filled in (model, *(other_fill(rng, model) for _ in range(4))):
            check_truth(filled, ["r", "s"], "group")
            checked += 1
    assert checked > 300
