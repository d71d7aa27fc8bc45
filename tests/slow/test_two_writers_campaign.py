"""Two runs write the same release: one stops at each of its calls until the other has ended."""

import pytest
from tests.release_states import FIRST, NEXT, check_whole, contents, copied, release


@pytest.mark.slow
@pytest.mark.parametrize("overwrite", [False, True])
def test_of_two_writers_one_leaves_a_whole_release(
    run, folder, first, overwrite, record_property
):
    other = release(NEXT, share="--share" in first, overwrite=overwrite)
    wrong = []
    calls = run(copied(folder, "counted"), first)[2]
    record_property("interleavings", len(calls))
    for number, call in enumerate(calls, 1):
        copy = copied(folder, "both")
        (ours, said, _), (theirs, heard, _) = run.interleave(copy, first, number, other)
        try:
            assert {ours, theirs} <= {0, 2, 4}
            threshold, files = check_whole(copy), contents(copy)
            succeeded = {FIRST: ours == 0, NEXT: theirs == 0}
            assert succeeded[threshold] if 0 in {ours, theirs} else files == contents(folder)
            assert 0 in {ours, theirs} or not overwrite
        except (AssertionError, KeyError) as error:
            wrong.append((number, call, ours, theirs, str(error), said, heard))
    assert wrong == []
