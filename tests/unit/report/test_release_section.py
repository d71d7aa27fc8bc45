"""Section 6: the released data."""

from tests.report_pages import CASES, QUESTION, admissions_audit, page_text, report_text

import evenhand as eh
from evenhand.report import report


def test_a_release_stands_beside_the_record_with_what_was_changed():
    audit = admissions_audit()
    release = audit.release(seed=7)
    text = page_text(report(audit, release, labels=QUESTION.labels).html)
    assert f"{release.changed_rows:,} of 2,200 rows were changed" in text
    assert "As recorded Not certified" in text
    assert "As released Certified" in text
    assert "record nobody’s true admission" in text
    assert "The graph was given, so it was not learned again" in text


def test_who_gains_and_who_loses_is_in_words():
    audit = admissions_audit()
    for policy, sentence in (
        ("minimal", "Who gains (no to yes): 12 men. Who loses (yes to no): 3 men."),
        ("raise", "Who loses (yes to no): nobody."),
    ):
        release = audit.release(method=eh.ModifyData(policy=policy), seed=7)
        assert sentence in page_text(report(audit, release, labels=QUESTION.labels).html)


def test_without_a_release_the_section_says_so_in_a_line():
    assert "No release was made" in report_text(*CASES["not certified"])


def test_a_method_that_changes_other_things_than_decisions_says_which():
    audit = admissions_audit()
    shuffled = audit.release(method=eh.ShuffleProtected(), seed=7, uncertified=True)
    text = page_text(report(audit, shuffled, labels=QUESTION.labels).html)
    assert "The protected attribute gender was changed" in text
    assert "Only admission was changed" not in text


def test_a_shared_page_does_not_tell_how_many_decisions_changed_in_a_group():
    audit = admissions_audit()
    release = audit.release(seed=7)
    full = page_text(report(audit, release, labels=QUESTION.labels).html)
    shared = page_text(report(audit, release, labels=QUESTION.labels, share=True).html)
    assert "men yes → no" in full
    assert "yes → no" not in shared
    assert "no → yes" not in shared


def test_a_shared_page_has_no_column_for_what_it_does_not_tell():
    audit = admissions_audit()
    release = audit.release(seed=7)
    assert "Decisions changed" in report(audit, release).html
    assert "Decisions changed" not in report(audit, release, share=True).html
