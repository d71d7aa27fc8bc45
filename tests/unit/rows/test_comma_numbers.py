"""Numbers with a comma are told apart from numbers and from texts."""

import pytest

from evenhand.rows.comma_numbers import are_comma_numbers, comma_numbers


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("0,5 12 -3,25", True),
        ("1,200 1,200,000", True),
        ("?  0,5", True),
        ("0.5 12", False),
        ("1,a 0,5", False),
        ("a,b", False),
        ("12,", False),
        ("", False),
    ],
)
def test_what_counts_as_a_number_with_a_comma(values, expected):
    assert are_comma_numbers(values.split(" ")) is expected


def test_the_remedy_says_how_to_write_them():
    problem = comma_numbers(["pay"]).problem
    assert "'pay'" in problem.what
    assert "0.5" in problem.remedies[0].words
    assert problem.remedies[1].value == ["pay"]
