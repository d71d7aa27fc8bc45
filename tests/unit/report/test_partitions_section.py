"""Section 5: which comparisons count."""

from tests.report_pages import admissions_audit, page_text

from evenhand.report import report


def test_a_misleading_partition_names_the_open_path_and_what_would_mend_it():
    audit = admissions_audit(1)
    text = page_text(report(audit, partition=audit.explain_partition(["test_score"])).html)
    assert "leaves open gender → major → admission" in text
    assert "to mend it, hold major equal" in text
    assert "is misleading: what it shows, or does not show, is no evidence of anything" in text


def test_a_meaningful_partition_is_called_so():
    audit = admissions_audit(1)
    text = page_text(
        report(audit, partition=audit.explain_partition(["test_score", "major"])).html
    )
    assert "by major and test score, is meaningful" in text


def test_block_sets_that_were_examined_are_listed():
    audit = admissions_audit(scope="all")
    text = page_text(report(audit).html)
    assert "also checked" in text
    assert "were examined" in text
