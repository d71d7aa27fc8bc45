"""A question is checked when it is asked, and its threshold is exact."""

from decimal import Decimal
from fractions import Fraction

import pytest

from evenhand import Question
from evenhand.errors import QuestionError


def ask(**changes):
    fields = {
        "protected": "sex",
        "group": "f",
        "decision": "hired",
        "favorable": "yes",
        "threshold": "0.05",
    }
    return Question(**(fields | changes))


@pytest.mark.parametrize(
    "written", ["0.05", "1/20", " .05 ", Decimal("0.05"), 0.05, Fraction(1, 20)]
)
def test_a_threshold_is_the_number_that_was_written(written):
    assert ask(threshold=written).threshold == Fraction(1, 20)


@pytest.mark.parametrize("written", [0, 1, -0.05, "2", "5"])
def test_a_threshold_outside_zero_and_one_is_refused(written):
    with pytest.raises(QuestionError, match="not between 0 and 1"):
        ask(threshold=written)


def test_threshold_zero_is_explained():
    with pytest.raises(QuestionError, match="nothing could ever be certified"):
        ask(threshold=0)


@pytest.mark.parametrize(
    "written", [float("nan"), float("inf"), "abc", "", "1/0", "0." + "1" * 400]
)
def test_a_threshold_that_is_no_number_is_refused(written):
    with pytest.raises(QuestionError, match="Write a number|not between"):
        ask(threshold=written)


@pytest.mark.parametrize("written", ["5%", "5 %", "0,05"])
def test_a_mistyped_threshold_is_guessed(written):
    with pytest.raises(QuestionError, match=r"Did you mean '0.05'\?"):
        ask(threshold=written)


def test_five_is_taken_for_five_percent():
    with pytest.raises(QuestionError, match=r"Did you mean 1/20\?"):
        ask(threshold=5)


def test_the_decision_is_not_the_protected_attribute():
    with pytest.raises(QuestionError, match="two different columns"):
        ask(decision="sex")


def test_a_group_is_not_compared_with_itself():
    with pytest.raises(QuestionError, match="compared with itself"):
        ask(other="f")


def test_values_may_be_given_as_python_values():
    assert ask(group=1, favorable=True, other=2.0).to_dict() == {
        "protected": "sex",
        "group": "1",
        "other": "2",
        "decision": "hired",
        "favorable": "true",
        "threshold": "1/20",
    }


@pytest.mark.parametrize("field", ["protected", "decision"])
def test_a_column_is_named_by_a_text(field):
    with pytest.raises(QuestionError, match="which is no text"):
        ask(**{field: 5})


@pytest.mark.parametrize("written", ["1e-300", "1e-20", "200%", "7,5"])
def test_a_threshold_is_not_guessed_to_be_what_cannot_be_used(written):
    with pytest.raises(QuestionError) as refused:
        ask(threshold=written)
    assert "Did you mean" not in str(refused.value)
