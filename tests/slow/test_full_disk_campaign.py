"""A disk full from the n-th write on: the earlier release stays, and the reason is said."""

import pytest
from tests.release_states import FIRST, check_whole, contents, copied


@pytest.mark.slow
def test_a_full_disk_leaves_the_earlier_release_and_is_said(
    run, folder, first, record_property
):
    before, wrong = contents(folder), []
    writes = run(copied(folder, "counted"), first)[2].count("write")
    record_property("writes", writes)
    for number in range(1, writes + 1):
        copy = copied(folder, "full")
        status, printed, _ = run(copy, first, number, "full")
        try:
            assert status == 4, status
            threshold = check_whole(copy)
            # The page is written last: then the release is there, and that is said.
            assert contents(copy) == before or (threshold == FIRST and "out.csv" in printed)
            assert "no room" in printed or "No space left" in printed
        except (AssertionError, KeyError) as error:
            wrong.append((number, status, str(error), printed))
    assert wrong == []
