"""Certificates dropped into the browser: true, altered, other data, shared, none at all."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.hiring import csv_text, people, released
from tests.running_app import RunningApp


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A release that lies outside of the app's folder, so that it must be dropped."""
    outside = tmp_path / "outside"
    outside.mkdir()
    source = outside / "people.csv"
    source.write_text(csv_text(people()), newline="")
    released(source).write(outside / "out.csv", share=True)
    (outside / "other.csv").write_text(csv_text(people(seed=1)), newline="")
    record = json.loads((outside / "out.certificate.json").read_text())
    record["verdict"] = "not certified"
    (outside / "altered.json").write_text(json.dumps(record))
    (outside / "none.json").write_text("nothing")
    return outside


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("altered.json", ""), "it says not certified, and does not agree with its own"),
        (("out.shared.certificate.json", "out.csv"), "Certificate verified: certified"),
    ],
)
def test_a_dropped_certificate_is_checked(
    app: RunningApp, page: Any, outside: Path, names: tuple[str, str], said: str
) -> None:
    assert app.folder != outside
    certificate, data = names
    page.goto("check")
    if data:
        page.locator("#data-file").set_input_files(outside / data)
        expect(page.locator(".taken")).to_contain_text(data)
    page.locator("#certificate-file").set_input_files(outside / certificate)
    expect(page.locator("#outcome")).to_be_visible()
    if data:  # a new certificate forgets the data of the one before
        page.locator("#data-file").set_input_files(outside / data)
    expect(page.locator("#outcome")).to_contain_text(said)
    expect(page.locator("#outcome")).to_contain_text(
        f"against {data}" if data else "against its own numbers"
    )
