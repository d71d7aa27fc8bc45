"""Decorators that compile functions with numba, and what numba_cells and numba_cubes share.

Compiling must be short, for it is waited for. What counts is the number of statements and of
arrays that are handed on, so functions take the few plain arrays they need.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evenhand.graph.kernels.batch import BatchPlan, Floats, Indices

Function = TypeVar("Function", bound=Callable[..., Any])
Integers = NDArray[np.int64]
Places = NDArray[np.int32]
Flags = NDArray[np.bool_]

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


class SetTests(NamedTuple):
    """Sets, the tests of each from ``start`` to ``end``, and the positions of their ends."""

    members: Indices
    start: Indices
    end: Indices
    x: Indices
    y: Indices

    @classmethod
    def of(cls, plan: BatchPlan, sets: Indices) -> "SetTests":
        """The tests of some sets of a plan."""
        return cls(plan.members[sets], plan.start[sets], plan.start[sets + 1], plan.x, plan.y)


@shared
def add_up(rows: Floats, count: int, numbers: Places, totals: Floats) -> None:
    """Add ``rows[i]`` to ``totals[numbers[i]]``, from zero."""
    for i in range(len(totals)):
        totals[i] = 0.0
    # In four streams: neighbors often have the same number, and would wait for each other.
    quarter = count // 4
    for i in range(quarter):
        for part in range(4):
            totals[numbers[part * quarter + i]] += rows[part * quarter + i]
    for i in range(4 * quarter, count):
        totals[numbers[i]] += rows[i]


@shared
def sum_over(source: Floats, before: int, card: int, after: int, target: Floats) -> None:
    """Sum over the middle of three dimensions; source and target may be the same."""
    for block in range(before):
        # Slices, whose indices cannot be negative, take a third of the time of offsets.
        total = target[block * after : (block + 1) * after]
        first = source[block * card * after : (block * card + 1) * after]
        if card == 1:
            for i in range(after):
                total[i] = first[i]
            continue
        # The first two together: most loops are short, and now half as many. All subsets of ten
        # attributes of hepar2 take 0.7 ms to sum, and took 1.2.
        second = source[(block * card + 1) * after : (block * card + 2) * after]
        for i in range(after):
            total[i] = first[i] + second[i]
        for value in range(2, card):
            part = source[(block * card + value) * after : (block * card + value + 1) * after]
            for i in range(after):
                total[i] += part[i]
