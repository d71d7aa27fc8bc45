"""From a table to a certified release: by mouse, by keyboard alone, on a phone."""

import json
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.running_app import RunningApp

from evenhand.checker import verify

SEED = "20170613"


def _released(app: RunningApp) -> None:
    """What was written is there, and its certificate is true of it."""
    certificate = app.folder / "adult-released.certificate.json"
    record = json.loads(certificate.read_text("utf-8"))
    assert record["verdict"] == "certified"
    assert record["graph"]["origin"]["edits"][0]["reason"] == "people marry before they earn"
    assert verify(certificate.read_text("utf-8"))[0] == 0
    assert (app.folder / "adult-released.csv").is_file()


@pytest.mark.parametrize("width", [1440, 390])
def test_adult_becomes_a_certified_release_by_mouse(
    app: RunningApp, new_page: Any, width: int
) -> None:
    page = new_page(viewport={"width": width, "height": 900})
    page.goto("table")
    page.get_by_role("link", name="Ask a question of it").click()
    expect(page.locator("h1")).to_contain_text("sex")
    page.get_by_role("link", name="Learn what causes what").click()
    expect(page.locator(".panel")).to_be_visible()
    page.locator(".openings a").first.click()
    page.locator("#state-to").click()
    expect(page.locator("#state-to")).to_have_attribute("aria-pressed", "true")
    page.locator(".past input").fill("people marry before they earn")
    with page.expect_response("**/api/reason"):
        page.locator(".past input").blur()
    page.get_by_role("link", name="What a release would change").click()
    expect(page.locator("#write")).to_be_visible()
    page.locator("#seeding summary").click()
    page.locator("#seed").fill(SEED)
    page.locator("#write").click()
    expect(page.locator("#made")).to_contain_text("adult-released.csv")
    expect(page.locator("#made")).to_contain_text("Certified")
    expect(page.locator("#made-title")).to_be_in_viewport()
    expect(page.locator("#made")).not_to_contain_text("not certified", ignore_case=True)
    _released(app)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_adult_becomes_a_certified_release_by_keyboard_alone(
    app: RunningApp, page: Any
) -> None:
    page.goto("question")

    def reach(selector: str) -> None:
        """Press Tab until the element has the focus."""
        wanted = page.locator(selector).first
        expect(wanted).to_be_visible()
        for _ in range(150):
            if wanted.evaluate("one => one === document.activeElement"):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{selector} cannot be reached by keyboard")

    reach('a:has-text("Learn what causes what")')
    page.keyboard.press("Enter")
    expect(page.locator(".panel")).to_be_visible()
    reach(".openings a")
    page.keyboard.press("Enter")
    reach("#state-to")
    page.keyboard.press("Enter")
    expect(page.locator("#state-to")).to_have_attribute("aria-pressed", "true")
    reach(".past input")
    page.keyboard.type("people marry before they earn")
    with page.expect_response("**/api/reason"):
        page.keyboard.press("Tab")
    reach('a:has-text("What a release would change")')
    page.keyboard.press("Enter")
    reach("#write")
    page.keyboard.press("Enter")
    expect(page.locator("#made")).to_contain_text("adult-released.csv")
    _released(app)
