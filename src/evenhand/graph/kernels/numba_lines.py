"""The passes over lines that partitions are made of (see ``partitions``)."""

import numpy as np
from numpy.typing import NDArray

from evenhand.graph.kernels import numpy_kernel
from evenhand.graph.kernels.batch import Floats, Numbers
from evenhand.graph.kernels.numba_jit import compiled

# Beyond so many possible groups for each line those that occur are sorted.
_PLACES_PER_LINE = 32


def split(
    of: Numbers, groups: int, code: Numbers, values: int, rows: Floats
) -> tuple[Numbers, Floats]:
    """Split groups of lines by one more attribute: each line's group, and the groups' rows."""
    few = groups * values <= _PLACES_PER_LINE * len(rows)
    return (_split if few else numpy_kernel.split)(of, groups, code, values, rows)


@compiled
def _split(
    of: Numbers, groups: int, code: Numbers, values: int, rows: Floats
) -> tuple[Numbers, Floats]:
    place = np.empty(groups * values, np.int32)
    place[:] = -1
    fine, totals = np.empty_like(of), np.empty(len(rows))
    found = 0
    for line in range(len(rows)):
        key = np.int64(of[line]) * values + code[line]
        group = place[key]
        if group < 0:
            group = found
            place[key] = group
            totals[group] = 0.0
            found += 1
        fine[line] = group
        totals[group] += rows[line]
    return fine, totals[:found].copy()


@compiled
def attested(of: Numbers, groups: int, within: Numbers, strata: int) -> NDArray[np.integer]:
    """How many groups lie in each stratum."""
    seen = np.zeros(groups, np.bool_)
    counts = np.zeros(strata, np.int32)
    for line in range(len(of)):
        counts[within[line]] += not seen[of[line]]
        seen[of[line]] = True
    return counts


@compiled
def line_sum(weight: Floats, x: Floats, y: Floats, rows: Floats, of: Numbers) -> float:
    """The sum of weight · x · y · rows[of] over lines."""
    found = 0.0
    for line in range(len(weight)):
        found += weight[line] * x[line] * y[line] * rows[of[line]]
    return found
