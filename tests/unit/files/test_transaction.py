"""Killed runs and full disks: what is left, and what the next run makes of it."""

import errno
import fcntl
import json
import os
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from tests.hiring import csv_text, people, released

from evenhand.errors import QuestionError, ResourceError
from evenhand.files import Transaction, write_file
from evenhand.files.file_locks import locked_folder
from evenhand.files.transaction import disk_errors, recover
from evenhand.recheck import RecordedCertificate
from evenhand.releasing import PublishedFiles
from evenhand.rows import read

FINAL = {"out.csv", "out.certificate.json", "out.manifest.json"}
SHARED = "out.shared.certificate.json"
AUDIT = ["audit", "people.csv", "--question", "q.toml", "--graph", "graph.txt", "--certificate"]
RELEASE = ["release", *AUDIT[1:-1], "--output", "out/out.csv", "--overwrite"]
RELEASES = [("none", True), ("alone", True), ("shared", False)]  # there before, and shared now


@pytest.fixture(scope="module")
def earlier(tmp_path_factory):
    """Earlier releases: none, one without and one with a certificate for others."""
    folder = tmp_path_factory.mktemp("earlier")
    (folder / "people.csv").write_text(csv_text(people()), newline="")
    (folder / "none").mkdir()
    for name in ("alone", "shared"):
        (folder / name).mkdir()
        made = released(folder / "people.csv", seed=1)
        made.write(folder / name / "out.csv", share=name == "shared")
    return folder


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def names(folder):
    return {path.name for path in folder.iterdir()}


def is_whole(out, *, share=False):
    """Whether all files of one release are there, and what the certificate says is true."""
    if names(out) != (FINAL | {SHARED} if share else FINAL):
        return False
    certificate = RecordedCertificate.parse((out / "out.certificate.json").read_text())
    rows = read(out / "out.csv", codings=certificate.codings)
    says = certificate.content["verdict"]
    return says == "certified" and not certificate.differences(rows.count())


def faults(run, folder, earlier, fault, call, **options):
    """Run with a fault at the first call, the second and so on, until none is left.

    Before each run the folder holds the earlier release. Yields the status.
    """
    for number in count(1):
        shutil.rmtree(folder / "out")
        shutil.copytree(earlier, folder / "out")
        kind, *details = fault
        status, _ = run(folder, kind, call, number, *details, **options)
        if status == 0:
            return
        yield status


def put_in_order(out):
    """What any next run does that writes into the folder."""
    write_file(out / "other.html", "", mode=0o600, overwrite=True)
    (out / "other.html").unlink()


@pytest.mark.parametrize("call", ["fsync", "replace", "unlink"])
@pytest.mark.parametrize("releases", RELEASES)
def test_after_a_kill_any_next_run_finds_the_earlier_release_or_the_new_one(
    run, folder, earlier, releases, call
):
    before, share = releases
    out, old = folder / "out", contents(earlier / before)
    killed = 0
    for status in faults(
        run, folder, earlier / before, ["kill"], call, overwrite=True, share=share
    ):
        assert status == -signal.SIGKILL
        put_in_order(out)
        assert contents(out) == old or is_whole(out, share=share)
        assert names(out) == {*contents(out)}
        killed += 1
    assert killed >= 2
    assert is_whole(out, share=share)


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("releases", RELEASES)
def test_a_failure_leaves_what_was_there(run, folder, earlier, releases, call):
    before, share = releases
    old = contents(earlier / before)
    for status in faults(
        run, folder, earlier / before, ["fail", "EIO"], call, overwrite=True, share=share
    ):
        assert status == 4
        assert contents(folder / "out") == old
        assert names(folder / "out") == {*old}


@pytest.mark.parametrize(
    ("name", "call"),
    [("SIGINT", "fsync"), ("SIGTERM", "replace"), ("SIGHUP", "mkdir"), ("SIGTERM", "rmdir")],
)
def test_a_signal_leaves_the_earlier_release_or_the_new_one(run, folder, earlier, name, call):
    out, old = folder / "out", contents(earlier / "shared")
    ended = 0
    for found in faults(
        run, folder, earlier / "shared", ["signal", name], call, command=RELEASE
    ):
        assert found == {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}[name]
        assert contents(out) == old or is_whole(out)
        assert names(out) == {*contents(out)}
        ended += 1
    assert ended >= 2


