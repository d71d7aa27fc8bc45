"""The verdicts in words."""

from tests.report_pages import CASES, report_text


def test_a_certified_table_says_how_large_the_largest_difference_is():
    text = report_text(*CASES["certified"])
    assert "Certified" in text
    assert "The largest difference is 0.0." in text
    assert "there is no evidence to list" in text


def test_a_missing_direct_arrow_is_said():
    text = report_text(*CASES["no direct arrow"])
    assert "The graph has no arrow from gender to admission" in text
