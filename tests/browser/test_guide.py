"""The pictures of the guide: taken of the app itself, and known when they are out of date.

EVENHAND_UPDATE=1 takes them anew. Beside them stands a digest of the words on each screen; the
test fails if a screen says something else than when its picture was taken.
"""

import hashlib
import json
import os
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import expect
from tests.running_app import RunningApp, write_adult

from evenhand import datasets

FOLDER = Path(__file__).parents[2] / "docs" / "app"
SEED = "20170613"
REASON = "people marry before the year whose income is counted"


def _write_question(folder: Path) -> None:
    """Adult's own question file, with words for people."""
    text = str(datasets.question("adult"))
    (folder / "adult.toml").write_text(
        text.replace("[data]\n", '[data]\nfrequency = "n"\n'), "utf-8"
    )


def _words(page: Any, folder: Path) -> str:
    text = page.locator("main").inner_text().replace(str(folder), "")
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()


def _take(page: Any, name: str) -> None:
    """A picture of what is seen first, in few colours."""
    image = Image.open(BytesIO(page.screenshot())).convert("RGB")
    image.quantize(128, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)


def test_the_pictures_of_the_guide_show_the_app_as_it_is(
    browser: Any, start_app: Any, tmp_path: Path
) -> None:
    write_adult(tmp_path)
    _write_question(tmp_path)
    app: RunningApp = start_app(tmp_path, "adult.csv")
    page = browser.new_context(
        base_url=app.address, viewport={"width": 1280, "height": 860}
    ).new_page()
    says: dict[str, str] = {}
    update = os.environ.get("EVENHAND_UPDATE")

    def picture(name: str) -> None:
        says[name] = _words(page, tmp_path)
        if update:
            _take(page, name)

    page.goto("table")
    expect(page.locator("h1")).to_have_text("adult.csv")
    picture("table")
    page.goto("question")
    picture("question")
    page.goto("graph")
    expect(page.locator(".panel")).to_be_visible()
    page.goto("graph?a=marital_status&b=income")
    picture("graph")
    page.locator("#state-to").click()
    page.keyboard.press("Escape")
    page.locator(".past input").fill(REASON)
    with page.expect_response("**/api/reason"):
        page.locator(".past input").blur()
    page.goto("evidence")
    picture("evidence")
    page.goto("release")
    expect(page.locator("#write")).to_be_visible()
    picture("release")
    page.locator("#seeding summary").click()
    page.locator("#seed").fill(SEED)
    page.locator("#write").click()
    expect(page.locator("#made")).to_be_visible()
    page.get_by_role("button", name="Check it here").click()
    expect(page.locator("#steps .here")).to_contain_text("Check")
    picture("check")
    record = FOLDER / "pictures.json"
    if update:
        record.write_text(json.dumps(says, indent=1) + "\n", "utf-8")
    assert json.loads(record.read_text("utf-8")) == says, "EVENHAND_UPDATE=1 takes them anew"
