"""What may be passed on: the groups without a small count."""

import re
from dataclasses import replace

import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION

import evenhand as eh
from evenhand import datasets
from evenhand.errors import QuestionError
from evenhand.evidence import Verdict, certify, shown_part
from evenhand.report import report

COUNTS = datasets.admissions(2)
# Women and men, hired and not, in four towns; of the second and third hardly anybody is known.
TOWNS = {"a": (40, 40, 40, 40), "b": (1, 0, 20, 0), "c": (0, 1, 0, 0), "d": (0, 0, 20, 20)}


def towns(cells):
    columns = {"q": [], "sex": [], "admit": []}
    for town in cells:
        columns["q"] += [town] * 4
        columns["sex"] += ["F", "F", "M", "M"]
        columns["admit"] += ["yes", "no", "yes", "no"]
    return eh.CountTable.of(columns, [n for four in cells.values() for n in four])


def asked(cells, **options):
    question = eh.Question(protected="sex", group="F", decision="admit", favorable="yes")
    graph = eh.CausalGraph.parse("q -> admit; sex -> admit")
    return eh.audit(towns(cells), question, graph=graph, **options)


def test_only_lines_with_four_large_counts_are_left():
    part = shown_part(certify(COUNTS, GRAPH, QUESTION), least_count=60)
    assert [dict(one.where) for one in part.subpopulations] == [
        {"major": "EE", "test_score": "L"}
    ]
    assert part.row_count == 800
    assert part.examined.counts.attribute("major").values == ("EE",)
    assert part.least_count == 60


@pytest.mark.parametrize("least_count", [1, 40, 41, 5000])
def test_it_is_the_same_when_taken_twice(least_count):
    once = shown_part(certify(COUNTS, GRAPH, QUESTION), least_count=least_count)
    twice = shown_part(once, least_count=least_count)
    assert once.to_json() == twice.to_json()


def test_a_count_that_is_just_large_enough_is_shown():
    certificate = certify(COUNTS, GRAPH, QUESTION)
    assert len(shown_part(certificate, least_count=40).subpopulations) == 4
    assert len(shown_part(certificate, least_count=41).subpopulations) == 3


def test_what_is_small_before_a_release_is_not_shown_after_it():
    before, after = (
        asked({"a": (40, 40, 40, 40), "b": cells}).certificate
        for cells in ((8, 12, 10, 10), (10, 10, 10, 10))
    )
    assert len(shown_part(after, least_count=10).subpopulations) == 2
    for one, other in ((before, after), (after, before)):
        part = shown_part(one, least_count=10, beside=other)
        assert [dict(line.where) for line in part.subpopulations] == [{"q": "a"}]


def test_what_is_small_before_a_release_is_not_shown_where_the_graph_has_no_causes():
    graph = eh.CausalGraph.parse("sex -> admit; q")
    question = eh.Question(protected="sex", group="F", decision="admit", favorable="yes")
    before, after = (
        certify(towns({"a": cells}), graph, question)
        for cells in ((8, 12, 10, 10), (10, 10, 10, 10))
    )
    assert len(shown_part(after, least_count=8, beside=before).subpopulations) == 1
    assert not shown_part(after, least_count=10, beside=before).subpopulations


def test_what_is_small_before_a_release_is_not_shown_where_causes_are_open():
    certificate = certify(COUNTS, OPEN_GRAPH, QUESTION)
    part = shown_part(certificate, least_count=41, beside=certificate)
    assert len(part.subpopulations) == 3
    assert part.to_json() == shown_part(certificate, least_count=41).to_json()


def test_where_nothing_is_shown_the_columns_and_the_values_asked_about_are_named():
    part = shown_part(asked({"a": (4, 4, 6, 2)}).certificate, least_count=10)
    attributes = part.examined.counts.attributes
    assert [(one.name, tuple(one.values)) for one in attributes] == [
        ("q", ()),
        ("sex", ("F", "M")),
        ("admit", ("yes", "not yes")),
    ]
    assert part.complete


def test_of_an_audit_the_verdict_is_that_of_what_is_shown_or_withheld():
    certificate = certify(COUNTS, GRAPH, QUESTION)
    assert shown_part(certificate, least_count=10).verdict is Verdict.NOT_CERTIFIED
    assert shown_part(certificate, least_count=5000).verdict is Verdict.WITHHELD
    certified = certify(datasets.admissions(1), GRAPH, QUESTION)
    assert certified.verdict is Verdict.CERTIFIED
    assert shown_part(certified, least_count=1).verdict is Verdict.WITHHELD


def test_of_open_causes_one_set_is_shown_and_no_verdict():
    certificate = certify(COUNTS, OPEN_GRAPH, QUESTION)
    part = shown_part(certificate, least_count=10)
    assert [one.names for one in part.partitions] == [("major", "test_score")]
    assert part.partition.violating
    assert part.verdict is Verdict.WITHHELD


def test_a_search_leaves_no_statistics():
    learned = eh.audit(COUNTS, QUESTION).certificate
    part = shown_part(learned, least_count=10)
    assert sum(learned.graph.record.tests) > 0
    assert not part.graph.record.tests
    assert not part.graph.record.separating
    assert part.graph == learned.graph


def test_rows_left_out_or_dropped_are_not_counted():
    certificate = certify(COUNTS, GRAPH, QUESTION, dropped=3)
    part = shown_part(certificate, least_count=10)
    assert (part.dropped, part.examined.left_out, part.reasons) == (0, 0, ())


def test_a_least_count_must_withhold_something():
    with pytest.raises(QuestionError, match="at least 1"):
        shown_part(certify(COUNTS, GRAPH, QUESTION), least_count=0)


def test_too_little_coverage_betrays_nobody():
    """Only 81 of 82 rows of F: from that the woman of town c, and her decision, follow."""
    others = {**TOWNS, "b": (0, 3, 18, 1), "c": (2, 0, 1, 0)}
    pages = [
        report(asked(cells, min_coverage=1), share=True, generated="today").html
        for cells in (TOWNS, others)
    ]
    assert pages[0] == pages[1]
    assert not re.search(r"\b8[12]\b", re.sub("<[^>]+>", " ", pages[0]))


def test_a_certified_release_says_so():
    audit = asked({"a": (40, 40, 60, 20), "b": (3, 4, 5, 6)})
    release = audit.release(seed=1)
    part = shown_part(release.certificate, least_count=10)
    assert part.verdict is Verdict.CERTIFIED
    assert part.release == replace(
        release.certificate.release,
        changed_rows=None,
        dropped_before=None,
        left_out_before=None,
    )
