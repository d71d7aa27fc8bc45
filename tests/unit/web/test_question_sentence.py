"""The sentence of choices: whatever is offered can be chosen, and is then what is shown."""

import json

import pytest
from tests.people_table import people_session
from tests.web_sessions import open_session

from evenhand.question import QuestionFile
from evenhand.web.pages import render
from evenhand.web.question_screen import column_views, patch, view
from evenhand.web.question_sentence import QuestionSentence
from evenhand.web.question_store import check_tables


@pytest.fixture
def session(tmp_path):
    made = people_session(tmp_path)
    patch(made, {"change": {"question": {"protected": "origin", "decision": "job"}}})
    patch(made, {"change": {"question": {"favorable": "clerk"}}})
    return made


def sentence(session):
    return QuestionSentence(column_views(session), session.tables)


def sent(pick, option):
    """What the page sends: the body with the option's value."""

    def fill(part):
        if isinstance(part, dict):
            return {name: fill(value) for name, value in part.items()}
        if isinstance(part, list):
            return [*map(fill, part)]
        return json.loads(option.value) if part == "$value" else part

    return fill(json.loads(pick.body))


def options(pick):
    return {one.words: one for _, members in pick.options for one in members}


@pytest.mark.parametrize(
    "part", ["group_pick", "other_pick", "favorable_pick", "threshold_pick", "decision_pick"]
)
def test_whatever_is_offered_can_be_chosen_and_is_then_shown(session, part):
    for words in options(getattr(sentence(session), part)):
        pick = getattr(sentence(session), part)
        patch(session, sent(pick, options(pick)[words]))
        now = getattr(sentence(session), part)
        assert now.shown == words
        assert [one.words for one in options(now).values() if one.chosen] == [words]
        check_tables(session.tables)  # but for what is still open


def test_a_second_protected_attribute_is_added_and_taken_away(session):
    patch(session, sent(pick := sentence(session).further_pick, options(pick)["gender"]))
    assert session.tables["question"]["protected"] == ["origin", "gender"]
    assert len(sentence(session).groups) == 10
    second = sentence(session).protected_picks[1]
    patch(session, sent(second, options(second)["(no second one)"]))
    assert session.tables["question"]["protected"] == "origin"


def test_no_column_is_offered_twice(session):
    offered = options(sentence(session).decision_pick)
    assert "origin" not in offered
    assert "job" not in options(sentence(session).protected_picks[0])


def test_a_column_that_is_left_out_is_used_once_it_is_named(session):
    patch(session, {"add": {"data": {"exclude": ["gender"]}}})
    titles = [title for title, _ in sentence(session).protected_picks[0].options]
    assert titles[-1] == "Left out so far"
    patch(session, {"change": {"question": {"protected": "gender"}}})
    assert "gender" not in session.tables["data"].get("exclude", [])
    assert session.tables["question"]["group"] in "fm"


def test_several_values_count_as_one_and_their_order_is_changed(session):
    boxes = {words: body for _, words, _, body in sentence(session).favorable_boxes}
    for way, favorable in [("add", ("clerk", "nurse")), ("remove", ("clerk",))] * 2:
        patch(session, json.loads(boxes["nurse"].replace("$put", way)))
        assert sentence(session).favorable == favorable
    pick = sentence(session).favorable_pick
    patch(session, sent(pick, options(pick)["each value or a better one"]))
    patch(session, {"change": {"question": {"order": ["nurse", "clerk", "driver", "?"]}}})
    first = sentence(session).order[0]
    patch(session, json.loads(sentence(session).order_moves[0][2]))
    assert sentence(session).order[1] == first
    assert sentence(session).order_moves[0][1] == ""
    assert sentence(session).order_moves[-1][2] == ""


def test_effects_through_others_leave_nothing_behind(session):
    pick = sentence(session).attribute_pick("redlining", "Choose")
    patch(session, sent(pick, options(pick)["age"]))
    pick = sentence(session).attribute_pick("explained", "Choose")
    assert "age" not in options(pick)
    patch(session, sent(pick, options(pick)["wage"]))
    patch(session, {"change": {"question": {"basis": "all"}}})
    assert QuestionFile.from_tables(session.tables).question.redlining == ("age",)
    (_, body), *_ = sentence(session).attribute_choice("redlining")
    patch(session, json.loads(body))
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
    best = dict(sentence(session).order_rest)
    assert {*best} == {"clerk", "driver", "nurse"}
    patch(session, json.loads(best["nurse"]))
    assert session.tables["question"]["order"] == ["nurse"]
    patch(session, json.loads(dict(sentence(session).order_rest)["clerk"]))
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
    assert (pick.shown, pick.kind) == ("which decision", "decision blank")
    assert view(session, {})["problems"][0].what == "Which decision counts?"
