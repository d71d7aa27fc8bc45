"""Killed runs and full disks: what is left, and what the next run makes of it."""

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.hiring import csv_text, people, released

from evenhand.errors import QuestionError, ResourceError
from evenhand.evidence import Verdict
from evenhand.evidence.recorded_certificate import RecordedCertificate
from evenhand.files import sha256
from evenhand.releasing import PublishedFiles
from evenhand.releasing.transaction import FileSet, disk_errors, is_locked, lock
from evenhand.rows import read

ROOT = Path(__file__).parents[3]
FINAL = {"out.csv", "out.certificate.json", "out.manifest.json"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text(csv_text(people()), newline="")
    return tmp_path


@pytest.fixture(scope="module")
def run():
    """Releases in processes of their own, in which something goes wrong: status and words."""
    command = [sys.executable, "-m", "tests.faulty"]
    pipe = subprocess.PIPE
    with subprocess.Popen(  # noqa: S603  # this Python, with a file of ours
        command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True
    ) as server:

        def once(folder, *fault, overwrite=False):
            server.stdin.write(json.dumps([str(folder), fault, overwrite]) + "\n")
            server.stdin.flush()
            return json.loads(server.stdout.readline())

        yield once


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
    *(("fsync", number) for number in range(1, 7)),
    *(("replace", number) for number in range(1, 4)),
    ("unlink", 1),
]


@pytest.mark.parametrize(("call", "number"), KILLS)
def test_after_a_kill_the_next_run_finds_nothing_or_all_and_leaves_only_its_own(
    run, folder, call, number
):
    status, said = run(folder, "kill", call, number)
    assert status == -signal.SIGKILL, said
    left = names(folder)
    whole = "out.csv" in left
    assert not whole or is_whole(folder)
    written = released(folder / "people.csv").write(folder / "out.csv", overwrite=whole)
    assert set(written.removed) == (left - FINAL if whole else left)
    assert names(folder) == FINAL
    assert is_whole(folder)


@pytest.mark.slow
def test_whenever_a_run_is_killed_there_is_a_whole_release_or_none(run, folder):
    killed = 0
    for seconds in np.random.default_rng(0).uniform(0.001, 0.15, 300).tolist():
        status, said = run(folder, "kill after", seconds, overwrite=True)
        assert status in (0, -signal.SIGALRM), said
        killed += status != 0
        if (folder / "out.csv").exists() and "out.certificate.json" in names(folder):
            left = names(folder) - FINAL
            assert is_whole(folder) or any(name.endswith(".data") for name in left)
    assert killed > 30
    released(folder / "people.csv").write(folder / "out.csv", overwrite=True)
    assert names(folder) == FINAL
    assert is_whole(folder)


@pytest.mark.parametrize(("call", "number"), [("fsync", 1), ("fsync", 3), ("replace", 1)])
def test_a_kill_before_the_names_are_given_leaves_the_old_release_whole(
    run, folder, call, number
):
    released(folder / "people.csv", seed=1).write(folder / "out.csv")
    before = {name: (folder / name).read_bytes() for name in FINAL}
    assert run(folder, "kill", call, number, overwrite=True)[0] < 0
    assert {name: (folder / name).read_bytes() for name in FINAL} == before
    released(folder / "people.csv").write(folder / "out.csv", overwrite=True)
    assert names(folder) == FINAL
    assert is_whole(folder)


