"""Classes of numbers come in the order of their numbers, whatever their words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.counts.label_order import in_order, known_order
from evenhand.question import Bins


@pytest.mark.parametrize(
    "cuts", [[9, 10, 100], [">=-5", "0.5", ">=7", 7], ["1/3", 2], [-10, -9, 1000]]
)
@pytest.mark.parametrize("whole", [True, False])
def test_classes_are_sorted_by_value(cuts, whole):
    labels = Bins.at(*cuts).of_whole_numbers(whole).labels
    mixed = [*labels[1::2], *reversed(labels[::2])]
    assert in_order(mixed) == labels
    assert in_order([*mixed, "(missing)"]) == (*labels, "(missing)")


@given(st.lists(st.sampled_from(["1", "01", "1.0", "-0", "0", "10", "9", "1e3", "inf"])))
def test_numbers_are_sorted_by_value_and_equal_ones_as_texts(labels):
    assert in_order(labels) == tuple(sorted(sorted(labels), key=float))


def test_texts_are_sorted_as_texts():
    assert in_order(["up to you", "3 to 5", "a"]) == ("3 to 5", "a", "up to you")
    assert in_order(["1/2", "3/4", "10"]) == ("1/2", "10", "3/4")


@pytest.mark.parametrize(
    ("labels", "ordered"),
    [
        (["High", "low ", "medium"], ("low ", "medium", "High")),
        (["poor", "excellent", "good", "fair"], ("poor", "fair", "good", "excellent")),
        (["10", "9", "-1"], ("-1", "9", "10")),
        (["38 or more", "up to 37"], ("up to 37", "38 or more")),
        (["red", "green", "blue"], ()),
        (["low", "medium", "unknown"], ()),
        (["1", "2", "(missing)"], ()),
        (["nan", "1"], ()),
        ([], ()),
    ],
)
def test_an_order_is_known_of_numbers_classes_and_words_of_a_scale_alone(labels, ordered):
    assert known_order(labels) == ordered
