"""Sections 8 and 9, and the small print."""

from tests.report_pages import CASES, page_text, report_text

import evenhand as eh
from evenhand.report import report


def test_groups_that_cannot_be_compared_are_listed():
    text = report_text(*CASES["nothing comparable"])
    assert "Cannot decide" in text
    assert (
        "2 of 2 groups, with 100 people (100% of the rows), hold only women or only men."
        in text
    )


def test_names_without_a_label_are_read_with_spaces_and_found_with_their_own():
    columns = {
        "sex": ["f", "f", "m", "m"] * 2,
        "job_kind": ["a_b"] * 4 + ["c"] * 4,
        "Income_class": ["high", "low"] * 4,
    }
    counts = eh.CountTable.of(columns, [10, 30, 20, 20, 15, 15, 16, 14])
    asked = eh.Question(protected="sex", group="f", decision="Income_class", favorable="high")
    graph = eh.CausalGraph.parse("sex -> Income_class; job_kind -> Income_class")
    audit = eh.audit(counts, asked, graph=graph)
    text, fine = page_text(report(audit).html).split("Small print")
    assert "Does sex itself change Income class?" in text
    assert "job kind a_b" in text
    assert "Income_class" not in text
    assert "job_kind" not in text
    assert "Income_class = high" in fine
    assert "Columns: Income class = Income_class; job kind = job_kind." in fine


def test_how_many_groups_hold_only_one_side_is_told_for_both():
    text = report_text(*CASES["nothing comparable"])
    assert "Only women: 1; only men: 1." in text