UNLINKS = [("unlink", number) for number in range(1, 4)]
STEPS = [
    *(("replace", number) for number in range(1, 7)),
    *(("fsync", number) for number in range(4, 7)),
]


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize(("call", "number"), STEPS)
def test_a_failure_while_names_are_given_leaves_the_old_release_whole(
    run, folder, call, number, share
):
    released(folder / "people.csv", seed=1).write(folder / "out.csv", share=share)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert run(folder, "fail", call, number, "EIO", overwrite=True)[0] == 4
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(("call", "number"), [*STEPS, *UNLINKS])
def test_after_a_kill_while_names_are_given_the_next_run_puts_one_release_in_order(
    run, folder, call, number
):
    released(folder / "people.csv", seed=1).write(folder / "out.csv")
    before = {name: (folder / name).read_bytes() for name in FINAL}
    assert run(folder, "kill", call, number, overwrite=True)[0] < 0
    with pytest.raises(QuestionError, match="exists"):
        released(folder / "people.csv", seed=3).write(folder / "out.csv")
    assert names(folder) == FINAL
    assert is_whole(folder)
    after = {name: (folder / name).read_bytes() for name in FINAL}
    assert (after == before) == ((call, number) not in {("fsync", 6), *UNLINKS})


def test_an_old_release_that_cannot_be_put_back_at_once_is_put_back_later(folder, monkeypatch):
    released(folder / "people.csv", seed=1).write(folder / "out.csv")
    before = {name: (folder / name).read_bytes() for name in FINAL}
    whole = Path.replace

    def replaced(path, target):
        if target.name == "out.csv":
            raise OSError(errno.EIO, "Input/output error")
        return whole(path, target)

    with monkeypatch.context() as broken:
        broken.setattr(Path, "replace", replaced)
        with pytest.raises(ResourceError, match="nothing is lost"):
            released(folder / "people.csv").write(folder / "out.csv", overwrite=True)
    with pytest.raises(QuestionError, match="exists"):
        released(folder / "people.csv").write(folder / "out.csv")
    assert {name: (folder / name).read_bytes() for name in names(folder)} == before


@pytest.mark.parametrize("number", range(1, 9))
def test_a_kill_while_old_files_are_put_back_loses_nothing(run, folder, number):
    released(folder / "people.csv", seed=1).write(folder / "out.csv")
    before = {name: (folder / name).read_bytes() for name in FINAL}
    assert run(folder, "kill", "replace", 6, overwrite=True)[0] < 0
    run(folder, "kill", "replace", number)
    with pytest.raises(QuestionError, match="exists"):
        released(folder / "people.csv", seed=3).write(folder / "out.csv")
    assert {name: (folder / name).read_bytes() for name in names(folder)} == before


def test_a_killed_run_does_not_take_the_papers_of_another_release_with_it(run, folder):
    (folder / "out.certificate.json").write_text("of data that were moved elsewhere")
    assert run(folder, "kill", "fsync", 1, overwrite=True)[0] < 0
    written = released(folder / "people.csv").write(folder / "out.csv", overwrite=True)
    assert "out.certificate.json" not in written.removed


FAILURES = [
    *(("fail", "fsync", number, "EIO") for number in range(1, 7)),
    *(("fail", "replace", number, "EIO") for number in range(1, 4)),
    ("fail", "fsync", 1, "ENOSPC"),
    *(("full", size) for size in (0, 4096, 9000)),
    ("other rows",),
]


@pytest.mark.parametrize("fault", FAILURES)
def test_whatever_fails_is_named_and_nothing_is_left(run, folder, fault):
    status, words = run(folder, *fault)
    said = {"EIO": "Input/output error", "other rows": "not those that were counted"}
    assert said.get(fault[-1], "no room") in words
    assert status == (2 if fault == ("other rows",) else 4)
    assert not names(folder)


def test_an_interrupted_run_leaves_nothing(run, folder):
    status, words = run(folder, "interrupt", "fsync", 1)
    assert status == 1
    assert "KeyboardInterrupt" in words
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
    made = [released(folder / "people.csv", seed=seed) for seed in range(8)]

    def write(one):
        try:
            return one.write(folder / "out.csv", overwrite=True)
        except ResourceError as error:
            return error

    with ThreadPoolExecutor(8) as pool:
        ended = list(pool.map(write, made))
    assert all(isinstance(one, PublishedFiles | ResourceError) for one in ended)
    assert any(isinstance(one, PublishedFiles) for one in ended)
    assert names(folder) == FINAL
    assert is_whole(folder)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_cannot_be_written_to_is_refused(run, folder):
    folder.chmod(0o500)
    status, words = run(folder, "nothing")
    folder.chmod(0o700)
    assert status == 2
    assert "cannot be written" in words


