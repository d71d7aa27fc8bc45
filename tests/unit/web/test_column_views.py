"""Columns as they are listed: counts of classes equal a recount of the file's texts."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from tests.people_table import HEADER, people_rows, people_session
from tests.web_sessions import open_session

from evenhand.errors import QuestionError
from evenhand.question import Bins
from evenhand.web.class_changes import change_classes
from evenhand.web.column_views import sliders
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
