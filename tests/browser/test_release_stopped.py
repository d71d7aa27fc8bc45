"""A release that is cancelled or killed midway: no file has its name, and the next one runs."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.browser.test_release import _release_begins, write_folder
from tests.running_app import RunningApp


@pytest.fixture
def app(open_app: Callable[..., RunningApp]) -> RunningApp:
    """As many rows as are written in about a second."""
    return open_app("people.csv", lambda folder: write_folder(folder, times=3))


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_release_that_is_cancelled_leaves_no_file(app: RunningApp, page: Any) -> None:
    page.goto("release")
    expect(page.locator("#write")).to_be_visible(timeout=90_000)
    before = _names(app.folder)
    for attempt in range(5):
        page.locator("#file").fill(f"mine{attempt}.csv")
        page.locator("#write").click()
        _release_begins(app.folder)
        page.locator("#work-cancel").click()
        expect(page.locator("#work")).to_be_hidden()
        if _names(app.folder) == before:
            break
        before = _names(app.folder)  # it was done before the button was pressed
    assert not [*app.folder.glob(f"mine{attempt}*")]
    assert not [*app.folder.glob(".evenhand-*")]
    page.locator("#file").fill("next.csv")
    page.locator("#write").click()
    expect(page.locator("#made")).to_contain_text("Certified")


def test_a_server_that_is_killed_leaves_no_final_name_and_the_next_one_recovers(
    app: RunningApp, page: Any, start_app: Callable[..., RunningApp], allowed: list[str]
) -> None:
    allowed.append(
        "ERR_CONNECTION_RE|ERR_CONTENT_LENGTH|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED"
    )
    page.goto("release")
    expect(page.locator("#write")).to_be_visible(timeout=90_000)
    before = _names(app.folder)
    page.locator("#file").fill("mine.csv")
    page.locator("#write").click()
    _release_begins(app.folder)
    app.stop(signal.SIGKILL)
    left = _names(app.folder) - before
    assert left
    assert all(name.startswith(".evenhand-") for name in left)
    expect(page.locator("#lost")).to_be_visible()
    again = start_app(app.folder, "people.csv")
    assert _names(again.folder) == before
    assert "Removed what an interrupted run had left" in again.log.read_text()
