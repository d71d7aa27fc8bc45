"""Decisions of many values against exhaustive search."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from tests.window_brute_force import (
    THRESHOLDS,
    cost_of_values,
    least_cost_of_values,
    meets,
    random_values,
)

from evenhand.removal import many_values
from evenhand.removal.fewest_changes import fewest_in_window
from evenhand.removal.many_values import fewest_rows, fewest_steps_cumulative

UNIT = np.array([[10, 6, 4], [9, 20, 21]]).T
KINDS = {
    "every": (fewest_rows, {"cumulative": False}),
    "rows": (partial(fewest_rows, cumulative=True), {"cumulative": True}),
    "steps": (fewest_steps_cumulative, {"cumulative": True, "steps": True}),
}


@pytest.mark.parametrize(("kind", "cost"), [("every", 6), ("rows", 6), ("steps", 10)])
def test_the_unit_example(kind, cost):
    solve, _ = KINDS[kind]
    new = solve(UNIT[..., None], Fraction(1, 20))[..., 0]
    assert cost_of_values(UNIT, new, steps=kind == "steps") == cost
    if kind == "steps":
        assert new.T.tolist() == [[4, 8, 8], [9, 20, 21]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("with_reference", [False, True])
def test_no_counts_change_fewer_rows_or_steps(kind, with_reference):
    rng = np.random.default_rng(with_reference)
    solve, options = KINDS[kind]
    for _ in range(12):
        counts = random_values(rng)
        threshold = THRESHOLDS[rng.integers(len(THRESHOLDS))]
        reference = int(rng.integers(counts.shape[1])) if with_reference else None
        new = solve(counts[..., None], threshold, reference=reference)[..., 0]
        rows = counts.sum(axis=0)
        assert (new.sum(axis=0) == rows).all()
        sums = np.cumsum(new, axis=0) if options["cumulative"] else new
        assert all(meets(line, rows, threshold, reference) for line in sums)
        assert cost_of_values(counts, new, steps=kind == "steps") == least_cost_of_values(
            counts, threshold, reference=reference, **options
        )


@pytest.mark.parametrize("reference", [None, 0])
def test_the_sweeps_of_all_cuts_fit_together(reference):
    """Six values and six groups: the new sums never fall from cut to cut."""
    rng = np.random.default_rng(7)
    for values, groups in rng.integers(2, 7, (30, 2)):
        counts = rng.integers(0, 12, (values, groups, 40))
        new = fewest_steps_cumulative(counts, Fraction(1, 20), reference=reference)
        assert (new >= 0).all()
        assert (new.sum(axis=0) == counts.sum(axis=0)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", [0, 2])
def test_a_value_that_nobody_has_at_the_end_gets_no_rows(kind, place):
    solve, _ = KINDS[kind]
    counts = np.insert([[10, 0], [0, 10]], place, 0, axis=0)
    assert solve(counts[..., None], Fraction(1, 20))[place].tolist() == [[0], [0]]


@pytest.mark.parametrize("kind", KINDS)
def test_equal_subpopulations_get_equal_counts_and_good_ones_stay(kind):
    solve, _ = KINDS[kind]
    good = np.array([[10, 5, 5], [20, 10, 10]]).T
    new = solve(np.stack([UNIT, good, UNIT], axis=-1), Fraction(1, 20))
    assert (new[..., 0] == new[..., 2]).all()
    assert (new[..., 1] == good).all()


def test_an_answer_that_the_exact_check_refuses_is_no_answer(monkeypatch):
    monkeypatch.setattr(many_values, "_programme", lambda counts, *_: counts)
    with pytest.raises(ArithmeticError, match="exact check"):
        fewest_rows(UNIT[..., None], Fraction(1, 20))


@pytest.mark.parametrize("cumulative", [False, True])
@pytest.mark.parametrize("largest", [100, 10**5, 10**7])
def test_two_values_need_as_many_rows_as_the_sweep_over_windows(cumulative, largest):
    """At large sizes rates differ from the threshold by less than a solver's tolerance."""
    rng = np.random.default_rng(largest)
    for groups in (2, 3, 6):
        rows = rng.integers(1, largest, (groups, 3))
        favorable = rng.integers(0, rows + 1)
        counts = np.stack([favorable, rows - favorable])
        new = fewest_rows(counts, Fraction(1, 20), cumulative=cumulative)
        swept, _ = fewest_in_window(favorable, rows, Fraction(1, 20))
        changed = abs(new[0] - favorable).sum(axis=0)
        assert changed.tolist() == abs(swept - favorable).sum(axis=0).tolist()


def test_an_answer_at_the_threshold_is_asked_for_again(monkeypatch):
    attempts = []
    programme = many_values._programme

    def at_first_too_near(counts, *rest):
        attempts.append(rest[-1])
        return counts if len(attempts) == 1 else programme(counts, *rest)

    monkeypatch.setattr(many_values, "_programme", at_first_too_near)
    new = fewest_rows(UNIT[..., None], Fraction(1, 20))[..., 0]
    assert cost_of_values(UNIT, new, steps=False) == 6
    assert attempts == [0.0, 2e-6]
