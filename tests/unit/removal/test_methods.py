"""One list of policies: every method can be named by it, and every door tells it."""

import pytest

from evenhand.errors import QuestionError
from evenhand.question.fields import TABLES
from evenhand.removal import POLICIES, ModifyData, named_method, policy_of


@pytest.mark.parametrize("policy", POLICIES, ids=lambda one: f"{one.method} {one.name}")
def test_a_policy_makes_its_method_and_is_found_by_it(policy):
    method = named_method(policy.method, policy.name)
    assert method.name == policy.method
    assert method.guaranteed == policy.guaranteed
    assert policy.name in ("", method.policy)
    assert policy_of(method.name, method.policy) is policy


def test_the_question_file_tells_every_policy():
    told = TABLES["release"]["policy"].help
    assert all(policy.name in told for policy in POLICIES)


def test_a_method_is_named_with_its_settings():
    assert named_method("modify-data") == ModifyData()
    method = named_method("modify-data", "raise", margin="0.01", only=("a",), rank="score")
    assert method == ModifyData(policy="raise", margin="0.01", only=("a",), rank="score")


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("modify-dat", {}, "no method 'modify-dat'.*Did you mean 'modify-data'"),
        ("modify-graph", {"policy": "raise"}, "'modify-graph' with policy 'raise'"),
        ("local-massaging", {"policy": "raise"}, "Choose one of modify-data, modify-graph"),
        ("modify-graph", {"rank": "score"}, "does not choose rows by a score"),
        ("modify-data", {"policy": "fair"}, "There is no policy 'fair'"),
    ],
)
def test_what_there_is_not_is_refused(method, options, words):
    with pytest.raises(QuestionError, match=words):
        named_method(method, **options)
