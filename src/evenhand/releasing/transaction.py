"""Files that appear together and whole, or not at all.

All are written under passing names beside their places, brought to the disk and examined; then
they get their names, the one that counts last. A passing name holds the number of the process,
and that of the file that counts is locked as long as the process lives: so whoever comes next
can tell what a killed run left behind from what another run is about to finish. Files of an
earlier release get passing names, too, before the first new one appears, and are removed when
the last one has: until then they can be put back.

Locks that a process holds on a file as long as it lives, and not longer.
"""

import errno
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from evenhand.errors import Problem, QuestionError, ResourceError
from evenhand.releasing.targets import check_targets

_PREFIX = ".evenhand-"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSet:
    """The files of one release by their roles, in the order in which they appear.

    The data, the last of them, are what counts. ``key`` is common to all passing names.
    """

    folder: Path
    key: str
    names: Mapping[str, str]
    overwrite: bool

    @property
    def paths(self) -> list[Path]:
        """All final names."""
        return [*map(self.path, self.names)]

    def path(self, role: str) -> Path:
        """The final name of a file."""
        return self.folder / self.names[role]

    def passing(self, role: str, process: int | None = None) -> Path:
        """The name of a file before it is finished."""
        return self.folder / f"{_PREFIX}{process or os.getpid()}-{self.key}.{role}"

    def old(self, role: str, process: int | None = None) -> Path:
        """The name of an earlier file while a later one takes its place."""
        passing = self.passing(role, process)
        return passing.with_name(f"{passing.name}.old")

    def check(self, inputs: Sequence[str]) -> None:
        """Refuse names that cannot or must not be written."""
        check_targets(self.paths, inputs, overwrite=self.overwrite)

    def check_folder(self) -> None:
        """Refuse a folder that is not there, or not to be written to."""
        there = self.folder.is_dir()
        if there and os.access(self.folder, os.W_OK | os.X_OK):
            return
        raise QuestionError(
            Problem(
                "This folder cannot be written to." if there else "There is no such folder.",
                remedy="Choose another one, or ask for the right to."
                if there
                else "Make it first, or choose another one.",
                where=str(self.folder),
            )
        )

    def clean(self) -> tuple[str, ...]:
        """Undo what killed runs had begun, and name what is removed; refuse while one works."""
        removed = []
        for process in self.processes():
            if is_locked(self.passing("data", process)):
                raise _at_work(self.path("data"), process)
            with failing(self.folder):
                self.put_back(process)
                roles = self._there(self.passing, process)
                gone = [self.path(role) for role in self._appeared(process, roles)]
                for path in [*gone, *(self.passing(role, process) for role in roles)]:
                    path.unlink(missing_ok=True)
                    removed.append(path.name)
        return tuple(removed)

    def processes(self) -> list[int]:
        """The processes whose passing files are there."""
        pattern = re.compile(
            f"{re.escape(_PREFIX)}([0-9]+)-{re.escape(self.key)}[.]([a-z]+)(?:[.]old)?"
        )
        found = (pattern.fullmatch(path.name) for path in self.folder.iterdir())
        return sorted({int(match[1]) for match in found if match and match[2] in self.names})

    def put_aside(self) -> None:
        """Give the files of an earlier release passing names, the data first."""
        for role in reversed([*self.names]):
            if self.path(role).exists():
                self.path(role).replace(self.old(role))

    def take_back(self, process: int | None = None) -> None:
        """Give new files that have got their names the passing ones again, the data first."""
        for role in reversed([*self.names]):
            if not self.passing(role, process).exists():
                self.path(role).replace(self.passing(role, process))

    def put_back(self, process: int | None = None) -> None:
        """Give an earlier release its names back, unless the later one has got all of them.

        Each step leaves something from which this can begin again: new files first return to
        their passing names, then the old ones come back, the data last.
        """
        aside = self._there(self.old, process)
        if not aside:
            return
        if not self.passing("data", process).exists():
            for role in aside:
                self.old(role, process).unlink(missing_ok=True)
            return
        self.take_back(process)
        for role in aside:
            self.old(role, process).replace(self.path(role))

    def _there(
        self, name: Callable[[str, int | None], Path], process: int | None = None
    ) -> list[str]:
        return [role for role in self.names if name(role, process).exists()]

    def _appeared(self, process: int, roles: Sequence[str]) -> Iterator[str]:
        """The files to which a run had given their names when it was killed before the last.

        The manifest tells by the digest of the data whether it belongs to that run.
        """
        if "data" not in roles or self.path("data").exists():
            return
        manifest = self.path("manifest")
        if "manifest" in roles:
            manifest = self.passing("manifest", process)
        digest = sha256(self.passing("data", process))
        if manifest.is_file() and digest in manifest.read_text("utf-8", errors="replace"):
            yield from (role for role in self.names if role not in roles)

    @contextmanager
    def writing(self) -> Iterator["Writing"]:
        """Begin to write; whatever goes wrong, no passing file stays."""
        with failing(self.folder):
            writing = Writing(self)
        try:
            with failing(self.folder):
                yield writing
        finally:
            writing.discard()


