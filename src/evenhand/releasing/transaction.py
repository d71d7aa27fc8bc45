"""Files that appear together and whole, or not at all.

Write to temporary names, fsync, verify, rename; the data last. A temporary name holds the
process id, and the file that is renamed last is locked while its process lives: so the next run
can tell what a killed run left behind from what another run is about to finish. Files of an
earlier release are renamed to ``….old`` before the first new file gets its name, and removed
after the last one has: until then they can be restored.
"""

import errno
import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from evenhand.errors import ResourceError
from evenhand.files import TEMPORARY, check_targets, sha256, sync_folder, write_and_sync

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSet:
    """The files of one release by their roles, in the order in which they are renamed.

    The release exists once the last of them has its name. ``key`` is part of all temporary
    names.
    """

    folder: Path
    key: str
    names: Mapping[str, str]
    overwrite: bool

    @property
    def paths(self) -> list[Path]:
        """All final names."""
        return [*map(self.path, self.names)]

    @property
    def last(self) -> str:
        """The role of the file that is renamed last."""
        return [*self.names][-1]

    def path(self, role: str) -> Path:
        """The final name of a file."""
        return self.folder / self.names[role]

    def temporary(self, role: str, process: int | None = None) -> Path:
        """The name of a file while a process, ours if none is given, writes it."""
        return self.folder / f"{TEMPORARY}{process or os.getpid()}-{self.key}.{role}"

    def backup(self, role: str, process: int | None = None) -> Path:
        """The name of an earlier file while a process replaces it."""
        temporary = self.temporary(role, process)
        return temporary.with_name(f"{temporary.name}.old")

    def check(self, inputs: Sequence[str]) -> None:
        """Refuse names that cannot or must not be written."""
        check_targets(self.paths, inputs, overwrite=self.overwrite)

    def clean_up(self) -> tuple[str, ...]:
        """Undo what killed runs left unfinished, and return the names of the removed files.

        Refuses while another run is writing.
        """
        removed = []
        for process in self.processes():
            if is_locked(self.temporary(self.last, process)):
                raise _busy(self.path(self.last), process)
            with disk_errors(self.folder):
                self.restore(process)
                roles = self._existing(self.temporary, process)
                renamed = [self.path(role) for role in self._renamed(process, roles)]
                for path in [*renamed, *(self.temporary(role, process) for role in roles)]:
                    path.unlink(missing_ok=True)
                    removed.append(path.name)
        return tuple(removed)

    def processes(self) -> list[int]:
        """The processes that have temporary files here, alive or not."""
        pattern = re.compile(
            f"{re.escape(TEMPORARY)}([0-9]+)-{re.escape(self.key)}[.]([a-z]+)(?:[.]old)?"
        )
        matches = (pattern.fullmatch(path.name) for path in self.folder.iterdir())
        return sorted({int(match[1]) for match in matches if match and match[2] in self.names})

    def back_up(self) -> None:
        """Rename the files of an earlier release, last first."""
        for role in reversed([*self.names]):
            if self.path(role).exists():
                self.path(role).replace(self.backup(role))

    def withdraw(self, process: int | None = None) -> None:
        """Rename new files back to their temporary names, last first."""
        for role in reversed([*self.names]):
            if not self.temporary(role, process).exists():
                self.path(role).replace(self.temporary(role, process))

    def restore(self, process: int | None = None) -> None:
        """Give an earlier release its names back, or remove it if the new one is complete.

        Each step leaves a state from which this can start again: new files first return to
        their temporary names, then the old ones are renamed, the last one last.
        """
        backups = self._existing(self.backup, process)
        if not backups:
            return
        if not self.temporary(self.last, process).exists():
            for role in backups:
                self.backup(role, process).unlink(missing_ok=True)
            return
        self.withdraw(process)
        for role in backups:
            self.backup(role, process).replace(self.path(role))

    def _existing(
        self, name: Callable[[str, int | None], Path], process: int | None = None
    ) -> list[str]:
        return [role for role in self.names if name(role, process).exists()]

    def _renamed(self, process: int, roles: Sequence[str]) -> list[str]:
        """The files that a run had renamed when it was killed before the last one.

        The manifest tells by a digest whether it belongs to that run: by that of the data, or
        of the certificate where the data are no file.
        """
        if self.last not in roles or self.path(self.last).exists():
            return []
        manifest, known = (
            self.temporary(role, process) if role in roles else self.path(role)
            for role in ("manifest", "data" if "data" in self.names else "certificate")
        )
        if not manifest.is_file() or not known.is_file():
            return []
        belongs = sha256(known) in manifest.read_text("utf-8", errors="replace")
        return [role for role in self.names if belongs and role not in roles]

    @contextmanager
    def transaction(self) -> Iterator["Transaction"]:
        """Begin to write; whatever goes wrong, no temporary file stays."""
        with disk_errors(self.folder):
            transaction = Transaction(self)
        try:
            with disk_errors(self.folder):
                yield transaction
        finally:
            transaction.close()


