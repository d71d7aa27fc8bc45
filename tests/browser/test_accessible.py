"""Every screen, light, dark, wide, narrow, printed, zoomed: axe finds nothing."""

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from tests.people_table import write_people
from tests.running_app import RunningApp, write_model

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
COLOURS = {**RULES, "runOnly": {"type": "rule", "values": ["color-contrast"]}}


def _settled(app: RunningApp) -> None:
    """The graph learned and its open link settled, so that every screen has all it can show."""
    app.learn()
    body = {"a": "marital_status", "b": "income", "state": "to", "reason": "known"}
    status, _ = app.call("POST", "api/graph", body)
    assert status == 200


# Words of heads of tables that are broken over two lines.
BROKEN = """heads => heads.filter((head) => head.offsetParent).flatMap((head) => {
  const range = document.createRange(), broken = [];
  const texts = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    for (const {0: word, index} of texts.currentNode.data.matchAll(/\\S+/g)) {
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      if (range.getClientRects().length > 1) broken.push(word);
    }
  return broken;
})"""


def _no_findings(page: Any, where: str, rules: dict[str, Any]) -> None:
    found = Axe().run(page, options=rules).response["violations"]
    said = [
        f"{where}: {one['id']}: {node['target']} {node['html'][:160]}"
        for one in found
        for node in one["nodes"]
    ]
    assert not said, "\n".join(said)


@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_on_any_screen(app: RunningApp, new_page: Any, width: int) -> None:
    """Light and dark, all opened, and with a problem and work under way shown."""
    _settled(app)
    page = new_page(viewport={"width": width, "height": 900}, bypass_csp=True)

    def look(where: str) -> None:
        # Only colours differ in the dark.
        for scheme, rules in (("light", RULES), ("dark", COLOURS)):
            page.emulate_media(color_scheme=scheme)
            _no_findings(page, f"{where}, {scheme}, {width}", rules)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, where

    states = (
        LINK,
        "graph?a=education",
        "graph?all=1",
        "question?column=age",
        "evidence?group=0",
    )
    for screen in (*SCREENS, *states):
        page.goto(screen)
        if screen == "release":
            expect(page.locator("#write")).to_be_visible()
        page.locator("details").evaluate_all(
            "all => all.forEach((one) => { one.open = true; })"
        )
        look(screen)
    page.goto("graph")
    page.locator("#threshold").evaluate(
        "one => { one.dataset.body = JSON.stringify({change: {question: {threshold: '2'}}});"
        " one.dispatchEvent(new Event('change', {bubbles: true})); }"
    )
    expect(page.locator("#problems")).to_contain_text("threshold")
    expect(page.locator("#problems")).to_be_focused()
    page.locator("#work, #lost").evaluate_all(
        "all => all.forEach((one) => { one.hidden = false; })"
    )
    page.locator("#work-text").evaluate("one => { one.textContent = 'Learning'; }")
    look("problem and work")


@pytest.mark.parametrize("table", ["people", "model"])
def test_axe_finds_nothing_of_many_groups_and_of_predictions(
    open_app: Any, new_page: Any, table: str
) -> None:
    if table == "people":
        app = open_app("people.csv", lambda folder: write_people(folder / "people.csv"))
        change = {"question": {"protected": "origin", "decision": "hired", "group": None}}
    else:
        app = open_app("adult.csv", write_model)
        change = {"run": {"predictions": ["model"], "labels": "income"}}
    status, content = app.call("PATCH", "api/question", {"change": change})
    assert status == 200, content
    page = new_page(viewport={"width": 1440, "height": 900}, bypass_csp=True)
    if table == "people":
        page.goto("graph")  # the order that is asked for
        _no_findings(page, "order", RULES)
    app.learn()
    for screen in ("graph", "evidence", "question", "release"):
        page.goto(screen)
        page.locator("details").evaluate_all(
            "all => all.forEach((one) => { one.open = true; })"
        )
        _no_findings(page, f"{table}: {screen}", RULES)
        assert page.evaluate("document.documentElement.scrollWidth") <= 1440
        # No cell's text lies over its neighbour.
        wide = page.locator(".groups td").evaluate_all(
            "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length"
        )
        assert wide == 0


LONG = "applicants of the spring of 2024 and of the summer after it"


def test_long_names_fit_on_every_screen(open_app: Any, new_page: Any) -> None:
    """A masthead of one line, no sideways scroll, and a chosen arrow beside its states."""
    app = open_app(f"{LONG}.csv", lambda folder: write_people(folder / f"{LONG}.csv"))
    change = {"question": {"protected": "gender", "decision": "hired"}}
    assert app.call("PATCH", "api/question", {"change": change})[0] == 200
    app.learn()
    assert app.call("POST", "api/certificate", {})[0] == 200
    app.wait_for_job()
    asked = {"certificate": f"{LONG}.certificate.json", "data": f"{LONG}.csv"}
    assert app.call("POST", "api/check", asked)[0] == 200
    app.wait_for_job()
    page = new_page()
    for width, height in ((1440, 900), (1024, 768), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        for screen in SCREENS:
            page.goto(screen)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, (screen, width)
            top = page.locator(".top").bounding_box()["height"]
            assert top < (60 if width > 640 else 110), (screen, width)
        page.goto("graph?a=gender&b=hired")
        expect(page.locator("#reason")).to_be_in_viewport()
        kind = "narrow" if width < 640 else "wide"
        expect(page.locator(f".graph-{kind} .box.picked").last).to_be_in_viewport()


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
        # The step that is shown is the only one that is underlined.
        steps = page.locator("#steps li").evaluate_all(
            "all => all.map((one) =>"
            " [one.className, getComputedStyle(one.firstChild).borderBottomColor])"
        )
        if screen in ("graph", "evidence"):
            expect(page.locator("#now .symbol")).to_be_visible()
        marked = [colour for name, colour in steps if name == "here"]
        assert len(marked) == 1
        assert marked[0] not in [colour for name, colour in steps if name != "here"]


def test_no_word_in_the_head_of_a_table_is_broken(app: RunningApp, new_page: Any) -> None:
    _settled(app)
    page = new_page(viewport={"width": 1280, "height": 900})
    for screen in ("graph", "evidence?group=0"):
        page.goto(screen)
        page.locator("details").evaluate_all(
            "all => all.forEach((one) => { one.open = true; })"
        )
        for width in (1280, 1130):
            page.set_viewport_size({"width": width, "height": 900})
            assert (width, page.locator(".data thead th").evaluate_all(BROKEN)) == (width, [])


def test_screens_print_without_controls(app: RunningApp, new_page: Any) -> None:
    _settled(app)
    page = new_page(viewport={"width": 800, "height": 1100})
    for screen in ("graph", "evidence"):
        page.goto(screen)
        page.emulate_media(media="print")
        expect(page.get_by_label("Steps", exact=True)).to_be_hidden()
        expect(page.locator("h1")).to_be_visible()
        pages = len(re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4")))
        assert 1 <= pages <= 6, (screen, pages)
        page.emulate_media(media="screen")
