"""Files that appear together and whole, or not at all.

All are written under passing names beside their places, brought to the disk and examined; then
they get their names, the one that counts last. A passing name holds the number of the process,
and that of the file that counts is locked as long as the process lives: so whoever comes next
can tell what a killed run left behind from what another run is about to finish.
"""

import errno
import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from evenhand.errors import Problem, QuestionError, ResourceError
from evenhand.releasing.locking import is_locked, lock

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

    def path(self, role: str) -> Path:
        """The final name of a file."""
        return self.folder / self.names[role]

    def passing(self, role: str, process: int | None = None) -> Path:
        """The name of a file before it is finished."""
        return self.folder / f"{_PREFIX}{process or os.getpid()}-{self.key}.{role}"

    def check(self, inputs: Sequence[str]) -> None:
        """Refuse names that cannot or must not be written."""
        problems = [p for role in self.names for p in self._problems(self.path(role), inputs)]
        if problems:
            raise QuestionError(*problems)

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

    def _problems(self, path: Path, inputs: Sequence[str]) -> Iterator[Problem]:
        if any(_is_same(path, source) for source in inputs):
            yield Problem(
                "This is an input, perhaps under another name.",
                "Inputs are never written over.",
                "Choose another name.",
                str(path),
            )
        elif path.is_symlink() or (path.exists() and not path.is_file()):
            remedy = "Choose a name that is not taken."
            yield Problem(
                "This is a folder, a link or a device.", remedy=remedy, where=str(path)
            )
        elif path.exists() and not self.overwrite:
            remedy = "Choose another name, or allow to overwrite it (--overwrite)."
            yield Problem("This file exists.", remedy=remedy, where=str(path))

    def clean(self) -> tuple[str, ...]:
        """Remove what killed runs left behind, and name it; refuse while another run works."""
        removed = []
        for process, roles in self.passing_files().items():
            if is_locked(self.passing("data", process)):
                raise _at_work(self.path("data"), process)
            gone = [self.path(role) for role in self._appeared(process, roles)]
            for path in [*gone, *(self.passing(role, process) for role in roles)]:
                path.unlink(missing_ok=True)
                removed.append(path.name)
        return tuple(removed)

    def passing_files(self) -> dict[int, list[str]]:
        """The roles of the passing files, by process."""
        pattern = re.compile(f"{re.escape(_PREFIX)}([0-9]+)-{re.escape(self.key)}[.]([a-z]+)")
        roles: dict[int, list[str]] = {}
        for name in sorted(path.name for path in self.folder.iterdir()):
            match = pattern.fullmatch(name)
            if match and match[2] in self.names:
                roles.setdefault(int(match[1]), []).append(match[2])
        return roles

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
        processes = [*self._files.passing_files()]
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
        """Give all files their names, the data last."""
        files = self._files
        files.check(inputs)
        appeared: list[Path] = []
        try:
            for role in files.names:
                appeared.append(files.passing(role).replace(files.path(role)))
                _sync(files.folder)
        except BaseException:
            # Some of the files are worse than none: a certificate of data that are not there.
            for path in appeared:
                path.unlink(missing_ok=True)
            raise

    def discard(self) -> None:
        """Remove passing files, and give the lock back."""
        for role in self._files.names:
            self._files.passing(role).unlink(missing_ok=True)
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
                "Nothing was left behind: make room or choose another folder, and run again.",
                str(folder),
            )
        ) from error


def _is_same(path: Path, source: str) -> bool:
    try:
        return path.samefile(source)
    except OSError:
        return False


def _sync(folder: Path) -> None:
    """Bring names to the disk, where the system lets folders be opened."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _at_work(path: Path, *processes: int) -> ResourceError:
    number = f" (process {', '.join(map(str, processes))})" if processes else ""
    return ResourceError(
        Problem(
            f"Another run is writing this release{number}.",
            remedy="Wait for it, or choose another name.",
            where=str(path),
        )
    )