class Transaction:
    """Files being written under temporary names; the last one is open and locked."""

    def __init__(self, files: FileSet) -> None:
        self._files = files
        path = files.temporary(files.last)
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise _busy(files.path(files.last), os.getpid()) from None
        path.chmod(0o600)  # whatever the umask of the process
        if not lock(self._handle, path) or self._others():
            self.close()
            raise _busy(files.path(files.last), *self._others())

    def _others(self) -> list[int]:
        """Other processes that are writing the same release."""
        files = self._files
        return [
            process
            for process in files.processes()
            if is_locked(files.temporary(files.last, process)) and process != os.getpid()
        ]

    @contextmanager
    def open_last(self) -> Iterator["DiskSink"]:
        """The last file, to write bytes into; they are on the disk when this ends."""
        with os.fdopen(os.dup(self._handle), "wb", _BUFFER) as file:
            yield DiskSink(file, self._files.folder)
            file.flush()
            os.fsync(file.fileno())

    def write_text(self, role: str, text: str, *, mode: int = 0o600) -> None:
        """Write one of the files."""
        if role == self._files.last:
            with self.open_last() as sink:
                sink.write(text.encode())
            return
        path = self._files.temporary(role)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        path.chmod(mode)
        write_and_sync(handle, text)

    def commit(self, inputs: Sequence[str]) -> None:
        """Give all files their names; if that fails, everything is as it was."""
        files = self._files
        files.check(inputs)
        try:
            files.back_up()
            for role in files.names:
                files.temporary(role).replace(files.path(role))
                sync_folder(files.folder)
        except BaseException:
            # Some of the files are worse than none: a certificate of data that are not there.
            try:
                files.withdraw()
                files.restore()
            except OSError as error:
                raise _not_restored(files.folder, error) from error
            raise
        with suppress(OSError):  # else the next run removes the backups
            files.restore()

    def close(self) -> None:
        """Remove temporary files and release the lock.

        If an earlier release could not be restored, all stay: from them the next run does it.
        """
        files = self._files
        if not any(files.backup(role).exists() for role in files.names):
            for role in files.names:
                files.temporary(role).unlink(missing_ok=True)
        with suppress(OSError):
            os.close(self._handle)


class DiskSink:
    """File-like object for writers; its errors are not mistaken for those of an input."""

    closed = False

    def __init__(self, file: BinaryIO, folder: Path) -> None:
        self._file, self._folder = file, folder

    def write(self, data: bytes) -> int:
        """Write some bytes."""
        with disk_errors(self._folder):
            return self._file.write(data)

    def tell(self) -> int:
        """How many bytes were written."""
        return self._file.tell()

    def flush(self) -> None:
        """Do nothing: the transaction flushes and syncs at the end."""

    def close(self) -> None:
        """Do nothing: the transaction closes the file."""


def lock(handle: int, path: Path) -> bool:
    """Lock an open file until it is closed; False if it was removed meanwhile."""
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def is_locked(path: Path) -> bool:
    """Whether a living process holds the file; nobody holds a file that does not exist."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except PermissionError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(handle)


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Turn errors of the operating system into ours, with the free space."""
    try:
        yield
    except OSError as error:
        full = error.errno in _DISK_FULL
        free = shutil.disk_usage(folder).free if folder.is_dir() else 0
        raise ResourceError.of(
            "There is no room for the release." if full else "The release cannot be written.",
            f"{error.strerror or error}; {free:,} bytes are free.",
            "No release was written: make room or choose another folder, and run again.",
            str(folder),
        ) from error


def _not_restored(folder: Path, error: OSError) -> ResourceError:
    return ResourceError.of(
        "The release cannot be written, nor the earlier one put back.",
        f"{error.strerror or error}; nothing is lost: its files are named {TEMPORARY}….old.",
        "Run again when the disk can be written to: they are put back first.",
        str(folder),
    )


def _busy(path: Path, *processes: int) -> ResourceError:
    numbers = f" (process {', '.join(map(str, processes))})" if processes else ""
    return ResourceError.of(
        f"Another run is writing this release{numbers}.",
        remedy="Wait for it, or choose another name.",
        where=str(path),
    )
