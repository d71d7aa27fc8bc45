"""The threshold across an exact tie: the second example of the paper, where floats fail."""

import csv
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.running_app import RunningApp

from evenhand import datasets


def _write_admissions(folder: Path) -> None:
    counts = datasets.admissions(2)
    with (folder / "admissions.csv").open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow([*counts.names, "n"])
        lines.writerows((*values, count) for values, count in counts)
    question = (files("evenhand.datasets") / "admissions.toml").read_text("utf-8")
    (folder / "admissions.toml").write_text(f'{question}\n[data]\nfrequency = "n"\n', "utf-8")


@pytest.fixture
def app(open_app: Callable[..., RunningApp]) -> RunningApp:
    """The app with the paper's Table 2 open; EE with a low score differs by exactly 1/20."""
    return open_app("admissions.csv", _write_admissions)


@pytest.fixture
def learned(page: Any) -> Any:
    page.goto("evidence")
    expect(page.locator("#first-sentence")).to_be_visible()
    return page


def _set(page: Any, threshold: str) -> None:
    field = page.locator("#exact-threshold")
    field.fill(threshold)
    field.press("Enter")


TIE = "1 group lies exactly on it, and counts as reaching it."


@pytest.mark.paper("tab:toy2")
def test_a_difference_of_exactly_the_threshold_reaches_it(learned: Any) -> None:
    page = learned
    now, tie = page.locator("#now"), page.locator("#tau-note")
    expect(now).to_contain_text("4 of 4 groups")
    expect(tie).to_contain_text(TIE)
    for threshold, groups, exact in (
        ("0.0500000001", "3 of 4", "500000001/10000000000"),
        ("0.05", "4 of 4", "1/20"),
        ("0.0499999999", "4 of 4", "499999999/10000000000"),
        ("1/20", "4 of 4", "1/20"),
        ("3/59", "3 of 4", "3/59"),
    ):
        _set(page, threshold)
        expect(page.locator("#exact-threshold")).to_have_value(exact)
        expect(now).to_contain_text(f"{groups} groups")
        expect(page.locator("#threshold-says")).to_contain_text(f"= {exact}")
        if exact == "1/20":
            expect(tie).to_contain_text(TIE)
        else:
            expect(tie).not_to_contain_text("exactly on it")


def test_the_slider_moves_it_by_halves_of_a_point_exactly(learned: Any) -> None:
    page = learned
    slider, says = page.locator("#threshold"), page.locator("#threshold-says")
    slider.focus()
    for steps, exact in ((1, "5.5 points = 11/200"), (1, "6 points = 3/50")):
        for _ in range(steps):
            page.keyboard.press("ArrowRight")
        expect(says).to_have_text(exact)
        expect(slider).to_be_focused()
    expect(page.locator("#now")).to_contain_text("3 of 4 groups")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(says).to_have_text("5 points = 1/20")
    expect(page.locator("#now")).to_contain_text("4 of 4 groups")


def test_what_is_no_threshold_is_refused_and_changes_nothing(learned: Any) -> None:
    page = learned
    for typed in ("much", "1/0", "-1", "2"):
        page.goto("evidence")
        expect(page.locator("#problems")).to_be_empty()
        _set(page, typed)
        expect(page.locator("#problems")).not_to_be_empty()
        expect(page.locator("#now")).to_contain_text("4 of 4 groups, 5 points")
