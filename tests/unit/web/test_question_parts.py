"""Columns with their pictures, and the sentence: what is offered can be chosen."""

import html
import json
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.people_table import HEADER, people_rows, people_session
from tests.web_sessions import Choices, open_session

from evenhand.errors import QuestionError
from evenhand.question import Bins, QuestionFile
from evenhand.web.pages import render
from evenhand.web.question_parts import QuestionSentence, number_histogram, value_stack
from evenhand.web.question_screen import change_classes, column_views, patch, view
from evenhand.web.question_store import check_tables


@pytest.fixture
def session(tmp_path):
    return people_session(tmp_path)


def texts(name):
    return [row[HEADER.index(name)] for row in people_rows()]


@pytest.mark.parametrize(("name", "cuts"), [("age", [30, 41]), ("wage", ["17.5", 20])])
def test_counts_of_classes_equal_a_recount(session, name, cuts):
    session.patch({"data": {"bins": {name: cuts}}})
    ends = [*map(Fraction, map(str, cuts))]
    place = Counter(sum(Fraction(text) > end for end in ends) for text in texts(name))
    column = column_views(session).column(name)
    labels = column_views(session).bins(name).labels
    assert [*column.counted.items()] == [(label, place[at]) for at, label in enumerate(labels)]
    assert column.cuts == cuts


def test_counts_of_values_equal_a_recount(session):
    views = column_views(session)
    counted = {one.value: one.rows for one in views.values(views.column("job"))}
    expected = Counter("(missing)" if text == "?" else text for text in texts("job"))
    assert counted == {value: str(many) for value, many in expected.most_common()}


def test_a_column_left_out_says_why_and_has_its_picture(session):
    column = column_views(session).column("id")
    assert (column.role, column.used, column.cuts) == ("left out", False, [])
    assert "400 values in 400 rows" in column.how


def test_roles_and_colours_are_those_of_the_question(session):
    session.patch({"question": {"protected": "gender", "decision": "hired"}})
    gender, hired, job = map(column_views(session).column, ("gender", "hired", "job"))
    assert gender.role_kind == "group"
    assert {part.kind for part in gender.stack} == {"f-group", "f-other"}
    assert {part.kind for part in hired.stack} == {"f-ink", "high"}
    assert not hired.may_leave_out
    assert job.may_leave_out


def test_suggested_classes_are_those_of_the_inspection(session):
    column = column_views(session).column("age")
    assert column.suggested == session.reading.stored_inspection.column("age").classes
    assert sum(one.cuts == column.cuts for one in column.suggested) == 1


def test_huge_numbers_and_a_favorable_number_are_shown(tmp_path):
    values = [-1.7e308, 1.7e308, 0, *(at * 1e306 for at in range(20))]
    rows = [f"{'fm'[at % 2]},{at % 3 % 2},{values[at % 23]}" for at in range(230)]
    (tmp_path / "t.csv").write_text("\n".join(["sex,hired,x", *rows]))
    (tmp_path / "t.toml").write_text(
        '[question]\nprotected = "sex"\ndecision = "hired"\nfavorable = 1\n'
        "[data.bins]\nx = [0]\n"
    )
    session = open_session(tmp_path, "t.csv")
    assert "1.7e+308" in render(session, "question", view(session, {"column": "x"}))
    with pytest.raises(QuestionError, match="are not all numbers"):
        change_classes(session, {"column": "x", "cuts": "1e308"})
    (tmp_path / "t.toml").unlink()
    session = open_session(tmp_path, "t.csv")
    assert session.tables["data"] == {"exclude": ["x"]}  # no cut of it can be written


@given(
    st.dictionaries(st.integers(-500, 500), st.integers(1, 10**6), min_size=2),
    st.lists(st.integers(-400, 400), unique=True, max_size=4).map(sorted),
)
def test_bars_are_as_high_as_the_rows_of_their_numbers(rows, cuts):
    numbers = np.array(sorted(rows), float)
    counts = np.array([rows[int(number)] for number in numbers])
    bins = Bins.at(*cuts) if cuts else None
    picture = number_histogram(numbers, counts, bins)
    assert [text for _, text in picture.cuts] == [str(cut) for cut in cuts]
    assert all(0 <= bar.x < 100 for bar in picture.bars)
    assert all(0 <= x <= 100 for x, _ in picture.cuts)
    assert max(bar.height for bar in picture.bars) == pytest.approx(100)
    if numbers[-1] - numbers[0] < 100:  # a bar for each number, in the colour of its class
        assert len(picture.bars) == len(rows)
        assert [bar.kind for bar in picture.bars] == [
            "low" if sum(number > cut for cut in cuts) % 2 == 0 else "high"
            for number in sorted(rows)
        ]


def test_a_cut_stands_between_the_numbers_that_it_parts():
    numbers, rows = np.arange(1.0, 11.0), np.ones(10, np.int64)
    below = number_histogram(numbers, rows, Bins.at(4))
    assert below.cuts == ((40.0, "4"),)
    assert number_histogram(numbers, rows, Bins.at(">=5")).cuts == ((40.0, "5"),)
    assert [bar.kind for bar in below.bars] == ["low"] * 4 + ["high"] * 6


@given(st.dictionaries(st.text(min_size=1), st.integers(1, 10**6), min_size=1, max_size=60))
def test_a_stack_begins_left_and_ends_right(values):
    parts = value_stack(values, {})
    assert parts[0].x == 0
    assert len(parts) <= 25
    assert all(part.x + part.width <= 100.21 for part in parts)
    assert [part.x for part in parts] == sorted(part.x for part in parts)


