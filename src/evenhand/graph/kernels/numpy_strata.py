"""Statistics of many strata of a cube: what all ways with cubes end in."""

import numpy as np
from numpy.typing import NDArray

from evenhand.graph.kernels.batch import G_SQUARE, Floats


def evaluate_strata(cells: Floats, kind: int) -> tuple[Floats, NDArray[np.integer]]:
    """Statistic and degrees of freedom of each stratum; the first two dimensions are the ends.

    The cells are overwritten.
    """
    if cells.shape[:2] == (2, 2) and kind != G_SQUARE:
        return _fourfold(cells, kind)
    by_x, by_y = cells.sum(axis=1), cells.sum(axis=0)
    rows = by_x.sum(axis=0)
    some = rows > 0
    free = ((by_x > 0).sum(axis=0) - 1) * ((by_y > 0).sum(axis=0) - 1) * some
    if kind == G_SQUARE:
        ratio = cells * rows / (np.maximum(by_x, 1)[:, None] * np.maximum(by_y, 1))
        return 2 * (cells * np.log(np.where(ratio > 0, ratio, 1))).sum(axis=(0, 1)), free
    # Margins are at least one where there are rows; empty cells add nothing to the sum.
    cells *= cells
    cells /= np.maximum(by_x, 1)[:, None]
    cells /= np.maximum(by_y, 1)
    return (rows - kind) * (cells.sum(axis=(0, 1)) - 1) * some, free


def _fourfold(cells: Floats, kind: int) -> tuple[Floats, NDArray[np.integer]]:
    """Chi-square of two rows and two columns, by their determinant: a third of the time."""
    (a, b), (c, d) = cells
    determinant = a * d
    determinant -= b * c
    statistic = determinant * determinant
    first, second = a + b, c + d
    statistic *= first + second - kind
    margins = first
    margins *= second
    margins *= a + c
    margins *= b + d
    statistic /= np.maximum(margins, 1)
    return statistic, (margins > 0).view(np.int8)
