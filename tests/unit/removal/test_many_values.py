"""Decisions of many values against exhaustive search, and which rows become what."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.window_brute_force import (
    THRESHOLDS,
    cost_of_values,
    least_cost_of_values,
    meets,
    random_values,
)

from evenhand.removal import many_values
from evenhand.removal.many_values import (
    apportion,
    fewest_rows_cumulative,
    fewest_rows_every,
    fewest_steps_cumulative,
    moves_across,
    moves_between,
)
from evenhand.removal.window import fewest_in_window

UNIT = np.array([[10, 6, 4], [9, 20, 21]]).T
KINDS = {
    "every": (fewest_rows_every, {"cumulative": False}),
    "rows": (fewest_rows_cumulative, {"cumulative": True}),
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
def test_equal_subpopulations_get_equal_counts_and_good_ones_stay(kind):
    solve, _ = KINDS[kind]
    good = np.array([[10, 5, 5], [20, 10, 10]]).T
    new = solve(np.stack([UNIT, good, UNIT], axis=-1), Fraction(1, 20))
    assert (new[..., 0] == new[..., 2]).all()
    assert (new[..., 1] == good).all()


def test_an_answer_that_the_exact_check_refuses_is_no_answer(monkeypatch):
    monkeypatch.setattr(many_values, "_programme", lambda counts, *_: counts)
    with pytest.raises(ArithmeticError, match="exact check"):
        fewest_rows_every(UNIT[..., None], Fraction(1, 20))


@pytest.mark.parametrize("solve", [fewest_rows_every, fewest_rows_cumulative])
@pytest.mark.parametrize("largest", [100, 10**5, 10**7])
def test_two_values_need_as_many_rows_as_the_sweep_over_windows(solve, largest):
    """At large sizes rates differ from the threshold by less than a solver's tolerance."""
    rng = np.random.default_rng(largest)
    for groups in (2, 3, 6):
        rows = rng.integers(1, largest, (groups, 3))
        favorable = rng.integers(0, rows + 1)
        new = solve(np.stack([favorable, rows - favorable]), Fraction(1, 20))
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
    new = fewest_rows_every(UNIT[..., None], Fraction(1, 20))[..., 0]
    assert cost_of_values(UNIT, new, steps=False) == 6
    assert attempts == [0.0, 2e-6]


def random_counts(rng, values):
    return rng.integers(0, 9, (values, 2, 5))


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_moves_turn_old_counts_into_new_ones_with_the_fewest_rows(ordered, seed):
    rng = np.random.default_rng(seed)
    values = int(rng.integers(2, 6))
    old = random_counts(rng, values)
    new = np.stack(
        [
            rng.multinomial(int(total), np.full(values, 1 / values))
            for total in old.sum(axis=0).ravel()
        ],
        axis=-1,
    ).reshape(old.shape)
    moves = moves_between(old, new, ordered=ordered)
    assert (moves >= 0).all()
    assert (old - moves.sum(axis=1) + moves.sum(axis=0) == new).all()
    assert (moves.sum(axis=(0, 1)) == abs(new - old).sum(axis=0) // 2).all()
    if ordered:
        distance = abs(np.subtract.outer(np.arange(values), np.arange(values)))
        steps = (moves * distance[..., None, None]).sum(axis=(0, 1))
        assert (steps == abs(np.cumsum(new - old, axis=0)).sum(axis=0)).all()


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_as_many_rows_cross_the_border_as_are_asked_for(ordered, seed):
    rng = np.random.default_rng(seed)
    values = int(rng.integers(2, 6))
    favorable = np.arange(values) % int(rng.integers(2, 4)) == 0
    counts = random_counts(rng, values)
    yes, no = counts[favorable].sum(axis=0), counts[~favorable].sum(axis=0)
    change = rng.integers(-yes, no + 1)
    moves = moves_across(counts, favorable, change, ordered=ordered)
    new = counts - moves.sum(axis=1) + moves.sum(axis=0)
    assert (new >= 0).all()
    assert (new[favorable].sum(axis=0) == yes + change).all()
    assert (moves.sum(axis=(0, 1)) == abs(change)).all()
    assert not moves[favorable][:, favorable].any()


def test_ordered_rows_cross_by_the_nearest_values():
    counts = np.array([5, 3, 8, 4])[:, None, None]
    favorable = np.array([False, False, True, True])
    moves = moves_across(counts, favorable, np.array([[4]]), ordered=True)[..., 0, 0]
    assert moves[1, 2] == 3
    assert moves[0, 2] == 1
    assert moves.sum() == 4
    back = moves_across(counts, favorable, np.array([[-9]]), ordered=True)[..., 0, 0]
    assert (back[2, 1], back[3, 1], back.sum()) == (8, 1, 9)


def test_a_group_without_rows_across_the_border_takes_its_values_evenly():
    counts = np.array([6, 0, 0])[:, None, None]
    favorable = np.array([False, True, True])
    moves = moves_across(counts, favorable, np.array([[3]]), ordered=False)[..., 0, 0]
    assert moves[0].tolist() == [0, 2, 1]


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=6), st.data())
def test_apportioned_rows_are_less_than_one_from_their_quota(shares, data):
    total = data.draw(st.integers(0, sum(shares)))
    found = apportion(np.array(total), np.array(shares)).tolist()
    assert sum(found) == total
    for rows, share in zip(found, shares, strict=True):
        assert rows <= share
        assert abs(rows * sum(shares) - total * share) < max(sum(shares), 1)
