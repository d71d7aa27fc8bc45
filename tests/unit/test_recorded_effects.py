"""The claim about effects through other attributes, made again from a record."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from tests.certificate_records import sealed, wrong
from tests.loans import APART, INCOME_FIRST, asking, loans

import evenhand as eh
from evenhand import checker
from evenhand.effects.bounds import TransportProblems
from evenhand.evidence import certify
from evenhand.graph import PartialGraph

OPEN = PartialGraph(APART.nodes, APART.arrows, [("income", "zip")])


def document_of(graph, **fields):
    return json.loads(certify(loans(), graph, asking(**fields)).to_json())


def again(document, counts=None):
    """What is false in a record: by the checker, and with counts by an audit again."""
    return wrong(sealed(document), counts)


def test_adult_with_an_open_edge_is_true_for_both_programs(adult):
    """Whether education comes before marriage, so that it is a witness, or after it."""
    order = ("age", "sex", "education", "marital_status", "workclass", "hours", "income")
    edge = ("education", "marital_status")
    graph = PartialGraph(order, {*combinations(order, 2)} - {("age", "sex"), edge}, [edge])
    question = replace(eh.datasets.question("adult").question, redlining=["marital_status"])
    certificate = certify(adult, graph, question)
    assert len(certificate.indirect.graphs) == 2
    text = certificate.to_json()
    assert wrong(text, adult) == []
    assert checker.verify(text)[:2] == (0, [])


def test_a_verdict_left_open_by_weak_potentials_is_found_with_the_data(monkeypatch):
    """All fits together, and the bounds are true, but there are closer ones."""
    question = asking(redlining_threshold="1/25")
    with monkeypatch.context() as weaker:
        weaker.setattr(TransportProblems, "solve", lambda _: ((Fraction(0),) * 2,))
        document = json.loads(certify(loans(), INCOME_FIRST, question).to_json())
    assert document["indirect"]["verdict"] == "cannot decide"
    assert any(place.startswith("indirect.verdict: ") for place in again(document, loans()))
    # The stand-alone checker has no solver, and says so.
    answer = checker.verify(sealed(document))
    assert answer.status == 0
    assert answer.stated["indirect.graphs.potentials"] == "that no others prove closer bounds"


def test_too_many_orientations_are_derived_with_the_data(monkeypatch):
    monkeypatch.setattr("evenhand.graph.admissible_graphs.MOST_ORIENTATIONS", 1)
    document = document_of(OPEN)
    assert {*document["indirect"]} == {"verdict", "reasons"}
    assert again(document, loans()) == []
    document["indirect"]["reasons"] = ["Too many cells."]
    assert again(document, loans())
