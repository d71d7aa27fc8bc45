import os

import pytest

from evenhand.files.file_locks import lock, locked_folder, sync_folder


def test_a_locked_file_is_not_locked_twice(tmp_path):
    path = tmp_path / "file"
    with path.open("wb") as one, path.open("r+b") as other:
        lock(one.fileno())
        with pytest.raises(BlockingIOError):
            lock(other.fileno(), wait=False)
        one.close()
        lock(other.fileno(), wait=False)


def test_a_folder_is_locked_while_something_is_done_in_it(tmp_path):
    handle = os.open(tmp_path, os.O_RDONLY)
    with locked_folder(tmp_path), pytest.raises(BlockingIOError):
        lock(handle, wait=False)
    lock(handle, wait=False)
    os.close(handle)
    sync_folder(tmp_path)
