"""What is suggested as soon as columns are chosen."""

from itertools import product

import pytest
from tests.web_sessions import open_session

from evenhand.web.pages import shown_problem
from evenhand.web.question_screen import patch, view
from evenhand.web.table_screen import view as table_view

ROWS = [
    ("f" if at % 2 else "m", "abc"[at % 3], "yes" if at % 5 == 0 else "no") for at in range(300)
]


def session(folder, *, lacking, every=4):
    """Rows of which each n-th lacks a value in one column."""
    place = ("sex", "town", "hired").index(lacking)
    lines = [
        ",".join("" if n == place and at % every == 0 else v for n, v in enumerate(row))
        for at, row in enumerate(ROWS)
    ]
    (folder / "t.csv").write_text("\n".join(["sex,town,hired", *lines]))
    return open_session(folder, "t.csv")


def choose(of):
    patch(of, {"change": {"question": {"protected": "sex", "decision": "hired"}}})


@pytest.mark.parametrize("lacking", ["sex", "town", "hired"])
def test_opening_makes_no_missing_value_a_value_of_its_own(tmp_path, lacking):
    assert "missing" not in session(tmp_path, lacking=lacking).tables.get("data", {})


@pytest.mark.parametrize(
    ("lacking", "rule"), [("sex", "drop"), ("town", "level"), ("hired", "drop")]
)
def test_rows_without_group_or_decision_are_left_out_and_it_is_said(tmp_path, lacking, rule):
    of = session(tmp_path, lacking=lacking)
    choose(of)
    assert of.tables["data"]["missing"] == rule
    told = [one.what for one in view(of, {})["problems"]]
    assert any("75 of 300 rows" in what for what in told)


def test_a_value_of_its_own_does_not_outlive_a_question_that_it_did_no_harm_to(tmp_path):
    of = session(tmp_path, lacking="town")
    choose(of)
    patch(of, {"change": {"question": {"decision": "town"}}})
    assert of.tables["data"]["missing"] == "drop"


def test_a_column_that_counts_is_noticed_and_loses_its_classes(tmp_path):
    lines = [
        f"{s},{t},{h},{11 * at}" for at, (s, t, h) in enumerate(product("fm", "abcd", "yn"))
    ]
    (tmp_path / "t.csv").write_text("\n".join(["sex,town,hired,people", *lines]))
    of = open_session(tmp_path, "t.csv")
    assert "bins" not in of.tables.get("data", {})
    (told,) = (one for one in table_view(of, {})["table"].problems if "stand for" in one.what)
    patch(of, {"change": {"data": {"bins": {"people": [50]}}}})
    (button,) = (one.body for one in shown_problem(told).remedies)
    patch(of, button)
    assert of.tables["data"] == {"frequency": "people"}
    assert of.reading.inspection.rows == 11 * sum(range(16))
