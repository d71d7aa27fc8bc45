"""Refuses names that cannot or must not be written to.

If one of several files cannot be written after all, the error says which ones were.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

from evenhand.errors import EvenhandError, Problem, QuestionError, Remedy


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
