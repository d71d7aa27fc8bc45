"""Suggests the nearest file name where an input file does not exist."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from evenhand.errors import EvenhandError, Problem, nearest_path, path_exists


@contextmanager
def suggesting_files(*inputs: Path | str | None) -> Iterator[None]:
    """Add "Did you mean …?" to errors raised inside about an input that does not exist."""
    paths = [Path(path) for path in inputs if path is not None]

    def with_suggestion(problem: Problem) -> Problem:
        path = Path(problem.where)
        if path not in paths or path_exists(path):
            return problem
        near = nearest_path(path, excluded=paths)
        return replace(problem, found="" if near is None else f"Did you mean {str(near)!r}?")

    try:
        yield
    except EvenhandError as error:
        error.problems = tuple(map(with_suggestion, error.problems))
        raise
