"""Joint counts of sets of columns, from intersections of packed columns.

How many rows have value u of one column, v of another and so on is the number of bits in an
intersection. Combinations in which some column has its first value need none: their rows are
those of the fewer columns, less what the other values have. So a set of three binary columns
needs one intersection beyond those of its pairs, which are cached and serve many sets.
"""

from collections.abc import Iterator
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from evenhand.graph.kernels.batch import Floats, Indices
from evenhand.graph.kernels.coded_table import CodedTable
from evenhand.graph.kernels.packed_columns import PackedColumns

# About so many counts are cached.
_MOST_CACHED = 2**22

Keys = NDArray[np.int64]


class JointCounts:
    """Counts sets of columns of one table, and caches the intersections.

    ``rows`` has the rows of all intersections: those of a set stand together, one for each
    combination of values beyond the first.
    """

    def __init__(self, table: CodedTable) -> None:
        self.table = table
        self.packed = PackedColumns(table)
        self.rows: Floats = np.empty(0)
        # By the size of sets: their keys, ascending, and where their rows begin.
        self._known: dict[int, tuple[Keys, Indices]] = {}
        kinds, self._kind = np.unique(table.cards, return_inverse=True)
        self._kinds = len(kinds)

    def cubes(self, members: Indices) -> Iterator[tuple[Indices, Floats]]:
        """Sets of the same shape, and a cube for each: rows by the values of its columns.

        ``members`` has an ascending row for each set.
        """
        if len(self.rows) > _MOST_CACHED:
            self.rows, self._known = np.empty(0), {}
        size = members.shape[1]
        begins: dict[tuple[int, ...], Indices] = {}
        for fewer in range(1, size + 1):
            subsets = list(combinations(range(size), fewer))
            begin = self._begin(members[:, subsets].reshape(-1, fewer))
            begins.update(zip(subsets, begin.reshape(len(members), -1).T, strict=True))
        shapes = _keys(self._kind[members], self._kinds)
        for shape in np.unique(shapes):
            chosen = np.flatnonzero(shapes == shape)
            cards = self.table.cards[members[chosen[0]]].tolist()
            cubes = np.empty((len(chosen), *cards))
            cubes.reshape(len(chosen), -1)[:, 0] = self.table.total
            for subset, begin in begins.items():
                inside = [slice(1, None) if at in subset else slice(1) for at in range(size)]
                part = cubes[(slice(None), *inside)]
                at = begin[chosen, None] + np.arange(prod(part.shape[1:]))
                part[...] = self.rows[at].reshape(part.shape)
            # What stands at the first value is of all values so far.
            for axis in range(1, size + 1):
                by_value = np.moveaxis(cubes, axis, 0)
                for value in range(1, len(by_value)):
                    by_value[0] -= by_value[value]
            yield chosen, cubes

    def _begin(self, sets: Indices) -> Indices:
        """Where the rows of each set begin; counts those that are not known."""
        columns, size = len(self.table.cards), sets.shape[1]
        keys = _keys(sets, columns)
        known, begin = self._known.get(size, (np.empty(0, np.int64), np.empty(0, np.intp)))
        wanted = np.unique(keys)
        at = np.searchsorted(known, wanted)
        fresh = wanted[np.append(known, -1)[at] != wanted]
        if len(fresh):
            powers = columns ** np.arange(size - 1, -1, -1)
            counted, lengths = self._count(fresh[:, None] // powers % columns)
            fresh_begin = len(self.rows) + np.cumsum(lengths) - lengths
            self.rows = np.concatenate((self.rows, counted))
            at = np.searchsorted(known, fresh)
            known, begin = np.insert(known, at, fresh), np.insert(begin, at, fresh_begin)
            self._known[size] = known, begin
        return begin[np.searchsorted(known, keys)]

    def _count(self, sets: Indices) -> tuple[Floats, Indices]:
        """The rows of all intersections of each set, and how many these are."""
        self.packed.pack(sets.reshape(-1))
        beyond = self.packed.beyond[sets]
        lengths = beyond.prod(axis=1)
        of = np.repeat(np.arange(len(sets)), lengths)
        number = np.arange(len(of)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        values = self.packed.first[sets][of]
        for at in range(sets.shape[1] - 1, -1, -1):
            number, value = np.divmod(number, beyond[of, at])
            values[:, at] += value
        return self.packed.rows_with(values), lengths


def _keys(rows: Indices, base: int) -> Keys:
    """One number for each row of numbers that are less than ``base``."""
    keys = np.zeros(len(rows), np.int64)
    for column in rows.T:
        keys = keys * base + column
    return keys
