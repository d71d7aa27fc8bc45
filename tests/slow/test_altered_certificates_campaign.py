"""Every leaf of certificates of all kinds, changed in every way."""

import json

import pytest
from tests.alterations import KINDS, alterations, make_records, unnoticed


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    return make_records(tmp_path_factory.mktemp("records"))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "copy", "with_data"), KINDS)
def test_all_changes_are_noticed(records, name, copy, with_data, record_property):
    record_property("changes", len([*alterations(json.loads(records[name][0][copy]))]))
    assert unnoticed(records[name], copy, with_data=with_data) == []
