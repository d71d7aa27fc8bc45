import errno
import os
import sys
from threading import Timer
from types import SimpleNamespace

import pytest

from evenhand.files import file_locks
from evenhand.files.file_locks import lock, locked_folder, sync_folder


@pytest.fixture
def files(tmp_path):
    """One file, opened twice."""
    (tmp_path / "file").write_bytes(b"names")
    with (tmp_path / "file").open("r+b") as one, (tmp_path / "file").open("r+b") as other:
        yield one, other


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
        lock(other.fileno(), wait=False)
    one.close()
    lock(other.fileno(), wait=False)


def test_who_waits_gets_the_lock(files):
    one, other = files
    lock(one.fileno())
    Timer(0.05, one.close).start()
    lock(other.fileno())
    assert one.closed


@pytest.mark.parametrize("wait", [False, True])
def test_on_windows_one_byte_beyond_the_text_is_locked(files, monkeypatch, wait):
    """Two versions of the program must lock the same byte to see each other."""
    handle = files[0].fileno()
    calls = []

    def locking(of, mode, size):
        calls.append((of, os.lseek(of, 0, os.SEEK_CUR), mode, size))

    monkeypatch.setattr(sys, "platform", "win32")
    windows = SimpleNamespace(locking=locking, LK_LOCK="wait", LK_NBLCK="try")
    monkeypatch.setattr(file_locks, "msvcrt", windows, raising=False)
    lock(handle, wait=wait)
    assert calls == [(handle, 2**20, "wait" if wait else "try", 1)]
    assert os.lseek(handle, 0, os.SEEK_CUR) == 0


def test_a_folder_is_locked_while_something_is_done_in_it(tmp_path):
    handle = os.open(tmp_path, os.O_RDONLY)
    with locked_folder(tmp_path), pytest.raises(BlockingIOError):
        lock(handle, wait=False)
    lock(handle, wait=False)
    os.close(handle)


def test_a_folder_that_cannot_be_locked_is_written_to_all_the_same(tmp_path, monkeypatch):
    opened = []

    def refuse(handle):
        opened.append(handle)
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(file_locks, "lock", refuse)
    with locked_folder(tmp_path):
        (handle,) = opened
        assert is_open(handle)
    assert not is_open(handle)


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