PAPERS = {"certificate": "out.certificate.json", "manifest": "out.manifest.json"}


@pytest.fixture
def papers(tmp_path):
    return FileSet(folder=tmp_path, key="out", names=PAPERS, overwrite=True)


def contents(paths):
    return {path.name: path.read_text() for path in paths if path.exists()}


def write(papers, text):
    with papers.transaction() as transaction:
        for role in PAPERS:
            transaction.write_text(role, text)
        assert text not in contents(papers.paths).values()
        transaction.commit([])


def test_texts_get_their_names_together(papers, tmp_path):
    write(papers, "new")
    assert contents(tmp_path.iterdir()) == dict.fromkeys(PAPERS.values(), "new")


def test_the_open_file_knows_how_much_was_written(papers):
    with papers.transaction() as transaction, transaction.open_last() as sink:
        assert (sink.write(b"four"), sink.tell()) == (4, 4)
        sink.flush()
        sink.close()
        assert not sink.closed


def test_a_failed_rename_gives_the_old_files_their_names_back(papers, tmp_path, monkeypatch):
    for name in PAPERS.values():
        (tmp_path / name).write_text("old")
    rename = Path.replace

    def fail_at_the_last(path, target):
        if path == papers.temporary("manifest") and target == papers.path("manifest"):
            raise OSError(errno.EIO, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "replace", fail_at_the_last)
    with pytest.raises(ResourceError, match="cannot be written"):
        write(papers, "new")
    assert contents(tmp_path.iterdir()) == dict.fromkeys(PAPERS.values(), "old")


def test_a_process_does_not_begin_the_same_release_twice(papers, tmp_path):
    with papers.transaction():
        with pytest.raises(ResourceError, match=str(os.getpid())), papers.transaction():
            pass
        assert papers.temporary("manifest").exists()
    assert not names(tmp_path)


def test_a_run_gives_way_to_one_that_began_at_the_same_time(papers):
    with papers.temporary("manifest", 1).open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(ResourceError, match="process 1"), papers.transaction():
            pass
    assert papers.processes() == [1]


def test_a_file_removed_meanwhile_cannot_be_locked(tmp_path):
    path = tmp_path / "file"
    with path.open("wb") as file:
        assert lock(file.fileno(), path)
        path.unlink()
        assert not lock(file.fileno(), path)
    assert not is_locked(path)


def test_a_file_of_another_user_counts_as_locked(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError

    with monkeypatch.context() as foreign:
        foreign.setattr(os, "open", refuse)
        assert is_locked(tmp_path / "file")


@pytest.mark.parametrize(
    ("code", "words"), [(errno.ENOSPC, "no room"), (errno.EIO, "cannot be written")]
)
@pytest.mark.parametrize("name", ["", "absent"])
def test_errors_of_the_disk_are_ours(tmp_path, code, words, name):
    with pytest.raises(ResourceError, match=words), disk_errors(tmp_path / name):
        raise OSError(code, os.strerror(code))


@pytest.mark.parametrize("ours", [False, True])
def test_papers_of_a_killed_table_release_go_only_if_the_manifest_knows_them(tmp_path, ours):
    files = FileSet(folder=tmp_path, key="out", names=PAPERS, overwrite=False)
    files.path("certificate").write_text("of some table")
    digest = sha256(files.path("certificate"))
    files.temporary("manifest", 1).write_text(f'"{digest}"' if ours else "")
    removed = files.clean_up()
    assert (PAPERS["certificate"] in removed) == ours
    assert files.path("certificate").exists() != ours
    assert files.processes() == []
