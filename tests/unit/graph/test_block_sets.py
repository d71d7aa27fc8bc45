"""What the reader is told about a set that is no block set."""

import pytest

from evenhand import Question
from evenhand.errors import GraphError
from evenhand.graph import CausalGraph

QUESTION = Question(protected="sex", group="F", decision="hired", favorable="yes")
GRAPH = CausalGraph.parse(
    "sex -> hired; sex -> major -> hired; a -> sex; a -> m <- b; b -> hired; m -> d; "
    "hired -> salary -> car"
)
M_PATH = "The path sex <- a -> m <- b -> hired stays open: 'a' and 'b' are not held equal"


def reasons(*names):
    return GRAPH.check_block_set(QUESTION, names).reasons


def test_a_block_set_is_confirmed():
    check = GRAPH.check_block_set(QUESTION, {"major"})
    assert check
    assert check.holds
    assert check.reasons == ()
    assert "{major} is a block set" in str(check)


def test_an_open_chain_names_what_is_not_held_equal():
    assert reasons() == (
        "The path sex -> major -> hired stays open: 'major' is not held equal.",
    )


def test_an_opened_collider_names_the_causes_that_it_links():
    assert [*reasons("major", "m")] == [
        f"{M_PATH}, and holding 'm' equal links its causes 'a' and 'b'."
    ]


def test_a_consequence_of_a_collider_opens_it_too():
    assert [*reasons("major", "d")] == [
        f"{M_PATH}, and holding 'd' equal, a consequence of 'm', links the causes 'a' and 'b'."
    ]


def test_a_consequence_of_the_decision_is_shown_with_its_path():
    check = GRAPH.check_block_set(QUESTION, {"major", "car"})
    assert not check
    assert check.open_path == ()
    assert check.consequences == ("car",)
    assert "(hired -> salary -> car)" in check.reasons[0]
    assert str(check).endswith("To get a block set, leave out 'car'.")


def test_the_remedy_adds_no_more_than_is_needed():
    assert GRAPH.check_block_set(QUESTION, set()).missing == ("major",)


def test_what_is_compared_cannot_be_held_equal():
    with pytest.raises(GraphError, match="'hired' and 'sex' cannot be held equal"):
        GRAPH.check_block_set(QUESTION, {"sex", "hired"})


def test_an_unknown_name_is_answered_with_near_ones():
    with pytest.raises(GraphError, match="Did you mean 'major'"):
        GRAPH.check_block_set(QUESTION, {"majors"})
