"""States of the tables: entered, amended, gone back to."""

import pytest

from evenhand.errors import QuestionError
from evenhand.web.question_store import StaleError, TableHistory, difference_in_words


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


def test_every_change_has_a_revision_but_not_what_belongs_to_it() -> None:
    history = TableHistory({}, 7)
    assert history.revision == 7
    history.enter({"data": {}})
    history.step(-1)
    assert history.revision == 9
    history.amend({"labels": {}})
    assert history.revision == 9
    history.check(9)
    history.renew()
    assert history.revision == 10
    history.check(9)  # a page that is older, and shows the same


def test_what_changed_since_a_page_was_shown_is_refused_with_its_name() -> None:
    history = TableHistory({"data": {"na": ["?"]}})
    history.enter({"data": {"na": ["?"]}, "question": {"group": "f"}})
    history.check(None)
    history.check(0, lambda tables: tables["data"])
    history.check(0, lambda tables: tables.get("question"), {"group": "f"})
    with pytest.raises(StaleError, match="newest: the question changed since"):
        history.check(0, lambda tables: tables.get("question"), {"group": "m"})
    for unknown in (2, -1, "text", [0]):
        with pytest.raises(StaleError, match="a table was opened since"):
            history.check(unknown)
