"""Runs that are killed, disks that are full: what is left, and what the next run makes of it.

The runs are processes of their own in which one call of the system is replaced.
"""

import fcntl
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.hiring import csv_text, people, released

from evenhand.errors import ResourceError
from evenhand.evidence import Verdict
from evenhand.evidence.recorded import RecordedCertificate
from evenhand.rows import read

ROOT = Path(__file__).parents[3]
RUN = """
import errno, os, resource, signal, sys
sys.path.insert(0, {root!r})
from pathlib import Path
from tests.hiring import released
from evenhand.errors import EvenhandError

calls = 0
def before_call(name, number, act):
    whole = getattr(os, name)
    def counted(*args, **options):
        global calls
        calls += 1
        if calls == number:
            act()
        return whole(*args, **options)
    setattr(os, name, counted)

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def fail(code):
    def act():
        raise OSError(code, os.strerror(code))
    return act

made = released(Path("people.csv"))
{fault}
try:
    made.write("out.csv", overwrite={overwrite})
except EvenhandError as error:
    print(error)
    sys.exit(error.exit_status)
"""
FINAL = {"out.csv", "out.certificate.json", "out.manifest.json"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text(csv_text(people()), newline="")
    return tmp_path


def run(folder, fault, *, overwrite=False):
    """A release in a process of its own, in which something goes wrong."""
    code = RUN.format(root=str(ROOT), fault=textwrap.dedent(fault), overwrite=overwrite)
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )


def names(folder):
    return {path.name for path in folder.iterdir()} - {"people.csv"}


def is_whole(folder):
    """Whether the data are there, and what the certificate says of them is true."""
    certificate = RecordedCertificate.parse((folder / "out.certificate.json").read_text())
    rows = read(folder / "out.csv", codings=certificate.codings)
    return certificate.verdict is Verdict.CERTIFIED and not certificate.differences(
        rows.count()
    )


KILLS = [
    *(("fsync", number) for number in range(1, 9)),
    *(("replace", number) for number in range(1, 4)),
    ("unlink", 1),
]


@pytest.mark.parametrize(("call", "number"), KILLS)
def test_after_a_kill_the_next_run_finds_nothing_or_all_and_leaves_only_its_own(
    folder, call, number
):
    ended = run(folder, f"before_call({call!r}, {number}, die)")
    if ended.returncode == 0:
        assert (call, number) in {("fsync", 7), ("fsync", 8)}  # there are no more calls
        return
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    left = names(folder)
    whole = "out.csv" in left
    assert not whole or is_whole(folder)
    written = released(folder / "people.csv").write(folder / "out.csv", overwrite=whole)
    assert set(written.removed) == (left - FINAL if whole else left)
    assert names(folder) == FINAL
    assert is_whole(folder)


@pytest.mark.parametrize(("call", "number"), [("fsync", 1), ("fsync", 3), ("replace", 1)])
def test_a_kill_before_the_names_are_given_leaves_the_old_release_whole(folder, call, number):
    released(folder / "people.csv", seed=1).write(folder / "out.csv")
    before = {name: (folder / name).read_bytes() for name in FINAL}
    assert run(folder, f"before_call({call!r}, {number}, die)", overwrite=True).returncode < 0
    assert {name: (folder / name).read_bytes() for name in FINAL} == before
    released(folder / "people.csv").write(folder / "out.csv", overwrite=True)
    assert names(folder) == FINAL
    assert is_whole(folder)


def test_a_killed_run_does_not_take_the_papers_of_another_release_with_it(folder):
    (folder / "out.certificate.json").write_text("of data that were moved elsewhere")
    assert run(folder, "before_call('fsync', 1, die)", overwrite=True).returncode < 0
    written = released(folder / "people.csv").write(folder / "out.csv", overwrite=True)
    assert "out.certificate.json" not in written.removed


FAILURES = [
    *(
        (f"before_call('fsync', {n}, fail(errno.EIO))", "Input/output error")
        for n in range(1, 7)
    ),
    *((f"before_call('replace', {n}, fail(errno.EIO))", "Input/output") for n in range(1, 4)),
    ("before_call('fsync', 1, fail(errno.ENOSPC))", "no room"),
    ("resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))", "no room"),
    ("resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))", "no room"),
    ("resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))", "no room"),
    ("Path('people.csv').write_text('a,b\\n')", "not those that were counted"),
]


@pytest.mark.parametrize(("fault", "said"), FAILURES)
def test_a_disk_that_fails_or_is_full_leaves_nothing_and_is_named(folder, fault, said):
    ended = run(folder, fault)
    assert said in ended.stdout, ended.stderr
    assert ended.returncode in (2, 4)
    assert not names(folder)


def test_an_interrupted_run_leaves_nothing(folder):
    ended = run(folder, "before_call('fsync', 1, lambda: os.kill(os.getpid(), signal.SIGINT))")
    assert "KeyboardInterrupt" in ended.stderr
    assert not names(folder)


def test_a_run_that_is_under_way_is_not_disturbed(folder):
    passing = folder / ".evenhand-1-out.data"
    with passing.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(ResourceError, match="process 1") as refusal:
            released(folder / "people.csv").write(folder / "out.csv")
        assert refusal.value.exit_status == 4
    assert names(folder) == {passing.name}
    assert released(folder / "people.csv").write(folder / "out.csv").removed == (passing.name,)


def test_runs_to_other_names_are_no_concern(folder):
    for name in (".evenhand-1-out.b.data", ".evenhand-1-other.data", ".evenhand-x-out.data"):
        (folder / name).write_text("")
    written = released(folder / "people.csv").write(folder / "out.csv")
    assert written.removed == ()


def test_runs_at_the_same_time_make_one_release(folder):
    code = RUN.format(root=str(ROOT), fault="", overwrite=True)
    runs = [
        subprocess.Popen([sys.executable, "-c", code], cwd=folder, stdout=subprocess.DEVNULL)
        for _ in range(4)
    ]
    ended = {one.wait() for one in runs}
    assert ended <= {0, 4}
    if 0 in ended:
        assert names(folder) == FINAL
        assert is_whole(folder)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_cannot_be_written_to_is_refused(folder):
    folder.chmod(0o500)
    ended = run(folder, "")
    folder.chmod(0o700)
    assert ended.returncode == 2
    assert "cannot be written" in ended.stdout
