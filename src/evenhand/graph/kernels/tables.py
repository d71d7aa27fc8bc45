"""Tables as kernels count in them: codes and rows as plain arrays."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.graph.kernels.batch import Floats, Indices, Numbers
from evenhand.graph.kernels.counting import Groups, refine, whole

# One line of so many is looked at to see whether lines can be merged, and how many may differ.
_SAMPLED = 16
_NEARLY_ALL = 0.9

# Lines are told apart by keys of several attributes, as long as there are so few for each line.
_KEYS_PER_LINE = 4


class Table(NamedTuple):
    """Distinct lines: a row of codes for each attribute, and how many rows each line has."""

    codes: Numbers
    rows: Floats
    cards: NDArray[np.int64]
    total: float

    @classmethod
    def of(cls, counts: CountTable, names: Sequence[str]) -> "Table":
        """The counts, with attributes in the order of ``names`` and lines sorted by them."""
        at = [counts.position(name) for name in names]
        codes = np.array([counts.codes[i] for i in at]).reshape(len(at), len(counts))
        order = np.lexsort(codes[::-1]) if at else slice(None)
        rows = counts.counts[order].astype(np.float64)
        cards = np.array([counts.cards[i] for i in at], np.int64)
        return cls(np.ascontiguousarray(codes[:, order]), rows, cards, float(rows.sum()))

    def merged(self, attributes: Indices, most: float) -> "Table | None":
        """Merge lines that agree in some attributes, unless that leaves more than ``most``.

        The codes of other attributes lose their meaning.
        """
        # If a few lines are nearly all different, so are all: most tables are refused by that.
        few = slice(None, None, _SAMPLED)
        sampled = len(self.rows[few])
        if self._groups(attributes, few, _NEARLY_ALL * sampled) is None:
            return None
        groups = self._groups(attributes, slice(None), most)
        if groups is None:
            return None
        line = np.empty(len(groups.rows), np.intp)
        line[groups.of] = np.arange(len(groups.of))
        codes = np.empty((len(self.codes), len(line)), self.codes.dtype)
        codes[attributes] = self.codes[np.ix_(attributes, line)]
        return Table(codes, groups.rows, self.cards, self.total)

    def _groups(self, attributes: Indices, lines: slice, most: float) -> Groups | None:
        rows = self.rows[lines]
        groups, code, values = whole(rows), np.zeros(len(rows), np.intp), 1
        for at in attributes.tolist():
            card = int(self.cards[at])
            if len(groups.rows) * values * card > _KEYS_PER_LINE * len(rows):
                groups = refine(groups, code, values, rows)
                if len(groups.rows) > most:
                    return None
                code, values = np.zeros(len(rows), np.intp), 1
            code, values = code * card + self.codes[at, lines], values * card
        groups = refine(groups, code, values, rows)
        return groups if len(groups.rows) <= most else None
