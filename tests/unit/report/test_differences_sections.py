"""Sections 2 and 3: differences and evidence."""

from tests.report_pages import CASES, report_text

import evenhand as eh
from evenhand.report import report


def test_evidence_is_told_in_counts_with_its_interval():
    text = report_text(*CASES["not certified"])
    assert "Verdict" not in text.split("The question")[0]
    assert "Not certified" in text
    assert "E1" in text
    assert "Of 300 women" in text


def test_many_groups_are_drawn_as_a_funnel_and_the_strongest_as_a_matrix(adult):
    asked = eh.datasets.question("adult")
    names = [name for name in adult.names if name not in ("sex", "income")]
    arrows = {("sex", "income"), *((name, "income") for name in names[:7])}
    graph = eh.CausalGraph(adult.names, frozenset(arrows))
    html = report(eh.audit(adult, asked, graph=graph), labels=asked.labels).html
    assert 'class="plot matrix"' in html
    assert "Differences by size of group" in html
    assert "Where the people are" in html
