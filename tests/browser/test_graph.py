"""The graph beside the verdict: arrows, boxes and tiers, by mouse and by keyboard."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.people_table import write_people
from tests.running_app import RunningApp, wait_until

from evenhand import QuestionFile, audit

LINK = "graph?a=marital_status&b=income"


def _choose(page: Any, state: str) -> None:
    page.locator(f"#state-{state}").click()
    expect(page.locator(f"#state-{state}")).to_have_attribute("aria-pressed", "true")


def _saved(app: RunningApp, holds: Callable[[QuestionFile], bool]) -> QuestionFile:
    """The question file that the app wrote, once it has what is expected."""
    path = app.folder / "adult.toml"
    wait_until(lambda: holds(QuestionFile.load(path)))
    return QuestionFile.load(path)


@pytest.fixture
def learned(page: Any) -> Any:
    """The page with the graph learned."""
    page.goto("graph")
    expect(page.locator(".panel")).to_be_visible()
    return page


def test_remove_reverse_open_and_add_equal_the_audit_of_the_file(
    app: RunningApp, learned: Any
) -> None:
    page = learned
    said = [page.locator("#now").inner_text()]
    cases = [
        ("marital_status", "income", "to"),
        ("age", "income", "none"),
        ("relationship", "income", "from"),
        ("hours", "income", "open"),
        ("race", "income", "to"),
    ]
    for number, (first, second, state) in enumerate(cases, 1):
        page.goto(f"graph?a={first}&b={second}")
        offered = page.locator(f"#state-{state} small").inner_text()
        _choose(page, state)
        file = _saved(app, lambda file, many=number: len(file.edits) == many)
        reasoned = replace(
            file, edits=tuple(replace(one, reason="a test") for one in file.edits)
        )
        found = audit(str(app.folder / "adult.csv"), reasoned).certificate
        groups = f"{found.partition.violating} of {int(found.partition.measured.sum())}"
        expect(page.locator("#now")).to_contain_text(groups)
        expect(page.locator("#now")).to_contain_text(str(found.verdict), ignore_case=True)
        assert groups in offered  # what was offered is what came
        said.append(page.locator("#now").inner_text())
    expect(page.locator("#redo")).to_be_disabled()
    for before in said[-2::-1]:
        page.locator("#undo").click()
        expect(page.locator("#now")).to_have_text(before, use_inner_text=True)
    expect(page.locator("#undo")).to_be_disabled()
    _saved(app, lambda file: not file.edits)
    for after in said[1:]:
        page.locator("#redo").click()
        expect(page.locator("#now")).to_have_text(after, use_inner_text=True)
    expect(page.locator("#redo")).to_be_disabled()
    _saved(app, lambda again: again.edits == file.edits)


def test_a_cycle_and_an_arrow_against_the_tiers_cannot_be_chosen(
    app: RunningApp, learned: Any
) -> None:
    page = learned
    path = str(app.folder / "adult.csv")
    arrows = audit(path, QuestionFile.load(app.folder / "adult.toml")).certificate.graph.arrows
    for effect in ("sex", "education"):
        page.goto(f"graph?a=income&b={effect}")
        refused = page.locator("#state-to")
        expect(refused).to_be_disabled()
        expect(refused).to_contain_text("form a cycle: ")
        # It is named, arrow by arrow: one that the graph has, closed by the one refused.
        told = refused.inner_text().partition("form a cycle: ")[2].partition(".")[0]
        cycle = {*pairwise(told.split(" -> "))}
        assert told.split(" -> ")[0] == told.split(" -> ")[-1]
        assert ("income", effect) in cycle
        assert cycle - {*arrows} == {("income", effect)}
        body = {"a": "income", "b": effect, "state": "to"}
        status, content = app.call("POST", "api/graph", body)
        assert (status, told in json.dumps(content)) == (422, True)
    page.goto("graph?a=education&b=race")
    expect(page.locator("#state-to")).to_be_disabled()
    expect(page.locator("#state-to")).to_contain_text(
        "education -> race contradicts what is known"
    )


def test_a_link_is_chosen_and_settled_with_the_keyboard_alone(learned: Any) -> None:
    page = learned
    box = page.locator('.graph-wide [data-box="marital_status"]')
    box.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#chosen")).to_contain_text("Join it with")
    page.locator('.graph-wide [data-box="income"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator("#state-to")).to_be_visible()
    page.locator("#state-to").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#state-to")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#reason")).to_be_focused()  # what is asked for next


def _middle(page: Any, what: str) -> tuple[float, float]:
    page.locator("h1").scroll_into_view_if_needed()
    box = page.locator(f".graph-wide {what}").first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _drag(page: Any, name: str, to: tuple[float, float]) -> None:
    page.mouse.move(*_middle(page, f'[data-box="{name}"] rect'))
    page.mouse.down()
    page.mouse.move(*to, steps=4)
    page.mouse.up()


def _tiers(app: RunningApp) -> list[list[str]]:
    found: list[list[str]] = app.tables()["knowledge"]["tiers"]
    return found


def _settle(page: Any) -> None:
    """Wait until nothing that was asked for before will renew the page."""
    page.evaluate("() => queue")
    page.goto("graph")
    expect(page.locator("#now")).to_contain_text("groups")
    expect(page.locator(".panel")).to_be_visible()


def test_boxes_move_between_the_columns_of_time(app: RunningApp, learned: Any) -> None:
    page, heads = learned, learned.locator(".graph-wide text.tier")
    # By button, into a tier of its own at the end.
    page.locator('.graph-wide [data-box="income"]').click()
    expect(page.locator("#chosen-title")).to_have_text("income")
    page.get_by_role("button", name="Move income later").click()
    expect(heads).to_have_text(["First", "Then", "Then", "Last"])
    wait_until(lambda: _tiers(app)[-1] == ["income"])
    page.keyboard.press("Escape")
    expect(page.locator("#chosen")).to_have_count(0)
    # By dragging onto another column.
    _settle(page)
    x, _ = _middle(page, ".zone >> nth=2")
    _, y = _middle(page, "text.tier >> nth=2")
    _drag(page, "education", (x, y))
    expect(heads).to_have_text(["First", "Then", "Last"])
    wait_until(lambda: "education" in _tiers(app)[1])
    # By a key, at the box, which keeps the focus.
    _settle(page)
    box = page.locator('.graph-wide [data-box="age"]')
    box.press("Shift+ArrowRight")
    wait_until(lambda: "age" in _tiers(app)[1])
    expect(box).to_be_focused()
    # By name, in a list that any table has room for; on a page that no work renews any more.
    _settle(page)
    page.locator("#columns summary").click()
    page.locator("#move-name").fill("race")
    page.locator("#move-to").select_option(index=1)
    page.locator("#columns").get_by_role("button", name="Move", exact=True).click()
    wait_until(lambda: "race" in _tiers(app)[1])
    # Between two columns a new one begins.
    _settle(page)
    _drag(page, "age", _middle(page, ".gap >> nth=1"))
    wait_until(lambda: _tiers(app)[1] == ["age"])


def test_an_arrow_is_drawn_from_box_to_box_with_its_reason(
    app: RunningApp, learned: Any
) -> None:
    page = learned
    _drag(page, "race", _middle(page, '[data-box="income"] rect'))
    expect(page.locator("#chosen-title")).to_have_text("race → income")
    expect(page.locator("#state-to")).to_have_attribute("aria-pressed", "true")
    reason = page.locator("#reason")
    expect(reason).to_be_focused()
    page.keyboard.type("pay was set with it in view")
    page.keyboard.press("Enter")
    expect(page.locator(".past input")).to_have_value("pay was set with it in view")
    file = _saved(app, lambda file: bool(file.edits) and "view" in file.edits[0].reason)
    assert [(one.kind, one.arrow) for one in file.edits] == [("add", ("race", "income"))]


@pytest.mark.parametrize("size", [(1440, 900), (1024, 768), (390, 844)])
def test_arrow_reason_and_answer_are_in_sight_together(
    learned: Any, new_page: Callable[..., Any], size: tuple[int, int]
) -> None:
    assert learned
    width, height = size
    page = new_page(viewport={"width": width, "height": height})
    page.goto("graph")
    picture = "wide" if width > 640 else "narrow"
    link = page.locator(f"#{picture}-link-income--marital_status")
    link.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#chosen-title")).to_have_text("income — marital status")
    for seen in (page.locator("#state-none"), page.locator("#reason"), page.locator("#now")):
        expect(seen).to_be_in_viewport(ratio=1)
    expect(page.locator("#state-open")).to_be_focused()
    if width > 860:
        expect(page.locator("#answer-title")).to_be_in_viewport(ratio=1)
        expect(page.locator(".story")).to_contain_text("Of 296 women")
    assert page.evaluate("() => document.documentElement.scrollWidth") == width
    # A reason that is written first goes with the state.
    page.locator("#reason").fill("people marry before they earn")
    page.locator("#state-to").click()
    expect(page.locator("#state-to")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#reason")).to_have_value("people marry before they earn")
    expect(page.locator(".past input")).to_have_value("people marry before they earn")
    page.keyboard.press("Escape")
    expect(page.locator("#chosen")).to_have_count(0)
    expect(link).to_be_focused()


def test_it_begins_with_one_question_about_a_suggested_order(
    open_app: Callable[..., RunningApp], page: Any
) -> None:
    app = open_app("people.csv", lambda folder: write_people(folder / "people.csv"))
    change = {"question": {"protected": "gender", "decision": "hired"}}
    status, content = app.call("PATCH", "api/question", {"change": change})
    assert status == 200, content
    page.goto("evidence")
    page.get_by_role("link", name="Look at the order").click()
    expect(page.locator("h1")).to_have_text("Is this the order?")
    expect(page.locator("#now")).to_have_text("No answer yet")
    page.locator('.graph-wide [data-box="age"]').press("Shift+ArrowRight")
    wait_until(lambda: len(app.tables("people")["knowledge"]["tiers"]) >= 2)
    expect(page.locator("h1")).to_have_text("Is this the order?")
    page.locator("#keep-order").click()
    expect(page.locator("#answer-title")).to_be_visible()
    assert app.tables("people")["knowledge"]["tiers"][-1] == ["hired"]


def test_a_graph_goes_into_files_and_comes_back(app: RunningApp, learned: Any) -> None:
    page = learned
    page.locator("#files summary").click()
    for name in ("JSON", "DOT", "SVG"):
        with page.expect_download() as download:
            page.get_by_role("link", name=name, exact=True).click()
        download.value.save_as(app.folder / download.value.suggested_filename)
    with page.expect_download() as download:
        page.locator("#as-png").click()
    image = Path(download.value.path()).read_bytes()
    assert image.startswith(b"\x89PNG")
    assert len(image) > 10_000
    before = page.locator("#answer-title").inner_text()
    page.locator("#graph-file").set_input_files(app.folder / "graph.dot")
    expect(page.locator("#files")).to_contain_text("The graph is that of adult.graph.json")
    assert (app.folder / "adult.graph.json").is_file()
    expect(page.locator("#answer-title")).to_be_visible()
    page.locator("#files").get_by_role("button", name="Learn it from the rows").click()
    expect(page.locator("#answer-title")).to_have_text(before)


def test_edits_that_fit_no_longer_are_named_and_undoing_brings_them_back(
    app: RunningApp, learned: Any
) -> None:
    page, now = learned, learned.locator("#now")
    page.goto("graph?a=occupation&b=income")
    _choose(page, "to")
    said = now.inner_text()
    page.locator('.graph-wide [data-box="occupation"]').press("Shift+ArrowRight")
    expect(page.locator(".notice")).to_contain_text("occupation -> income")
    expect(page.locator("#changes-title")).to_have_count(0)
    moved = now.inner_text()
    # The page stays of use: the order and what was dropped with it are one change.
    page.locator("#undo").click()
    expect(page.locator(".past")).to_contain_text("occupation → income")
    expect(now).to_have_text(said, use_inner_text=True)
    page.locator("#redo").click()
    expect(page.locator(".past")).to_have_count(0)
    expect(now).to_have_text(moved, use_inner_text=True)
    for _ in range(2):
        page.locator("#undo").click()
        expect(page.locator(".panel")).to_be_visible()
    expect(page.locator("#undo")).to_be_disabled()
    page.goto(LINK)
    _choose(page, "to")
    _saved(
        app, lambda file: [one.arrow for one in file.edits] == [("marital_status", "income")]
    )


def test_edits_that_fit_are_kept_and_the_certificate_has_both_verdicts(
    app: RunningApp, learned: Any
) -> None:
    page = learned
    page.goto("graph?a=age&b=income")
    _choose(page, "none")
    page.locator(".past input").fill("age is not asked")
    page.locator(".past input").press("Enter")
    expect(page.locator(".past input")).to_have_value("age is not asked")
    page.locator('.graph-wide [data-box="income"]').press("Shift+ArrowRight")
    expect(page.locator(".graph-wide text.tier")).to_have_count(4)
    expect(page.locator(".past")).to_contain_text("no link: age, income")
    file = _saved(app, lambda file: bool(file.edits) and bool(file.graphs_judged))
    assert [(one.kind, one.arrow) for one in file.edits] == [("remove", ("age", "income"))]
    page.goto("evidence")
    page.locator("#certificate-write").click()
    expect(page.locator("#made")).to_contain_text("adult.certificate.json")
    record = json.loads((app.folder / "adult.certificate.json").read_text("utf-8"))
    path = str(app.folder / "adult.csv")
    edited, learned_again = audit(path, file), audit(path, replace(file, edits=()))
    assert record["verdict"] == str(edited.certificate.verdict)
    before, as_learned = record["graph"]["origin"]["unedited"], learned_again.certificate
    assert before["verdict"] == str(as_learned.verdict)
    assert before["violating"] == as_learned.partition.violating
    assert before["violating"] != edited.certificate.partition.violating
    # As learned in two orders, each with and without the arrow, and what was offered for it.
    graphs = record["variants"]["graphs"]
    assert graphs >= 4
    # The file has the same number at the next change.
    app.call("PATCH", "api/question", {"change": {"labels": {"columns": {"age": "years"}}}})
    wait_until(lambda: len(app.tables()["graph"]["judged"]) == graphs)


def test_a_second_claim_stands_in_the_masthead(app: RunningApp, learned: Any) -> None:
    page, now = learned, learned.locator("#now")
    change = {"question": {"redlining": ["occupation"]}}
    status, content = app.call("PATCH", "api/question", {"change": change})
    assert status == 200, content
    page.goto("graph")
    file = _saved(app, lambda file: "occupation" in file.question.redlining)
    both = audit(str(app.folder / "adult.csv"), file).certificate.verdicts
    assert len(both) == 2
    for verdict in both.values():
        expect(now).to_contain_text(str(verdict), ignore_case=True)
    expect(now).to_contain_text("through occupation")
    page.locator("#undo").click()
    expect(now).not_to_contain_text("through occupation")
