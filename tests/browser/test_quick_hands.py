"""People are quicker than the server: what they chose is neither lost nor given to another.

A request is held back until the next thing was done: nothing hangs on how fast the machine is.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.running_app import RunningApp, wait_until

from evenhand import QuestionFile

WHY = "people marry before they earn"


@contextmanager
def held(page: Any, path: str) -> Iterator[None]:
    """The first request to a path leaves the browser when this ends."""
    routes: list[Any] = []

    def hold(route: Any) -> None:
        routes.append(route)

    page.route(f"**/{path}", hold, times=1)
    yield
    while not routes:
        page.wait_for_timeout(10)
    routes[0].continue_()


def settled(page: Any) -> None:
    """Wait until all that was chosen is sent and shown."""
    page.evaluate("() => queue")


def reasons(app: RunningApp) -> dict[tuple[str, ...], str]:
    """The reason of each edit, as the question file has it."""
    file = QuestionFile.load(app.folder / "adult.toml")
    return {one.arrow: one.reason for one in file.edits}


def reason(page: Any, what: str) -> Any:
    """The field for the reason of an edit."""
    return page.locator(".past").get_by_label(what, exact=True)


@pytest.fixture
def edited(app: RunningApp, page: Any) -> Callable[..., Any]:
    """The page at the graph, with a link of income set for each name."""

    def opened(**states: str) -> Any:
        app.learn()
        for name, state in states.items():
            body = {"a": name, "b": "income", "state": state, "reason": f"why {name}"}
            assert app.call("POST", "api/graph", body)[0] == 200
        page.goto("graph?a=age&b=income")
        return page

    return opened


@pytest.mark.parametrize("typed", [WHY, WHY[:12]])
def test_a_reason_stays_with_its_edit(
    app: RunningApp, edited: Callable[..., Any], typed: str
) -> None:
    page = edited(marital_status="to")
    with held(page, "api/graph"):
        page.locator("#state-none").click()  # an edit that is listed before the other
        field = reason(page, "marital status → income")
        field.fill(typed)
        if typed == WHY:
            field.press("Tab")
    expect(page.locator(".past li")).to_have_count(2)
    if typed != WHY:
        expect(field).to_be_focused()
        page.keyboard.press("End")
        page.keyboard.type(WHY[12:])
        page.keyboard.press("Tab")
    settled(page)
    expect(field).to_have_value(WHY)
    expect(reason(page, "no link: age, income")).to_have_value("")
    wait_until(lambda: reasons(app).get(("marital_status", "income")) == WHY)
    assert WHY not in reasons(app).get(("age", "income"), "")


def test_a_double_click_takes_back_one_edit(
    app: RunningApp, edited: Callable[..., Any]
) -> None:
    page = edited(marital_status="to", age="none")
    with held(page, "api/graph"):
        page.get_by_role("button", name="no link: age, income: as learned").dblclick()
    expect(page.locator(".past li")).to_have_count(1)
    settled(page)
    expect(reason(page, "marital status → income")).to_have_value("why marital_status")
    expect(page.locator("#problems")).to_be_empty()
    wait_until(lambda: len(reasons(app)) == 1)
    assert reasons(app) == {("marital_status", "income"): "why marital_status"}
