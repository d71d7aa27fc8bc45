"""What cannot be saved is not lost unasked, and what is refused can be asked for again."""

import time
from typing import Any

from playwright.sync_api import expect
from tests.running_app import RunningApp


def _conflict(app: RunningApp) -> str:
    """Somebody else writes into the question file before a choice is saved."""
    theirs = (app.folder / "adult.toml").read_text("utf-8") + "# theirs\n"
    (app.folder / "adult.toml").write_text(theirs, "utf-8")
    change = {"question": {"threshold": "9/100"}}
    assert app.call("PATCH", "api/question", {"change": change})[0] == 200
    return theirs


def test_the_end_asks_before_it_loses_something(app: RunningApp, page: Any) -> None:
    theirs = _conflict(app)
    page.goto("table")
    page.locator("#end").click()
    problems = page.locator("#problems")
    expect(problems).to_contain_text(
        "What was chosen is not in the question file: the question"
    )
    assert app.process.poll() is None
    problems.get_by_role("button", name="Go on without it").click()
    expect(page.locator("#lost")).to_contain_text(
        "evenhand has ended. What was chosen last is not in the question file."
    )
    app.process.wait(10)
    assert (app.folder / "adult.toml").read_text("utf-8") == theirs


def test_the_end_can_write_it(app: RunningApp, page: Any) -> None:
    _conflict(app)
    page.goto("table")
    page.locator("#end").click()
    page.get_by_role("button", name="Write it over what is there").click()
    expect(page.locator("#lost")).to_contain_text("What you chose is in the question file.")
    app.process.wait(10)
    assert app.tables()["question"]["threshold"] == "9/100"


def test_another_table_is_not_opened_over_what_would_be_lost(
    app: RunningApp, page: Any
) -> None:
    _conflict(app)
    page.goto("table")
    page.locator(".files button").first.click()
    expect(page.locator("#problems")).to_contain_text("not in the question file")
    page.get_by_role("button", name="Write it over what is there").click()
    expect(page.locator("#problems")).to_be_empty()
    app.wait_for_job()
    assert app.tables()["question"]["threshold"] == "9/100"


def test_a_report_that_exists_can_be_written_over_by_a_button(
    app: RunningApp, page: Any
) -> None:
    app.learn()
    (app.folder / "adult-report.html").write_text("mine", "utf-8")
    page.goto("evidence")
    page.locator("#report-write").click()
    problems = page.locator("#problems")
    expect(problems).to_contain_text("This file exists.")
    problems.get_by_role("button", name="Allow to overwrite it").click()
    expect(page.locator("#made")).to_contain_text("adult-report.html")
    for _ in range(100):
        if (app.folder / "adult-report.html").read_text("utf-8") != "mine":
            break
        time.sleep(0.1)
    assert "<!doctype html>" in (app.folder / "adult-report.html").read_text("utf-8")
