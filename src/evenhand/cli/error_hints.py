"""Errors in the words of the command line: options that can be typed, files that are there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from evenhand.errors import EvenhandError, Problem

_LIKE = 0.6


@contextmanager
def guessing_files(*inputs: Path | str | None) -> Iterator[None]:
    """Answer the name of an input that is not there with the nearest that is."""
    named = [Path(path) for path in inputs if path is not None]

    def mended(problem: Problem) -> Problem:
        path = Path(problem.where)
        if path not in named or _exists(path):
            return problem
        near = nearest(path, apart_from=named)
        return replace(problem, found="" if near is None else f"Did you mean {str(near)!r}?")

    with _mending(mended):
        yield


def nearest(path: Path, *, apart_from: list[Path]) -> Path | None:
    """The file whose name is most like that of one that is not there, or lies in such a folder.

    What stands before the first dot must be alike: most files of a folder end alike.
    """
    folder = next((parent for parent in path.parents if _exists(parent)), None)
    if folder is None:
        return None
    wrong, *inside = path.relative_to(folder).parts
    there: list[Path] = []
    with suppress(OSError):  # a folder that cannot be listed offers nothing
        there = [Path(found, *inside) for found in sorted(folder.iterdir())]

    def likeness(found: Path) -> tuple[float, float]:
        name = found.relative_to(folder).parts[0]
        return _ratio(_stem(wrong), _stem(name)), _ratio(wrong, name)

    near = [
        found
        for found in there
        if found not in apart_from and likeness(found)[0] >= _LIKE and _exists(found)
    ]
    return max(near, key=likeness, default=None)


def _stem(name: str) -> str:
    return name.partition(".")[0]


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one.casefold(), other.casefold()).ratio()


def _exists(path: Path) -> bool:
    with suppress(OSError):  # as for a name that is too long
        return path.exists()
    return False


@contextmanager
def _mending(mended: Callable[[Problem], Problem]) -> Iterator[None]:
    try:
        yield
    except EvenhandError as error:
        error.problems = tuple(map(mended, error.problems))
        raise
