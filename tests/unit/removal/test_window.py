"""Windows of rates against exhaustive search, and plans of today's rule."""

from fractions import Fraction
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.two_groups import Pair, feasible_range, fewest_changes
from tests.window_brute_force import THRESHOLDS, best_counts, meets, random_table

from evenhand.removal.window import distinct_columns, fewest_in_window, within_window

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


def two_group_answer(favorable, rows, threshold, asked, policy):
    """The counts of the solver for two groups, by greatest common divisors."""
    if (
        not all(rows)
        or abs(Fraction(favorable[0], rows[0]) - Fraction(favorable[1], rows[1])) < threshold
    ):
        return favorable
    other = 1 - asked
    if policy == "group":
        counts = feasible_range(favorable[other], rows[other], rows[asked], threshold)
        new = list(favorable)
        if counts:
            new[asked] = min(max(favorable[asked], counts[0]), counts[-1])
        return new
    small, large = (asked, other) if rows[asked] <= rows[other] else (other, asked)
    pair = fewest_changes(
        Pair(favorable[small], favorable[large]),
        Pair(rows[small], rows[large]),
        threshold,
        asks_small=small == asked,
        only_raise=policy == "raise",
    )
    new = [0, 0]
    new[small], new[large] = pair
    return new


@pytest.mark.parametrize("policy", ["minimal", "raise", "group"])
@pytest.mark.parametrize("asked", [0, 1])
@pytest.mark.parametrize("largest", [12, 300, 10**6])
def test_two_named_groups_get_the_counts_of_the_two_group_solver(policy, asked, largest):
    rng = np.random.default_rng([asked, largest])
    rows = rng.integers(0, largest, (2, 400))
    rows[1, ::3] = rows[0, ::3]
    rows[1, 1::9] = rows[0, 1::9] + 1
    favorable = rng.integers(0, rows + 1)
    options = {
        "minimal": {},
        "raise": {"only_raise": True},
        "group": {"may_change": np.arange(2) == asked},
    }[policy]
    for threshold in (*THRESHOLDS, Fraction(1, 1000)):
        new, _ = fewest_in_window(favorable, rows, threshold, asked=asked, **options)
        expected = [
            two_group_answer(
                favorable[:, at].tolist(), rows[:, at].tolist(), threshold, asked, policy
            )
            for at in range(rows.shape[1])
        ]
        assert new.T.tolist() == expected


@given(st.data())
def test_the_criterion_in_arrays_is_that_in_fractions(data):
    rows = np.array(data.draw(st.lists(st.integers(0, 40), min_size=1, max_size=5)))
    favorable = np.array([data.draw(st.integers(0, int(n))) for n in rows])
    threshold = data.draw(st.sampled_from(THRESHOLDS))
    reference = data.draw(st.sampled_from([None, *range(len(rows))]))
    found = within_window(favorable[:, None], rows[:, None], threshold, reference=reference)
    assert bool(found[0]) == meets(favorable, rows, threshold, reference)


def test_what_meets_the_criterion_stays_as_it_is():
    rows = np.array([[20, 20], [40, 40], [0, 3]])
    favorable = np.array([[10, 0], [21, 40], [0, 3]])
    new, feasible = fewest_in_window(favorable, rows, TWENTIETH)
    assert new[:, 0].tolist() == [10, 21, 0]
    assert new[:, 1].tolist() != [0, 40, 3]
    assert feasible.all()


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
    if len(sizes) == 2:
        expected = two_group_answer(favorable.tolist(), list(sizes), TWENTIETH, 0, "minimal")
        assert changes(favorable, np.array(new)) == changes(favorable, np.array(expected))


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


@given(st.integers(1, 5), st.integers(0, 30), st.data())
def test_each_distinct_column_occurs_once(height, width, data):
    largest = data.draw(st.sampled_from([1, 2**20, 2**62]))
    choices = data.draw(st.lists(st.integers(0, largest), min_size=1, max_size=3))
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    table = rng.choice(np.array(choices), (height, width))
    one_of_each, which = distinct_columns(table)
    assert (table[:, one_of_each][:, which] == table).all()
    assert len(one_of_each) == len({tuple(column) for column in table.T.tolist()})


def test_equal_columns_are_found_where_their_numbers_are_too_large_to_be_joined():
    large = 2**61 + np.array([0, 1, 0, 1])
    one, which = distinct_columns(np.stack([large, large, [0, 0, 0, 1]]))
    assert len(one) == 3
    assert which[0] == which[2]
    assert len({*which.tolist()}) == 3


@pytest.mark.parametrize("reference", [None, 0, 2])
@pytest.mark.parametrize("largest", [4, 12, 3 * 10**9])
def test_the_criterion_is_that_of_fractions_also_at_just_the_threshold(reference, largest):
    """Groups may be absent; half of the columns have two rates just the threshold apart."""
    generator = np.random.default_rng(largest)
    rows = generator.integers(0, largest, (4, 300))
    favorable = generator.integers(0, rows + 1)
    rows[:2, ::2], favorable[:2, ::2] = 20, ((7,), (8,))
    tau = Fraction(1, 20)
    right = []
    for yes, size in zip(favorable.T.tolist(), rows.T.tolist(), strict=True):
        rates = {
            at: Fraction(y, n) for at, (y, n) in enumerate(zip(yes, size, strict=True)) if n
        }
        others = [rates[reference]] if reference in rates else []
        pairs = [*rates.values()] if reference is None else others
        right.append(all(abs(a - b) < tau for a in rates.values() for b in pairs))
    assert within_window(favorable, rows, tau, reference=reference).tolist() == right
