"""Every leaf of certificates of all kinds, changed in every way."""

import pytest
from tests.alterations import KINDS, make_records, unnoticed


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    return make_records(tmp_path_factory.mktemp("records"))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "copy", "with_data"), KINDS)
def test_all_changes_are_noticed(records, name, copy, with_data):
    assert unnoticed(records[name], copy, with_data=with_data) == []
