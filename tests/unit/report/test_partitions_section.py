"""Section 5: which comparisons count."""

from tests.admission import OPEN_GRAPH, QUESTION
from tests.report_pages import admissions_audit, page_text

from evenhand import audit, datasets
from evenhand.report import report


def test_a_misleading_partition_names_the_open_path_and_what_would_mend_it():
    found = admissions_audit(1)
    text = page_text(report(found, partition=found.explain_partition(["test_score"])).html)
    assert "leaves open gender → major → admission" in text
    assert "to mend it, hold major equal" in text
    assert "is misleading: what it shows, or does not show, is no evidence of anything" in text


def test_a_meaningful_partition_is_called_so():
    found = admissions_audit(1)
    text = page_text(
        report(found, partition=found.explain_partition(["test_score", "major"])).html
    )
    assert "by major and test score, is meaningful" in text


def test_where_an_edge_is_open_no_direction_is_guessed():
    found = audit(datasets.admissions(1), QUESTION, graph=OPEN_GRAPH)
    page = report(found, partition=found.explain_partition(["major"])).html
    text = page_text(page)
    assert "in each of these 0 of the ways compare like with like, in at least one 2" in text
    assert "hangs on the direction of the edge between test score and admission" in text
    assert "is meaningful or misleading, as the edges without direction may be" in text
    assert "● meaningful" not in page


def test_block_sets_that_were_examined_are_listed():
    found = admissions_audit(scope="all")
    text = page_text(report(found).html)
    assert "also checked" in text
    assert "were examined" in text
