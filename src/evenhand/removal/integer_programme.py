"""Integer programmes for HiGHS, scaled so that its tolerance is small beside one row."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import ceil, lcm
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

# HiGHS accepts a constraint that is violated by so much.
TOLERANCE = 1e-6
_ONE_AT_A_TIME = Lock()


def strict_differences(
    first: NDArray[np.int64], second: NDArray[np.int64], threshold: Fraction
) -> NDArray[np.float64]:
    """What multiplies the counts of two groups of these sizes, and the largest difference.

    Rates of the two groups differ by multiples of 1 / lcm of their sizes, by less than the
    threshold. The unit is a row of the smaller group, beside which HiGHS tolerates little.
    """
    limits = np.zeros((3, len(first)))
    for at, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        common, unit = lcm(a, b), min(a, b)
        most = Fraction((ceil(threshold * common) - 1) * unit, common)
        limits[:, at] = unit / a, -unit / b, float(most)
    return limits


def solve_integers(
    objective: NDArray[np.float64],
    *,
    integrality: NDArray[np.int64],
    bounds: tuple[NDArray[Any] | float, NDArray[Any] | float],
    constraints: Sequence[tuple[Any, Any, Any]],
    nodes: int | None = None,
    gap: float = 0.0,
) -> Any:  # noqa: ANN401  # scipy's result
    """Minimize up to a relative gap; each constraint is a matrix, its lower and upper limit.

    ``nodes`` limits the search tree, never the time: the same input gives the same answer.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415  # slow to import

    options = {"mip_rel_gap": gap} | ({} if nodes is None else {"node_limit": nodes})
    with _output_on_stderr():
        return milp(
            objective,
            integrality=integrality,
            bounds=Bounds(*bounds),
            constraints=[LinearConstraint(*one) for one in constraints],
            options=options,
        )


@contextmanager
def _output_on_stderr() -> Iterator[None]:
    """Send what HiGHS prints about large programmes, whatever its options, to stderr.

    The output belongs to the whole process, so one thread at a time may send it elsewhere.
    """
    if sys.stdout is None:  # a program without a console
        yield
        return
    with _ONE_AT_A_TIME:
        sys.stdout.flush()
        saved = os.dup(1)
        os.dup2(2, 1)
        try:
            yield
        finally:
            os.dup2(saved, 1)
            os.close(saved)
