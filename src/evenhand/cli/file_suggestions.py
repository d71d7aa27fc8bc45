"""Suggests the nearest file name where an input file does not exist."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from evenhand.errors import EvenhandError, Problem

_LEAST_SIMILARITY = 0.6


@contextmanager
def suggesting_files(*inputs: Path | str | None) -> Iterator[None]:
    """Add "Did you mean …?" to errors raised inside about an input that does not exist."""
    paths = [Path(path) for path in inputs if path is not None]

    def with_suggestion(problem: Problem) -> Problem:
        path = Path(problem.where)
        if path not in paths or _exists(path):
            return problem
        near = _nearest(path, excluded=paths)
        return replace(problem, found="" if near is None else f"Did you mean {str(near)!r}?")

    try:
        yield
    except EvenhandError as error:
        error.problems = tuple(map(with_suggestion, error.problems))
        raise


def _nearest(path: Path, *, excluded: list[Path]) -> Path | None:
    """The existing file with the most similar name; a misspelt parent folder is tried, too.

    The part before the first dot must be similar: most files of a folder end alike.
    """
    folder = next((parent for parent in path.parents if _exists(parent)), None)
    if folder is None:
        return None
    wrong, *inside = path.relative_to(folder).parts

    def similarity(name: str) -> tuple[float, float]:
        return _ratio(wrong.partition(".")[0], name.partition(".")[0]), _ratio(wrong, name)

    names: list[str] = []
    with suppress(OSError):  # a folder that cannot be listed offers nothing
        names = sorted(entry.name for entry in folder.iterdir())
    candidates = {name: Path(folder, name, *inside) for name in names}
    near = [
        name
        for name, candidate in candidates.items()
        if candidate not in excluded
        and similarity(name)[0] >= _LEAST_SIMILARITY
        and _exists(candidate)
    ]
    return candidates[max(near, key=similarity)] if near else None


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one.casefold(), other.casefold()).ratio()


def _exists(path: Path) -> bool:
    with suppress(OSError):  # as for a name that is too long
        return path.exists()
    return False
