"""The canonical text of a certificate document, and the digest of its counts."""

import json
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.admission import GRAPH, QUESTION

from evenhand import CountTable, datasets
from evenhand.evidence import RecordedCertificate, certificate_encoding, certify
from evenhand.evidence.recorded_table import RecordedTable


def test_the_text_is_canonical():
    text = certify(datasets.admissions(2), GRAPH, QUESTION).to_json()
    again = json.dumps(
        json.loads(text), sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    assert text == again + "\n"


def test_the_text_is_what_json_writes_of_the_plain_document():
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION)
    for text, document in (
        (certificate.to_json(), certificate.full_document()),
        (certificate.to_shared_json(), certificate.shared_document()),
    ):
        assert text == dumped(document) + "\n"


plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(plain_values)
def test_any_plain_values_are_written_as_json_does(value):
    document = {"b": [value] * 3, "a": {"": value}}
    with mock.patch.object(certificate_encoding, "BLOCK", 2):
        assert certificate_encoding.canonical(document) == dumped(document) + "\n"
    assert certificate_encoding.plain(document) == document


def dumped(document) -> str:
    return json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("half", ['"\\ud800"', '"\\uDC00x"', '"\ud800"'])
def test_half_a_character_is_refused(half):
    with pytest.raises(ValueError, match="half a character"):
        certificate_encoding.parse_document(f'{{"a": {half}}}')


def test_a_character_written_in_two_halves_is_whole():
    found = certificate_encoding.parse_document(r'{"a": "\ud83d\ude00 \u00e9"}')
    assert found == {"a": "😀 é"}


def test_the_digest_is_that_of_the_counts():
    counts = datasets.admissions(2)
    assert certify(counts, GRAPH, QUESTION).digest == counts.digest


def test_further_columns_do_not_touch_the_digest():
    counts = datasets.admissions(2)
    lines = {name: [labels[at] for labels, _ in counts] for at, name in enumerate(counts.names)}
    lines["room"] = [str(at % 3) for at in range(len(counts))]
    wider = CountTable.of(lines, [count for _, count in counts])
    assert certify(wider, GRAPH, QUESTION).digest == counts.digest


def test_tables_of_a_parsed_document_are_kept_by_column():
    text = certify(datasets.admissions(2), GRAPH, QUESTION).to_json()
    recorded = RecordedCertificate.parse(text)
    assert isinstance(recorded.content["partitions"][0]["table"], RecordedTable)
    assert certificate_encoding.plain(recorded.content) == json.loads(text)
    assert certificate_encoding.canonical({**recorded.content}) == text
