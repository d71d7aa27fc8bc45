"""Where graphs come from, as data and in words."""

import json

from tests.admission import GRAPH, OPEN_GRAPH

import evenhand as eh
from evenhand import datasets
from evenhand.evidence.graph_origin import GraphOrigin, no_tiers


def test_a_graph_that_was_given_says_so():
    for graph in (GRAPH, OPEN_GRAPH):
        origin = GraphOrigin.of(graph, decision_last=True)
        assert (str(origin), origin.to_dict()) == ("given", {"kind": "given"})
        assert origin.before_release.to_dict() == {"kind": "given"}


def test_a_graph_that_was_learned_says_how():
    origin = eh.audit(datasets.admissions(1), datasets.question("admissions")).certificate
    origin = origin.graph_origin
    assert (
        str(origin) == "learned from the same rows by PC-stable, chi-square, significance 0.01"
    )
    assert str(origin.before_release).startswith("learned from the rows before release by PC")
    assert GraphOrigin(**origin.to_dict()) == origin


def test_without_tiers_the_decision_is_assumed_to_come_last():
    asked = datasets.question("admissions")
    for knowledge, is_last in ((eh.Knowledge(), True), (eh.Tiers(..., ["admission"]), False)):
        certificate = eh.audit(datasets.admissions(1), asked, knowledge=knowledge).certificate
        document = json.loads(certificate.to_json())
        assert document["graph"]["origin"]["decision_last"] is is_last
        assert (no_tiers("admission") in document["assumptions"]) is is_last
