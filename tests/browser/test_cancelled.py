"""Learning a graph takes long, and is cancelled: nothing is left, and the next work runs."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from playwright.sync_api import expect
from pyarrow.csv import write_csv
from tests.open_decision import write_open_decision

QUESTION = """\
[question]
protected = "x0"
group = "0"
decision = "x9"
favorable = "1"
threshold = "1/20"
"""


def _write_wide(folder: Path) -> None:
    """A hundred columns, each following from five before it: learned in 20 seconds."""
    draw = np.random.default_rng(7)
    columns = [draw.integers(0, 2, 6000)]
    for at in range(99):
        causes = sum(4 * columns[max(0, at - back)] for back in (0, 2, 5, 7, 11))
        columns.append((26 * draw.random(6000) < 3 + causes).astype(int))
    names = ",".join(f"x{at}" for at in range(100))
    np.savetxt(folder / "wide.csv", np.c_[*columns], "%d", ",", header=names, comments="")
    (folder / "wide.toml").write_text(QUESTION, "utf-8")
    write_open_decision(folder)


def test_discovery_is_cancelled_and_the_next_work_runs(open_app: Any, new_page: Any) -> None:
    app = open_app("wide.csv", _write_wide)
    before = {path.name for path in app.folder.iterdir()}
    page = new_page()
    page.goto("graph")
    page.locator("#no-order").click()
    expect(page.locator("#work")).to_contain_text("Learning what causes what")
    page.locator("#work-cancel").click()
    expect(page.locator("#work")).to_be_hidden()
    expect(page.locator("#now")).to_have_text("No answer yet")
    expect(page.locator("#problems")).to_be_empty()
    expect(page.locator(".notice")).to_contain_text("was cancelled")
    # It does not begin again by itself, and can be begun again.
    button = page.get_by_role("button", name="Learn what causes what")
    expect(button).to_be_visible()
    assert "data-job=" not in app.call("GET", "check")[1]
    assert {path.name for path in app.folder.iterdir()} == before
    button.click()
    expect(page.locator("#work")).to_be_visible()
    page.locator("#work-cancel").click()
    expect(page.locator("#work")).to_be_hidden()
    # The next work runs, on another table.
    assert app.call("PUT", "api/table", {"path": "open.csv"})[0] == 200
    app.wait_for_job()
    page.goto("graph")
    expect(page.locator("#now")).to_contain_text("cannot decide", ignore_case=True)


def _write_many(folder: Path, rows: int = 100_000) -> None:
    """Rows of which every look takes a while: a million fields and more."""
    draw = np.random.default_rng(3)
    columns = {f"x{at}": draw.integers(0, 900, rows) for at in range(10)}
    write_csv(pa.table(columns), folder / "many.csv")


def test_a_file_on_its_way_has_a_bar_with_a_total_and_can_be_cancelled(
    open_app: Any, new_page: Any
) -> None:
    app = open_app("many.csv", _write_many)
    page = new_page()
    page.goto("table")
    network = page.context.new_cdp_session(page)
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1}
    limit = 400_000  # bytes in a second
    network.send("Network.emulateNetworkConditions", slow | {"uploadThroughput": limit})
    page.locator("#file").set_input_files(app.folder / "many.csv")
    expect(page.locator("#work-text")).to_contain_text("Copying many.csv into the app")
    size = (app.folder / "many.csv").stat().st_size
    expect(page.locator("#work-bar")).to_have_attribute("max", str(size))
    page.locator("#work-cancel").click()
    expect(page.locator("#work")).to_be_hidden()
    expect(page.locator("#said")).to_have_text("many.csv was not copied.")
    expect(page.locator("#lost")).to_be_hidden()
    network.send("Network.emulateNetworkConditions", slow | {"uploadThroughput": -1})
    page.locator("#file").set_input_files(app.folder / "many.csv")
    expect(page.locator("#foot")).to_contain_text("many-2.toml")


def test_a_choice_on_a_large_table_has_a_bar_with_a_total_and_can_be_cancelled(
    open_app: Any, new_page: Any
) -> None:
    app = open_app("many.csv", lambda folder: _write_many(folder, 1_500_000))
    page = new_page()
    page.goto("question")
    page.locator("#protected-0").select_option("x1")
    expect(page.locator("#work-text")).to_contain_text("Looking at the columns")
    expect(page.locator("#work-bar")).to_have_attribute("max", "10")
    page.locator("#work-cancel").click()
    expect(page.locator(".notice")).to_contain_text("What was chosen stays")
    assert "data-job=" not in app.call("GET", "check")[1]
    page.get_by_role("button", name="Look at the columns").click()
    expect(page.locator("#protected-0 + .ghost")).to_have_text("x1")
