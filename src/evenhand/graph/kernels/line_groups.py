"""Groups of lines that agree in some attributes: the operation that every test consists of."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Keys index an array if so few are possible for each line; otherwise they are sorted.
_PLACES_PER_LINE = 16


class LineGroups(NamedTuple):
    """A partition of a table's lines: each line's group, and each group's rows."""

    of: NDArray[np.intp]
    rows: NDArray[np.float64]


def single_group(rows: NDArray[np.float64]) -> LineGroups:
    """All lines in one group."""
    return LineGroups(np.zeros(len(rows), np.intp), rows.sum(keepdims=True))


def refine(
    groups: LineGroups, code: NDArray[np.integer], values: int, rows: NDArray[np.float64]
) -> LineGroups:
    """Split every group by one more attribute; empty groups never exist.

    The key is a group's number, not its values, so it stays small whatever is conditioned on.
    """
    return group_by_key(groups.of * values + code, len(groups.rows) * values, rows)


def group_by_key(
    keys: NDArray[np.integer], possible: int, rows: NDArray[np.float64]
) -> LineGroups:
    """Group lines by key; ``possible`` is the number of possible keys."""
    if possible > _PLACES_PER_LINE * len(rows):
        distinct, of = np.unique(keys, return_inverse=True)
        return LineGroups(of, _totals(of, rows, len(distinct)))
    totals = _totals(keys, rows, possible)
    present = np.flatnonzero(totals)
    rank = np.empty(possible, np.intp)
    rank[present] = np.arange(len(present))
    return LineGroups(rank[keys], totals[present])


def _totals(
    keys: NDArray[np.integer], rows: NDArray[np.float64], number: int
) -> NDArray[np.float64]:
    return np.bincount(keys, rows, number).astype(np.float64, copy=False)


def containing_groups(fine: LineGroups, coarse: LineGroups) -> NDArray[np.intp]:
    """For each fine group, the coarse group that contains it."""
    container = np.empty(len(fine.rows), np.intp)
    container[fine.of] = coarse.of
    return container
