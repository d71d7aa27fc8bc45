"""The sentence of choices: whatever is offered can be chosen, and is then what is shown."""

import html
import json
import re

import pytest
from tests.people_table import people_session
from tests.web_sessions import open_session

from evenhand.question import QuestionFile
from evenhand.web.pages import render
from evenhand.web.question_parts import QuestionSentence
from evenhand.web.question_screen import column_views, patch, view
from evenhand.web.question_store import check_tables


@pytest.fixture
def session(tmp_path):
    made = people_session(tmp_path)
    patch(made, {"change": {"question": {"protected": "origin", "decision": "job"}}})
    patch(made, {"change": {"question": {"favorable": "clerk"}}})
    return made


def sentence(session):
    return QuestionSentence(column_views(session))


def sent(pick, option):
    """What the page sends: the body with the option's value."""

    def fill(part):
        if isinstance(part, dict):
            return {name: fill(value) for name, value in part.items()}
        if isinstance(part, list):
            return [*map(fill, part)]
        return option.value if part == "$value" else part

    return {"change": {"question": fill(pick.change)}}


def options(pick):
    return {one.words: one for one in pick.options}


@pytest.mark.parametrize("part", ["group", "other", "favorable", "threshold", "decision"])
def test_whatever_is_offered_can_be_chosen_and_is_then_shown(session, part):
    def shown():
        found = getattr(sentence(session), f"{part}_pick")
        return found("threshold", "A difference") if part == "threshold" else found

    for words in options(shown()):
        pick = shown()
        patch(session, sent(pick, options(pick)[words]))
        now = shown()
        assert now.shown == words
        assert [one.words for one in options(now).values() if one.chosen] == [words]
        check_tables(session.tables)  # but for what is still open


def test_a_second_protected_attribute_is_added_and_taken_away(session):
    patch(session, sent(pick := sentence(session).further_pick, options(pick)["gender"]))
    assert session.tables["question"]["protected"] == ["origin", "gender"]
    assert len(sentence(session).groups) == 10
    _, second = sentence(session).protected_picks
    patch(session, sent(second, options(second)["(no second one)"]))
    assert session.tables["question"]["protected"] == "origin"


def test_no_column_is_offered_twice(session):
    offered = options(sentence(session).decision_pick)
    assert "origin" not in offered
    assert "job" not in options(next(sentence(session).protected_picks))


def test_a_column_that_is_left_out_is_used_once_it_is_named(session):
    patch(session, {"add": {"data": {"exclude": ["gender"]}}})
    titles = [title for title, _ in next(sentence(session).protected_picks).sections]
    assert titles[-1] == "Left out so far"
    patch(session, {"change": {"question": {"protected": "gender"}}})
    assert "gender" not in session.tables["data"].get("exclude", [])
    assert session.tables["question"]["group"] in "fm"


def test_several_values_count_as_one_and_their_order_is_changed(session):
    for way, favorable in [("add", ["clerk", "nurse"]), ("remove", ["clerk"])] * 2:
        patch(session, {way: {"question": {"favorable": ["nurse"]}}})
        assert sentence(session).favorable == favorable
    pick = sentence(session).favorable_pick
    patch(session, sent(pick, options(pick)["each value or a better one"]))
    patch(session, {"change": {"question": {"order": ["nurse", "clerk", "driver", "?"]}}})
    patch(session, {"later": {"question": {"order": ["nurse"]}}})
    assert sentence(session).order[:2] == ["clerk", "nurse"]
    page = render(session, "question", view(session, {}))
    for button in ("up-clerk", "down-%3F"):  # the ends of the list move no further
        assert re.search(f'id="{button}"[^>]* disabled', page)


def test_effects_through_others_leave_nothing_behind(session):
    patch(session, {"add": {"question": {"redlining": ["age"]}}})
    assert sentence(session).unasked() == ["gender", "wage", "hired"]
    patch(session, {"add": {"question": {"explained": ["wage"]}}})
    patch(session, {"change": {"question": {"basis": "all"}}})
    assert QuestionFile.from_tables(session.tables).question.redlining == ("age",)
    patch(session, {"remove": {"question": {"redlining": ["age"]}}})
    assert not {"redlining", "explained", "basis"} & {*session.tables["question"]}


def test_no_order_is_invented_and_the_user_gives_it_value_by_value(session):
    patch(session, {"change": {"data": {"na": ["?"], "missing": "drop"}}})
    pick = sentence(session).favorable_pick
    patch(session, sent(pick, options(pick)["each value or a better one"]))
    assert "order" not in session.tables["question"]
    shown = view(session, {})
    assert "needs the order" in shown["problems"][0].what
    assert sentence(session).lacks_order
    page = render(session, "question", shown)
    assert '<details class="more-asked" id="more" open data-asks>' in page
    assert "Which is the best?" in page
    assert {*sentence(session).order_rest} == {"clerk", "driver", "nurse"}
    assert '{"add": {"question": {"order": ["nurse"]}}}' in html.unescape(page)
    patch(session, {"add": {"question": {"order": ["nurse"]}}})
    page = html.unescape(render(session, "question", view(session, {})))
    last = re.search(r'\{"add": \{"question": \{"order": \["clerk", "driver"\]\}\}\}', page)
    patch(session, json.loads(last[0]))
    assert session.tables["question"]["order"] == ["nurse", "clerk", "driver"]
    assert not sentence(session).lacks_order
    assert QuestionFile.from_tables(session.tables)


def test_words_of_a_known_scale_come_in_their_order(tmp_path):
    rows = ["sex,rating", *(f"{s},{r}" for s in "fm" for r in ("high", "low", "medium") * 9)]
    (tmp_path / "reviews.csv").write_text("\n".join(rows))
    session = open_session(tmp_path, "reviews.csv")
    patch(session, {"change": {"question": {"protected": "sex", "decision": "rating"}}})
    pick = sentence(session).favorable_pick
    patch(session, sent(pick, options(pick)["each value or a better one"]))
    assert session.tables["question"]["order"] == ["high", "medium", "low"]


def test_of_three_values_none_counts_until_somebody_says_so(session):
    patch(session, {"change": {"question": {"decision": "hired"}}})
    assert session.tables["question"]["favorable"] == "yes"
    patch(session, {"change": {"question": {"decision": "job"}}})
    assert "favorable" not in session.tables["question"]
    pick = sentence(session).favorable_pick
    assert (pick.shown, pick.chosen) == ("which decision", None)
    assert view(session, {})["problems"][0].what == "Which decision counts?"
