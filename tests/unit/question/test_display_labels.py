"""How people and decisions are called in sentences."""

import pytest

from evenhand import Question
from evenhand.question.display_labels import (
    Labels,
    decision_phrase,
    group_heading,
    people_of,
    state_before,
)


@pytest.mark.parametrize(
    ("column", "value", "phrase"),
    [
        ("hired", "hired", "were hired"),
        ("Approved", "approved", "were approved"),
        ("hired", "yes", "had “hired = yes”"),
        ("income", ">50K", "had “income = >50K”"),
        ("admission", "admitted", "were admitted"),
        ("offer", "offer", "had “offer = offer”"),
        ("grade", "need", "had “grade = need”"),
    ],
)
def test_a_value_that_is_a_participle_is_what_was_done_to_people(column, value, phrase):
    asked = Question(protected="sex", group="f", decision=column, favorable=value)
    assert decision_phrase(asked, Labels()) == phrase


@pytest.mark.parametrize(
    ("label", "phrase"),
    [
        ("were let in", "were let in"),
        ("let in", "had admission let in"),
        ("an admission", "had an admission"),
        ("Admitted", "were Admitted"),
    ],
)
def test_a_label_of_a_decision_becomes_a_phrase(label, phrase):
    asked = Question(protected="sex", group="f", decision="admission", favorable="1")
    assert decision_phrase(asked, Labels(values={"admission": {"1": label}})) == phrase


@pytest.mark.parametrize(
    ("value", "heading", "people"),
    [
        ("f", "sex f", "women"),
        ("men", "men", "people with “gender = men”"),
        ("1", "sex 1", None),
    ],
)
def test_a_group_is_named_by_its_label_or_with_its_column(value, heading, people):
    asked = Question(protected="sex", group="f", decision="hired", favorable="yes")
    words = Labels(columns={"sex": "gender"}, values={"sex": {"f": "women"}})
    assert group_heading(asked, value) == heading
    assert people_of(asked, value, words) == (people or "people with “gender = 1”")


@pytest.mark.parametrize(("predicts", "state"), [("", "recorded"), ("hired", "predicted")])
def test_decisions_of_a_model_were_predicted(predicts, state):
    asked = Question(protected="sex", group="f", decision="x", favorable="y", predicts=predicts)
    assert state_before(asked) == state
