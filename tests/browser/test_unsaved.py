"""What cannot be saved is not lost unasked, and what is refused can be asked for again."""

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
