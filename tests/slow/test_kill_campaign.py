"""A signal at each system call that writes: the next run finds one whole release, or none."""

from itertools import product

import pytest
from tests.release_states import (
    AUDIT,
    EARLIER,
    FIRST,
    INPUTS,
    NEXT,
    check_whole,
    contents,
    copied,
    release,
    threshold_of,
)

pytestmark = pytest.mark.slow
STATUSES = {"SIGINT": 130, "SIGTERM": 143}
SHARED = "out.shared.certificate.json"


def test_after_a_kill_any_next_run_leaves_one_whole_release(
    run, folder, first, record_property
):
    before, wrong = contents(folder), []
    calls = run(copied(folder, "counted"), first)[2]
    record_property("kills", len(calls))
    record_property("next runs", 4 * len(calls))
    for number, call in enumerate(calls, 1):
        killed = copied(folder, "killed")
        assert run(killed, first, number, "SIGKILL")[0] == -9
        left = contents(killed)
        assert {name: left[name] for name in INPUTS} == {name: before[name] for name in INPUTS}
        # Data without a certificate, or with one that is not theirs, are there at no time.
        assert threshold_of(left) in (None, EARLIER, FIRST)
        for share, overwrite in product([False, True], repeat=2):
            copy = copied(killed, "next")
            following = release(NEXT, share=share, overwrite=overwrite)
            status, printed, _ = run(copy, following)
            try:
                check_next(before, copy, status, share=share, overwrite=overwrite)
            except (AssertionError, KeyError) as error:
                wrong.append((number, call, share, overwrite, status, str(error), printed))
    assert wrong == []


def check_next(before, folder, status, *, share, overwrite):
    """Check what a run after a killed one has left, and why it was refused if it was."""
    threshold, files = check_whole(folder), contents(folder)
    if status == 0:
        assert threshold == NEXT
        assert (SHARED in files) == share
        return
    assert status == 2
    assert threshold in ([EARLIER, FIRST] if "out.csv" in before else [FIRST])
    assert not overwrite or (not share and SHARED in files)


@pytest.mark.parametrize("signal", STATUSES)
def test_a_signal_leaves_the_earlier_release_or_the_new_one(
    run, folder, first, signal, record_property
):
    before, wrong = contents(folder), []
    calls = run(copied(folder, "counted"), first)[2]
    record_property("signals", len(calls))
    for number, call in enumerate(calls, 1):
        copy = copied(folder, "signalled")
        status, printed, _ = run(copy, first, number, signal)
        try:
            assert status in (STATUSES[signal], 0), status
            threshold = check_whole(copy)
            assert threshold == FIRST or contents(copy) == before
            assert status != 0 or threshold == FIRST
            share = SHARED in contents(copy) or number % 2 == 0
            status, printed, _ = run(copy, release(NEXT, share=share, overwrite=True))
            assert (status, check_whole(copy)) == (0, NEXT)
        except (AssertionError, KeyError) as error:
            wrong.append((number, call, status, str(error), printed))
    assert wrong == []


@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT", "SIGTERM"])
def test_the_next_audit_removes_what_a_killed_one_has_left(run, folder, name, record_property):
    wrong = []
    calls = run(copied(folder, "counted"), AUDIT)[2]
    record_property("signals", len(calls))
    for number, call in enumerate(calls, 1):
        copy = copied(folder, "killed")
        run(copy, AUDIT, number, name)
        left = [*contents(copy)] if name != "SIGKILL" else []
        status, printed, _ = run(copy, AUDIT)
        left += contents(copy)
        if status != 1 or any(file.startswith(".evenhand") for file in left):
            wrong.append((number, call, status, left, printed))
    assert wrong == []
