"""Every altered certificate is refused, or what was altered is listed as stated."""

import json
from dataclasses import replace

import pytest
from tests.alterations import KINDS, found_with_data, make_records, unnoticed
from tests.certificate_records import CERTIFIED, sealed

import evenhand as eh
from evenhand import checker
from evenhand.evidence import ReleaseStatement
from evenhand.recheck import RecordedCertificate

EACH = pytest.mark.parametrize(("name", "copy", "with_data"), KINDS)


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    return make_records(tmp_path_factory.mktemp("records"))


@EACH
def test_unaltered_records_are_true(records, name, copy, with_data):
    texts, data = records[name]
    data = str(data) if with_data else None
    if with_data:
        assert not found_with_data(texts[copy], data)[0]
    status = checker.verify(texts[copy], data).status
    is_open = name == "open" or (copy == "shared" and not with_data)
    assert status == (3 if is_open else 0)


@EACH
def test_changes_are_noticed(records, name, copy, with_data):
    """Every seventeenth of them, in turn with the data and without; `tests/slow` makes all."""
    start = sum(map(ord, name + copy)) % 17 + 17 * with_data
    chosen = slice(start, None, 2 * 17)
    assert unnoticed(records[name], copy, with_data=with_data, chosen=chosen) == []


def test_a_release_that_is_kept_back_is_found(records):
    texts, data = records["released"]
    record = json.loads(texts["full"])
    del record["release"]
    wrong = checker.verify(sealed(record)).notes
    assert any("by_chance" in place for place in wrong)
    rows = eh.read(data, codings=RecordedCertificate.parse(texts["full"]).codings)
    wrong = RecordedCertificate.parse(sealed(record)).differences(rows.count())
    assert any(place.startswith("assumptions") for place in wrong)


def test_a_release_forged_in_all_places_is_said_to_be_stated():
    """Nothing in the released rows tells that they are original, and the checker says so."""
    statement = ReleaseStatement(
        change="edited",
        decision="admission",
        method="modify-data",
        policy="minimal",
        seed_commitment=64 * "0",
        changed_columns=("admission",),
        changed_rows=15,
        dropped_before=0,
        left_out_before=0,
    )
    text = replace(CERTIFIED, release=statement).to_json()
    answer = checker.verify(text)
    assert answer.status == 0
    assert answer.stated["release"] == "how the rows were changed: modify-data (minimal)"
