"""A question is checked against the counts; rows of other groups are pooled or left out."""

import pytest

from evenhand import CountTable, EvenhandError, Question, examined_counts
from evenhand.errors import ColumnError, QuestionError


def ask(**changes):
    fields = {"protected": "sex", "group": "f", "decision": "hired", "favorable": "yes"}
    return Question(**(fields | changes))


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


def test_a_favorable_value_of_further_groups_only_is_said_to_be_there():
    counts = table("ffmmx", ["no", "refused", "no", "refused", "yes"])
    (problem,) = refusal(counts, ask(other="m")).problems
    assert problem.what == "Nobody with sex 'f' or 'm' has hired 'yes'."
    assert problem.remedies[0].value == "rest"
    assert examined_counts(counts, ask(other="rest")).counts.row_count == 5
