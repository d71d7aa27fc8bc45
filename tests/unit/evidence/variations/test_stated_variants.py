"""Variants of an audit are counted in its certificate: stated where nothing shows them."""

import json

import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION
from tests.certificate_records import sealed, wrong

import evenhand as eh
from evenhand import checker

COUNTS = eh.datasets.admissions(2)


@pytest.mark.parametrize("graph", [GRAPH, OPEN_GRAPH])
def test_the_certificate_states_how_many_variants_were_judged(graph):
    audit = eh.audit(COUNTS, QUESTION, graph=graph)
    sets = len(audit.certificate.possible_decision_causes)
    none = {"cause_sets": sets, "rules": 1, "classes": 0, "arrows": 0}
    assert audit.certificate.variants == none
    arrows = audit.arrows()
    certificate = audit.certificate.stating(arrows=len(arrows.ways))
    assert certificate.variants == none | {"arrows": len(arrows.ways)}
    # Stating the same twice changes nothing.
    assert certificate.stating(arrows=len(arrows.ways)) == certificate
    assert wrong(certificate.to_json(), COUNTS) == []


@pytest.mark.parametrize("name", ["cause_sets", "rules"])
def test_what_follows_from_the_record_is_checked(name):
    content = json.loads(eh.certify(COUNTS, GRAPH, QUESTION).to_json())
    content["variants"][name] += 1
    text = sealed(content)
    assert checker.verify(text).status == 1
    assert any(name in one for one in wrong(text, COUNTS)[1:])
