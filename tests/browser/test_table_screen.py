"""Opening a table: what cannot be read is told with its remedy, and names are only text."""

import json

import numpy as np
import pytest
from playwright.sync_api import expect
from tests.workbooks import write_workbook

SCRIPT = "<script>alert(1)</script>"
RIGHT_TO_LEFT = "مرتب"
TURNED = "abc\u202edef"  # an override, which could make a name read backwards
LONG = "x" * 200


def open_table(page, name):
    """Choose a file of the folder."""
    page.goto("table")
    page.get_by_role("button", name=name).click()


def write_people(path, header, rows=40):
    lines = [",".join(header)]
    lines += [
        ",".join(f"{'ab'[(at >> place) % 2]}" for place in range(len(header)))
        for at in range(rows)
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")


def test_the_first_rows_and_how_the_table_was_read(app, page):
    (app.folder / "people.csv").write_text(
        "sex;age;hired\n" + "f;30;yes\nm;41;no\n" * 30, "utf-8"
    )
    open_table(page, "people.csv")
    expect(page.get_by_role("heading", level=1)).to_have_text("people.csv")
    expect(page.locator(".rows tbody tr")).to_have_count(20)
    expect(page.locator(".rows thead")).to_contain_text("hired")
    expect(page.get_by_label("Between fields stands")).to_have_value("a semicolon")
    region = page.get_by_role("region", name="The first 20 of 60 lines")
    region.focus()
    expect(region).to_be_focused()


def test_a_file_is_dropped(page):
    """The same table by upload: it is read, and its question file lies in the folder."""
    page.goto("table")
    page.get_by_label("Choose a file").set_input_files(
        {
            "name": "dropped.csv",
            "mimeType": "text/csv",
            "buffer": b"sex,hired\n" + b"f,1\nm,0\n" * 9,
        }
    )
    expect(page.get_by_role("heading", level=1)).to_have_text("dropped.csv")
    expect(page.locator(".lead")).to_contain_text("18 rows and 2 columns")


def test_a_sheet_is_chosen_by_a_button(app, page):
    pytest.importorskip("python_calamine", reason="the extra 'excel' is not installed")
    people = [
        ["sex", "hired"],
        *(["fm"[at % 2], "yes" if at % 3 else "no"] for at in range(20)),
    ]
    write_workbook(app.folder / "two.xlsx", notes=[["read me"], ["please"]], people=people)
    open_table(page, "two.xlsx")
    expect(page.locator("#problems")).to_contain_text("sheet")
    page.locator("#problems button").nth(1).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("two.xlsx")
    expect(page.locator(".rows thead")).to_contain_text("hired")
    expect(page.locator("#sheet")).to_have_value("people")


def test_a_table_of_300_columns_is_shown_in_pages(app, page):
    names = ["sex", "hired", *(f"answer_{number}" for number in range(298))]
    values = np.random.default_rng(1).choice([*"ab?"], (200, 300)).tolist()
    lines = (",".join(line) for line in (names, *values))
    (app.folder / "wide.csv").write_text("\n".join(lines) + "\n", "utf-8")
    open_table(page, "wide.csv")
    expect(page.locator(".rows thead th")).to_have_count(41)  # the row's number, too
    page.get_by_role("link", name="Further").first.click()
    expect(page.locator(".rows thead")).to_contain_text("answer_40")
    expect(page.locator(".notices")).to_contain_text("Values are missing")
    page.get_by_role("button", name="Make it a value of its own").click()
    expect(page.locator(".notices", has_text="Values are missing")).to_be_visible()
    page.goto("question")
    expect(page.locator(".columns > li")).to_have_count(25)
    page.get_by_label("Find").fill("answer_29")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".columns > li")).to_have_count(9)
    page.locator(".columns .head").first.click()
    expect(page.locator(".detail .classes")).to_be_visible()


def test_names_and_values_are_only_text(app, page):
    header = [SCRIPT, RIGHT_TO_LEFT, LONG, TURNED]
    write_people(app.folder / "odd.csv", header, 60)
    (app.folder / "odd.csv").write_text(
        (app.folder / "odd.csv").read_text("utf-8").replace("a,a,a,b", f"{SCRIPT},a,a,b"),
        "utf-8",
    )
    # Opened once: read again under its own name it could end after a choice, which is refused.
    open_table(page, "odd.csv")
    expect(page.get_by_role("heading", level=1)).to_have_text("odd.csv")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto("table")
        expect(page.locator(".rows thead")).to_contain_text(SCRIPT)
        expect(page.locator(".rows tbody")).to_contain_text(SCRIPT)
        page.goto("question")
        for name in (SCRIPT, RIGHT_TO_LEFT, LONG):
            expect(page.locator(".columns")).to_contain_text(name)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(page.locator(".columns")).not_to_contain_text("\u202e")  # it is spelled out
    assert page.locator("main script").count() == 0
    # Such names can be chosen, and are asked about as they stand.
    page.get_by_label("Protected attribute").select_option(label=SCRIPT)
    expect(page.locator("#protected-0 + .ghost")).to_have_text(SCRIPT)
    decision = page.get_by_label("Decision")
    decision.select_option(index=decision.locator("option").count() - 1)
    expect(page.get_by_label("What is counted")).to_be_visible()
    status, content = app.call("PATCH", "api/question", {"change": {}})
    assert status == 200, json.dumps(content)
    page.locator(".columns .head").nth(2).click()
    page.get_by_label("Call the column").fill("an <b>odd</b> one")
    page.get_by_label("Call the column").press("Tab")
    expect(page.locator(".columns")).to_contain_text("an <b>odd</b> one")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