class Writing:
    """Files being written under passing names."""

    def __init__(self, files: FileSet) -> None:
        self._files = files
        path = files.passing("data")
        try:
            self._data = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise _at_work(files.path("data"), os.getpid()) from None
        path.chmod(0o600)  # whatever the mask of the process
        if not lock(self._data, path) or self._others():
            self.discard()
            raise _at_work(files.path("data"), *self._others())

    def _others(self) -> list[int]:
        processes = self._files.processes()
        locked = [p for p in processes if is_locked(self._files.passing("data", p))]
        return [process for process in locked if process != os.getpid()]

    @contextmanager
    def data(self) -> Iterator["DiskSink"]:
        """What to write the data into; on leaving, it has come to the disk."""
        with os.fdopen(os.dup(self._data), "wb", _BLOCK) as file:
            yield DiskSink(file, self._files.folder)
            file.flush()
            os.fsync(file.fileno())

    def text(self, role: str, content: str, *, mode: int = 0o600) -> None:
        """Write one of the other files."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        path = self._files.passing(role)
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            path.chmod(mode)
            file.write(content.encode())
            file.flush()
            os.fsync(file.fileno())

    def commit(self, inputs: Sequence[str]) -> None:
        """Give all files their names, the data last; if that fails, all is as it was."""
        files = self._files
        files.check(inputs)
        try:
            files.put_aside()
            for role in files.names:
                files.passing(role).replace(files.path(role))
                _sync(files.folder)
        except BaseException:
            # Some of the files are worse than none: a certificate of data that are not there.
            try:
                files.take_back()
                files.put_back()
            except OSError as error:
                raise _not_put_back(files.folder, error) from error
            raise
        with suppress(OSError):  # else the next run does it
            files.put_back()

    def discard(self) -> None:
        """Remove passing files, and give the lock back.

        If an earlier release could not be put back, all stay: from them the next run does it.
        """
        files = self._files
        if not any(files.old(role).exists() for role in files.names):
            for role in files.names:
                files.passing(role).unlink(missing_ok=True)
        with suppress(OSError):
            os.close(self._data)


class DiskSink:
    """A file to write to; what goes wrong there is not mistaken for a fault of an input."""

    closed = False

    def __init__(self, file: BinaryIO, folder: Path) -> None:
        self._file, self._folder = file, folder

    def write(self, data: bytes) -> int:
        """Write some bytes."""
        with failing(self._folder):
            return self._file.write(data)

    def tell(self) -> int:
        """How many bytes were written."""
        return self._file.tell()

    def flush(self) -> None:
        """Do nothing: all is brought to the disk at the end."""

    def close(self) -> None:
        """Do nothing: the file is closed by who opened it."""


def sha256(path: str | Path) -> str:
    """The SHA-256 of a file's bytes."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def failing(folder: Path) -> Iterator[None]:
    """Turn what the system says of a disk into an error of ours."""
    try:
        yield
    except OSError as error:
        full = error.errno in _NO_ROOM
        free = shutil.disk_usage(folder).free if folder.is_dir() else 0
        raise ResourceError(
            Problem(
                "There is no room for the release."
                if full
                else "The release cannot be written.",
                f"{error.strerror or error}; {free:,} bytes are free.",
                "No release was written: make room or choose another folder, and run again.",
                str(folder),
            )
        ) from error


def _sync(folder: Path) -> None:
    """Bring names to the disk, where the system lets folders be opened."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _not_put_back(folder: Path, error: OSError) -> ResourceError:
    return ResourceError(
        Problem(
            "The release cannot be written, nor the earlier one put back.",
            f"{error.strerror or error}; nothing is lost: its files are named {_PREFIX}….old.",
            "Run again when the disk can be written to: they are put back first.",
            str(folder),
        )
    )


def _at_work(path: Path, *processes: int) -> ResourceError:
    number = f" (process {', '.join(map(str, processes))})" if processes else ""
    return ResourceError(
        Problem(
            f"Another run is writing this release{number}.",
            remedy="Wait for it, or choose another name.",
            where=str(path),
        )
    )


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
