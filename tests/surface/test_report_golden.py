"""One whole page, kept as a file so that a change of it is seen.

``EVENHAND_UPDATE=1 pytest tests/surface/test_report_golden.py`` writes it anew.
"""

import os
from pathlib import Path

import evenhand as eh
from evenhand.report import report

GOLDEN = Path(__file__).parents[1] / "golden" / "report.html"


def test_the_report_on_the_papers_second_example_is_the_one_that_was_reviewed():
    asked = eh.datasets.question("admissions")
    graph = eh.CausalGraph.parse(
        "gender -> major -> admission; test_score -> admission; gender -> admission"
    )
    audit = eh.audit(eh.datasets.admissions(2), asked, graph=graph)
    html = report(
        audit,
        audit.release(seed=7),
        labels=asked.labels,
        partition=audit.explain_partition(["test_score"]),
        title="Admissions, example 2",
        generated="15 November 2026",
    ).html
    if os.environ.get("EVENHAND_UPDATE"):
        GOLDEN.write_text(html, "utf-8")
    assert html == GOLDEN.read_text("utf-8"), "reviewed? then EVENHAND_UPDATE=1"
