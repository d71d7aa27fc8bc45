"""The report's table of measures that people know."""

import pytest
from tests.admission import GRAPH, QUESTION
from tests.explained_part import explained
from tests.many_groups import hiring_audit

import evenhand as eh
from evenhand.evidence.known_measures import KINDS
from evenhand.report.known_table import known_table
from evenhand.wording import Words


@pytest.fixture(scope="module")
def audit():
    return eh.audit(eh.datasets.admissions(2), QUESTION, graph=GRAPH)


def table_of(audit, release=None):
    certificate = audit.certificate
    words = Words.of(certificate, None, audit.counts.names)
    return known_table(certificate, release and release.certificate, words)


def test_each_measure_stands_with_what_it_does_not_see(audit):
    table = table_of(audit)
    assert table.heads == ("Value",)
    assert [row.unseen for row in table.rows] == [kind.unseen for kind in KINDS.values()]
    html = audit.report().html
    for row in table.rows:
        assert row.values[0][1] in html
        assert row.unseen in html


def test_a_release_has_its_own_values(audit):
    table = table_of(audit, audit.release(seed=7))
    assert table.heads == ("As recorded", "As released")
    gap = next(row for row in table.rows if row.name == "plain gap")
    (_, before), (_, after) = gap.values
    assert before != after
    assert (("Value", before),) == next(
        row.values for row in table_of(audit).rows if row.name == gap.name
    )


def test_the_explained_part_is_by_the_causes_of_the_decision_before_and_after():
    audit = eh.audit(eh.datasets.admissions(1), QUESTION, graph=GRAPH)
    release = audit.release(seed=7)
    rows = table_of(audit, release).rows
    (values,) = [dict(row.values) for row in rows if row.name == "explained part of the gap"]
    changed = release.certificate.examined.counts
    causes = ["major", "test_score"]
    assert {*audit.decision_causes} == {*causes}
    for head, counts in (("As recorded", audit.counts), ("As released", changed)):
        expected = explained(counts, causes)
        assert abs(expected) > 0.01
        assert float(values[head].replace("−", "-")) == pytest.approx(expected, abs=0.0006)


def test_of_many_groups_the_pair_is_named():
    found = hiring_audit()
    subtitle = table_of(found).subtitle
    assert "of 6 comparisons the clearest" in subtitle
    for label in found.certificate.partition.leading_labels:
        assert label in subtitle
