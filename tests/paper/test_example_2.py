"""Example 2: one partition shows nothing, a finer one shows four differences."""

from fractions import Fraction

import pytest
from tests.admission import GRAPH, QUESTION

from evenhand import datasets
from evenhand.evidence import Verdict, certify, explain_partition
from evenhand.graph import CausalGraph

COUNTS = datasets.admissions(2)


@pytest.mark.paper("alg:dd")
def test_there_are_exactly_four_pieces_of_evidence():
    certificate = certify(COUNTS, GRAPH, QUESTION)
    found = {tuple(e.where.values()): e.risk_difference for e in certificate.evidence}
    assert found == {
        ("CS", "L"): Fraction(6, 100),
        ("CS", "H"): Fraction(-1, 10),
        ("EE", "L"): Fraction(1, 20),
        ("EE", "H"): Fraction(-1, 10),
    }


@pytest.mark.paper("thm:snd")
def test_it_is_not_certified():
    assert certify(COUNTS, GRAPH, QUESTION).verdict is Verdict.NOT_CERTIFIED


@pytest.mark.paper("sec:intro")
def test_the_major_alone_shows_nothing():
    told = explain_partition(COUNTS, GRAPH, QUESTION, ["major"])
    assert told.is_meaningful
    assert told.partition.violating == 0
    assert [found.risk_difference for found in told.subpopulations] == [Fraction(-1, 250), 0]


@pytest.mark.paper("thm:snd")
def test_a_graph_without_the_test_score_would_certify():
    graph = CausalGraph.parse("gender -> major -> admission; gender -> admission")
    assert certify(COUNTS, graph, QUESTION).verdict is Verdict.CERTIFIED


def test_a_hair_above_the_threshold_leaves_three():
    question = type(QUESTION)(**{**QUESTION.to_dict(), "threshold": "0.0500001"})
    assert len(certify(COUNTS, GRAPH, question).evidence) == 3
