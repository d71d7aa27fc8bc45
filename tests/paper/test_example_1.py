"""Example 1: a partition that misleads, and two that show there is nothing."""

from fractions import Fraction

import pytest
from tests.admission import GRAPH, QUESTION

from evenhand import datasets
from evenhand.evidence import Verdict, certify, explain_partition

COUNTS = datasets.admissions(1)


@pytest.mark.paper("fig:toy")
def test_the_graph_has_two_block_sets():
    certificate = certify(COUNTS, GRAPH, QUESTION, scope="all")
    examined = [set(partition.names) for partition in certificate.partitions]
    assert examined == [{"major", "test_score"}, {"major"}]


@pytest.mark.paper("thm:nd")
@pytest.mark.parametrize("scope", ["causes", "minimal", "all"])
def test_it_is_certified_on_every_block_set(scope):
    assert certify(COUNTS, GRAPH, QUESTION, scope=scope).verdict is Verdict.CERTIFIED


@pytest.mark.paper("sec:intro")
def test_every_difference_is_exactly_zero():
    certificate = certify(COUNTS, GRAPH, QUESTION)
    assert [found.risk_difference for found in certificate.subpopulations] == [0, 0, 0, 0]


@pytest.mark.paper("sec:intro")
def test_the_test_score_alone_is_refused_with_its_open_path():
    told = explain_partition(COUNTS, GRAPH, QUESTION, ["test_score"])
    assert not told.is_meaningful
    assert told.check.open_path == ("gender", "major", "admission")
    assert "misleading" in str(told)
    assert "gender -> major -> admission" in str(told)


@pytest.mark.paper("sec:intro")
def test_the_test_score_alone_would_have_shown_ten_points():
    told = explain_partition(COUNTS, GRAPH, QUESTION, ["test_score"])
    assert {found.risk_difference for found in told.subpopulations} == {Fraction(1, 10)}


@pytest.mark.paper("sec:intro")
def test_everybody_at_once_is_refused_too():
    told = explain_partition(COUNTS, GRAPH, QUESTION, [])
    assert not told.is_meaningful
    assert told.subpopulations[0].risk_difference == Fraction(47 - 37, 100)
