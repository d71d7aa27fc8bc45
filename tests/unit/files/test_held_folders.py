"""Whoever holds a lock stops no run without a word: tried by other processes and accounts."""

import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from tests.other_account import NOBODY, needs_root, public_folder, start_as_nobody
from tests.release_states import AUDIT, FIRST, check_whole, release, write_people

pytestmark = pytest.mark.skipif(os.name != "posix", reason="folders are locked on POSIX alone")
LOCK = ".evenhand-lock"
HOLD = """handle = os.open(sys.argv[1], os.O_RDONLY)
fcntl.flock(handle, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()"""
SECONDS = 60  # a run that takes longer hangs


@pytest.fixture
def folder():
    with public_folder() as folder:
        write_people(folder)
        yield folder


@contextmanager
def held(process):
    """Wait until a process holds what it was told to hold."""
    with process:
        try:
            assert process.stdout.readline() == "held\n", process.stderr.read()
            yield process
        finally:
            process.kill()


def start(code, *arguments):
    """Begin to run Python code as this account."""
    return subprocess.Popen(  # noqa: S603  # code of a test
        [sys.executable, "-c", f"import fcntl, os, sys\n{code}", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def evenhand(folder, arguments):
    """Run a command; its status, what it said, and how long it took."""
    began = time.monotonic()
    done = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-m", "evenhand", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    words = " ".join(re.sub("[│╭╮╰╯─]", " ", done.stderr).split())
    return done.returncode, words, time.monotonic() - began


@pytest.mark.parametrize("begin", [start, pytest.param(start_as_nobody, marks=needs_root)])
def test_a_lock_on_the_folder_itself_stops_nobody(folder, begin):
    with held(begin(HOLD, folder)):
        assert evenhand(folder, release(FIRST))[0] == 0
        assert evenhand(folder, AUDIT)[0] == 1
    assert check_whole(folder) == FIRST


def test_a_run_that_holds_the_folder_is_waited_for_and_then_named(folder):
    hold = """from pathlib import Path
from evenhand.files.file_locks import locked_folder
with locked_folder(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()"""
    with held(start(hold, folder)):
        assert (folder / LOCK).stat().st_mode & 0o777 == 0o600
        status, words, seconds = evenhand(folder, release(FIRST))
        assert status == 4
        assert "locked by another run" in words
        assert LOCK in words
        assert 9 < seconds < 40
    # It was killed: nothing waits for a process that is gone.
    assert (folder / LOCK).exists()
    assert evenhand(folder, release(FIRST))[0] == 0
    assert check_whole(folder) == FIRST


@needs_root
def test_what_another_account_put_in_the_way_and_holds_is_named():
    hold = """os.mkfifo(sys.argv[1])
handle = os.open(sys.argv[1], os.O_RDWR)
fcntl.flock(handle, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()"""
    with public_folder(0o1777) as folder:
        write_people(folder)
        with held(start_as_nobody(hold, folder / LOCK)):
            status, words, _ = evenhand(folder, release(FIRST))
            assert (status, LOCK in words) == (4, True)
        assert evenhand(folder, release(FIRST))[0] == 0


def test_a_file_of_ours_in_the_way_is_not_written_to(folder):
    (folder / "treasure").write_text("kept")
    (folder / LOCK).hardlink_to(folder / "treasure")
    assert evenhand(folder, release(FIRST))[0] == 0
    assert (folder / "treasure").read_text() == "kept"
    assert not (folder / LOCK).exists()


@needs_root
def test_a_killed_run_is_cleaned_up_although_another_account_waits_for_its_lock(folder):
    """The names that a run writes may be read by others; its lock may not."""
    begin = """import signal
from pathlib import Path
from evenhand.files import Transaction
with Transaction.begin(Path(sys.argv[1]), ["out.csv"]) as transaction:
    print(transaction.place, flush=True)
    sys.stdin.read()"""
    with start(begin, folder) as run:
        place = run.stdout.readline().strip()
        with start_as_nobody(HOLD, f"{place}/lock") as thief:
            assert "PermissionError" in thief.communicate(timeout=20)[1]
        with start_as_nobody("print(open(sys.argv[1]).read())", f"{place}/names") as reader:
            assert reader.communicate(timeout=20)[0] == '["out.csv"]\n'
        assert evenhand(folder, release(FIRST))[0] == 4
        run.kill()
    assert evenhand(folder, release(FIRST))[0] == 0
    assert check_whole(folder) == FIRST


@pytest.mark.parametrize("content", ["pipe", "zeros", "[[1]]", "[" * 100_000])
def test_a_crafted_temporary_folder_does_not_stop_a_run(folder, content):
    """Whoever may write into a shared folder can put any file into one of that name."""
    place = folder / ".evenhand-1-x"
    place.mkdir()
    for name in ("names", "lock", "commit"):
        if content == "pipe":
            os.mkfifo(place / name)
        elif content == "zeros":
            (place / name).symlink_to("/dev/zero")
        else:
            (place / name).write_text(content)
    os.chown(place, NOBODY if os.geteuid() == 0 else -1, -1)
    assert evenhand(folder, release(FIRST))[0] == 0
