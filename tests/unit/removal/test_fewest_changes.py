"""Windows of rates against exhaustive search, and plans of today's rule."""

from fractions import Fraction
from time import process_time

import numpy as np
import pytest
from tests.window_brute_force import (
    THRESHOLDS,
    best_counts,
    best_of_all_windows,
    meets,
    random_table,
)

from evenhand.removal.fewest_changes import distinct_columns, fewest_in_window, within_window

TWENTIETH = Fraction(1, 20)


def changes(old, new):
    return int(abs(new - old).sum())


def one(favorable, rows, threshold=TWENTIETH, **options):
    new, feasible = fewest_in_window(
        np.array(favorable)[:, None], np.array(rows)[:, None], threshold, **options
    )
    return new[:, 0].tolist(), bool(feasible[0])


def test_five_groups_need_58_changes():
    favorable = [310, 110, 71, 2, 9]
    new, feasible = one(favorable, [1000, 500, 142, 21, 11])
    assert feasible
    assert new == [310, 131, 44, 6, 3]
    assert changes(np.array(favorable), np.array(new)) == 58


@pytest.mark.parametrize("kind", ["all", "raise", "only", "reference"])
@pytest.mark.parametrize("groups", [2, 3, 4])
def test_no_counts_are_better_than_those_of_the_sweep(kind, groups):
    rng = np.random.default_rng([groups, len(kind)])
    for _ in range(40):
        favorable, rows = random_table(rng, groups)
        options = options_of(kind, rng, groups)
        if kind == "reference" and not rows[options["reference"]]:
            continue
        threshold = THRESHOLDS[rng.integers(len(THRESHOLDS))]
        expected = best_counts(favorable.tolist(), rows.tolist(), threshold, **options)
        if meets(favorable, rows, threshold, options.get("reference")):
            expected = favorable.tolist()
        found = one(favorable, rows, threshold, **options)
        assert found == (expected or favorable.tolist(), expected is not None)


def options_of(kind, rng, groups):
    return {
        "all": {},
        "raise": {"only_raise": True},
        "only": {"may_change": rng.random(groups) < 0.5},
        "reference": {"reference": int(rng.integers(groups))},
    }[kind]


@pytest.mark.parametrize("policy", ["minimal", "raise", "group"])
@pytest.mark.parametrize("asked", [0, 1, None])
@pytest.mark.parametrize(("largest", "lines"), [(12, 200), (300, 60), (10**5, 8)])
def test_two_groups_get_the_counts_of_the_best_of_all_windows(policy, asked, largest, lines):
    rng = np.random.default_rng([asked or 0, largest])
    rows = rng.integers(0, largest, (2, lines))
    rows[1, ::3] = rows[0, ::3]
    rows[1, 1::9] = rows[0, 1::9] + 1
    favorable = rng.integers(0, rows + 1)
    options = {
        "minimal": {},
        "raise": {"only_raise": True},
        "group": {"may_change": np.arange(2) == (asked or 0)},
    }[policy]
    for threshold in (*THRESHOLDS, Fraction(1, 1000)):
        new, _ = fewest_in_window(favorable, rows, threshold, asked=asked, **options)
        for old, size, found in zip(favorable.T, rows.T, new.T.tolist(), strict=True):
            best = None
            if not meets(old, size, threshold):
                best = best_of_all_windows(old, size, threshold, asked=asked, **options)
            assert found == (best or old.tolist())


def test_where_the_groups_that_may_change_cannot_meet_the_criterion_is_said():
    """One woman beside two men of whom one is hired: her rate is 0 or 1."""
    assert one([0, 1], [1, 2], may_change=np.array([True, False])) == ([0, 1], False)


def test_a_lower_window_is_taken_among_equals_where_asked():
    """Sums of −1 and of 1 would do, and one of 0."""
    assert one([0, 2, 1], [2, 2, 2], Fraction(1, 2)) == ([1, 1, 1], True)
    assert one([0, 2], [2, 2], Fraction(1, 2), lowest=True) == ([0, 0], True)


@pytest.mark.parametrize(
    "sizes", [(10**9, 10**9), (10**9, 10**9 + 1), (10**9, 17), (10**9, 7, 11, 13)]
)
@pytest.mark.parametrize("seed", range(3))
def test_subpopulations_of_a_thousand_million_rows_take_no_time(sizes, seed):
    rng = np.random.default_rng(seed)
    rows = np.array(sizes)
    favorable = rng.integers(0, rows + 1)
    begin = process_time()
    new, _ = one(favorable, rows)
    assert process_time() - begin < 1
    assert meets(new, rows, TWENTIETH)
    if min(sizes) == 10**9:
        first, second = favorable / rows
        least = (abs(first - second) - 0.05) * 10**9
        assert least - 1 < changes(favorable, np.array(new)) < max(least, 0) + 2


def test_integers_that_do_not_fit_into_64_bits_are_not_lost():
    rows, favorable = [6 * 10**9, 9 * 10**9, 5], [10**9, 8 * 10**9, 5]
    new, _ = one(favorable, rows)
    assert meets(new, rows, TWENTIETH)
    scaled = [10**4, 8 * 10**4, 5]
    small, _ = one(scaled, [6 * 10**4, 9 * 10**4, 5])
    cost, tenth = (
        changes(np.array(a), np.array(b)) for a, b in ((new, favorable), (small, scaled))
    )
    assert cost == pytest.approx(tenth * 10**5, rel=1e-3)


@pytest.mark.parametrize("reference", [None, 0, 2])
@pytest.mark.parametrize("largest", [4, 12, 3 * 10**9])
def test_the_criterion_is_that_of_fractions_also_at_just_the_threshold(reference, largest):
    """Groups may be absent; half of the columns have two rates just the threshold apart."""
    generator = np.random.default_rng(largest)
    rows = generator.integers(0, largest, (4, 300))
    favorable = generator.integers(0, rows + 1)
    rows[:2, ::2], favorable[:2, ::2] = 20, ((7,), (8,))
    for tau in THRESHOLDS:
        right = [
            meets(*column, tau, reference) for column in zip(favorable.T, rows.T, strict=True)
        ]
        assert within_window(favorable, rows, tau, reference=reference).tolist() == right


@pytest.mark.parametrize("largest", [3, 10**9, 2**40])
def test_columns_are_distinct_and_in_order_however_large_the_counts_are(largest):
    some = np.random.default_rng(1).integers(0, largest, (4, 60))
    table = some[:, np.random.default_rng(2).integers(0, 60, 500)]
    distinct, which = distinct_columns(table)
    columns = [*map(tuple, distinct.T.tolist())]
    assert columns == sorted(set(map(tuple, table.T.tolist())))
    assert (distinct[:, which] == table).all()
