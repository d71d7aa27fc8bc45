"""Section 5: which comparisons count."""

from tests.admission import OPEN_GRAPH, QUESTION
from tests.report_pages import admissions_audit, page_text

from evenhand import audit, datasets
from evenhand.report import report


def test_a_misleading_partition_names_the_open_path_and_what_would_mend_it():
    found = admissions_audit(1)
    text = page_text(report(found, partition=found.explain_partition(["test_score"])).html)
    assert "○ misleadinggender -> major -> admission stays open" in text
    assert "To make it one, add 'major'." in text
    assert "nothing about a direct effect" in text


def test_a_meaningful_partition_is_called_so():
    found = admissions_audit(1)
    asked = found.explain_partition(["test_score", "major"])
    assert "asked for ● meaningful" in page_text(report(found, partition=asked).html)


def test_where_an_edge_is_open_no_direction_is_guessed():
    found = audit(datasets.admissions(1), QUESTION, graph=OPEN_GRAPH)
    page = report(found, partition=found.explain_partition(["major"])).html
    text = page_text(page)
    assert "depends on the direction of test_score – admission" in text
    assert "● meaningful" not in page


def test_block_sets_that_were_examined_are_listed():
    found = admissions_audit(scope="all")
    text = page_text(report(found).html)
    assert "also checked" in text
    assert "were examined" in text
