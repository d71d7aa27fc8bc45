"""Numbering groups of lines: the one operation that every test is made of."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Groups(NamedTuple):
    """A partition of a table's lines: each line's group, and each group's rows."""

    of: NDArray[np.intp]
    rows: NDArray[np.float64]


def whole(rows: NDArray[np.float64]) -> Groups:
    """All lines in one group."""
    return Groups(np.zeros(len(rows), np.intp), rows.sum(keepdims=True))


def refine(
    groups: Groups, code: NDArray[np.integer], values: int, rows: NDArray[np.float64]
) -> Groups:
    """Split every group by one more attribute; empty groups never exist.

    The key is a group's number, not its values, so it stays small whatever is conditioned on.
    """
    key = groups.of * values + code
    totals = np.bincount(key, rows, len(groups.rows) * values).astype(np.float64, copy=False)
    present = np.flatnonzero(totals)
    rank = np.empty(len(totals), np.intp)
    rank[present] = np.arange(len(present))
    return Groups(rank[key], totals[present])


def parents(fine: Groups, coarse: Groups) -> NDArray[np.intp]:
    """For each group of a refinement, the group that it is a part of."""
    parent = np.empty(len(fine.rows), np.intp)
    parent[fine.of] = coarse.of
    return parent
