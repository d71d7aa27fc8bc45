"""A record meets counts again: it is made anew from its inputs and compared."""

import json
from dataclasses import replace

import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION
from tests.certificate_records import sealed, wrong

from evenhand import Codings, CountTable, checker, datasets
from evenhand.evidence import certify
from evenhand.recheck import RecordedCertificate, differences
from evenhand.record import Table

COUNTS = datasets.admissions(2)


def recorded(text):
    return RecordedCertificate.parse(text)


def test_it_knows_what_was_asked():
    bins, merge = {"test_score": [37, "50.5"]}, {"major": {"CS": ["a", "*"]}}
    codings = Codings.of(bins=bins, merge=merge)
    certificate = certify(COUNTS, GRAPH, QUESTION, codings=codings)
    record = recorded(certificate.to_json())
    assert record.question == certificate.question
    assert record.codings == codings


def test_it_has_no_codings_of_columns_that_were_not_counted():
    merge = {"major": {"CS": ["a"]}, "town": {"other": ["*"]}}
    codings = Codings.of(bins={"age": 3, "pay": [37]}, merge=merge, columns=COUNTS.names)
    record = recorded(certify(COUNTS, GRAPH, QUESTION, codings=codings).to_json())
    counted = {"major": {"CS": ["a"]}}
    assert record.codings == Codings.of(merge=counted, columns=COUNTS.names)


@pytest.mark.parametrize("limit", [0, 1, 1000])
@pytest.mark.parametrize("scope", ["causes", "minimal", "all"])
@pytest.mark.parametrize("graph", [GRAPH, OPEN_GRAPH], ids=["given", "open"])
def test_its_own_counts_agree(scope, graph, limit):
    certificate = certify(COUNTS, graph, QUESTION, scope=scope, limit=limit, dropped=5)
    for text in (certificate.to_json(), certificate.to_shared_json(least_count=50)):
        assert wrong(text, COUNTS, dropped=5) == []


def changed(certificate, change):
    """A record that somebody changed and sealed again."""
    content = json.loads(certificate.to_json())
    change(content)
    return sealed(content)


def no_assumptions(content):
    content["assumptions"] = ["Nothing is assumed."]


def an_open_edge(content):
    """The finer set is kept, and the other that is possible now is not mentioned."""
    content["graph"]["arrows"].remove(["test_score", "admission"])
    content["graph"]["undirected"].append(["admission", "test_score"])


def a_direct_edge_left_open(content):
    content["graph"]["arrows"].remove(["gender", "admission"])
    content["graph"]["undirected"].append(["admission", "gender"])


def pooled_groups(content):
    content["pooled"]["other"] = True


def another_estimate(content):
    content["population"]["verdict"] = "all differences shown to be within the threshold"


def unsorted_lines(content):
    content["partitions"][0]["table"].reverse()


# What only the data show, as the checker takes words, estimates and orders as they stand.
UNSEEN = [no_assumptions, another_estimate, unsorted_lines, pooled_groups]
LEFT_OPEN = [an_open_edge, a_direct_edge_left_open]


@pytest.mark.parametrize("forgery", [*LEFT_OPEN, *UNSEEN])
def test_a_forgery_that_the_checker_takes_as_it_stands_is_found_with_the_counts(forgery):
    certificate = certify(COUNTS, GRAPH, QUESTION)
    assert wrong(changed(certificate, lambda _: None), COUNTS) == []
    text = changed(certificate, forgery)
    assert checker.verify(text).status == (0 if forgery in UNSEEN else 3)
    assert recorded(text).differences(COUNTS)


def test_a_pooled_question_is_asked_pooled_again():
    lines = {name: [labels[at] for labels, _ in COUNTS] for at, name in enumerate(COUNTS.names)}
    lines["gender"][0] = "other"
    counts = CountTable.of(lines, [count for _, count in COUNTS])
    certificate = certify(counts, GRAPH, replace(QUESTION, other="rest"))
    assert recorded(certificate.to_json()).differences(counts) == ()


def test_other_counts_are_told_apart_by_place():
    record = recorded(certify(COUNTS, GRAPH, QUESTION).to_json())
    places = record.differences(datasets.admissions(1))
    assert any(place.startswith("rows.examined: it says 2200") for place in places)
    assert any(place.startswith("partitions[0].table[0][4]") for place in places)
    assert any(place.startswith("partitions[0].verdict") for place in places)


def test_counts_that_lack_a_column_do_not_agree():
    record = recorded(certify(COUNTS, GRAPH, QUESTION).to_json())
    (place,) = record.differences(COUNTS.marginal(["gender", "major", "admission"]))
    assert "test_score" in place


@pytest.mark.parametrize(("graph", "least_count"), [(GRAPH, 5000), (OPEN_GRAPH, 10)])
def test_without_lines_or_with_open_causes_a_shared_copy_needs_the_data(graph, least_count):
    text = certify(COUNTS, graph, QUESTION).to_shared_json(least_count=least_count)
    assert checker.verify(text).status == 3
    assert recorded(text).differences(COUNTS) == ()
    certified = sealed(json.loads(text) | {"verdict": "certified"})
    assert checker.verify(certified).status == 1


def unlike(written, right):
    return [*differences(written, right)]


@pytest.mark.parametrize(
    ("written", "right", "places"),
    [
        ({"a": None}, {}, ["a: it says None, which has no place there"]),
        ({}, {"a": None}, ["a: it is not there, the counts say None"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a: it says [1], the counts say [1, 2]"]),
        ({"a": [{"b": 1}]}, {"a": [{"b": True}]}, ["a[0].b: it says 1, the counts say True"]),
        ({"a": [1, 2]}, {"a": [1, 2]}, []),
        ({"a": "0.5"}, {"a": "0.50"}, ["a: it says '0.5', the counts say '0.50'"]),
    ],
)
def test_the_innermost_places_are_named(written, right, places):
    assert unlike(written, right) == places


@pytest.mark.parametrize(
    ("where", "written", "right", "is_same"),
    [
        ("population", "0.123456789012", "0.123456789013", True),
        ("population", "0.123456789012", "0.123456789015", False),
        ("population", "0.50", "0.5", False),  # not its only spelling
        ("population", 1, "1", False),
        ("population", "x", "1", False),
        ("population", "1e-40", "0", False),  # a p may be so small
        ("coverage", "0.123456789012", "0.123456789013", False),
    ],
)
def test_estimates_may_differ_by_a_unit_of_the_twelfth_digit(where, written, right, is_same):
    assert (unlike({where: {"p": written}}, {where: {"p": right}}) == []) is is_same


def test_another_estimate_may_be_rounded_to_nothing():
    assert unlike({"population": {"mean": "1e-16"}}, {"population": {"mean": "0"}}) == []


def test_tables_are_compared_block_by_block(monkeypatch):
    monkeypatch.setattr("evenhand.record.canonical_json.BLOCK", 2)
    monkeypatch.setattr("evenhand.recheck.BLOCK", 2)
    lines = [["a", 1], ["b", 2], ["c", 3], ["d", 4], ["e", 5]]
    right, other = Table.of(lines), Table.of([*lines[:3], ["d", 5], ["e", 5]])
    assert unlike({"t": right}, {"t": right}) == []
    assert unlike({"t": other}, {"t": right}) == ["t[3][1]: it says 5, the counts say 4"]
    (place,) = unlike({"t": Table.of(lines[:4])}, {"t": right})
    assert place == "t: it has other lines than the counts give"
