"""Who may read a page, and which file it may replace."""

import pytest
from tests.report_pages import admissions_audit

from evenhand.errors import QuestionError
from evenhand.report import report


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
