"""The form of records: what they must and may hold."""

import json

import pytest
from tests.admission import GRAPH, QUESTION
from tests.certificate_records import CERTIFICATE, CERTIFIED, forged, sealed, verify

import evenhand as eh
from evenhand import checker, datasets
from evenhand.checker.record_fields import differences
from evenhand.evidence import certify


def a_field_nobody_knows(document):
    document["surprise"] = "nothing"


def a_coding_nobody_knows(document):
    document["codings"]["rounding"] = "up"


def another_kind_of_copy(document):
    document["copy"] = "weird"


def test_a_name_that_stands_twice_is_refused():
    text = CERTIFICATE.to_json().replace('"copy"', '"verdict":"certified","copy"', 1)
    status, notes = verify(text)
    assert status == 1
    assert "stands twice" in notes[0]


@pytest.mark.parametrize("before", ['"versions":{"', '"versions":{"evenhand":"'])
@pytest.mark.parametrize("half", [r"\ud800", r"\uDFFF", "\ud800"])
def test_half_a_character_is_refused(before, half):
    text = CERTIFICATE.to_json().replace(before, before + half, 1)
    status, notes = verify(text)
    assert (status, len(notes)) == (1, 1)
    assert "a lone surrogate" in notes[0]


def test_two_halves_that_are_escaped_are_a_character():
    text = CERTIFICATE.to_json()
    before = text.index(":", text.index('"versions"')) + len(':{"evenhand":"')
    status, (note, *_) = verify(text[:before] + r"\uD83D\uDE00" + text[before:])
    assert (status, note.split(":")[0]) == (1, "seal")


@pytest.mark.parametrize("text", ["", "[]", "{}", "3", '{"format":', "[" * 100_000])
def test_what_is_no_certificate_is_false(text):
    assert verify(text)[0] == 1


def test_an_unknown_format_cannot_be_decided():
    status, notes = verify('{"format":"evenhand certificate 4"}')
    assert (status, notes) == (3, ["format: 'evenhand certificate 4' is not known here"])


@pytest.mark.parametrize("beside", [{}, {"age": ["up to 37", "38 or more"]}])
def test_a_number_of_classes_cannot_be_decided(beside):
    document = json.loads(CERTIFICATE.to_json())
    document["codings"]["bins"] = beside | {"pay": 3}
    answer = checker.verify(sealed(document))
    assert (answer.status, answer.stated) == (3, {})
    assert answer.notes == [
        "codings.bins.pay: 3 is a number of classes, and does not say which"
    ]


@pytest.mark.parametrize("value", ["ab", {"a": 1}, [["a"]], ["a", "a"]])
@pytest.mark.parametrize(
    "change",
    [
        lambda document, value: document.update(assumptions=value),
        lambda document, value: document["codings"].update(na=value),
    ],
)
def test_only_a_list_of_different_texts_is_one_of_names(change, value):
    document = json.loads(CERTIFICATE.to_json())
    change(document, value)
    status, notes = verify(sealed(document))
    assert (status, "cannot stand there" in notes[0]) == (1, True)


@pytest.mark.parametrize("bins", [3, [3], None])
def test_bins_that_are_no_table_are_malformed(bins):
    document = json.loads(CERTIFICATE.to_json())
    document["codings"]["bins"] = bins
    assert verify(sealed(document))[0] == 1


@pytest.mark.parametrize("number", [1, 2])
def test_earlier_formats_are_refused_by_name(number):
    status, notes = verify(f'{{"format":"evenhand certificate {number}"}}')
    assert status == 3
    assert f"'evenhand certificate {number}' was never published" in notes[0]
    assert "make the certificate anew" in notes[0]


@pytest.mark.parametrize("kind", ["given", "learned"])
def test_a_name_nobody_knows_is_refused_wherever_it_stands(kind):
    learned = eh.audit(datasets.admissions(1), datasets.question("admissions"))
    text = (learned.certificate if kind == "learned" else CERTIFIED).to_json()
    for part in ("question", "pooled", "graph", "versions", "scope", "rows"):
        assert forged(lambda d, part=part: d[part].update(x="y"), text)[0] == 1, part
    assert forged(lambda d: d["graph"]["origin"].update(x="y"), text)[0] == 1
    assert forged(lambda d: d["partitions"][0].update(x="y"), text)[0] == 1
    assert forged(lambda d: d["partitions"][0]["coverage"].update(x="y"), text)[0] == 1


