"""A written certificate meets counts again."""

import json
from dataclasses import replace

import pytest

from evenhand import Codings, CountTable, datasets
from evenhand.errors import InputError
from evenhand.evidence import RecordedCertificate, Verdict, certify
from evenhand.graph.dag import CausalGraph

ADMISSION = datasets.question("admissions").question
COUNTS = datasets.admissions(2)
GRAPH = CausalGraph.parse(
    "gender -> major -> admission; gender -> admission; test_score -> admission"
)


def recorded(text):
    return RecordedCertificate.parse(text)


def test_it_knows_what_was_asked():
    codings = Codings.of(bins={"age": [37, "50.5"]}, merge={"major": {"CS": ["a", "*"]}})
    certificate = certify(COUNTS, GRAPH, ADMISSION, codings=codings)
    record = recorded(certificate.to_json())
    assert record.verdict is Verdict.NOT_CERTIFIED
    assert record.question == certificate.question
    assert record.codings == codings


@pytest.mark.parametrize("scope", ["causes", "all"])
def test_its_own_counts_agree(scope):
    certificate = certify(COUNTS, GRAPH, ADMISSION, scope=scope, dropped=5)
    for text in (certificate.to_json(), certificate.to_shared_json(least_count=50)):
        assert recorded(text).differences(COUNTS, dropped=5) == ()


def test_a_pooled_question_is_asked_pooled_again():
    lines = {name: [labels[at] for labels, _ in COUNTS] for at, name in enumerate(COUNTS.names)}
    lines["gender"][0] = "other"
    counts = CountTable.of(lines, [count for _, count in COUNTS])
    certificate = certify(counts, GRAPH, replace(ADMISSION, other="rest"))
    assert recorded(certificate.to_json()).differences(counts) == ()


def test_other_counts_are_told_apart_by_place():
    record = recorded(certify(COUNTS, GRAPH, ADMISSION).to_json())
    places = record.differences(datasets.admissions(1))
    assert any(place.startswith("rows.examined: it says 2200") for place in places)
    assert any(place.startswith("partitions[0].table[0][4]") for place in places)
    assert any(place.startswith("partitions[0].verdict") for place in places)


def test_counts_that_lack_a_column_do_not_agree():
    record = recorded(certify(COUNTS, GRAPH, ADMISSION).to_json())
    (place,) = record.differences(COUNTS.marginal(["gender", "major", "admission"]))
    assert "test_score" in place


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"format": "other"})])
def test_what_is_no_certificate_is_refused(text):
    with pytest.raises(InputError):
        recorded(text)
