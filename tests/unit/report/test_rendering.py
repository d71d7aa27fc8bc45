"""Who may read a page, which file it may replace, and how its style lays tables out."""

import re

import pytest
from tests.report_pages import admissions_audit

from evenhand.errors import QuestionError
from evenhand.report import report
from evenhand.report.rendering import style_sheet


def test_a_full_page_is_for_its_owner_and_a_shared_one_for_others(tmp_path):
    audit = admissions_audit()
    full = report(audit).write(tmp_path / "full.html")
    shared = report(audit, share=True).write(tmp_path / "shared.html")
    assert full.stat().st_mode & 0o777 == 0o600
    assert shared.stat().st_mode & 0o777 == 0o644
    assert full.read_text("utf-8") == report(audit).html


def test_a_page_that_is_there_is_replaced_only_if_that_is_allowed(tmp_path):
    audit = admissions_audit()
    path = tmp_path / "page.html"
    path.write_text("evidence")
    with pytest.raises(QuestionError, match=r"This file exists.*overwrite=True"):
        report(audit).write(path)
    assert path.read_text() == "evidence"
    made = report(audit, generated="today")
    made.write(path, overwrite=True)
    assert path.read_text("utf-8") == made.html


def test_a_table_drawn_as_blocks_keeps_its_axis_over_its_rows():
    """A head that stays a table group is as wide as its content: its axis would not fit."""
    style = style_sheet("pictures.css", "style.css")
    stacked = re.findall(r"([^{}]*)\{display:block[;}]", style)
    tables = {
        (selector.removesuffix(" tbody"), rule)
        for rule in stacked
        for selector in rule.strip().split(",")
        if selector.endswith(" tbody")
    }
    assert {name for name, _ in tables} >= {".words", ".data:not(.keep)"}
    for name, rule in tables:
        hidden = rf"{re.escape(name)} thead\{{(display:none|position:absolute)"
        assert f"{name} thead" in rule or re.search(hidden, style), name
