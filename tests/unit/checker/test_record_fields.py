"""The form of records: what they must and may hold."""

import json

import pytest
from tests.certificate_records import CERTIFICATE, CERTIFIED, forged, sealed, verify

from evenhand import checker
from evenhand.checker.record_fields import differences


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


@pytest.mark.parametrize("number", [1, 2, 4])
def test_another_format_cannot_be_decided(number):
    status, (note,) = verify(f'{{"format":"evenhand certificate {number}"}}')
    assert status == 3
    assert note.startswith(f"format: 'evenhand certificate {number}' is not known here")


@pytest.mark.parametrize("beside", [{}, {"age": ["up to 37", "38 or more"]}])
def test_a_number_of_classes_cannot_be_decided(beside):
    document = json.loads(CERTIFICATE.to_json())
    document["codings"]["bins"] = beside | {"pay": 3}
    answer = checker.verify(sealed(document))
    assert (answer.status, answer.stated) == (3, {})
    assert answer.notes == [
        "codings.bins.pay: 3 is a number of classes, and does not say which"
    ]


EDIT = {"kind": "add", "arrow": ["a", "b"], "reason": "b came after"}


def test_edits_that_lead_to_the_graph_are_taken_as_recorded():
    text = CERTIFIED.to_json()
    assert forged(lambda d: d["graph"]["origin"].update(edits=[EDIT]), text) == (0, [])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1.5", "1e3", "9" * 5000])
def test_what_is_no_number_of_a_record_is_refused(number):
    text = CERTIFIED.to_json().replace('"dropped":0', f'"dropped":{number}')
    status, notes = verify(text)
    assert (status, notes[0].split(":")[0]) == (1, "malformed")


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
