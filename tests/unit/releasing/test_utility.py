"""The paper's measures on numbers small enough to check by hand."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand import CountTable
from evenhand.releasing.utility import compare_counts

VALUES = ["a", "b", "c"]


def table(counts):
    return CountTable.of({"x": VALUES}, counts)


@pytest.mark.paper("table:comparison")
def test_the_measures_are_those_of_the_definitions():
    found = compare_counts(table([60, 40, 10]), table([50, 60, 0]))
    assert found.cell_changes == 10 + 20 + 10
    assert found.distance == pytest.approx(sqrt(10**2 + 20**2 + 10**2) / 110)
    assert found.chi_square_kept_cells == pytest.approx(10**2 / 50 + 20**2 / 60)
    assert found.chi_square == pytest.approx(10**2 / 50 + 20**2 / 60 + 10)


def test_an_emptied_cell_counts_with_what_it_lost_or_not_at_all():
    found = compare_counts(table([5, 5, 0]), table([10, 0, 0]))
    assert found.chi_square - found.chi_square_kept_cells == 5


def test_cells_that_come_into_being_are_counted():
    before = CountTable.of({"x": ["a", "a"], "y": ["0", "0"]}, [3, 3])
    after = CountTable.of({"x": ["a", "b"], "y": ["0", "1"]}, [4, 2])
    assert compare_counts(before, after).cell_changes == 2 + 2


def test_the_order_of_values_and_columns_does_not_matter():
    before = CountTable.of({"x": ["a", "b"], "y": ["0", "1"]}, [3, 4])
    after = CountTable.of({"y": ["1", "0"], "x": ["b", "a"]}, [4, 3])
    assert compare_counts(before, after).cell_changes == 0


@given(
    st.lists(st.integers(1, 50), min_size=3, max_size=3),
    st.lists(st.integers(0, 50), min_size=3, max_size=3),
)
def test_nothing_changed_costs_nothing_and_anything_else_something(old, new):
    found = compare_counts(table(old), table(new))
    assert (found.cell_changes == 0) == (old == new)
    assert (found.distance == 0) == (old == new)
    assert found.chi_square >= found.chi_square_kept_cells >= 0


def test_the_measures_are_told_in_words_and_in_values():
    found = compare_counts(table([60, 40, 10]), table([50, 60, 0]))
    assert "cell changes (n_T)" in str(found)
    assert found.to_dict()["cell_changes"] == 40
