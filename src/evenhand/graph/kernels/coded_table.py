"""``CodedTable``: the table of counts as plain arrays, which is what kernels read."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.graph.kernels.batch import Floats, Numbers


class CodedTable(NamedTuple):
    """Distinct lines: a row of codes for each attribute, and how many rows each line has."""

    codes: Numbers
    rows: Floats
    cards: NDArray[np.int64]
    total: float

    @classmethod
    def of(cls, counts: CountTable, names: Sequence[str]) -> "CodedTable":
        """The counts, with attributes in the order of ``names`` and lines sorted by them."""
        at = [counts.position(name) for name in names]
        codes = np.array([counts.codes[i] for i in at]).reshape(len(at), len(counts))
        order = np.lexsort(codes[::-1]) if at else slice(None)
        rows = counts.counts[order].astype(np.float64)
        cards = np.array(counts.cards, np.int64)[at]
        return cls(np.ascontiguousarray(codes[:, order]), rows, cards, float(rows.sum()))
