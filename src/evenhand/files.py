"""Files written whole or not at all, and names that must not be written to.

A file is first written under a temporary name beside its place and brought to the disk; then it
is renamed. So nobody ever sees half a file, and an error leaves what was there before.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from evenhand.errors import Problem, QuestionError, Remedy, ResourceError

TEMPORARY = ".evenhand-"  # how the name of every temporary file begins


def write_file(path: str | Path, text: str, *, mode: int, overwrite: bool) -> Path:
    """Write a file that appears whole under its name, or not at all.

    A file that is there already may be somebody's evidence: it is replaced only if that is
    allowed.
    """
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=TEMPORARY)
        temporary = Path(name)
        try:
            write_and_sync(handle, text)
            temporary.chmod(mode)
            if overwrite:
                temporary.replace(path)
            else:
                _rename_if_free(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ResourceError.of(
            f"This file cannot be written: {error.strerror or error}.",
            remedy="Name a file in a folder that exists and may be written to.",
            where=str(path),
        ) from error
    return path


def write_and_sync(handle: int, text: str) -> None:
    """Write a text into an open file, wait until it is on the disk, and close the file."""
    with os.fdopen(handle, "wb") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Bring renamed files to the disk, where the system lets folders be opened."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sha256(path: str | Path) -> str:
    """The SHA-256 of a file's bytes."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_folder(folder: Path) -> None:
    """Refuse a folder that does not exist or cannot be written to."""
    exists = folder.is_dir()
    if exists and os.access(folder, os.W_OK | os.X_OK):
        return
    raise QuestionError.of(
        "This folder cannot be written to." if exists else "There is no such folder.",
        remedy="Choose another one, or ask for the right to."
        if exists
        else "Make it first, or choose another one.",
        where=str(folder),
    )


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
        yield _name_taken(path)


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there yet
        return one.resolve() == other.resolve()


def _name_taken(path: Path) -> Problem:
    return Problem(
        "This file exists.",
        remedy=(
            Remedy("Choose another name"),
            Remedy("allow to overwrite it", "overwrite", value=True),
        ),
        where=str(path),
    )


def _rename_if_free(temporary: Path, path: Path) -> None:
    """Check and rename in one step: of two writers only one succeeds."""
    try:
        _link(temporary, path)
    except FileExistsError as error:
        if path.is_dir():
            raise
        raise QuestionError(_name_taken(path)) from error


def _link(temporary: Path, path: Path) -> None:
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:  # some disks have no links: there an empty file holds the name first
        path.touch(exist_ok=False)
        temporary.replace(path)
