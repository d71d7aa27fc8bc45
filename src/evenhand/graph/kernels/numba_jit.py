"""Decorators that compile functions with numba, and what numba_cells and numba_cubes share."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evenhand.graph.kernels.batch import BatchPlan, Floats, Indices

Function = TypeVar("Function", bound=Callable[..., Any])
Integers = NDArray[np.int64]
Places = NDArray[np.int32]
Flags = NDArray[np.bool_]


def compiled(function: Function) -> Function:
    """Compile a function that Python calls: cached on disk, without the interpreter's lock.

    Sums may be reassociated, so that several terms are added at a time.
    """
    options = {"cache": True, "nogil": True, "error_model": "numpy"}
    return cast("Function", njit(**options, fastmath={"reassoc", "contract"})(function))


def inlined(function: Function) -> Function:
    """Inline a function into the compiled ones that call it: it is not compiled by itself."""
    return cast("Function", njit(inline="always")(function))


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


@inlined
def add_up(rows: Floats, count: int, numbers: Places, totals: Floats) -> None:
    """Add ``rows[i]`` to ``totals[numbers[i]]``."""
    # In four streams: neighbors often have the same number, and would wait for each other.
    quarter = count // 4
    for i in range(quarter):
        for part in range(4):
            totals[numbers[part * quarter + i]] += rows[part * quarter + i]
    for i in range(4 * quarter, count):
        totals[numbers[i]] += rows[i]
