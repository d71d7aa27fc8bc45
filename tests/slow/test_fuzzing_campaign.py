"""Every kind of file that is read, changed at random: an answer each time, and no more."""

import pytest
from tests.fuzzing import KINDS, campaign

EACH = 1830


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_gives_an_answer(tmp_path, record_property, kind):
    statuses, wrong = campaign(tmp_path, kind, range(EACH))
    record_property("cases", EACH)
    record_property("by status", dict(sorted(statuses.items(), key=str)))
    assert wrong == []
