"""Which comparisons are valid, and the measures that people know."""

import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION
from tests.explained_part import explained
from tests.many_groups import hiring_audit
from tests.report_pages import admissions_audit, page_text

import evenhand as eh
from evenhand.evidence.known_measures import KINDS
from evenhand.report import report
from evenhand.report.comparisons_section import known_table
from evenhand.wording import Words


def test_a_misleading_partition_names_the_open_path_and_what_would_mend_it():
    found = admissions_audit(1)
    text = page_text(report(found, partition=found.explain_partition(["test_score"])).html)
    assert "○ misleadingThe path gender -> major -> admission stays open" in text
    assert "To get a block set, add 'major'." in text
    assert "nothing about a direct effect" in text


def test_a_valid_partition_is_called_so():
    found = admissions_audit(1)
    asked = found.explain_partition(["test_score", "major"])
    assert "asked for ● valid" in page_text(report(found, partition=asked).html)


def test_where_an_edge_is_open_no_direction_is_guessed():
    found = eh.audit(eh.datasets.admissions(1), QUESTION, graph=OPEN_GRAPH)
    page = report(found, partition=found.explain_partition(["major"])).html
    assert "depends on the direction of test_score – admission" in page_text(page)
    assert "● valid" not in page


def test_each_set_that_was_examined_has_its_line_with_what_chance_makes():
    found = admissions_audit(scope="all")
    page = report(found).page
    partitions = found.certificate.partitions
    assert page.comparisons.lead.startswith(f"{len(partitions)} valid adjustment sets are")
    for row, one in zip(page.comparisons.rows, partitions, strict=False):
        assert row.reached == f"{one.violating} of {one.measured.sum()}"
        assert row.expected.startswith(f"{one.by_chance}; p ")


def table_of(audit, release=None):
    certificate = audit.certificate
    return known_table(certificate, release and release.certificate, Words.of(certificate))


def test_each_measure_stands_with_what_it_does_not_see():
    audit = eh.audit(eh.datasets.admissions(2), QUESTION, graph=GRAPH)
    table = table_of(audit)
    assert table.heads == ("Value",)
    assert [row.unseen for row in table.rows] == [kind.unseen for kind in KINDS.values()]
    html = audit.report().html
    for row in table.rows:
        assert row.values[0][1] in html
        assert row.unseen in html


def test_the_explained_part_is_by_the_causes_of_the_decision_before_and_after():
    audit = eh.audit(eh.datasets.admissions(1), QUESTION, graph=GRAPH)
    release = audit.release(seed=7)
    table = table_of(audit, release)
    assert table.heads == ("As recorded", "As released")
    (values,) = [dict(r.values) for r in table.rows if r.name == "explained part of the gap"]
    changed = release.certificate.examined.counts
    for head, counts in (("As recorded", audit.counts), ("As released", changed)):
        expected = explained(counts, ["major", "test_score"])
        assert abs(expected) > 0.01
        assert float(values[head].replace("−", "-")) == pytest.approx(expected, abs=0.0006)


def test_of_many_groups_the_pair_is_named():
    found = hiring_audit()
    subtitle = table_of(found).subtitle
    assert "of 6 comparisons the clearest" in subtitle
    for label in found.certificate.partition.leading_labels:
        assert label in subtitle
