"""Whole records: true ones, shared copies, swapped verdicts."""

import pytest
from tests.admission import GRAPH, QUESTION
from tests.certificate_records import CERTIFICATE, csv_of, forged, verify

from evenhand import datasets
from evenhand.evidence import certify
from evenhand.graph.causal_graph import CausalGraph


@pytest.mark.parametrize("example", [1, 2])
@pytest.mark.parametrize("scope", ["causes", "minimal", "all"])
def test_true_records_are_true(example, scope):
    certificate = certify(datasets.admissions(example), GRAPH, QUESTION, scope=scope)
    assert verify(certificate.to_json()) == (0, [])


def test_adult_is_true(paper_adult):
    causes = [name for name in paper_adult.names if name != "income"]
    graph = CausalGraph.parse("; ".join(f"{name} -> income" for name in causes))
    certificate = certify(paper_adult, graph, datasets.question("adult").question)
    assert verify(certificate.to_json()) == (0, [])


def test_a_shared_copy_alone_cannot_be_decided():
    status, notes = verify(CERTIFICATE.to_shared_json())
    assert status == 3
    assert "shared copy" in notes[0]


def test_a_shared_copy_with_its_data_is_true(tmp_path):
    path = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    text = CERTIFICATE.to_shared_json(least_count=50)
    assert verify(text, str(path)) == (0, [])


def test_a_shared_copy_that_contradicts_what_it_shows_is_false():
    def change(document):
        document["partitions"][0]["verdict"] = document["verdict"] = "certified"

    status, notes = forged(change, CERTIFICATE.to_shared_json())
    assert status == 1
    assert any(note.startswith("partitions[0].verdict") for note in notes)


def test_a_shared_copy_with_a_small_count_is_false():
    def change(document):
        document["withheld"]["least_count"] = 100

    status, notes = forged(change, CERTIFICATE.to_shared_json())
    assert status == 1
    assert any(note.startswith("partitions[0].table") for note in notes)


@pytest.mark.parametrize("verdict", ["certified", "cannot decide", "fair", None, 1])
def test_a_swapped_verdict_is_false_though_sealed(verdict):
    status, notes = forged(lambda document: document.update(verdict=verdict))
    assert status == 1
    assert notes == [f"verdict: it says {verdict!r}, but should say 'not certified'"]


def a_role_nobody_knows(document):
    document["partitions"][0]["role"] = "cause"


@pytest.mark.parametrize("forgery", [a_role_nobody_knows])
def test_a_forgery_is_found_though_sealed(forgery):
    text = certify(datasets.admissions(1), GRAPH, QUESTION, scope="all").to_json()
    assert verify(text) == (0, [])
    status, notes = forged(forgery, text)
    assert status == 1
    assert notes
