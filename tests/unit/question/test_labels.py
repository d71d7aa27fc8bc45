"""How people and decisions are called in sentences."""

import pytest

from evenhand import Question
from evenhand.question.labels import Labels, decision_phrase


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
