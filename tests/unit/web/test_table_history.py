"""States of the tables: entered, amended, gone back to."""

import pytest

from evenhand.errors import QuestionError
from evenhand.web.table_history import TableHistory, difference_in_words


def test_a_new_state_ends_what_could_be_redone() -> None:
    history = TableHistory({"data": {}})
    assert not history.enter({"data": {}})
    assert history.enter({"question": {"group": "f"}})
    history.step(-1)
    assert history.now is history.first
    assert history.difference(1) == "the question and how columns are read"
    assert history.difference(-1) == ""
    assert history.enter({"labels": {}})
    assert history.difference(1) == ""
    with pytest.raises(QuestionError, match="nothing to redo"):
        history.step(1)


def test_an_amended_state_is_one_step() -> None:
    history = TableHistory({})
    history.enter({"knowledge": {"tiers": []}})
    history.amend({"knowledge": {"tiers": []}, "graph": {"add": []}})
    assert history.difference(-1) == "the order of events and the graph"
    history.step(-1)
    assert history.now == {}


def test_the_same_differs_in_nothing() -> None:
    assert difference_in_words({"data": {"na": ["?"]}}, {"data": {"na": ["?"]}}) == ""
