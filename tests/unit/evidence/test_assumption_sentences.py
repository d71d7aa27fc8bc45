"""Which sentences a verdict takes for granted."""

from dataclasses import replace

import pytest
from tests.admission import QUESTION

from evenhand.evidence.graph_origin import GraphOrigin
from evenhand.evidence.sentences import assumption_sentences

PLAIN = {
    "scope": "causes",
    "complete": True,
    "pools_others": False,
    "pools_decisions": False,
    "left_out": 0,
    "dropped": 0,
}


def sentences(**changes):
    return assumption_sentences(QUESTION, GraphOrigin(), **PLAIN | changes)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pools_others": True}, "other than female were pooled"),
        ({"pools_decisions": True}, "not favorable were pooled"),
        ({"left_out": 1}, "left out"),
        ({"dropped": 1}, "dropped"),
    ],
)
def test_each_of_these_adds_one_sentence(change, words):
    (more,) = {*sentences(**change)} - {*sentences()}
    assert words in more


def test_a_second_claim_is_not_denied():
    asked = replace(QUESTION, redlining=("major",))
    told = assumption_sentences(asked, GraphOrigin(), **PLAIN)
    assert not any("not what works through other attributes" in one for one in told)
    assert any("the effect through major has one of its own" in one for one in told)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"complete": False}, "Not all block sets"),
        ({"scope": "all"}, "All block sets"),
        ({"scope": "minimal"}, "all minimal block sets"),
    ],
)
def test_one_sentence_says_what_was_examined(change, words):
    (less,) = {*sentences()} - {*sentences(**change)}
    (more,) = {*sentences(**change)} - {*sentences()}
    assert less.startswith("Only the decision causes")
    assert words in more


def test_the_origin_of_the_graph_is_said():
    assert "The graph was given." in sentences()
