"""The release in a browser: the bytes of the command line, cancelled, killed."""

import csv
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.running_app import QUESTION, RunningApp

from evenhand import datasets

_LAST = '["education"], ["*"], ["income"]]'


def write_folder(folder: Path, times: int = 1) -> None:
    """Adult's rows one by one, with a column that tells the decision; income comes last."""
    write_people(folder / "people.csv", times)
    question = QUESTION.replace('["education"], ["*"]]', _LAST)
    question = question.replace('frequency = "n"', 'exclude = ["bracket"]')
    (folder / "people.toml").write_text(question, "utf-8")


def write_people(path: Path, times: int) -> None:
    counts = datasets.adult()
    at = counts.names.index("income")
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow([*counts.names, "bracket"])
        for values, count in counts:
            line = [*values, "top" if values[at] == ">50K" else "base"]
            lines.writerows([line] * (count * times))


@pytest.fixture
def app(open_app: Callable[..., RunningApp]) -> RunningApp:
    return open_app("people.csv", write_folder)


@pytest.fixture
def compared(page: Any) -> Any:
    """The page with all methods compared."""
    page.goto("release")
    expect(page.locator("#write")).to_be_visible(timeout=30_000)
    return page


def _command_line(folder: Path, *words: str) -> str:
    done = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-m", "evenhand", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return done.stdout


def test_released_bytes_equal_the_command_lines_at_one_seed(
    app: RunningApp, compared: Any
) -> None:
    page = compared
    expect(page.locator("#ways")).to_contain_text("4 ways end certified")
    page.get_by_role("link", name="Only in people’s favor").click()
    expect(page.locator("#whose")).to_contain_text("714 of 48,842 rows would change")
    page.get_by_role("link", name="Drop it").click()
    expect(page.locator("#told")).to_contain_text("bracket is not released")
    page.locator("#file").fill("mine.csv")
    page.locator("#share").check()
    page.locator("#seeding summary").click()
    page.locator("#seed").fill("7")
    page.locator("#write").click()
    made = page.locator("#made")
    expect(made).to_contain_text("Certified", timeout=30_000)
    expect(made).to_contain_text("evenhand verify mine.certificate.json mine.csv")
    _command_line(
        app.folder,
        *("release", "people.csv", "--question", "people.toml", "--policy", "raise"),
        *("--set", "drop=bracket", "--seed", "7", "--share", "--output", "alone.csv"),
    )
    assert (app.folder / "mine.csv").read_bytes() == (app.folder / "alone.csv").read_bytes()
    with page.expect_download() as download:
        made.get_by_role("link", name="mine.csv").click()
    assert Path(download.value.path()).read_bytes() == (app.folder / "mine.csv").read_bytes()
    made.get_by_role("button", name="Check it here").click()
    expect(page.locator("#outcome")).to_contain_text("Certificate verified: certified")
    assert "Certificate verified" in _command_line(
        app.folder, "verify", "mine.certificate.json", "mine.csv"
    )


def _release_begins(folder: Path) -> None:
    """Wait until rows are being written under a temporary name."""
    for _ in range(3000):
        if any(path.stat().st_size for path in folder.glob(".evenhand-*/new/*.csv")):
            return
        time.sleep(0.01)
    raise TimeoutError("no release began")
