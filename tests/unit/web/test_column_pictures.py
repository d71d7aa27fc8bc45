"""Small pictures: as much ink as there are rows, cuts where the classes part."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.question import Bins
from evenhand.web.column_views import number_histogram, value_stack


@given(
    st.dictionaries(st.integers(-500, 500), st.integers(1, 10**6), min_size=2),
    st.lists(st.integers(-400, 400), unique=True, max_size=4).map(sorted),
)
def test_bars_are_as_high_as_the_rows_of_their_numbers(rows, cuts):
    numbers = np.array(sorted(rows), float)
    counts = np.array([rows[int(number)] for number in numbers])
    bins = Bins.at(*cuts) if cuts else None
    picture = number_histogram(numbers, counts, bins)
    assert [text for _, text in picture.cuts] == [str(cut) for cut in cuts]
    assert all(0 <= bar.x < 100 for bar in picture.bars)
    assert all(0 <= x <= 100 for x, _ in picture.cuts)
    assert max(bar.height for bar in picture.bars) == pytest.approx(100)
    if numbers[-1] - numbers[0] < 100:  # a bar for each number, in the colour of its class
        assert len(picture.bars) == len(rows)
        assert [bar.kind for bar in picture.bars] == [
            "low" if sum(number > cut for cut in cuts) % 2 == 0 else "high"
            for number in sorted(rows)
        ]


def test_a_cut_stands_between_the_numbers_that_it_parts():
    numbers, rows = np.arange(1.0, 11.0), np.ones(10, np.int64)
    below = number_histogram(numbers, rows, Bins.at(4))
    assert below.cuts == ((40.0, "4"),)
    assert number_histogram(numbers, rows, Bins.at(">=5")).cuts == ((40.0, "5"),)
    assert [bar.kind for bar in below.bars] == ["low"] * 4 + ["high"] * 6


@given(st.dictionaries(st.text(min_size=1), st.integers(1, 10**6), min_size=1, max_size=60))
def test_a_stack_begins_left_and_ends_right(values):
    parts = value_stack(values, {})
    assert parts[0].x == 0
    assert len(parts) <= 25
    assert all(part.x + part.width <= 100.21 for part in parts)
    assert [part.x for part in parts] == sorted(part.x for part in parts)


def test_numbers_whose_span_is_no_number_have_the_picture_of_smaller_ones():
    numbers = np.array([-1e308, 0.0, 5e307, 1e308])
    rows = np.array([3, 1, 4, 2])
    huge = number_histogram(numbers, rows, Bins.at(0))
    small = number_histogram(numbers / 1e300, rows, Bins.at(0))
    assert huge.bars == small.bars
    assert huge.cuts == small.cuts == ((50.0, "0"),)
    assert (huge.low, huge.high) == ("-1e+308", "1e+308")
