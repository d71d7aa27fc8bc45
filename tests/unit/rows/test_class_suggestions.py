"""Suggested classes are of about equal size, with cuts at round values that occur."""

import numpy as np
import pytest

from evenhand.rows.inspect.column_profile import suggest_classes


def suggested(numbers):
    return [*suggest_classes(np.asarray(numbers, float), np.ones(len(numbers), np.int64))]


@pytest.mark.parametrize("seed", range(8))
def test_quantile_classes_are_of_about_equal_size(seed):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 5000, 4000)
    for suggestion in suggested(numbers):
        classes = len(suggestion.rows)
        assert sum(suggestion.rows) == 4000
        assert all(abs(n - 4000 / classes) <= 0.41 * 4000 / classes for n in suggestion.rows)
        assert {*suggestion.cuts} <= {*numbers.tolist()}
        edges = [float(cut) for cut in suggestion.bins.cuts]
        assert suggestion.rows == tuple(
            np.bincount([sum(n > e for e in edges) for n in numbers], minlength=classes)
        )


def test_a_number_that_most_rows_have_gets_a_class_of_its_own():
    few, many = np.arange(1, 21), np.zeros(980, int)
    assert [s.cuts for s in suggested(np.concatenate([few, many]))] == [[0]]
    assert [s.cuts for s in suggested(np.concatenate([few, many + 21]))] == [[20]]


def test_a_number_of_most_rows_between_others_is_cut_off_on_both_sides():
    months = [180] * 140 + [300] * 116 + [360] * 1695 + [480] * 38  # terms of mortgages
    two, three, *_ = suggested(np.array(months))
    assert (two.cuts, two.rows) == ([300], (256, 1733))
    assert (three.cuts, three.rows) == ([300, 360], (256, 1695, 38))


def test_cuts_are_written_as_a_person_would():
    (two, *_) = suggested(np.arange(0, 100) / 100)
    assert two.cuts == ["0.5"]
    assert two.to_dict()["cuts"] == ["0.5"]
