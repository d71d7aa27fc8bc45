"""A link at the decision that the counts leave open, and decides: named, settled, released."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect
from tests.open_decision import lines, write_open_decision
from tests.open_graphs import NO, OPEN, YES, agreed, judge
from tests.running_app import RunningApp, wait_until

from evenhand import QuestionFile, audit
from evenhand.checker import verify
from evenhand.errors import EvenhandError
from evenhand.web.graph_edits import LinkState, edits_with, link_state

EDITS = 200
LINKS = ("ab", "cb", "db", "cd")
STATES: tuple[LinkState, ...] = ("to", "from", "open", "none")


def _write_judged_by_rows(folder: Path) -> None:
    """What the rows alone decide is what depends on the link."""
    write_open_decision(folder)
    path = folder / "open.toml"
    path.write_text(
        path.read_text("utf-8").replace("\n[know", 'judge = "rows"\n\n[know'), "utf-8"
    )


@pytest.fixture
def app(open_app: Callable[..., RunningApp]) -> RunningApp:
    """The table open, and its graph learned."""
    app = open_app("open.csv", _write_judged_by_rows)
    app.learn()
    return app


def _file(app: RunningApp) -> QuestionFile:
    return QuestionFile.load(app.folder / "open.toml")


def test_a_link_that_decides_is_named_with_both_outcomes(app: RunningApp, page: Any) -> None:
    question = _file(app).question
    ways = [judge(lines(), names, question) for names in (["c"], [])]
    assert ways == [YES, NO]
    page.goto("graph")
    expect(page.locator("#now")).to_contain_text(agreed({*ways}), ignore_case=True)
    notice = page.locator(".openings li")
    expect(notice).to_have_count(1)
    expect(notice).to_contain_text("c — b is open.")
    expect(notice).to_contain_text(f"If a cause: {YES}, 0 of 2. If not: {NO}, 1 of 1.")
    expect(notice).to_contain_text("The verdict depends on it.")
    notice.get_by_role("link").click()
    for state, verdict in (("to", YES), ("from", NO), ("open", OPEN)):
        page.locator(f"#state-{state}").click()
        expect(page.locator(f"#state-{state}")).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#now b")).to_have_text(verdict.capitalize())


def test_no_release_with_it_until_a_button_settles_it_there(app: RunningApp, page: Any) -> None:
    before = {path.name for path in app.folder.iterdir()}
    status, content = app.call("POST", "api/release", {"file": "out.csv"})
    assert status == 200
    events = app.call("GET", f"api/jobs/{content['job']}")[1].strip().split("\n\n")
    ended = json.loads(events[-1].removeprefix("data: "))
    assert ended["state"] == "failed"
    assert "ambiguous" in ended["html"]
    assert {path.name for path in app.folder.iterdir()} == before
    page.goto("release")
    ends = page.locator("#open-ends")
    expect(ends).to_contain_text("No release can be made yet")
    expect(ends).to_contain_text("The graph does not direct c — b.")
    expect(page.locator("#write")).to_have_count(0)
    ends.get_by_role("button", name="b causes c").click()
    expect(page.locator("#now b")).to_have_text(NO.capitalize())
    expect(ends).not_to_contain_text("does not direct")
    expect(ends).to_contain_text("No reason is given why the graph was changed")
    expect(page.locator("#write")).to_be_disabled()
    ends.get_by_role("link", name="Write the reason").click()
    page.wait_for_url("**/graph*")
    page.locator(".past input").fill("c is measured later")
    with page.expect_response("**/api/reason"):
        page.locator(".past input").blur()
    page.goto("release")
    page.locator("#file").fill("out.csv")
    page.locator("#accept_graph").fill("The table is made up.")
    page.locator("#write").click()
    expect(page.locator("#made")).to_contain_text("Certified")
    record = (app.folder / "out.certificate.json").read_text("utf-8")
    assert json.loads(record)["verdict"] == YES
    assert verify(record)[0] == 0


def test_two_hundred_edits_keep_every_verdict_and_lose_nothing(app: RunningApp) -> None:
    """The times are measured by bench/web.py."""
    draw = np.random.default_rng(20170613)
    path = str(app.folder / "open.csv")
    file = _file(app)
    learned = audit(path, file)
    now, said = file, [_words(learned)]
    refused = 0
    for _ in range(EDITS):
        ends, state = LINKS[draw.integers(4)], STATES[draw.integers(4)]
        body = {"a": ends[0], "b": ends[1], "state": state, "reason": "a test"}
        status, content = app.call("POST", "api/graph", body)
        edits = edits_with(learned.graph, now.edits, (ends[0], ends[1]), state, "a test")
        wanted = replace(now, edits=edits)
        try:
            found = learned.judged_with(wanted)
            fits = link_state(found.certificate.graph, *ends) == state
        except EvenhandError:
            fits = False
        assert (status == 200) == fits, (body, content)
        if not fits:
            refused += 1
            continue
        assert content["verdict"].startswith(_words(found)), body
        if edits != now.edits:
            said.append(_words(found))
        now = wanted
    assert 0 < refused < EDITS / 2
    wait_until(lambda: _file(app).edits == now.edits)
    assert _words(audit(path, _file(app))) == said[-1]
    for words in said[-2::-1]:
        status, content = app.call("POST", "api/undo", {})
        assert status == 200
        assert content["verdict"].startswith(words)
    assert app.call("POST", "api/undo", {})[0] == 422
    wait_until(lambda: not _file(app).edits)


def _words(found: Any) -> str:
    of = found.certificate.partition
    verdict = str(found.certificate.verdict).capitalize()
    return f"{verdict}, {of.violating} of {int(of.measured.sum())} groups"