def test_numbers_whose_span_is_no_number_have_the_picture_of_smaller_ones():
    numbers = np.array([-1e308, 0.0, 5e307, 1e308])
    rows = np.array([3, 1, 4, 2])
    huge = number_histogram(numbers, rows, Bins.at(0))
    small = number_histogram(numbers / 1e300, rows, Bins.at(0))
    assert huge.bars == small.bars
    assert huge.cuts == small.cuts == ((50.0, "0"),)
    assert (huge.low, huge.high) == ("-1e+308", "1e+308")


@pytest.fixture
def asked(tmp_path):
    made = people_session(tmp_path)
    patch(made, {"change": {"question": {"protected": "origin", "decision": "job"}}})
    patch(made, {"change": {"question": {"favorable": "clerk"}}})
    return made


def sentence(asked):
    return QuestionSentence(column_views(asked))


@pytest.mark.parametrize("part", ["group", "other", "favorable", "threshold", "decision"])
def test_whatever_is_offered_can_be_chosen_and_is_then_shown(asked, part):
    for words in Choices.of(asked).offered[part]:
        patch(asked, Choices.of(asked).offered[part][words])
        assert Choices.of(asked).chosen[part] == words
        check_tables(asked.tables)  # but for what is still open


def test_no_column_is_offered_twice(asked):
    offered = Choices.of(asked).offered
    assert "origin" not in offered["decision"]
    assert "job" not in offered["protected-0"]


def test_a_column_that_is_left_out_is_used_once_it_is_named(asked):
    patch(asked, {"add": {"data": {"exclude": ["gender"]}}})
    titles = [title for title, _ in next(sentence(asked).protected_choices)]
    assert titles[-1] == "Left out so far"
    patch(asked, {"change": {"question": {"protected": "gender"}}})
    assert "gender" not in asked.tables["data"].get("exclude", [])
    assert asked.tables["question"]["group"] in "fm"


def test_several_values_count_as_one_and_their_order_is_changed(asked):
    for way, favorable in [("add", ["clerk", "nurse"]), ("remove", ["clerk"])] * 2:
        patch(asked, {way: {"question": {"favorable": ["nurse"]}}})
        assert sentence(asked).favorable == favorable
    patch(asked, Choices.of(asked).offered["favorable"]["each value or a better one"])
    patch(asked, {"change": {"question": {"order": ["nurse", "clerk", "driver", "?"]}}})
    patch(asked, {"later": {"question": {"order": ["nurse"]}}})
    assert sentence(asked).order[:2] == ["clerk", "nurse"]
    page = render(asked, "question", view(asked, {}))
    for button in ("up-clerk", "down-%3F"):  # the ends of the list move no further
        assert re.search(f'id="{button}"[^>]* disabled', page)


def test_effects_through_others_leave_nothing_behind(asked):
    patch(asked, {"add": {"question": {"redlining": ["age"]}}})
    assert sentence(asked).unasked() == ["gender", "wage", "hired"]
    patch(asked, {"add": {"question": {"explained": ["wage"]}}})
    patch(asked, {"change": {"question": {"basis": "all"}}})
    assert QuestionFile.from_tables(asked.tables).question.redlining == ("age",)
    patch(asked, {"remove": {"question": {"redlining": ["age"]}}})
    assert not {"redlining", "explained", "basis"} & {*asked.tables["question"]}


def test_no_order_is_invented_and_the_user_gives_it_value_by_value(asked):
    patch(asked, {"change": {"data": {"na": ["?"], "missing": "drop"}}})
    patch(asked, Choices.of(asked).offered["favorable"]["each value or a better one"])
    assert "order" not in asked.tables["question"]
    shown = view(asked, {})
    assert "needs the order" in shown["problems"][0].what
    assert sentence(asked).lacks_order
    page = render(asked, "question", shown)
    assert '<details class="more-asked" id="more" open data-asks>' in page
    assert "Which is the best?" in page
    assert {*sentence(asked).order_rest} == {"clerk", "driver", "nurse"}
    assert '{"add": {"question": {"order": ["nurse"]}}}' in html.unescape(page)
    patch(asked, {"add": {"question": {"order": ["nurse"]}}})
    page = html.unescape(render(asked, "question", view(asked, {})))
    last = re.search(r'\{"add": \{"question": \{"order": \["clerk", "driver"\]\}\}\}', page)
    patch(asked, json.loads(last[0]))
    assert asked.tables["question"]["order"] == ["nurse", "clerk", "driver"]
    assert not sentence(asked).lacks_order
    assert QuestionFile.from_tables(asked.tables)


def test_words_of_a_known_scale_come_in_their_order(tmp_path):
    rows = ["sex,rating", *(f"{s},{r}" for s in "fm" for r in ("high", "low", "medium") * 9)]
    (tmp_path / "reviews.csv").write_text("\n".join(rows))
    asked = open_session(tmp_path, "reviews.csv")
    patch(asked, {"change": {"question": {"protected": "sex", "decision": "rating"}}})
    patch(asked, Choices.of(asked).offered["favorable"]["each value or a better one"])
    assert asked.tables["question"]["order"] == ["high", "medium", "low"]


def test_of_three_values_none_counts_until_somebody_says_so(asked):
    patch(asked, {"change": {"question": {"decision": "hired"}}})
    assert asked.tables["question"]["favorable"] == "yes"
    patch(asked, {"change": {"question": {"decision": "job"}}})
    assert "favorable" not in asked.tables["question"]
    assert Choices.of(asked).chosen["favorable"] == ""
    assert view(asked, {})["problems"][0].what == "Which decision counts?"
