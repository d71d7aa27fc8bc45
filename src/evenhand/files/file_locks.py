"""Locks of files and folders, and folders brought to the disk, on POSIX and on Windows."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from evenhand.errors import ResourceError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# How a file is opened that others may have made: no link is followed, and no pipe waited for.
AS_IT_IS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_NAME = ".evenhand-lock"
_PATIENCE = 10  # seconds; a run holds a folder for some milliseconds
_POLL = 0.02
_FAR = 1 << 20  # on Windows a byte that is locked cannot be read


def lock(handle: int) -> None:
    """Lock an open file until it is closed; OSError if another process holds it."""
    if sys.platform == "win32":
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        os.lseek(handle, 0, os.SEEK_SET)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_locked(path: Path) -> bool:
    """Whether a living process holds a file, or another user's file cannot be looked at."""
    try:
        handle = os.open(path, os.O_RDWR | AS_IT_IS)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        lock(handle)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(handle)


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Let one process after the other do something in a folder; none waits without an end.

    The lock is a file of this user alone: whoever may only read the folder cannot hold it. It
    is removed before it is unlocked, and the next run of this user removes that of a killed
    one. Nobody else can tell whether its run lives, and so nobody else removes it. Nothing is
    ever written into a file that was there before. On Windows no folder is locked.
    """
    if os.name != "posix":
        yield
        return
    path, end = folder / _NAME, monotonic() + _PATIENCE
    while (handle := _made_lock(path)) is None:
        if monotonic() > end:
            raise ResourceError.of(
                f"This folder has been locked by another run for {_PATIENCE} seconds.",
                f"The lock is {path.name}.",
                f"Wait for that run, or end it. If it has ended, remove the file {path}.",
                str(folder),
            )
        sleep(_POLL)
    try:
        yield
    finally:
        _remove(handle, path)


def _made_lock(path: Path) -> int | None:
    """The handle of a new lock file; None if another run has one."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        with suppress(OSError):  # it is held, just removed, or another user's
            left = os.open(path, os.O_RDWR | AS_IT_IS)
            try:
                lock(left)
                _unlink(left, path)
            finally:
                os.close(left)
        return None
    try:
        lock(handle)
        if _is_at(handle, path):  # else a run took it for that of a killed one
            return handle
    except BlockingIOError:
        pass  # such a run is about to remove it
    except BaseException:
        _remove(handle, path)
        raise
    os.close(handle)
    return None


def _remove(handle: int, path: Path) -> None:
    """Remove a lock file that is held, and close it; also if a signal comes meanwhile."""
    try:
        _unlink(handle, path)
    finally:
        try:
            _unlink(handle, path)
        finally:
            os.close(handle)


def _unlink(handle: int, path: Path) -> None:
    if _is_at(handle, path):
        with suppress(OSError):  # another user's in a folder such as /tmp
            path.unlink()


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def sync_folder(folder: Path) -> None:
    """Bring renamed files to the disk, where the system lets folders be opened."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
