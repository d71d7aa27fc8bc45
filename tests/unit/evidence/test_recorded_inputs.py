"""What the engine takes from a document, as no count can show it."""

import json

from tests.admission import GRAPH, QUESTION
from tests.loans import INCOME_FIRST, asking, loans

import evenhand as eh
from evenhand import datasets
from evenhand.evidence import certify
from evenhand.evidence.recorded_inputs import recorded_inputs

COUNTS = datasets.admissions(2)
CERTIFICATE = eh.certify(COUNTS, GRAPH, QUESTION)
ALWAYS = {"question", "codings", "graph", "graph.origin", "scope.asked", "versions", "release"}
ALWAYS |= {"variants.classes", "variants.arrows"}


def stated(text, *, with_data):
    return dict(recorded_inputs(json.loads(text), with_data=with_data))


def test_with_the_data_only_what_was_asked_and_given_is_stated():
    found = stated(CERTIFICATE.to_json(), with_data=True)
    assert {*found} == ALWAYS
    assert "gender female against male" in found["question"]
    assert found["release"].startswith("that there was none")


def test_without_the_data_the_counts_are_stated_too():
    found = stated(CERTIFICATE.to_json(), with_data=False)
    assert {*found} == ALWAYS | {"data", "rows", "pooled", "order", "rules.determining"}


def test_a_shared_copy_without_its_data_states_its_counts_and_the_verdict_of_the_others():
    text = CERTIFICATE.to_shared_json()
    always = {name for name in ALWAYS if not name.startswith("variants")}
    more = {"withheld.least_count", "rules.declared", "scope.complete"}
    assert {*stated(text, with_data=True)} == always | more
    found = stated(text, with_data=False)
    assert {"verdict", "partitions.table", "data"} <= {*found}


def test_a_shared_copy_without_lines_states_everything():
    text = CERTIFICATE.to_shared_json(least_count=5000)
    found = stated(text, with_data=False)
    assert {*json.loads(text)} - {*found} == {"format", "copy", "seal"}
    assert "only form and seal" in found["partitions"]


def test_of_a_release_method_and_policy_are_stated():
    certificate = eh.release(COUNTS, eh.ModifyData().plan(CERTIFICATE), seed=1).certificate
    found = stated(certificate.to_json(), with_data=True)
    assert found["release"] == "how the rows were changed: modify-data (minimal)"
    assert found["release.changed_rows"].endswith("doubled: 15")
    assert found["release.dropped_before"].endswith("before: 0")
    shared = stated(certificate.to_shared_json(), with_data=True)
    assert not [name for name in shared if name.startswith("release.")]


def test_of_effects_through_others_little_is_stated():
    certificate = certify(loans(), INCOME_FIRST, asking())
    alone = stated(certificate.to_json(), with_data=False)
    potentials = "indirect.graphs.potentials"
    assert {n for n in alone if n.startswith("indirect")} == {potentials, "indirect.values"}
    beside = stated(certificate.to_json(), with_data=True)
    assert {n for n in beside if n.startswith("indirect")} == {potentials}
    assert alone["question"].endswith(", effects through zip")
    shared = certificate.to_shared_json(least_count=1)
    assert "indirect.verdict" in stated(shared, with_data=False)
    assert "indirect.verdict" not in stated(shared, with_data=True)


def test_open_edges_and_doubtful_triples_are_stated():
    found = stated(CERTIFICATE.to_json(), with_data=True)
    assert "arrows, open edges and doubtful triples" in found["graph"]
