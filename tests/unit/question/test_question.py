from decimal import Decimal
from fractions import Fraction

import pytest

from evenhand import CountTable, EvenhandError, Question, examined_counts
from evenhand.errors import ColumnError, QuestionError


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


def table(sexes="ffmm", hired=("yes", "no", "yes", "no")):
    return CountTable.of({"sex": list(sexes), "hired": list(hired)})


def refusal(counts, question) -> EvenhandError:
    with pytest.raises(EvenhandError) as caught:
        examined_counts(counts, question)
    return caught.value


def test_an_unknown_column_is_named_with_its_neighbours():
    error = refusal(table(), ask(protected="Sex "))
    assert isinstance(error, ColumnError)
    assert "Did you mean 'sex'?" in error.problems[0].found
    assert error.problems[0].where == "question"


def test_one_group_alone_cannot_be_compared():
    error = refusal(table("ffff"), ask())
    assert "one value only" in str(error)
    assert "nobody to compare with" in str(error)


def test_three_groups_need_an_other():
    error = refusal(table("ffmx"), ask())
    assert isinstance(error, QuestionError)
    assert "3 values: 'f', 'm', 'x'" in str(error)
    assert "other='rest'" in str(error.problems[0])


def test_a_constant_decision_is_refused():
    assert "always 'yes'" in str(refusal(table(hired=["yes"] * 4), ask()))


def test_an_absent_favorable_value_is_shown_beside_what_is_there():
    counts = table(hired=(">50K.", "<=50K", ">50K.", "<=50K"))
    error = refusal(counts, ask(favorable=">50K"))
    assert "'<=50K', '>50K.'" in str(error)
    assert "Did you mean '>50K.'" in str(error)


def test_an_absent_group_is_shown_beside_what_is_there():
    assert "has no value 'F'" in str(refusal(table(), ask(group="F")))


def test_spellings_of_one_value_are_not_counted_apart():
    error = refusal(table("ffmm", (">50K.", ">50K", "<=50K", "<=50K")), ask(favorable=">50K"))
    assert "in 2 ways" in str(error)
    assert "merge={'hired': {'>50K': ['>50K', '>50K.']}}" in str(error)


def test_all_problems_come_together():
    error = refusal(table("ffff", ["yes"] * 4), ask(group="w", favorable="maybe"))
    assert len(error.problems) == 4


def test_rows_of_further_groups_leave_and_are_counted():
    examined = examined_counts(table("fmxx"), ask(other="m"))
    assert examined.left_out == 2
    assert examined.counts.attribute("sex").values == ("f", "m")


def test_the_rest_is_pooled():
    examined = examined_counts(table("fmxx"), ask(other="rest"))
    assert examined.left_out == 0
    assert examined.counts.values("sex") == {"f": 1, "not f": 3}
    assert examined.question.other == "not f"


def test_the_other_of_two_values_need_not_be_named():
    assert examined_counts(table(), ask()).question.other == "m"


def test_a_group_called_rest_is_not_pooled_by_accident():
    error = refusal(
        CountTable.of({"sex": ["f", "m", "rest"], "hired": ["yes", "no", "no"]}),
        ask(other="rest"),
    )
    assert "'rest' is itself a value" in str(error)


@pytest.mark.parametrize("field", ["protected", "decision"])
def test_a_column_is_named_by_a_text(field):
    with pytest.raises(QuestionError, match="which is no text"):
        ask(**{field: 5})