@pytest.mark.parametrize("call", ["fsync", "replace", "link", "unlink", "rmdir"])
def test_no_temporary_certificate_of_an_audit_survives_the_next_run(run, folder, call):
    out = folder / "out"
    (out / "c.json").write_text("earlier")
    overwrite = [] if call == "link" else ["--overwrite"]
    name = "out/new.json" if call == "link" else "out/c.json"
    command = [*AUDIT, name, *overwrite]
    assert run(folder, "kill", call, 1, command=command)[0] == -signal.SIGKILL
    assert any(one.startswith(".evenhand-") for one in names(out))
    assert (out / "c.json").read_text() == "earlier" or call in {"unlink", "rmdir"}
    run(folder, "nothing", command=[*AUDIT, "out/other.json"])
    assert names(out) - {"c.json", "new.json"} == {"other.json"}


@pytest.mark.slow
def test_whenever_a_run_is_killed_there_is_a_whole_release_or_none(run, folder):
    killed = 0
    for seconds in np.random.default_rng(0).uniform(0.001, 0.15, 300).tolist():
        status, said = run(folder, "kill after", seconds, overwrite=True)
        assert status in (0, -signal.SIGALRM), said
        killed += status != 0
        put_in_order(folder / "out")
        assert is_whole(folder / "out") or not names(folder / "out")
    assert killed > 30


def test_what_a_killed_run_left_is_named(run, folder):
    run(folder, "kill", "replace", 3)
    out = folder / "out"
    (left,) = (name for name in names(out) if name.startswith(".evenhand-"))
    written = released(folder / "people.csv").write(out / "out.csv")
    assert set(written.removed) == {left, "out.certificate.json", "out.manifest.json"}


@pytest.mark.parametrize("number", range(1, 7))
def test_a_kill_while_old_files_are_put_back_loses_nothing(run, folder, earlier, number):
    out = folder / "out"
    shutil.copytree(earlier / "alone", out, dirs_exist_ok=True)
    assert run(folder, "kill", "replace", 6, overwrite=True)[0] < 0
    run(folder, "kill", "replace", number)
    put_in_order(out)
    assert contents(out) == contents(earlier / "alone")


def test_a_release_in_another_format_puts_the_killed_one_back(run, folder, earlier):
    out = folder / "out"
    shutil.copytree(earlier / "alone", out, dirs_exist_ok=True)
    assert run(folder, "kill", "replace", 5, overwrite=True)[0] < 0
    with pytest.raises(QuestionError, match="exists"):
        released(folder / "people.csv").write(out / "out.parquet")
    assert contents(out) == contents(earlier / "alone")


def test_an_old_release_that_cannot_be_put_back_at_once_is_put_back_later(
    folder, earlier, monkeypatch
):
    out = folder / "out"
    shutil.copytree(earlier / "alone", out, dirs_exist_ok=True)
    whole = Path.replace

    def replaced(path, target):
        if target == out / "out.csv":
            raise OSError(errno.EIO, "Input/output error")
        return whole(path, target)

    with monkeypatch.context() as broken:
        broken.setattr(Path, "replace", replaced)
        with pytest.raises(
            ResourceError, match=r"put back\. Input/output error; nothing is lost"
        ):
            released(folder / "people.csv").write(out / "out.csv", overwrite=True)
    put_in_order(out)
    assert contents(out) == contents(earlier / "alone")


def test_a_file_that_somebody_made_after_the_kill_is_not_removed(run, folder):
    out = folder / "out"
    assert run(folder, "kill", "replace", 3)[0] < 0
    (out / "out.certificate.json").unlink()
    (out / "mine").write_text("of data that were moved elsewhere")
    (out / "mine").rename(out / "out.certificate.json")
    put_in_order(out)
    assert names(out) == {"out.certificate.json"}


def test_a_killed_run_is_undone_in_a_folder_that_was_copied_or_restored(run, folder):
    """A copy has other inodes, as has every file of some network drives after a restart."""
    assert run(folder, "kill", "replace", 3)[0] == -signal.SIGKILL
    copy = shutil.copytree(folder / "out", folder / "copy")
    assert {*contents(copy)} == FINAL - {"out.csv"}
    put_in_order(copy)
    assert names(copy) == set()


