import errno
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import sleep
from types import SimpleNamespace

import pytest

from evenhand.errors import ResourceError
from evenhand.files import file_locks
from evenhand.files.file_locks import is_locked, lock, locked_folder, sync_folder


@pytest.fixture
def files(tmp_path):
    """One file, opened twice."""
    (tmp_path / "file").write_bytes(b"names")
    with (tmp_path / "file").open("r+b") as one, (tmp_path / "file").open("r+b") as other:
        yield one, other


def handles():
    """How many files this process has open."""
    return len([*Path("/proc/self/fd").iterdir()])


def is_open(handle):
    try:
        os.fstat(handle)
    except OSError:
        return False
    return True


def test_a_locked_file_is_not_locked_twice(files):
    one, other = files
    lock(one.fileno())
    with pytest.raises(BlockingIOError):
        lock(other.fileno())
    one.close()
    lock(other.fileno())


def test_on_windows_one_byte_beyond_the_text_is_locked(files, monkeypatch):
    """Two versions of the program must lock the same byte to see each other."""
    handle = files[0].fileno()
    calls = []

    def locking(of, mode, size):
        calls.append((of, os.lseek(of, 0, os.SEEK_CUR), mode, size))

    monkeypatch.setattr(sys, "platform", "win32")
    windows = SimpleNamespace(locking=locking, LK_NBLCK="try")
    monkeypatch.setattr(file_locks, "msvcrt", windows, raising=False)
    lock(handle)
    assert calls == [(handle, 2**20, "try", 1)]
    assert os.lseek(handle, 0, os.SEEK_CUR) == 0


def test_whether_a_file_is_locked_is_found_without_a_trace(files, tmp_path):
    one, other = files
    other.close()
    before = handles()
    assert not is_locked(tmp_path / "absent")
    assert not is_locked(tmp_path / "file")
    lock(one.fileno())
    assert is_locked(tmp_path / "file")
    (tmp_path / "link").symlink_to(tmp_path / "absent")
    assert is_locked(tmp_path / "link")  # it is not known, and nothing is done to it
    assert handles() == before


def test_a_folder_is_locked_by_a_file_while_something_is_done_in_it(tmp_path):
    with locked_folder(tmp_path):
        (path,) = tmp_path.iterdir()
        assert (path.name, path.stat().st_mode & 0o777) == (".evenhand-lock", 0o600)
        assert is_locked(path)
    assert list(tmp_path.iterdir()) == []


def test_who_waits_gets_the_folder(tmp_path):
    entered, order = Event(), []

    def hold():
        with locked_folder(tmp_path):
            entered.set()
            sleep(0.2)
            order.append("first")

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(hold)
        entered.wait()
        with locked_folder(tmp_path):
            order.append("second")
        first.result()
    assert order == ["first", "second"]


def test_one_after_the_other_of_many(tmp_path):
    """Also while each takes the new file of another for one that was left."""
    inside = []

    def enter(_):
        for _ in range(10):
            with locked_folder(tmp_path):
                inside.append(1)
                assert len(inside) == 1
                inside.pop()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(enter, range(8)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_held", [False, True])
def test_a_file_that_another_took_for_a_left_one_is_made_anew(tmp_path, monkeypatch, is_held):
    path, stolen, before = tmp_path / ".evenhand-lock", [], handles()

    def late(handle):
        if not stolen:
            stolen.append(path.unlink())
            if is_held:
                raise BlockingIOError
        lock(handle)

    monkeypatch.setattr(file_locks, "lock", late)
    with locked_folder(tmp_path):
        assert is_locked(path)
    assert list(tmp_path.iterdir()) == []
    assert handles() == before


def test_no_wait_is_without_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr(file_locks, "_PATIENCE", 0.1)
    before = handles()
    with (
        locked_folder(tmp_path),
        pytest.raises(ResourceError, match="locked by another run"),
        locked_folder(tmp_path),
    ):
        pass
    assert list(tmp_path.iterdir()) == []
    assert handles() == before


@pytest.mark.parametrize("kind", ["link", "dangling link", "folder"])
def test_what_is_no_file_in_the_way_is_named_and_not_written_to(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(file_locks, "_PATIENCE", 0)
    path, treasure = tmp_path / ".evenhand-lock", tmp_path / "treasure"
    if kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(treasure)
    if kind == "link":
        treasure.write_text("kept")
    said = f"If it has ended, remove the file {path}"
    with pytest.raises(ResourceError, match=said), locked_folder(tmp_path):
        pass
    assert path.is_symlink() == (kind != "folder")
    assert treasure.exists() == (kind == "link")
    assert kind != "link" or treasure.read_text() == "kept"


@pytest.mark.parametrize(("where", "call"), [(file_locks, "lock"), (os, "unlink")])
def test_an_interrupt_leaves_no_lock(tmp_path, monkeypatch, where, call):
    whole = getattr(where, call)
    before = handles()

    def interrupt(*_, **__):
        setattr(where, call, whole)
        raise KeyboardInterrupt

    monkeypatch.setattr(where, call, interrupt)
    with pytest.raises(KeyboardInterrupt), locked_folder(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []
    assert handles() == before


def test_a_lock_that_cannot_be_removed_is_left_to_its_owner(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError

    with monkeypatch.context() as sticky:
        sticky.setattr(os, "unlink", refuse)
        with locked_folder(tmp_path):
            pass
    with locked_folder(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_folders_are_neither_locked_nor_synced_where_they_cannot_be_opened(
    tmp_path, monkeypatch
):
    done = []
    with monkeypatch.context() as windows:
        windows.setattr(os, "name", "nt")
        windows.setattr(os, "open", lambda *_: 1 / 0)
        with locked_folder(tmp_path):
            done.append("written")
        sync_folder(tmp_path)
    assert done == ["written"]


def test_a_folder_is_synced_and_closed_also_if_that_fails(tmp_path, monkeypatch):
    synced = []

    def fails(handle):
        assert os.path.samestat(os.fstat(handle), tmp_path.stat())
        synced.append(handle)
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="Input/output error"):
        sync_folder(tmp_path)
    (handle,) = synced
    assert not is_open(handle)
