"""The threshold across an exact tie: the second example of the paper, where floats fail."""

import csv
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.running_app import RunningApp

from evenhand import datasets

# Men admitted and rejected so that they differ from the women by 4.98 and by 5.02 points.
_NEAR = {("EE", "L"): (4498, 5502), ("CS", "H"): (2249, 2751)}


def _near(values: tuple[str, ...], count: int) -> int:
    gender, *group, decision = values
    if gender == "male" and tuple(group) in _NEAR:
        return _NEAR[tuple(group)][decision == "rejected"]
    return 50 * count


def _write_admissions(
    folder: Path, counted: Callable[[tuple[str, ...], int], int] = lambda _, count: count
) -> None:
    counts = datasets.admissions(2)
    with (folder / "admissions.csv").open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow([*counts.names, "n"])
        lines.writerows((*values, counted(values, count)) for values, count in counts)
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
        expect(page.locator(".figures dd").first).to_have_text(groups)
        expect(page.locator("#threshold-says")).to_contain_text(f"= {exact}")
        if exact == "1/20":
            expect(tie).to_contain_text(TIE)
        else:
            expect(tie).not_to_contain_text("exactly on it")


def test_nothing_is_rounded_across_the_threshold(learned: Any) -> None:
    page = learned
    cell = page.get_by_role("row", name="applying to EE, with a low score").locator("td").nth(4)
    expect(cell).to_contain_text("5.0")
    # Just above it: the difference is printed as less than the threshold, never as much.
    _set(page, "0.05000001")
    expect(page.locator("#threshold-says")).to_have_text("5.000001 points = 5000001/100000000")
    expect(cell).to_contain_text("5.0")
    expect(page.locator("#now")).to_contain_text("3 of 4 groups, 5.000001 points")
    # A difference of 6 points and a threshold that would be 6.0 if it were rounded.
    _set(page, "0.0600001")
    other = page.get_by_role("row", name="applying to CS").filter(has_text="6").first
    expect(other).not_to_contain_text("6.00001")
    expect(page.locator("#now")).to_contain_text("6.00001 points")
    _set(page, "0.05996")
    row = page.locator(".groups tbody tr").filter(has_text="6.0")
    expect(row).to_have_count(1)
    expect(page.locator("#now")).to_contain_text("3 of 4 groups, 5.996 points")
    _set(page, "0.06004")
    expect(page.locator("#now")).to_contain_text("2 of 4 groups, 6.004 points")
    expect(page.locator(".groups tbody tr").filter(has_text="6.0")).to_have_count(1)


def test_a_difference_close_to_the_threshold_is_printed_on_its_side(
    open_app: Callable[..., RunningApp], page: Any
) -> None:
    open_app("admissions.csv", lambda folder: _write_admissions(folder, _near))
    page.goto("evidence")
    under = (
        page.get_by_role("row", name="applying to EE, with a low score").locator("td").nth(4)
    )
    over = (
        page.get_by_role("row", name="applying to CS, with a high score").locator("td").nth(4)
    )
    for threshold, printed in (
        ("0.05", ("4.98", "−5.0")),
        ("0.0502", ("5.0", "−5.02")),
    ):
        _set(page, threshold)
        expect(page.locator("#threshold-says")).to_contain_text(
            f"{100 * float(threshold):.6g} p"
        )
        for cell, number in zip((under, over), printed, strict=True):
            expect(cell).to_have_text(re.compile(f"^{number}(?!\\d)"))
    _set(page, "0.05")
    expect(page.locator("#threshold-says")).to_contain_text("5 points")
    page.get_by_role("link", name="applying to EE, with a low score").click()
    expect(page.locator("#group")).to_contain_text("4.98 points")


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
