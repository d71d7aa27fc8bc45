"""Counts in which classes of numbers and merged values are taken apart."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.counts.count_table import CountTable


@dataclass(frozen=True, kw_only=True)
class FinerCounts:
    """Counts with a second column for each that is counted in classes or merged.

    ``finer`` names it, by the column. ``numbers`` has, for each code of a second column of
    numbers, their mean; NaN of a missing value.
    """

    counts: CountTable
    finer: Mapping[str, str]
    numbers: Mapping[str, NDArray[np.float64]]
