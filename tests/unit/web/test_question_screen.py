"""The question screen: lists are added to, columns come into use, any sequence can be shown."""

import json
from contextlib import suppress

import numpy as np
import pytest
from tests.people_table import people_session
from tests.web_sessions import adult_session, learn_now, open_session

from evenhand.errors import EvenhandError, QuestionError
from evenhand.web import question_screen
from evenhand.web.folder import Folder
from evenhand.web.pages import render
from evenhand.web.question_screen import CHANGES, column_views, patch, view
from evenhand.web.session import Session

HANDLERS = {path: handler for _, path, handler in CHANGES}


@pytest.fixture
def session(tmp_path):
    return people_session(tmp_path)


def shown(session, **query):
    return render(session, "question", view(session, query))


def test_lists_are_added_to_and_removed_from(session):
    assert session.tables["data"]["exclude"] == ["id"]
    patch(session, {"add": {"data": {"exclude": ["wage"]}}})
    assert session.tables["data"]["exclude"] == ["id", "wage"]
    patch(session, {"add": {"data": {"exclude": ["wage"]}}})
    assert session.tables["data"]["exclude"] == ["id", "wage"]
    patch(session, {"remove": {"data": {"exclude": ["id", "wage"]}}})
    assert "exclude" not in session.tables.get("data", {})


def test_a_column_is_used_also_where_columns_are_chosen_by_name(session):
    session.replace_tables({"data": {"columns": ["origin", "hired"]}})
    patch(session, {"change": {"question": {"protected": "gender"}}})
    assert session.tables["data"]["columns"] == ["origin", "hired", "gender"]
    patch(session, {"add": {"data": {"exclude": ["age"]}}})
    patch(session, {"remove": {"data": {"exclude": ["age"]}}})
    assert session.tables["data"]["columns"][-1] == "age"


def test_an_emptied_field_is_left_out(session):
    patch(session, {"change": {"labels": {"columns": {"age": "years"}}}})
    assert "years" in shown(session)
    patch(session, {"change": {"labels": {"columns": {"age": ""}}}})
    assert "labels" not in session.tables


def test_a_new_part_of_a_column_ends_its_old_one(session):
    patch(session, {"change": {"question": {"protected": "gender", "decision": "hired"}}})
    patch(session, {"add": {"question": {"redlining": ["origin", "job"]}}})
    patch(session, {"change": {"question": {"protected": "origin"}}})
    assert session.tables["question"]["redlining"] == ["job"]


def test_texts_that_mean_missing(session):
    HANDLERS["missing-text"](session, {"text": " ? "})
    assert session.tables["data"]["na"] == ["?"]
    looked = session.inspection
    assert any("lack one" in problem.what for problem in looked.problems)
    with pytest.raises(QuestionError, match="No text"):
        HANDLERS["missing-text"](session, {"text": " "})


def test_the_smallest_groups_are_whole_numbers(session):
    patch(session, {"change": {"question": {"protected": "gender", "decision": "hired"}}})
    HANDLERS["rows-asked"](session, {"min_rows": "5"})
    assert session.tables["question"]["min_rows"] == 5
    HANDLERS["rows-asked"](session, {"min_rows": "1"})
    assert "min_rows" not in session.tables["question"]
    with pytest.raises(QuestionError, match="whole number"):
        HANDLERS["rows-asked"](session, {"min_rows": "a few"})


def test_numbers_that_are_asked_about_are_put_into_classes(session):
    patch(session, {"change": {"data": {"bins": None}}})
    patch(session, {"change": {"question": {"protected": "wage", "decision": "hired"}}})
    assert len(session.tables["data"]["bins"]["wage"]) == 1
    assert "minus" in shown(session)


def test_a_question_that_does_not_fit_is_told_with_its_remedy(session):
    patch(session, {"change": {"question": {"protected": "origin", "decision": "hired"}}})
    patch(session, {"change": {"question": {"group": "A"}}})
    problems = view(session, {})["problems"]
    assert any("has 5 values" in problem.what for problem in problems)
    assert "Pool all others" in shown(session)


def test_adult_reads_as_its_question_file_says(tmp_path):
    session = adult_session(tmp_path, learned=False)
    page = shown(session, column="hours")
    assert "1,769 of 16,192" in page
    assert "9,918 of 32,650" in page
    assert "19.5 points" in page
    assert "women" in page
    assert "country of birth" in page


def test_what_is_known_of_a_column_is_forgotten_once_it_is_left_out(tmp_path):
    session = adult_session(tmp_path, learned=False)
    patch(session, {"change": {"knowledge": {"forbid": ["race -> hours", "age -> race"]}}})
    patch(session, {"add": {"data": {"exclude": ["education", "hours"]}}})
    assert session.tables["knowledge"] == {
        "tiers": [["sex", "age", "native_country", "race"], ["*"]],
        "forbid": ["age -> race"],
    }
    learn_now(session)
    assert session.learned is not None


def test_without_a_table_there_is_no_question(tmp_path):
    with pytest.raises(QuestionError, match="No table"):
        view(Session(Folder(tmp_path)), {})


def test_a_wide_table_is_listed_in_pages(tmp_path):
    names = [f"c{number}" for number in range(300)]
    values = np.random.default_rng(2).choice([*"ab"], (50, 300)).tolist()
    lines = [names, *values]
    (tmp_path / "wide.csv").write_text("\n".join(",".join(line) for line in lines) + "\n")
    session = open_session(tmp_path, "wide.csv")
    found = view(session, {"page": "2", "find": "c1"})
    assert found["pager"].many == 111
    assert found["columns"][0].name == "c114"
    assert len(shown(session)) < 150_000


@pytest.mark.parametrize("seed", range(4))
def test_any_sequence_of_choices_leads_to_a_page(session, seed):
    """Whatever is refused is refused in words; whatever is not can be shown."""
    draw = np.random.default_rng(seed)
    names = session.stored.columns

    def one_of(things):
        return things[draw.integers(len(things))]

    for _ in range(25):
        name = one_of(names)
        asked = view(session, {})["sentence"]
        picks = [*asked.protected_picks, asked.decision_pick]
        if asked.complete:
            picks += [asked.group_pick, asked.other_pick, asked.favorable_pick]
        pick = one_of(picks)
        chosen = one_of([one for _, members in pick.options for one in members] or [None])
        values = column_views(session).detail(name).values[:2]
        ticked = {f"value-{one.value}": True for one in values}
        ways = [
            ("question", json.loads(pick.body.replace('"$value"', chosen.value)))
            if chosen
            else (),
            ("classes", {"column": name, "add": True}),
            ("classes", {"column": name, "at": 0, "cut": str(draw.integers(60))}),
            ("classes", {"column": name, "remove": 0}),
            ("merge", {"column": name, **ticked}),
            ("merge", {"column": name, **ticked, "others": True}),
            ("question", {one_of(["add", "remove"]): {"data": {"exclude": [name]}}}),
        ]
        path, body = one_of([way for way in ways if way])
        handler = HANDLERS.get(path, question_screen.patch)
        with suppress(EvenhandError):
            handler(session, body)
        assert "</html>" in shown(session, column=name)


def test_a_column_of_the_question_that_is_left_out_is_told(session):
    patch(session, {"change": {"question": {"protected": "gender", "decision": "hired"}}})
    patch(session, {"add": {"data": {"exclude": ["gender"]}}})
    assert "in the table, but left out" in view(session, {})["problems"][0].what
    assert "Use the column" in shown(session, column="gender")
