"""Locks that a process holds on a file as long as it lives, and not longer."""

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed or replaced
    fcntl = None  # type: ignore[assignment]


def lock(handle: int, path: Path) -> bool:
    """Lock an open file; False if it was removed meanwhile."""
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def is_locked(path: Path) -> bool:
    """Whether a living process holds the file; a file that is gone nobody holds."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except PermissionError:
        return True
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(handle)
