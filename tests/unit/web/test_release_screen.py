"""What the screen shows of a release equals what the library says."""

from pathlib import Path

import pytest
from tests.hiring import csv_text, people
from tests.web_sessions import (
    adult_session,
    finish,
    learn_now,
    open_session,
    settled_session,
    worked_out,
)
from typer.testing import CliRunner

from evenhand.cli.application import app as command_line
from evenhand.errors import EvenhandError, QuestionError
from evenhand.web.folder import Folder
from evenhand.web.graph_links import choose_link
from evenhand.web.pages import render
from evenhand.web.release_screen import CHANGES, view
from evenhand.web.session import Session

_HANDLERS = {path: handler for _, path, handler in CHANGES}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return settled_session(tmp_path)


def test_without_a_table_it_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match="No table is open"):
        view(Session(Folder(tmp_path)), {})


def test_before_the_graph_is_learned_it_asks_for_that(tmp_path: Path) -> None:
    session = adult_session(tmp_path, learned=False)
    page = render(session, "release", view(session, {}))
    assert 'data-start data-method="POST" data-path="api/learn"' in page
    with pytest.raises(QuestionError, match="No graph is learned"):
        _HANDLERS["compare"](session, {})


def test_a_margin_and_groups_change_the_plan(session: Session) -> None:
    title = worked_out(session)["chosen"].title
    content = worked_out(session, margin="1", only=["Female"])
    assert content["chosen"].title != title
    men = [flows[1].many for _, flows in content["chosen"].flows]
    assert men == ["0", "0"]
    assert [picked for _, _, picked in content["form"].only] == [True, False]
    assert "--set margin=1/100 --set only=Female" in content["commands"][1]
    page = render(session, "release", content)
    assert 'name="margin" min="0" max="100" step="any" value="1"' in page


def test_a_group_alone_that_cannot_reach_it_is_told(session: Session) -> None:
    job = _HANDLERS["compare"](session, {"choice": {"margin": "5"}})
    with pytest.raises(AssertionError, match="margin"):
        finish(job)


def test_an_open_link_at_the_decision_is_linked(tmp_path: Path) -> None:
    session = adult_session(tmp_path)
    content = view(session, {})
    assert content["state"] == "open"
    (one,) = content["open_ends"]
    assert one.address == "graph?a=marital_status&b=income"
    page = render(session, "release", content)
    assert 'href="graph?a=marital_status&amp;b=income"' in page
    assert "data-start" not in page


def test_an_edit_without_a_reason_is_linked_and_stops_the_release(session: Session) -> None:
    choose_link(session, ("race", "income"), "to", None)
    content = worked_out(session)
    (one,) = content["open_ends"]
    assert "No reason" in one.what
    assert one.address == "graph?a=race&b=income"
    assert 'id="write" disabled' in render(session, "release", content)
    with pytest.raises(EvenhandError, match="No reason"):
        _HANDLERS["release"](session, {"file": "out.csv"})


def test_what_was_made_is_shown_until_something_else_is_chosen(session: Session) -> None:
    worked_out(session)
    finish(_HANDLERS["release"](session, {"file": "out.csv"}))
    assert 'id="made"' in render(session, "release", view(session, {}))
    session.patch({"question": {"threshold": "0.1"}})
    assert view(session, {})["made"] is None


def test_rows_that_lack_a_value_are_said_not_to_be_released(tmp_path: Path) -> None:
    rows = people(600)
    lacking = [(*row[:2], "", *row[3:]) for row in rows[:13]]
    (tmp_path / "people.csv").write_text(csv_text([*lacking, *rows[13:]]), newline="")
    asked = {"protected": "sex", "group": "f", "decision": "hired", "favorable": "yes"}
    session = open_session(tmp_path, "people.csv")
    session.replace_tables(
        {
            "question": asked,
            "data": {"missing": "drop", "exclude": ["note", "pay"]},
            "knowledge": {"tiers": [["sex"], ["degree"], ["hired"]]},
        }
    )
    learn_now(session)
    said = "13 rows that lack a value are not released."
    assert said in render(session, "release", worked_out(session))
    finish(_HANDLERS["release"](session, {"file": "out.csv", "report": True}))
    assert said in (tmp_path / "out.report.html").read_text("utf-8")
    session.save()
    table, question = tmp_path / "people.csv", tmp_path / "people.toml"
    for further in (["--dry-run"], ["--output", str(tmp_path / "b.csv")]):
        result = CliRunner().invoke(
            command_line, ["release", str(table), "--question", str(question), *further]
        )
        assert said in " ".join(result.output.split())


def test_what_is_not_worked_out_yet_is_said(session: Session) -> None:
    page = render(session, "release", view(session, {}))
    assert "not yet worked out" in page
    assert "not yet worked out" not in render(session, "release", worked_out(session))
