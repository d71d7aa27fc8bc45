"""The claim about effects through other attributes, made again from a record."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from tests.certificate_records import sealed, wrong
from tests.loans import APART, CELLS, INCOME_FIRST, QUESTION, ZIP_FIRST, asking, loans

import evenhand as eh
from evenhand import checker
from evenhand.effects.bounds import TransportProblems
from evenhand.evidence import certify
from evenhand.graph import PartialGraph
from evenhand.recheck import RecordedCertificate

OPEN = PartialGraph(APART.nodes, APART.arrows, [("income", "zip")])


def document_of(graph, **fields):
    return json.loads(certify(loans(), graph, asking(**fields)).to_json())


def again(document, counts=None):
    """What is false in a record: by the checker, and with counts by an audit again."""
    return wrong(sealed(document), counts)


@pytest.mark.parametrize("graph", [ZIP_FIRST, APART, INCOME_FIRST, OPEN])
@pytest.mark.parametrize("fields", [{}, {"basis": "all", "redlining_threshold": "1/4"}])
def test_a_document_is_written_again(graph, fields):
    certificate = certify(loans(), graph, asking(**fields))
    for text in (certificate.to_json(), certificate.to_shared_json()):
        assert RecordedCertificate.parse(text).question == certificate.question
        assert wrong(text, loans()) == []


def test_a_document_without_a_direct_arrow_is_written_again():
    graph = eh.CausalGraph.parse("race -> zip -> loan; income -> zip; income -> loan")
    assert again(document_of(graph), loans()) == []


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


def test_where_a_column_determines_the_decision_it_is_open():
    counts = loans(
        {where: (rows, rows * (where[1] == "1")) for where, (rows, _) in CELLS.items()}
    )
    document = json.loads(certify(counts, ZIP_FIRST, QUESTION).to_json())
    assert document["indirect"]["verdict"] == "cannot decide"
    assert document["indirect"]["graphs"][0]["verdict"] != "cannot decide"
    assert again(document, counts) == []


def more_people(indirect):
    for table in indirect["tables"]:
        table["counts"][0][-1] += 1


def too_many_people(indirect):
    for table in indirect["tables"]:
        table["counts"][0][-1] = 2**63 - 1


@pytest.mark.parametrize("change", [more_people, too_many_people])
def test_tables_that_cannot_be_are_refused(change):
    document = document_of(INCOME_FIRST)
    change(document["indirect"])
    text = sealed(document)
    assert checker.verify(text).status == 1
    assert RecordedCertificate.parse(text).differences(loans())


def test_a_graph_that_is_not_there_is_missed():
    document = document_of(OPEN)
    del document["indirect"]["graphs"][0]
    text = sealed(document)
    for places in (
        checker.verify(text).notes,
        RecordedCertificate.parse(text).differences(loans()),
    ):
        assert any(place.startswith("indirect.graphs") for place in places)


@pytest.mark.parametrize("dropped", ["indirect", "question.redlining"])
def test_who_asks_gets_a_claim_and_nobody_else(dropped):
    document = document_of(ZIP_FIRST)
    *block, name = dropped.split(".")
    del (document[block[0]] if block else document)[name]
    assert checker.verify(sealed(document)).status == 1


def potentials_of_zero(indirect):
    """They prove a weaker bound."""
    for direction in indirect["graphs"][0]["potentials"].values():
        for kind in direction:
            kind[:] = [["0"] * len(line) for line in kind]


def potentials_of_nothing(indirect):
    indirect["graphs"][0]["potentials"]["forward"][0].append(["1/2", "1/2"])


@pytest.mark.parametrize("change", [potentials_of_zero, potentials_of_nothing])
def test_weaker_potentials_are_found(change):
    document = document_of(INCOME_FIRST)
    change(document["indirect"])
    assert checker.verify(sealed(document)).status == 1
    assert RecordedCertificate.parse(sealed(document)).differences(loans())


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


def test_why_too_much_was_asked_needs_the_data():
    document = document_of(ZIP_FIRST)
    document["indirect"] = {"verdict": "cannot decide", "reasons": ["Too many cells."]}
    answer = checker.verify(sealed(document))
    assert answer.status == 3
    assert answer.stated["indirect.graphs"] == "that there was too much to be measured"
    assert again(document, loans())


def test_too_many_orientations_are_derived_with_the_data(monkeypatch):
    monkeypatch.setattr("evenhand.graph.admissible_graphs.MOST_ORIENTATIONS", 1)
    document = document_of(OPEN)
    assert {*document["indirect"]} == {"verdict", "reasons"}
    assert again(document, loans()) == []
    document["indirect"]["reasons"] = ["Too many cells."]
    assert again(document, loans())