def test_an_overwritten_release_takes_its_shared_certificate_with_it(folder):
    out, made = folder / "out" / "out.csv", released(folder / "people.csv")
    made.write(out, share=True)
    with pytest.raises(QuestionError, match="exists"):
        made.write(out)
    written = made.write(out, overwrite=True)
    assert written.superseded == (SHARED,)
    assert is_whole(folder / "out")
    assert made.write(out, overwrite=True, share=True).superseded == ()


FAILURES = [
    ("fail", "fsync", 1, "ENOSPC"),
    *(("full", size) for size in (0, 4096, 9000)),
    ("other rows",),
    ("signal", "fsync", 1, "SIGINT"),
]


@pytest.mark.parametrize("fault", FAILURES)
def test_whatever_fails_is_named_and_nothing_is_left(run, folder, fault):
    status, words = run(folder, *fault)
    said = {
        "other rows": (2, "not those that were counted"),
        "SIGINT": (1, "KeyboardInterrupt"),
    }
    wanted, text = said.get(fault[-1], (4, "no room"))
    assert status == wanted
    assert text in words
    assert not names(folder / "out")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_cannot_be_written_to_is_refused(run, folder):
    (folder / "out").chmod(0o500)
    status, words = run(folder, "nothing")
    (folder / "out").chmod(0o700)
    assert status == 2
    assert "cannot be written" in words


