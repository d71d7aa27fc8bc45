"""Every screen, light, dark, wide, narrow, printed, zoomed: axe finds nothing."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from tests.running_app import RunningApp

SCREENS = ("table", "question", "graph", "evidence", "release", "check")
LINK = "graph?a=marital_status&b=income"
# WCAG 2.2 AA, and what axe calls best practice.
RULES = {
    "runOnly": [
        *("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"),
        "best-practice",
    ],
    "resultTypes": ["violations"],  # what is in order need not be listed
}


def _settled(app: RunningApp) -> None:
    """The graph learned and its open link settled, so that every screen has all it can show."""
    app.learn()
    body = {"a": "marital_status", "b": "income", "state": "to", "reason": "known"}
    status, _ = app.call("POST", "api/graph", body)
    assert status == 200


def _no_findings(page: Any, where: str) -> None:
    found = Axe().run(page, options=RULES).response["violations"]
    said = [
        f"{where}: {one['id']}: {node['target']} {node['html'][:160]}"
        for one in found
        for node in one["nodes"]
    ]
    assert not said, "\n".join(said)


@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_on_any_screen(app: RunningApp, new_page: Any, width: int) -> None:
    """Light and dark, and with a problem shown."""
    _settled(app)
    page = new_page(viewport={"width": width, "height": 900}, bypass_csp=True)

    def look(where: str) -> None:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            _no_findings(page, f"{where}, {scheme}, {width}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, where

    for screen in (*SCREENS, LINK):
        page.goto(screen)
        if screen == "release":
            expect(page.locator("#write")).to_be_visible()
        look(screen)
    page.locator("#threshold").evaluate(
        "one => { one.dataset.body = JSON.stringify({change: {question: {threshold: '2'}}});"
        " one.dispatchEvent(new Event('change', {bubbles: true})); }"
    )
    expect(page.locator("#problems")).to_contain_text("threshold")
    expect(page.locator("#problems")).to_be_focused()
    look("problem")


def test_nothing_is_lost_at_twice_the_size_or_in_forced_colours(
    app: RunningApp, new_page: Any
) -> None:
    _settled(app)
    # 200 % zoom of a window of 1280 pixels is a window of 640.
    page = new_page(viewport={"width": 640, "height": 450}, forced_colors="active")
    for screen in SCREENS:
        page.goto(screen)
        assert page.evaluate("document.documentElement.scrollWidth") <= 640, screen
        expect(page.locator("h1")).to_be_visible()


def test_screens_print_without_controls(app: RunningApp, new_page: Any) -> None:
    _settled(app)
    page = new_page(viewport={"width": 800, "height": 1100})
    for screen in ("graph", "evidence"):
        page.goto(screen)
        page.emulate_media(media="print")
        expect(page.get_by_label("Steps", exact=True)).to_be_hidden()
        expect(page.locator("h1")).to_be_visible()
        assert len(page.pdf()) > 10_000
        page.emulate_media(media="screen")
