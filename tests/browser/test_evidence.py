"""The evidence in a browser: the same as on the command line, sorted, filtered, resampled."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.running_app import RunningApp, wait_until, write_model

from evenhand import Codings, QuestionFile, audit, read
from evenhand.checker.verification import verify
from evenhand.evidence.subpopulations import p_value
from evenhand.models.predictions import audit_predictions


@pytest.fixture
def learned(page: Any) -> Any:
    """The evidence screen, which learns the graph by itself."""
    page.goto("evidence")
    expect(page.locator("#first-sentence")).to_be_visible()
    return page


def _audit(app: RunningApp, *options: str) -> dict[str, Any]:
    """What the command line prints."""
    command = [sys.executable, "-m", "evenhand", "audit", "adult.csv"]
    ran = subprocess.run(  # noqa: S603  # our own program
        [*command, "--question", "adult.toml", "--json", *options],
        cwd=app.folder,
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    content: dict[str, Any] = json.loads(ran.stdout)
    return content


def _cells(page: Any) -> list[list[str]]:
    """The rows of the table of groups, as text."""
    rows: list[list[str]] = page.locator(".groups tbody tr").evaluate_all(
        "all => all.map(row => [...row.cells].map(cell => cell.innerText))"
    )
    return rows


def test_the_screen_equals_the_command_line(app: RunningApp, learned: Any) -> None:
    page, printed = learned, _audit(app, "--set", "partition=education")
    headline, counts, *_ = printed["answer"]["statements"]
    expect(page.locator("#answer-title")).to_have_text(headline)
    expect(page.locator("#first-sentence")).to_have_text(counts)
    expect(page.locator(".findings .story")).to_have_count(3)
    page.locator("#rows-fold summary").click()
    expect(page.locator(".verdict .side h2")).to_have_text(
        str(printed["verdict"]), ignore_case=True
    )
    counted = printed["subpopulations"]
    groups = f"{counted['violating']} of {counted['measured']}"
    expect(page.locator("#now")).to_contain_text(groups)
    expect(page.locator("#threshold-says")).to_have_text(f"5 points = {printed['threshold']}")
    expect(page.locator("#exact-threshold")).to_have_value(printed["threshold"])
    rows = []
    for number in (1, 2):
        page.goto(f"evidence?where=violating&page={number}")
        rows += _cells(page)
    assert len(rows) == counted["violating"] == len(printed["evidence"])
    for number, (row, one) in enumerate(zip(rows, printed["evidence"], strict=True), 1):
        assert row[0] == f"E{number}"
        total = one["group"]["total"] + one["other"]["total"]
        sides = [
            f"{one[who]['favorable']:,} of {one[who]['total']:,}" for who in ("group", "other")
        ]
        assert [row[2], *row[3:5]] == [f"{total:,}", *sides]
        top, bottom = map(int, one["risk_difference"].split("/"))
        points = float(row[5].split("\n")[0].replace("−", "-"))
        assert abs(points - 100 * top / bottom) < 0.06
        assert row[7] == p_value(one["p_threshold"])
        assert row[8].split("\n")[0] == p_value(one["p_adjusted"])
        assert ("● significant" in row[8]) == one["shown"]
    page.goto("evidence?names=education")
    asked = page.locator(".comparisons tbody tr").last
    expect(asked).to_contain_text("asked for")
    expect(asked).to_contain_text("misleading")
    assert printed["partition"]["is_meaningful"] is False


def test_groups_are_sorted_filtered_and_told_in_words_in_place(learned: Any) -> None:
    page = learned
    page.locator("#sort-size").click()
    expect(page.locator(".groups [aria-sort]")).to_have_text(re.compile("People"))
    expect(page.locator("#sort-size")).to_be_focused()  # focus survives
    sizes = [int(row[2].replace(",", "")) for row in _cells(page)]
    assert sizes == sorted(sizes, reverse=True)
    page.locator("#kind").select_option("shown")
    expect(page.locator("#groups [data-say]")).to_have_text("1 of 58 groups")
    assert "sort=size" in page.url
    page.locator("#kind").select_option("")
    expect(page.locator("#groups [data-say]")).to_have_text("All 58 groups")
    page.locator("#words").fill("<=37 united")
    page.locator("#words").press("Enter")
    expect(page.locator("#groups [data-say]")).to_have_text(re.compile("^[0-9]+ of 58"))
    expect(page.locator("#words")).to_have_value("<=37 united")
    assert all("<=37" in row[1] for row in _cells(page))
    page.locator(".groups tbody a").first.click()
    expect(page.locator("#group")).to_contain_text("The difference is")
    expect(page.locator("#group")).to_be_in_viewport()
    page.go_back()
    expect(page.locator("#group")).to_have_count(0)


def test_resamples_are_cancelled_and_then_made(app: RunningApp, learned: Any) -> None:
    page = learned
    page.locator("#hangs-fold summary").first.click()
    page.locator("#resamples").fill("49")
    page.locator("#bootstrap").click()
    expect(page.locator("#work")).to_be_visible()
    expect(page.locator("#work")).to_contain_text("resamples")
    start = monotonic()
    page.locator("#work-cancel").click()
    expect(page.locator("#work")).to_be_hidden()
    assert monotonic() - start < 2  # the work itself ends within one; see the unit test
    expect(page.locator("#resamples")).to_have_value("49")  # as it was filled in
    expect(page.locator("#hangs .result")).to_have_count(0)
    page.locator("#resamples").fill("2")
    page.locator("#bootstrap").click()
    expect(page.locator("#hangs .result h3")).to_contain_text("2 resamples")
    printed = _audit(app, "--set", "bootstrap=2")["bootstrap"]
    expect(page.locator("#hangs .result")).to_contain_text(str(printed["seed"]))


def test_report_and_certificate_are_written_and_downloaded(
    app: RunningApp, learned: Any
) -> None:
    page = learned
    page.locator("#certificate-write").click()
    expect(page.locator("#made")).to_contain_text("adult.certificate.json")
    page.locator("#report-write").click()
    expect(page.locator("#made")).to_contain_text("adult-report.html")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="adult.certificate.json").click()
    text = waiting.value.path().read_text("utf-8")
    assert text == (app.folder / "adult.certificate.json").read_text("utf-8")
    assert verify(text, str(app.folder / "adult.csv")).status != 1
    page.locator("#report-write").click()  # never over a file unasked
    expect(page.locator("#problems")).to_contain_text("adult-report.html")
    page.locator("#report-overwrite").check()
    page.locator("#report-write").click()
    expect(page.locator("#problems")).to_be_empty()


def test_the_screen_reads_without_scripts(learned: Any, new_page: Callable[..., Any]) -> None:
    assert learned
    page = new_page(java_script_enabled=False)
    page.goto("evidence")
    expect(page.locator("#first-sentence")).to_contain_text("comparable groups women and men")
    page.locator("#sort-size").click()
    sizes = [int(row[2].replace(",", "")) for row in _cells(page)]
    assert sizes == sorted(sizes, reverse=True)
    page.locator("#kind").select_option("violating")
    page.locator("#filter").click()
    expect(page.locator("#groups [data-say]")).to_have_text("24 of 58 groups")
    page.locator(".groups tbody a").first.click()
    expect(page.locator("#group")).to_contain_text("The difference is")
    page.locator("#alike-fold summary").first.click()
    page.locator("#alike-1").set_checked(checked=False)
    page.locator("#compare").click()
    expect(page.locator(".comparisons")).to_contain_text("asked for")


def test_a_models_predictions_are_audited_with_their_errors(open_app: Any, page: Any) -> None:
    app = open_app("adult.csv", write_model)
    page.goto("question")
    page.locator("#more summary").click()
    page.get_by_label("Audit the predictions in").select_option("model")
    page.get_by_label("Tell errors by the record in").select_option("income")
    page.get_by_label("Significance level of the tests").fill("0.001")
    page.get_by_label("Significance level of the tests").press("Enter")
    wait_until(lambda: app.tables()["learning"] == {"significance": 0.001})
    page.goto("evidence")
    expect(page.locator("h1")).to_contain_text("different predictions")
    page.locator("#errors-fold summary").first.click()
    expect(page.locator("#errors")).to_contain_text("accuracy")
    data, file = str(app.folder / "adult.csv"), QuestionFile.load(app.folder / "adult.toml")
    rows = read(data, codings=file.codings)
    rows = rows.only({*rows.columns} - {"model"})
    graph = audit(rows, replace(file, codings=Codings())).graph
    expected = audit_predictions(data, "model", file, graph=graph, labels="income")
    expect(page.locator("#answer-title")).to_have_text(expected.answer.statements[0])
