"""Many tests at once: p-values that hold for all of them together."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def holm(p: Floats) -> Floats:
    """Holm's adjusted p-values: one false claim among all is as unlikely as they say.

    They are valid whatever the dependence.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    steps = np.arange(len(p), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * steps))
    return adjusted


def benjamini_hochberg(p: Floats) -> Floats:
    """The smallest share of false claims at which each would be among the claims.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03, 0.5])).round(3).tolist()
    [0.04, 0.053, 0.053, 0.5]
    """
    order = np.argsort(p, kind="stable")[::-1]
    adjusted = np.empty_like(p)
    ratio = len(p) / np.arange(len(p), 0, -1)
    adjusted[order] = np.minimum(1, np.minimum.accumulate(p[order] * ratio))
    return adjusted