@pytest.fixture
def living(tmp_path):
    """The temporary folder of a process that is writing ``a``."""
    place = tmp_path / ".evenhand-1-x"
    (place / "new").mkdir(parents=True)
    (place / "new" / "a").write_text("half")
    (place / "names").write_text(json.dumps(["a"]))
    (place / "lock").touch()
    with (place / "lock").open("r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


def write(folder, text="new", **options):
    with Transaction.begin(folder, ["a", "b"]) as transaction:
        for name in "ab":
            transaction.write_text(name, text)
        assert text.encode() not in contents(folder).values()
        transaction.commit((), overwrite=True, **options)
    return transaction


def test_files_get_their_names_together(tmp_path):
    assert write(tmp_path).removed == ()
    assert contents(tmp_path) == {"a": b"new", "b": b"new"}
    assert names(tmp_path) == {"a", "b"}


def test_a_last_step_that_fails_takes_the_files_back(tmp_path):
    write(tmp_path, "old")

    def fail():
        assert contents(tmp_path) == {"a": b"new", "b": b"new"}
        raise ResourceError.of("the engine refused")

    with pytest.raises(ResourceError, match="refused"):
        write(tmp_path, last=fail)
    assert contents(tmp_path) == {"a": b"old", "b": b"old"}
    write(tmp_path, last=lambda: None)
    assert contents(tmp_path) == {"a": b"new", "b": b"new"}
    assert names(tmp_path) == {"a", "b"}


def test_the_open_file_knows_how_much_was_written(tmp_path):
    with Transaction.begin(tmp_path, ["a"]) as transaction, transaction.open("a") as sink:
        assert (sink.write(b"four"), sink.tell()) == (4, 4)
        sink.flush()
        sink.close()
        assert not sink.closed
        mode = transaction.temporary("a").stat().st_mode
    assert mode & 0o777 == 0o600
    assert not names(tmp_path)


def test_a_run_that_is_under_way_is_not_disturbed(living, tmp_path):
    with pytest.raises(ResourceError, match="process 1") as refusal:
        write(tmp_path)
    assert refusal.value.exit_status == 4
    assert refusal.value.problems[0].where == str(tmp_path / "b")  # the last of the names
    assert names(tmp_path) == {".evenhand-1-x"}
    living.close()
    assert write(tmp_path).removed == (".evenhand-1-x",)


def test_runs_to_other_names_are_no_concern(living, tmp_path):
    (tmp_path / ".evenhand-1-x" / "names").write_text(json.dumps(["other"]))
    write(tmp_path)
    assert names(tmp_path) == {".evenhand-1-x", "a", "b"}
    living.close()


def test_a_process_does_not_begin_the_same_release_twice(tmp_path):
    with Transaction.begin(tmp_path, ["a"]):
        with (
            pytest.raises(ResourceError, match=str(os.getpid())),
            Transaction.begin(tmp_path, ["a"]),
        ):
            pass
        assert len(names(tmp_path)) == 1
    assert not names(tmp_path)


def test_what_belongs_to_others_is_left_alone(tmp_path, monkeypatch):
    for name in (".evenhand-x", ".evenhand-1", ".evenhand-1-file"):
        (tmp_path / name).write_text("")
    (tmp_path / ".evenhand-1-link").symlink_to(tmp_path)
    (tmp_path / ".evenhand-1-folder").mkdir()
    with monkeypatch.context() as other:
        other.setattr(os, "geteuid", lambda: -1)
        assert recover(tmp_path) == ()
    assert recover(tmp_path) == (".evenhand-1-folder",)
    before = tmp_path.stat().st_mtime_ns
    assert recover(tmp_path) == ()  # without leftovers nothing is written
    assert tmp_path.stat().st_mtime_ns == before
    assert len(names(tmp_path)) == 4


def test_a_lock_that_may_not_be_opened_counts_as_held(living, tmp_path, monkeypatch):
    living.close()
    with_lock = os.open

    def refuse(path, *more):
        if Path(path).name == "lock":
            raise PermissionError
        return with_lock(path, *more)

    with monkeypatch.context() as foreign:
        foreign.setattr(os, "open", refuse)
        assert recover(tmp_path) == ()
    assert recover(tmp_path) == (".evenhand-1-x",)


def test_runs_at_the_same_time_make_one_release(folder):
    made = [released(folder / "people.csv", seed=seed) for seed in range(8)]

    def attempt(one):
        try:
            return one.write(folder / "out" / "out.csv", overwrite=True)
        except ResourceError as error:
            return error

    with ThreadPoolExecutor(8) as pool:
        ended = list(pool.map(attempt, made))
    assert all(isinstance(one, PublishedFiles | ResourceError) for one in ended)
    assert any(isinstance(one, PublishedFiles) for one in ended)
    assert is_whole(folder / "out")


@pytest.mark.parametrize(
    ("error", "name", "words"),
    [
        (
            OSError(errno.ENOSPC, "full"),
            "",
            r"no room to write this\. full; [1-9][0-9,]* bytes",
        ),
        (OSError(errno.ENOSPC, "full"), "absent", r"no room to write this\. full; [1-9]"),
        (OSError(errno.ENOSPC, "full"), "absent/absent", r"full; 0 bytes are free"),
        (OSError(errno.EIO, "broken"), "", r"cannot be written\. broken; [1-9][0-9,]* bytes"),
        (OSError(errno.EIO, "broken"), "absent/absent", r"written\. There is no such folder"),
        (OSError("without a number"), "", r"cannot be written\. without a number; [1-9]"),
    ],
)
def test_errors_of_the_disk_are_ours(tmp_path, error, name, words):
    with pytest.raises(ResourceError, match=words), disk_errors(tmp_path / name):
        raise error


def test_a_run_that_is_interrupted_as_it_begins_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as interrupted:
        interrupted.setattr("evenhand.files.transaction.lock", interrupt)
        with pytest.raises(KeyboardInterrupt), Transaction.begin(tmp_path, ["out"]):
            pass
    assert not list(tmp_path.iterdir())


def test_a_run_tells_which_names_are_its_own_before_another_can_begin(tmp_path, monkeypatch):
    told = []

    @contextmanager
    def noted(folder):
        with locked_folder(folder):
            yield
            told.extend(path.read_text() for path in folder.glob(".evenhand-*-*/names"))

    monkeypatch.setattr("evenhand.files.transaction.locked_folder", noted)
    with Transaction.begin(tmp_path, ["out"]):
        assert told == ['["out"]']


def test_a_run_that_cannot_make_its_lock_leaves_nothing(tmp_path, monkeypatch):
    opened = os.open

    def refuse(path, *options, **more):
        if Path(path).name == "lock":
            raise OSError(errno.EIO, "Input/output error")
        return opened(path, *options, **more)

    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(ResourceError, match="Input/output error"):
        write_file(tmp_path / "a.json", "{}", mode=0o600, overwrite=False)
    assert names(tmp_path) == set()


def test_a_folder_that_its_own_run_has_just_removed_is_passed_over(tmp_path, monkeypatch):
    gone = tmp_path / f".evenhand-1-{'0' * 16}"
    monkeypatch.setattr("evenhand.files.transaction._places", lambda _: [gone])
    assert recover(tmp_path) == ()


@pytest.fixture
def events(tmp_path, monkeypatch):
    """What is brought to the disk, with whether it has any bytes, and what is renamed."""
    noted = []
    whole = {name: getattr(os, name) for name in ("fsync", "replace", "link")}

    def short(path):
        parts = [part for part in Path(path).parts if not part.startswith(".evenhand-")]
        return str(Path(*parts).relative_to(tmp_path))

    def fsync(handle):
        path, stat = Path(f"/proc/self/fd/{handle}").readlink(), os.fstat(handle)
        place = ".evenhand" if path.name.startswith(".evenhand-") else short(path)
        noted.append(("sync", place, stat.st_size > 0))
        whole["fsync"](handle)

    def renaming(name):
        def rename(old, new):
            noted.append((name, short(old), short(new)))
            whole[name](old, new)

        return rename

    monkeypatch.setattr(os, "fsync", fsync)
    for name in ("replace", "link"):
        monkeypatch.setattr(os, name, renaming(name))
    return noted


def test_everything_is_on_the_disk_before_the_next_step_rests_on_it(tmp_path, events):
    write(tmp_path, "old")
    del events[:]
    write(tmp_path)
    assert events == [
        ("sync", "new/a", True),
        ("sync", "new/b", True),
        ("sync", "commit", True),
        ("sync", "new", True),
        ("sync", ".evenhand", True),
        ("replace", "b", "old/b"),
        ("replace", "a", "old/a"),
        ("replace", "new/a", "a"),
        ("sync", ".", True),
        ("replace", "new/b", "b"),
        ("sync", ".", True),
    ]


def test_what_is_taken_back_is_on_the_disk_too(tmp_path, events):
    write(tmp_path, "old")
    del events[:]
    with pytest.raises(ResourceError):
        write(tmp_path, last=lambda: (_ for _ in ()).throw(OSError(5, "refused")))
    assert events[11:] == [
        ("replace", "b", "new/b"),
        ("replace", "a", "new/a"),
        ("replace", "old/a", "a"),
        ("replace", "old/b", "b"),
        ("sync", ".", True),
    ]


@pytest.mark.parametrize(("overwrite", "call"), [(True, "replace"), (False, "link")])
def test_a_file_alone_is_on_the_disk_before_and_after_it_has_its_name(
    tmp_path, events, overwrite, call
):
    write_file(tmp_path / "a", "text", mode=0o600, overwrite=overwrite)
    assert events == [("sync", "new/a", True), (call, "new/a", "a"), ("sync", ".", True)]


def stamp(path):
    """By which a killed run's file is known."""
    found = path.stat()
    return [found.st_size, found.st_mtime_ns]


def test_what_a_killed_run_renamed_is_withdrawn_and_earlier_files_return(tmp_path):
    place = tmp_path / f".evenhand-1-{'0' * 16}"
    for part in ("new", "old"):
        (place / part).mkdir(parents=True)
    (tmp_path / "a").write_text("new")
    (tmp_path / "b").write_text("made by somebody later")
    (place / "new" / "c").write_text("new")
    (place / "old" / "a").write_text("old")
    (place / "old" / "c").write_text("old")
    stamps = [["a", stamp(tmp_path / "a")], ["b", [1, 2]], ["c", None]]
    (place / "commit").write_text(json.dumps(stamps))
    assert recover(tmp_path) == ("a", place.name)
    assert contents(tmp_path) == {"a": b"old", "b": b"made by somebody later", "c": b"old"}
    assert names(tmp_path) == {"a", "b", "c"}


def test_a_name_that_is_taken_meanwhile_is_refused(tmp_path):
    with Transaction.begin(tmp_path, ["a"]) as transaction:
        transaction.write_text("a", "new")
        (tmp_path / "a").write_text("mine")
        with pytest.raises(QuestionError, match="exists"):
            transaction.commit((), overwrite=False)
        with pytest.raises(QuestionError, match="input"):
            transaction.commit([str(tmp_path / "a")], overwrite=True)
    assert contents(tmp_path) == {"a": b"mine"}


def test_what_a_run_writes_is_never_open_to_others(tmp_path, monkeypatch):
    chmod, before = Path.chmod, []

    def noted(path, mode):
        before.append((path.name[:9], path.stat().st_mode & 0o777, mode))
        chmod(path, mode)

    monkeypatch.setattr(Path, "chmod", noted)
    mask = os.umask(0)
    try:
        with Transaction.begin(tmp_path, ["a"]) as transaction:
            transaction.write_text("a", "new", mode=0o644)
            transaction.write_text("b", "new")
            modes = {
                path.name: path.stat().st_mode & 0o777 for path in transaction.place.iterdir()
            }
    finally:
        os.umask(mask)
    assert before == [(".evenhand", 0o700, 0o711), ("a", 0o600, 0o644), ("b", 0o600, 0o600)]
    assert modes == {"lock": 0o600, "names": 0o644, "new": 0o700, "old": 0o700}


def test_a_run_is_known_by_a_token_and_knows_those_of_killed_runs(tmp_path):
    for name in (f".evenhand-7-{'5' * 16}", ".evenhand-8-x"):
        (tmp_path / name).mkdir()
    with Transaction.begin(tmp_path, ["a"]) as transaction:
        place = f".evenhand-{os.getpid()}-{transaction.token}"
        assert transaction.place == tmp_path / place
        assert len(bytes.fromhex(transaction.token)) == 8
    assert transaction.removed == (f".evenhand-7-{'5' * 16}", ".evenhand-8-x")
    assert transaction.killed_tokens == ("5" * 16,)


def test_a_temporary_folder_is_removed_while_it_is_locked(tmp_path, monkeypatch):
    """Else another run might take it for that of a killed one."""
    close, left = os.close, []

    def noted(handle):
        if Path(f"/proc/self/fd/{handle}").readlink().name == "lock (deleted)":
            left.append(names(tmp_path))
        close(handle)

    monkeypatch.setattr(os, "close", noted)
    write(tmp_path)
    assert left == [{"a", "b"}]


def test_what_cannot_be_removed_at_once_is_removed_when_the_lock_is_closed(
    tmp_path, monkeypatch
):
    """On Windows an open file cannot be; the journal goes first, so that nothing is undone."""
    remove, tries = shutil.rmtree, []

    def fails_first(place):
        tries.append(sorted(path.name for path in place.iterdir()))
        if len(tries) == 1:
            raise PermissionError(errno.EACCES, "open")
        remove(place)

    monkeypatch.setattr(shutil, "rmtree", fails_first)
    write(tmp_path)
    assert tries == [["lock", "names", "new", "old"]] * 2
    assert names(tmp_path) == {"a", "b"}


@pytest.mark.usefixtures("living")
def test_a_look_at_a_lock_leaves_no_file_open(tmp_path):
    before = len([*Path("/proc/self/fd").iterdir()])
    assert recover(tmp_path) == ()
    assert len([*Path("/proc/self/fd").iterdir()]) == before


def test_a_file_that_is_refused_does_not_appear(tmp_path):
    target = tmp_path / "c.json"

    def refuse(path):
        assert path.read_text() == "new"
        raise QuestionError.of("No.")

    for earlier in ((), ("c.json",)):
        for name in earlier:
            (tmp_path / name).write_text("old")
        with pytest.raises(QuestionError, match="No"):
            write_file(target, "new", mode=0o600, overwrite=True, check=refuse)
        assert tuple(path.name for path in tmp_path.iterdir()) == earlier
    assert target.read_text() == "old"


def test_an_error_of_the_check_is_not_called_one_of_writing(tmp_path):
    def lose(_):
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", "data.csv")

    with pytest.raises(FileNotFoundError, match=r"data\.csv"):
        write_file(tmp_path / "c.json", "new", mode=0o600, overwrite=True, check=lose)
    assert not [*tmp_path.iterdir()]
