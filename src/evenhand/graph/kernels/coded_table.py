"""``CodedTable``: the table of counts as plain arrays, which is what kernels read."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.graph.kernels.batch import Floats, Numbers

# Sort keys are less than this.
_LARGEST_KEY = 2**62
# Up to so many values a code has sixteen bits.
_SHORT = 2**16


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
        columns = [counts.codes[i] for i in at]
        cards = np.array(counts.cards, np.int64)[at]
        order = np.lexsort(_sort_keys(columns, cards)[::-1]) if at else slice(None)
        rows = counts.counts[order].astype(np.float64)
        # One type for nearly all tables: numba compiles for each anew.
        number = np.uint16 if cards.max(initial=0) <= _SHORT else np.uint32
        codes: Numbers = np.empty((len(at), len(rows)), number)
        for column, code in zip(columns, codes, strict=True):
            code[:] = column[order]
        return cls(codes, rows, cards, float(rows.sum()))


def _sort_keys(columns: list[Numbers], cards: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Numbers that sort lines as their codes do, the first above all.

    A key holds as many attributes as fit: 500 binary ones are sorted in 0.1 s, not in 0.5.
    """
    keys: list[NDArray[np.int64]] = []
    span = 1
    for code, card in zip(columns, cards.tolist(), strict=True):
        span *= card
        if keys and span < _LARGEST_KEY:
            keys[-1] *= card
            keys[-1] += code
        else:
            keys.append(code.astype(np.int64))
            span = card
    return keys
