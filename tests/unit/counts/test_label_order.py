"""Classes of numbers come in the order of their numbers, whatever their words."""

import pytest

from evenhand.counts.label_order import in_order
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


def test_texts_are_sorted_as_texts():
    assert in_order(["up to you", "3 to 5", "a"]) == ("3 to 5", "a", "up to you")
    assert in_order(["1/2", "3/4", "10"]) == ("1/2", "10", "3/4")
