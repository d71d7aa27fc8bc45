"""Locks of files and folders, and folders brought to the disk, on POSIX and on Windows."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_FAR = 1 << 20  # on Windows a byte that is locked cannot be read


def lock(handle: int, *, wait: bool = True) -> None:
    """Lock an open file until it is closed; OSError if that would mean to wait."""
    if sys.platform == "win32":
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Let one process after the other do something in a folder.

    Where folders cannot be locked, processes that do it at the same moment do not wait.
    """
    if os.name != "posix":
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            lock(handle)
        yield
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Bring renamed files to the disk, where the system lets folders be opened."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