EDIT = {"kind": "add", "arrow": ["a", "b"], "reason": "b came after"}
KNOWN = {"tiers": [], "required": [], "forbidden": []}
RELEASE = dict.fromkeys(["notice", "change", "method", "policy"], "edited")
FORMS = {
    "an edit of no kind": ("graph.origin.edits", [{**EDIT, "kind": "forbid"}]),
    "an edit with more in it": ("graph.origin.edits", [{**EDIT, "surprise": 1}]),
    "an edit of three ends": ("graph.origin.edits", [{**EDIT, "arrow": ["a", "b", "c"]}]),
    "an edit of one end": ("graph.origin.edits", [{**EDIT, "arrow": ["a", "a"]}]),
    "an edit for a number": ("graph.origin.edits", [{**EDIT, "reason": 1}]),
    "edits that are no list": ("graph.origin.edits", EDIT),
    "knowledge that is a list": ("graph.origin.knowledge", []),
    "knowledge of a pair of pairs": (
        "graph.origin.knowledge",
        {**KNOWN, "required": [list("aba")]},
    ),
    "knowledge of a name": ("graph.origin.knowledge", {**KNOWN, "required": [["a"]]}),
    "knowledge of numbers": ("graph.origin.knowledge", {**KNOWN, "forbidden": [[1, 2]]}),
    "more knowledge": ("graph.origin.knowledge", {**KNOWN, "tiers": [["a"]], "x": []}),
    "a doubtful pair": ("graph.doubtful", [["major", "gender"]]),
    "an origin of no kind": ("graph.origin.kind", "found"),
    "a scope that is none": ("scope.asked", "most"),
    "a scope that is no text": ("scope.asked", ["all"]),
    "a scope complete by number": ("scope.complete", 1),
    "a pooled number": ("pooled.other", 0),
    "pooled groups without names": ("pooled.unfavorable", True),
    "another way with missing values": ("codings.missing", "guess"),
    "columns twice": ("codings.columns", ["major", "major"]),
    "a missing value that is no text": ("codings.na", [None]),
    "bins that are no labels": ("codings.bins", {"age": ["up to 3", 4]}),
    "merged numbers": ("codings.merge", {"age": {"old": [60]}}),
    "a predicted number": ("question.predicts", 5),
    "another basis": ("question.basis", "group"),
    "assumptions twice": ("assumptions", ["a", "a"]),
    "reasons that are text": ("reasons", "none"),
    "a population of text": ("population", "large"),
    "a version that is a number": ("versions.evenhand", 3),
    "a seed told": ("release", {**RELEASE, "seed_commitment": "7"}),
    "a seed in capitals": ("release", {**RELEASE, "seed_commitment": 64 * "A"}),
    "very many rows": ("rows.dropped", 2**63),
    "something beside the rows": ("rows.surprise", 1),
}


@pytest.mark.parametrize("name", FORMS)
def test_what_is_taken_as_it_stands_has_its_form(name):
    place, value = FORMS[name]

    def change(document):
        *parts, last = place.split(".")
        for part in parts:
            document = document[part]
        document[last] = value

    learned = eh.audit(datasets.admissions(1), datasets.question("admissions")).certificate
    status, notes = forged(change, (learned if "knowledge" in place else CERTIFIED).to_json())
    assert status == 1
    # These numbers follow from others: they are compared.
    is_compared = place.split(".")[0] in ("rows", "pooled")
    assert any(is_compared or f"{place}" in note for note in notes)


def test_something_beside_what_is_withheld_is_false():
    def change(document):
        document["withheld"]["surprise"] = 1

    assert forged(change, CERTIFICATE.to_shared_json())[0] == 1


def test_edits_that_lead_to_the_graph_are_taken_as_recorded():
    text = CERTIFIED.to_json()
    assert forged(lambda d: d["graph"]["origin"].update(edits=[EDIT]), text) == (0, [])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1.5", "1e3", "9" * 5000])
def test_what_is_no_number_of_a_record_is_refused(number):
    text = CERTIFIED.to_json().replace('"dropped":0', f'"dropped":{number}')
    status, notes = verify(text)
    assert (status, notes[0].split(":")[0]) == (1, "malformed")


def test_more_people_than_anybody_counts_are_refused():
    def change(document):
        document["partitions"][0]["table"][0][2] = 2**63

    status, notes = forged(change)
    assert status == 1
    assert "is no subpopulation" in notes[0]


@pytest.mark.parametrize("field", ["question", "graph", "partitions", "rows", "scope", "copy"])
def test_a_record_that_lacks_a_part_is_false(field):
    assert forged(lambda document: document.pop(field))[0] == 1


@pytest.mark.parametrize(
    "forgery", [a_field_nobody_knows, a_coding_nobody_knows, another_kind_of_copy]
)
def test_a_forgery_is_found_though_sealed(forgery):
    text = certify(datasets.admissions(1), GRAPH, QUESTION, scope="all").to_json()
    assert verify(text) == (0, [])
    status, notes = forged(forgery, text)
    assert status == 1
    assert notes


@pytest.mark.parametrize(
    ("written", "right", "places"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}, []),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ["a[1].b"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a"]),
        ({"a": 1}, {"a": True}, ["a"]),
        ({"a": None}, {}, ["a"]),
        ({}, {"a": None}, ["a"]),
    ],
)
def test_the_innermost_places_are_named(written, right, places):
    assert [place.split(":")[0] for place in differences("", written, right)] == places
