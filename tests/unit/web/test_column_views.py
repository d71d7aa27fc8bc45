"""Columns are listed with small pictures and what can be changed."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.people_table import HEADER, people_rows, people_session
from tests.web_sessions import open_session

from evenhand.errors import QuestionError
from evenhand.question import Bins
from evenhand.web.class_changes import change_classes
from evenhand.web.column_views import number_histogram, sliders, value_stack
from evenhand.web.pages import render
from evenhand.web.question_screen import column_views, view


@pytest.fixture
def session(tmp_path):
    return people_session(tmp_path)


def texts(name):
    return [row[HEADER.index(name)] for row in people_rows()]


def counted(session, name):
    return {one.value: one.rows for one in column_views(session).detail(name).values}


@pytest.mark.parametrize(("name", "cuts"), [("age", [30, 41]), ("wage", ["17.5", 20])])
def test_counts_of_classes_equal_a_recount(session, name, cuts):
    session.patch({"data": {"bins": {name: cuts}}})
    ends = [*map(Fraction, map(str, cuts))]
    place = Counter(sum(Fraction(text) > end for end in ends) for text in texts(name))
    detail = column_views(session).detail(name)
    assert [one.rows for one in detail.values] == [str(place[at]) for at in range(3)]
    assert [one.value for one in detail.values] == [
        *column_views(session).bins(name).labels,
    ]
    assert [slider.cut for slider in detail.sliders] == [*map(str, cuts)]
    said = detail.sliders[0].says
    assert f"{place[0]} rows in the class below, {place[1]} in the one above" in said


def test_counts_of_values_equal_a_recount(session):
    assert counted(session, "job") == {
        value: str(rows) for value, rows in Counter(texts("job")).most_common()
    }


def test_a_column_left_out_says_why_and_has_its_picture(session):
    row = column_views(session).row("id")
    assert (row.role, row.used) == ("left out", False)
    assert "400 values in 400 rows" in row.how
    assert not column_views(session).detail("id").sliders


def test_roles_and_colours_are_those_of_the_question(session):
    session.patch({"question": {"protected": "gender", "decision": "hired"}})
    views = column_views(session)
    assert views.row("gender").role_kind == "group"
    assert {part.kind for part in views.row("gender").stack} == {"f-group", "f-other"}
    assert {part.kind for part in views.row("hired").stack} == {"f-ink", "high"}
    assert not views.detail("hired").may_leave_out
    assert views.detail("job").may_leave_out


def test_suggested_classes_are_those_of_the_inspection(session):
    views = column_views(session)
    suggested = session.stored_inspection.column("age").classes
    assert [one.cuts for one in views.detail("age").choices] == [
        tuple(one.cuts) for one in suggested
    ]
    assert sum(one.chosen for one in views.detail("age").choices) == 1


def test_a_slider_moves_between_its_neighbours():
    numbers = np.arange(0.0, 101.0)
    first, last = sliders(Bins.at(20, ">=61"), numbers, np.ones(101, np.int64))
    assert (first.low, first.least, first.most) == ("0", "0", "59")
    assert (last.cut, last.least, last.most, last.high) == ("60", "21", "99", "100")
    halves = sliders(Bins.at("0.5"), np.array([0.0, 0.25, 1.0]), np.array([1, 2, 3]))
    assert halves[0].step == "0.001"
    assert "3 rows in the class below, 3 in the one above" in halves[0].says


def test_huge_numbers_and_a_favorable_number_are_shown(tmp_path):
    values = [-1.7e308, 1.7e308, 0, *(at * 1e306 for at in range(20))]
    rows = [f"{'fm'[at % 2]},{at % 3 % 2},{values[at % 23]}" for at in range(230)]
    (tmp_path / "t.csv").write_text("\n".join(["sex,hired,x", *rows]))
    (tmp_path / "t.toml").write_text(
        '[question]\nprotected = "sex"\ndecision = "hired"\nfavorable = 1\n'
        "[data.bins]\nx = [0]\n"
    )
    session = open_session(tmp_path, "t.csv")
    page = render(session, "question", view(session, {"column": "x"}))
    assert "1.7e+308" in page
    (slider,) = column_views(session).detail("x").sliders
    assert float(slider.least) < 0 < float(slider.most)
    with pytest.raises(QuestionError, match="no number that can be a cut"):
        change_classes(
            session, column_views(session), {"column": "x", "at": 0, "cut": slider.most}
        )
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
