"""Suggested classes agree with searches that try every cut; round numbers with every digit."""

from fractions import Fraction
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.rows.inspect.class_suggestions import NumberCounts, roundest


def counted(numbers, decisions=None, groups=None):
    """Counts of numbers as they stand in rows."""
    distinct = np.unique(numbers)

    def by(labels):
        labels = np.zeros(len(numbers), int) if labels is None else np.asarray(labels)
        return np.array(
            [
                [np.sum((numbers == v) & (labels == w)) for w in np.unique(labels)]
                for v in distinct
            ]
        )

    return NumberCounts(distinct.astype(float), by(decisions), by(groups))


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**5), st.sampled_from([1, 100]))
def test_the_roundest_number_has_no_rounder_one_between_the_ends(low, length, scale):
    low, high = Fraction(low, scale), Fraction(low + length, scale)
    number = roundest(low, high)
    assert low <= number < high
    # Every multiple of a larger step, whole or half a power of ten, lies outside.
    steps = sorted(s * Fraction(10) ** p for p in range(-4, 9) for s in (1, Fraction(1, 2)))
    if number:
        own = max(step for step in steps if number % step == 0)
        larger = [step for step in steps if step > own]
        assert not [s for s in larger if -(-low // s) * s < high]


@pytest.mark.parametrize("seed", range(8))
def test_quantile_classes_are_of_about_equal_size(seed):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 5000, 4000)
    for suggestion in counted(numbers).suggest():
        classes = len(suggestion.rows)
        assert suggestion.method == "quantiles"
        assert sum(suggestion.rows) == 4000
        assert all(abs(n - 4000 / classes) <= 0.41 * 4000 / classes for n in suggestion.rows)
        edges = [float(cut) for cut in suggestion.bins.cuts]
        assert suggestion.rows == tuple(
            np.bincount([sum(n > e for e in edges) for n in numbers], minlength=classes)
        )


def test_a_number_that_most_rows_have_gets_a_class_of_its_own():
    few, many = np.arange(1, 21), np.zeros(980, int)
    assert [s.cuts for s in counted(np.concatenate([few, many])).suggest()] == [[0]]
    assert [s.cuts for s in counted(np.concatenate([few, many + 21])).suggest()] == [[20]]


def test_a_number_of_most_rows_between_others_is_cut_off_on_both_sides():
    months = [180] * 140 + [300] * 116 + [360] * 1695 + [480] * 38  # terms of mortgages
    two, three, *_ = counted(np.array(months)).suggest()
    assert (two.cuts, two.rows) == ([300], (256, 1733))
    assert (three.cuts, three.rows) == ([300, 400], (256, 1695, 38))


def entropy(labels):
    shares = [np.mean(labels == value) for value in np.unique(labels)]
    return -sum(share * log2(share) for share in shares)


def brute_cuts(numbers, decisions):
    """Fayyad and Irani's cuts, each piece split where that pays, best saving first."""

    def best(inside):
        n, d = numbers[inside], decisions[inside]
        found = (0.0, None)
        for cut in np.unique(n)[:-1]:
            left, right = d[n <= cut], d[n > cut]
            if min(len(left), len(right)) < len(numbers) / 100:
                continue
            after = (len(left) * entropy(left) + len(right) * entropy(right)) / len(d)
            k, k1, k2 = (len(np.unique(part)) for part in (d, left, right))
            terms = k * entropy(d) - k1 * entropy(left) - k2 * entropy(right)
            cost = (log2(len(d) - 1) + log2(3**k - 2) - terms) / len(d)
            gain = entropy(d) - after
            key = len(d) * gain
            if found[1] is None or key > found[2] + 1e-9:
                found = (len(d) * (gain - cost), cut, key)
        return found

    pieces, cuts = [np.ones(len(numbers), bool)], []
    while len(pieces) < 5:
        options = [(best(piece), at) for at, piece in enumerate(pieces)]
        (saved, cut, *_), at = max(options, key=lambda option: option[0][0])
        if cut is None or saved <= 0:
            break
        piece = pieces.pop(at)
        pieces += [piece & (numbers <= cut), piece & (numbers > cut)]
        cuts.append(cut)
    return sorted(cuts)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("values", [2, 3])
def test_supervised_cuts_are_those_of_a_search_over_all_cuts(seed, values):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 60, 900)
    decisions = np.minimum((numbers + rng.normal(0, 8, 900)) // 20, values - 1).clip(0)
    suggestions = [*counted(numbers, decisions).suggest()]
    expected = brute_cuts(numbers, decisions)
    (last,) = suggestions[-1:]
    assert expected
    assert last.method == "entropy"
    assert len(last.bins.cuts) == len(expected)
    for cut, value in zip(last.bins.cuts, expected, strict=True):
        assert value <= cut < numbers[numbers > value].min()  # the same classes


def test_a_decision_that_depends_on_nothing_gets_no_supervised_classes():
    rng = np.random.default_rng(1)
    suggestions = counted(rng.integers(0, 60, 900), rng.integers(0, 2, 900)).suggest()
    assert {suggestion.method for suggestion in suggestions} == {"quantiles"}


def test_groups_say_what_can_be_compared_and_change_no_cut():
    rng = np.random.default_rng(2)
    numbers, decisions = rng.integers(0, 40, 300), rng.integers(0, 2, 300)
    groups = (numbers > 30).astype(int)
    without = [s.cuts for s in counted(numbers, decisions).suggest()]
    suggestions = [*counted(numbers, decisions, groups).suggest()]
    assert [s.cuts for s in suggestions] == without
    for suggestion in suggestions:
        classes = [sum(n > float(c) for c in suggestion.bins.cuts) for n in numbers]
        both = {
            c
            for c in classes
            if len({g for g, k in zip(groups, classes, strict=True) if k == c}) == 2
        }
        assert suggestion.comparison == {
            "occupied": len({*classes}),
            "measured": len(both),
            "without_comparator": sum(c not in both for c in classes),
        }


def test_cuts_are_written_as_a_person_would():
    (two, *_) = counted(np.arange(0, 100) / 100).suggest()
    assert two.cuts == ["0.5"]
    assert two.to_dict()["cuts"] == ["0.5"]
