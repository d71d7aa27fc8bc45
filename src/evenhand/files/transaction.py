"""Files of one folder that get their names together and whole, or not at all.

A run writes into a temporary folder of its own beside the final names, ``.evenhand-…``:

    lock      locked while the process lives; no other user can open it
    names     the names that it will write
    new/      the new files, each under its final name
    commit    written before the first rename: all names in order, and the new files' stamps
    old/      earlier files while they are replaced

To commit is to rename earlier files into ``old``, the last one first, and then new ones to
their final names, the last one last. As long as a file is left in ``new`` this can be undone.
Every run that writes into a folder first undoes what killed runs left there, whatever it is
about to write itself. Names that cannot or must not be written to are refused before.
"""

import errno
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from evenhand.errors import EvenhandError, Problem, QuestionError, Remedy, ResourceError
from evenhand.files.file_locks import AS_IT_IS, is_locked, lock, locked_folder, sync_folder

_PREFIX = ".evenhand-"
_PLACE = re.compile(re.escape(_PREFIX) + "([0-9]+)-(.+)")
_TOKEN = re.compile("[0-9a-f]{16}")
_LARGEST_JSON = 1_000_000  # bytes
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_Check: TypeAlias = Callable[[Path], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """Files being written in a temporary folder.

    ``names`` are all files that the result may have, in the order in which they are renamed: an
    earlier file whose name is not written this time is removed with the others. ``removed`` is
    what killed runs had left.
    """

    place: Path
    names: tuple[str, ...]
    removed: tuple[str, ...]

    @classmethod
    @contextmanager
    def begin(cls, folder: Path, names: Sequence[str]) -> Iterator["Transaction"]:
        """Undo what killed runs left in the folder, and begin to write.

        Refuses while another run is writing one of the names. Whatever goes wrong, no temporary
        file stays.
        """
        with disk_errors(folder), _temporary_folder(folder, names) as (place, removed):
            yield cls(place=place, names=tuple(names), removed=removed)

    @property
    def token(self) -> str:
        """Random text by which the next run knows what this one left elsewhere, if killed."""
        return _PLACE.sub(r"\2", self.place.name)

    @property
    def killed_tokens(self) -> tuple[str, ...]:
        """The tokens of killed runs whose folders were removed."""
        return tuple(filter(_TOKEN.fullmatch, (_PLACE.sub(r"\2", n) for n in self.removed)))

    def temporary(self, name: str) -> Path:
        """Where a file is until the commit."""
        return self.place / "new" / name

    @contextmanager
    def open(self, name: str, *, mode: int = 0o600) -> Iterator["DiskSink"]:
        """A new file, to write bytes into; they are on the disk when this ends."""
        path = self.temporary(name)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            path.chmod(mode)  # whatever the umask of the process
            yield DiskSink(file, self.place.parent)
            file.flush()
            os.fsync(file.fileno())

    def write_text(self, name: str, text: str, *, mode: int = 0o600) -> None:
        """Write one of the files."""
        with self.open(name, mode=mode) as sink:
            sink.write(text.encode())

    def commit(
        self,
        inputs: Sequence[str],
        *,
        overwrite: bool,
        last: Callable[[], None] | None = None,
    ) -> tuple[str, ...]:
        """Give all files their names; if that fails, everything is as it was.

        ``last`` is done when the files have their names, and they lose them if it fails.
        Returns the names of earlier files that were removed and not replaced.
        """
        folder, old = self.place.parent, self.place / "old"
        targets = [folder / name for name in self.names]
        check_targets(targets, inputs, overwrite=overwrite)
        written = [name for name in self.names if self.temporary(name).exists()]
        marker = self.temporary("last")  # as long as it is there all can be undone
        try:
            if last is not None:
                marker.touch()
            self._write_journal()
            for path in reversed(targets):
                if path.exists():
                    path.replace(old / path.name)
            for name in written:
                self.temporary(name).replace(folder / name)
                sync_folder(folder)
            if last is not None:
                last()
                marker.unlink()
        except BaseException:
            # Some of the files are worse than none: a certificate of data that are not there.
            try:
                _undo(self.place)
            except OSError as error:
                raise ResourceError.of(
                    "This cannot be written, nor the earlier files put back.",
                    f"{error.strerror or error}; nothing is lost: they are in a folder "
                    f"{_PREFIX}….",
                    "Run again when the disk can be written to: they are put back first.",
                    str(folder),
                ) from error
            raise
        return tuple(name for name in _names_in(old) if name not in written)

    def _write_journal(self) -> None:
        """Record what is about to be renamed."""
        stamps = [(name, _stamp(self.temporary(name))) for name in self.names]
        with (self.place / "commit").open("x") as file:
            json.dump(stamps, file)
            file.flush()
            os.fsync(file.fileno())
        sync_folder(self.place / "new")
        sync_folder(self.place)


def write_file(
    path: str | Path,
    content: str | bytes,
    *,
    mode: int,
    overwrite: bool,
    check: _Check | None = None,
) -> Path:
    """Write a file that appears whole under its name, or not at all if ``check`` refuses it.

    A file that is there already may be somebody's evidence: it is replaced only if that is
    allowed.
    """
    path = Path(path)
    with ExitStack() as until_renamed:
        with disk_errors(path):
            # One rename needs neither a journal nor the name for itself.
            place, removed = until_renamed.enter_context(_temporary_folder(path.parent))
            file = Transaction(place=place, names=(path.name,), removed=removed)
            with file.open(path.name, mode=mode) as sink:
                sink.write(content.encode() if isinstance(content, str) else content)
            temporary = file.temporary(path.name)
        if check:
            check(temporary)
        with disk_errors(path):
            if overwrite:
                temporary.replace(path)
            else:
                _rename_if_free(temporary, path)
            sync_folder(path.parent)
    return path


def recover(folder: Path) -> tuple[str, ...]:
    """Undo what killed runs left unfinished in a folder; returns the names of removed files.

    Folders of other users are left alone.
    """
    if not _places(folder):
        return ()
    with locked_folder(folder):
        return _recover(folder)


def _recover(folder: Path) -> tuple[str, ...]:
    removed: list[str] = []
    for place in _places(folder):
        if not _is_ours(place) or is_locked(place / "lock"):
            continue
        if _names_in(place / "new"):
            removed += _undo(place)
        removed.append(place.name)
        _remove(place)
    return tuple(removed)


def sha256(path: str | Path) -> str:
    """The SHA-256 of a file's bytes."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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


@contextmanager
def disk_errors(where: Path) -> Iterator[None]:
    """Turn errors of the operating system into ours, with the free space."""
    try:
        yield
    except OSError as error:
        full = error.errno in _DISK_FULL
        folder = where if where.is_dir() else where.parent
        if not full and not folder.is_dir():
            raise ResourceError.of(
                "This cannot be written.",
                "There is no such folder.",
                "Name a file in a folder that is there.",
                str(where),
            ) from error
        free = shutil.disk_usage(folder).free if folder.is_dir() else 0
        raise ResourceError.of(
            "There is no room to write this." if full else "This cannot be written.",
            f"{error.strerror or error}; {free:,} bytes are free.",
            "Make room or choose another folder, and run again; what was there before is so "
            "still.",
            str(where),
        ) from error


@contextmanager
def _temporary_folder(
    folder: Path, names: Sequence[str] = ()
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """A temporary folder, and what was removed before; the names are ours as long as it is."""
    place = folder / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
    with ExitStack() as folder_lock:
        folder_lock.enter_context(locked_folder(folder))
        removed = _recover(folder)
        processes = [
            path.name.removeprefix(_PREFIX).partition("-")[0]
            for path in _places(folder)
            if any(map(_read_json(path / "names").__contains__, names))
            and is_locked(path / "lock")
        ]
        if processes:
            raise ResourceError.of(
                f"Another run is writing this (process {', '.join(processes)}).",
                remedy="Wait for it, or choose another name.",
                where=str(folder / names[-1]),
            )
        handle = None
        try:
            place.mkdir(0o700)
            handle = os.open(place / "lock", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            lock(handle)
            # Before the folder is unlocked: the next run must see which names are ours.
            (place / "names").touch(0o644)
            (place / "names").write_text(json.dumps(names), "utf-8")
            folder_lock.close()
            for part in ("new", "old"):
                (place / part).mkdir(0o700)
            place.chmod(0o711)  # so that other users see which names are ours
            yield place, removed
        finally:
            # If an earlier file could not be put back all stays, and the next run does it.
            is_needed = _names_in(place / "old") and _names_in(place / "new")
            try:
                if not is_needed:
                    _remove(place)
            finally:
                if handle is not None:
                    os.close(handle)
                if not is_needed:
                    _remove(place)  # what a signal or an open file kept from being removed


def _places(folder: Path) -> list[Path]:
    """The temporary folders of all runs, alive or not."""
    return [
        path
        for path in sorted(folder.glob(f"{_PREFIX}*"))
        if _PLACE.fullmatch(path.name) and path.is_dir() and not path.is_symlink()
    ]


def _undo(place: Path) -> list[str]:
    """Put everything back as it was before a commit; returns the names that were withdrawn.

    Each step leaves a state from which this can start again: new files first return to the
    temporary folder, the last one first, then old ones get their names back.
    """
    folder, new, old = place.parent, place / "new", place / "old"
    stamps: dict[str, list[int] | None] = dict(_read_json(place / "commit"))
    withdrawn = []
    for name, stamp in reversed(stamps.items()):
        # A file that somebody made after the kill has another stamp.
        if stamp is not None and _stamp(folder / name) == stamp:
            (folder / name).replace(new / name)
            withdrawn.append(name)
    for name in stamps:
        if (old / name).exists():
            (old / name).replace(folder / name)
    sync_folder(folder)
    return withdrawn


def _remove(place: Path) -> None:
    """Remove a temporary folder, first what says that something was being renamed."""
    with suppress(OSError):  # else the next run removes it
        (place / "commit").unlink(missing_ok=True)
        shutil.rmtree(place)


def _names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def _stamp(path: Path) -> list[int] | None:
    """What a file keeps when it is renamed, or copied with its folder; no inode does that."""
    if not path.is_file():
        return None
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns]


def _read_json(path: Path) -> list[Any]:
    """A list in a small file; nothing if it is not there or was not written to its end."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | AS_IT_IS), "rb") as file:
            content = json.loads(file.read(_LARGEST_JSON))
    except (OSError, ValueError, RecursionError):
        return []
    return content if isinstance(content, list) else []


def _rename_if_free(temporary: Path, path: Path) -> None:
    """Check and rename in one step: of two writers only one succeeds."""
    try:
        with suppress(OSError):  # some disks have no links
            path.hardlink_to(temporary)
            return
        path.touch(exist_ok=False)  # there an empty file holds the name first
        temporary.replace(path)
    except FileExistsError as error:
        if path.is_dir():
            raise
        raise QuestionError(name_taken(path)) from error


def _is_ours(place: Path) -> bool:
    """Whether a temporary folder belongs to this user; not if its run has just removed it."""
    try:
        return os.name != "posix" or place.stat().st_uid == os.geteuid()
    except FileNotFoundError:
        return False


def check_folder(folder: Path) -> None:
    """Refuse a folder that does not exist or cannot be written to."""
    what, remedy = "There is no such folder.", "Make it first, or choose another one."
    if folder.is_dir():
        what = "This folder cannot be written to."
        remedy = "Choose another one, or ask for the right to."
        if os.access(folder, os.W_OK | os.X_OK):
            return
    raise QuestionError.of(what, remedy=remedy, where=str(folder))


def check_targets(targets: Sequence[Path], inputs: Sequence[str], *, overwrite: bool) -> None:
    """Refuse names that cannot or must not be written; files are compared, not names."""
    problems = [p for path in targets for p in _problems(path, inputs, overwrite=overwrite)]
    problems += [
        Problem(
            "Two files would be written to this name.",
            remedy="Choose different names.",
            where=str(one),
        )
        for one, other in combinations(targets, 2)
        if _is_same(one, other)
    ]
    if problems:
        raise QuestionError(*problems)


def _problems(path: Path, inputs: Sequence[str], *, overwrite: bool) -> Iterator[Problem]:
    if any(_is_same(path, Path(source)) for source in inputs):
        yield Problem(
            "This is an input, perhaps under another name.",
            "Inputs are never written over.",
            "Choose another name.",
            str(path),
        )
    elif path.is_symlink() or (path.exists() and not path.is_file()):
        remedy = "Choose a name that is not taken."
        yield Problem("This is a folder, a link or a device.", remedy=remedy, where=str(path))
    elif path.exists() and not overwrite:
        yield name_taken(path)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there yet
        return one.resolve() == other.resolve()


def name_taken(path: Path) -> Problem:
    """The problem that a file exists and may not be overwritten."""
    return Problem(
        "This file exists.",
        remedy=(
            Remedy("Choose another name"),
            Remedy("allow to overwrite it", "overwrite", value=True),
        ),
        where=str(path),
    )


@contextmanager
def after_writing(*paths: Path | None) -> Iterator[None]:
    """Add to an error the files that were written before it, and stay."""
    try:
        yield
    except EvenhandError as error:
        stay = [Problem("This file was written and stays.", where=str(p)) for p in paths if p]
        raise type(error)(*error.problems, *stay) from error
