"""The one text of a record: what json writes, with tables in blocks."""

import hashlib
import json
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.record import Table, canonical, sealed

plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def dumped(document):
    return json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


@given(plain_values, st.lists(st.lists(st.text())))
def test_any_plain_values_and_tables_are_written_as_json_does(value, lines):
    with mock.patch("evenhand.record.canonical_json.BLOCK", 2):
        table = Table.of(lines)
    document = {"b": [value] * 3, "a": {"": value, "t": lines}, "c": [{"t": lines}]}
    with_tables = {"b": [value] * 3, "a": {"": value, "t": table}, "c": [{"t": table}]}
    assert len(table.blocks) == -(-len(lines) // 2)
    assert canonical(with_tables) == canonical(document) == dumped(document) + "\n"


def test_the_seal_is_of_the_rest():
    record = {"b": Table.of([[1], [2]]), "a": "é"}
    seal = hashlib.sha256('{"a":"é","b":[[1],[2]]}'.encode()).hexdigest()
    assert sealed(record) == {**record, "seal": seal}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_json_is_not_written(value):
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical({"a": value})


def test_half_a_character_is_not_written():
    with pytest.raises(ValueError, match="surrogates"):
        canonical({"a": "x\ud800"})
