"""Classes are labelled in words, and can be written in the same words."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.checker.people_in_csv import is_in_class
from evenhand.errors import QuestionError
from evenhand.question import Bins

numbers = st.integers(-30, 30).map(lambda number: Fraction(number, 4))


@st.composite
def classes(draw):
    ends = draw(st.sets(st.tuples(numbers, st.booleans()), min_size=1, max_size=5))
    cuts, below = zip(*sorted(ends), strict=True)
    return Bins(cuts, tuple(not one for one in below))


@pytest.mark.parametrize(
    ("cuts", "of_any", "of_whole"),
    [
        ([2], "up to 2 | over 2", "up to 2 | 3 or more"),
        ([2, 5], "up to 2 | over 2 to 5 | over 5", "up to 2 | 3 to 5 | 6 or more"),
        ([">=3"], "under 3 | 3 or more", "up to 2 | 3 or more"),
        ([3, ">=7"], "up to 3 | over 3 to under 7 | 7 or more", "up to 3 | 4 to 6 | 7 or more"),
        ([">=3", "5.5"], "under 3 | 3 to 5.5 | over 5.5", "up to 2 | 3 to 5 | 6 or more"),
        ([">=3", 3], "under 3 | 3 | over 3", "up to 2 | 3 | 4 or more"),
        ([2, 3], "up to 2 | over 2 to 3 | over 3", "up to 2 | 3 | 4 or more"),
        ([-3, -1], "up to -3 | over -3 to -1 | over -1", "up to -3 | -2 to -1 | 0 or more"),
        (["2.2", "2.5"], "up to 2.2 | over 2.2 to 2.5 | over 2.5", "up to 2 | 3 or more"),
        (["1/3"], "up to 1/3 | over 1/3", "up to 0 | 1 or more"),
    ],
)  # fmt: skip
def test_labels_are_words(cuts, of_any, of_whole):
    bins = Bins.at(*cuts)
    assert " | ".join(bins.labels) == of_any
    assert " | ".join(bins.of_whole_numbers(True).labels) == of_whole


@given(classes(), numbers)
def test_a_number_lies_in_the_one_class_whose_words_hold(bins, number):
    variants = [bins.of_whole_numbers(False)]
    variants += [bins.of_whole_numbers(True)] if number.denominator == 1 else []
    for settled in variants:
        holding = [label for label in settled.labels if is_in_class(number, label)]
        assert holding == [settled.labels[settled.position(number)]]


@given(classes(), st.booleans())
def test_classes_can_be_written_as_cuts_or_as_labels(bins, whole):
    assert Bins.at(*bins.notation) == bins
    settled = bins.of_whole_numbers(whole)
    assert Bins.at(*settled.notation) == settled
    assert len({*settled.labels}) == len(settled.labels)


@given(classes(), st.sets(st.integers(-9, 9), min_size=1))
def test_the_labels_that_occur_settle_how_classes_are_labelled(bins, whole):
    for settled in (bins.of_whole_numbers(True), bins.of_whole_numbers(False)):
        occurring = {settled.labels[settled.position(Fraction(number))] for number in whole}
        assert occurring <= {*bins.settled(occurring).labels}


def test_whole_numbers_keep_their_class_under_either_label():
    bins = Bins.at(2, ">=5", "7.5")
    for number, whole in product(range(10), (True, False)):
        plain = bins.label(str(number))
        assert bins.of_whole_numbers(True).label(str(number)) == bins.whole_labels()[plain], (
            whole
        )


@pytest.mark.parametrize(
    "labels",
    [
        ["up to 2"],
        ["up to 2", "4 or more"],
        ["up to 2", "over 3"],
        ["up to 2", "2 or more"],
        ["up to 2", "3 to 5", "over 5"],
        ["up to 2.5", "3.5 or more"],
        ["up to 2", "over 5", "6 or more"],
        ["up to two", "over two"],
        [3, ">=3"],
        ["up to 5", "6 to 5", "6 or more"],
    ],
)
def test_classes_with_gaps_are_refused(labels):
    with pytest.raises(QuestionError):
        Bins.at(*labels)
