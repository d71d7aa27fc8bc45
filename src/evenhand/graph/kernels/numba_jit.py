"""Decorators that compile functions with numba, and the formulas of statistics, compiled."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit

from evenhand.graph.independence_tests import STATISTICS

Function = TypeVar("Function", bound=Callable[..., Any])
# One flag for each statistic, of which one is set, and whether that is plain chi-square.
Chosen = tuple[bool, ...]

# Without the interpreter's lock; sums may be reassociated, so that several terms are added at
# a time. Nothing but Python calls us, so no entry for C is made.
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract"},
    "no_cfunc_wrapper": True,
}


def compiled(function: Function) -> Function:
    """Compile a function that Python calls, and cache it on disk."""
    return cast("Function", njit(cache=True, **_OPTIONS)(function))


def is_cached(function: Callable[..., object]) -> bool:
    """Whether a compiled function is on disk: by the package, or where numba may write."""
    dispatcher = cast("Any", function)
    name = f"{Path(dispatcher.py_func.__code__.co_filename).stem}.{dispatcher.__name__}-*.nbi"
    return any(Path(dispatcher.stats.cache_path).glob(name))


def inlined(function: Function) -> Function:
    """Inline a function into the only one that calls it: it is not compiled by itself."""
    return cast("Function", njit(inline="always")(function))


def shared(function: Function) -> Function:
    """Compile a function that compiled ones call from several places.

    An entry for Python would take as long to compile as the function. Arguments must not be
    literals, for each of which numba compiles anew.
    """
    return cast("Function", njit(no_cpython_wrapper=True, **_OPTIONS)(function))


def _choosing(functions: Sequence[Callable[..., object]], at: int = 0) -> Callable[..., Any]:
    """Compile functions into one that calls the one whose flag is set, from a flag on.

    Numba takes the number of flags for a part of their type, so that code on disk is not used
    once there are more statistics than it was compiled for.
    """
    first = shared(functions[at])
    if at == len(functions) - 1:
        return shared(lambda _flags, *arguments: first(*arguments))
    otherwise = _choosing(functions, at + 1)
    return shared(
        lambda flags, *arguments: (
            first(*arguments) if flags[at] else otherwise(flags, *arguments)
        )
    )


def _one(_rows: float, _degrees: int, _x: float, _y: float) -> float:
    return 1.0


term = _choosing([one.term for one in STATISTICS.values()])
weight = _choosing([one.weight or _one for one in STATISTICS.values()])


@cache
def chosen(test: str) -> Chosen:
    """The flags of a statistic."""
    return (*(name == test for name in STATISTICS), STATISTICS[test].is_pearson)
