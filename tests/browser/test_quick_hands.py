"""People are quicker than the server: what they chose is neither lost nor given to another.

A request is held back until the next thing was done: nothing hangs on how fast the machine is.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
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


@pytest.mark.parametrize("way", ["link", "form"])
def test_the_page_is_left_when_all_is_sent(
    app: RunningApp, edited: Callable[..., Any], way: str
) -> None:
    page = edited(marital_status="to")
    if way == "form":  # one that a browser sends by itself
        page.locator("#main").evaluate(
            "main => main.insertAdjacentHTML('beforeend', '<form action=evidence>"
            "<input name=where value=one><button id=away>Away</button></form>')"
        )
    with held(page, "api/question"):
        page.locator("#threshold").fill("8")
        reason(page, "marital status → income").fill(WHY)
        if way == "link":
            page.locator("#steps").get_by_role("link", name="Evidence").click()
        else:
            # The page that comes has no such form, as a column that was closed.
            page.locator("#away").click()
    expect(page.locator("#first-sentence")).to_be_visible()
    assert page.url.endswith("evidence" if way == "link" else "evidence?where=one")
    wait_until(lambda: WHY in reasons(app).values())
    assert Fraction(app.tables()["question"]["threshold"]) == Fraction(2, 25)


def test_a_refusal_is_seen_before_the_page_is_left(edited: Callable[..., Any]) -> None:
    page = edited()
    page.goto("evidence")
    with held(page, "api/question"):
        page.locator("#exact-threshold").fill("much")
        page.locator("#steps").get_by_role("link", name="Graph").click()
    expect(page.locator("#problems")).to_contain_text("threshold")
    expect(page.locator("#first-sentence")).to_be_visible()
    page.locator("#steps").get_by_role("link", name="Graph").click()
    expect(page.locator(".panel")).to_be_visible()


def test_a_link_chosen_after_a_state_is_shown(
    app: RunningApp, edited: Callable[..., Any]
) -> None:
    page = edited()
    with held(page, "graph?a=marital_status*"):
        with held(page, "api/graph"):
            page.locator("#state-none").click()
            page.locator(".openings a").first.click()
            # Chosen for the link that is shown, not for the one that comes.
            page.locator("#state-to").click()
        expect(page.locator("#state-none")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#chosen-title")).to_contain_text("marital status")
    settled(page)
    assert "a=marital_status" in page.url
    expect(page.locator(".past li")).to_have_count(0)  # as learned again
    page.locator("#undo").click()
    expect(page.locator(".past li")).to_have_count(1)
    wait_until(lambda: [*reasons(app)] == [("age", "income")])
    page.go_back()
    expect(page.locator("#chosen-title")).to_contain_text("age")


def test_a_view_is_chosen_after_a_change(edited: Callable[..., Any]) -> None:
    page = edited()
    page.goto("evidence")
    with held(page, "evidence?*"):
        with held(page, "api/question"):
            page.locator("#threshold").fill("8")
            page.locator("#words").fill("divorced")
            page.locator("#words").press("Enter")
        expect(page.locator("#now")).to_contain_text("8 points")
    expect(page.locator("#words")).to_have_value("divorced")
    settled(page)
    assert "where=divorced" in page.url


def test_a_form_is_sent_from_a_page_that_was_renewed(app: RunningApp, page: Any) -> None:
    page.goto("question")
    text = page.get_by_label("A text that means missing")
    with held(page, "api/question"):
        page.get_by_label("Where a value is missing").select_option("drop")
        text.fill("?")
        text.press("Enter")
        text.press("Enter")  # twice is once
    expect(page.get_by_label("Texts that mean missing")).to_contain_text("?")
    settled(page)
    expect(text).to_have_value("")  # it was sent
    expect(page.locator("#problems")).to_be_empty()
    wait_until(lambda: app.tables().get("data", {}).get("na") == ["?"])
    assert app.tables()["data"]["missing"] == "drop"


def test_a_file_is_opened_from_a_page_that_was_renewed(app: RunningApp, page: Any) -> None:
    app.call("PATCH", "api/question", {"change": {"question": {"threshold": "1/10"}}})
    page.goto("table")
    file = {"name": "other.csv", "mimeType": "text/csv", "buffer": b"a,b\nx,y\nz,w\n"}
    with held(page, "api/undo"):
        page.locator("#undo").click()
        with page.expect_response("**/api/upload/**"):
            page.locator("#file").set_input_files(file)
    expect(page.locator("h1")).to_have_text("other.csv")


def test_a_release_that_is_being_described_stays_over_other_choices(
    edited: Callable[..., Any],
) -> None:
    page = edited(marital_status="to")
    page.goto("release")
    filled = {"#file": "board.csv", "#least_count": "20", "#seed": "7"}

    def stays() -> None:
        settled(page)
        expect(page.locator("#write")).to_be_visible()
        for field, value in filled.items():
            expect(page.locator(field)).to_have_value(value)
        expect(page.locator("#share")).to_be_checked()
        expect(page.locator("#report")).not_to_be_checked()
        expect(page.locator("#seed")).to_be_visible()

    page.locator("#seeding summary").click()
    for field, value in filled.items():
        page.locator(field).fill(value)
    page.locator("#share").check()
    page.locator("#report").uncheck()
    page.get_by_role("link", name="Only in people’s favor").click()
    expect(page.locator(".mrow.on")).to_contain_text("Only in people’s favor")
    stays()
    page.locator("#threshold").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#threshold-says")).to_contain_text("5.5 points")
    stays()
    page.goto("release")  # opened anew it is as it was
    expect(page.locator("#share")).not_to_be_checked()
