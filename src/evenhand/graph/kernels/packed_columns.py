"""Columns packed into bits: how many rows have some values together is a count of bits."""

import numpy as np
from numpy.typing import NDArray

from evenhand.graph.kernels.batch import Floats, Indices
from evenhand.graph.kernels.coded_table import CodedTable

Words = NDArray[np.uint64]

# Columns of more values are not packed.
MOST_VALUES = 8

# So many words are intersected at a time: a megabyte stays in the processor's cache.
_BLOCK_WORDS = 2**17


class PackedColumns:
    """For each value of a column but the first, a bit for each line that has it.

    A line of count 5 = 4 + 1 has a bit in the plane of fours and one in the plane of ones.
    Planes have only the lines that need them, so a table whose counts are all one has a single
    plane. Rows are then the bits of each plane times its power of two.

    ``first[a]`` is where the values of column a begin among the ``words``.
    """

    def __init__(self, table: CodedTable) -> None:
        self.table = table
        self.beyond = np.where(table.cards <= MOST_VALUES, table.cards - 1, 0)
        self.first = np.cumsum(self.beyond) - self.beyond
        # By power of two: the lines, and where their words begin and end.
        self._planes: list[tuple[int, NDArray[np.uint32], int, int]] = []
        counts, end = table.rows.astype(np.int64), 0
        for power in range(int(counts.max(initial=0)).bit_length()):
            lines = np.flatnonzero(counts >> power & 1).astype(np.uint32)
            begin, end = end, end + -(-len(lines) // 64)
            self._planes.append((power, lines, begin, end))
        self.words: Words = np.zeros((int(self.beyond.sum()), end), np.uint64)
        self._done = np.zeros(len(table.cards), bool)

    def pack(self, columns: Indices) -> None:
        """Pack the columns that are not packed yet."""
        for column in np.unique(columns[~self._done[columns]]).tolist():
            codes, first = self.table.codes[column], self.first[column]
            for _, lines, begin, end in self._planes:
                inside = codes if len(lines) == len(codes) else codes[lines]
                for value in range(self.beyond[column]):
                    bits = np.packbits(inside == value + 1)
                    self.words[first + value, begin:end].view(np.uint8)[: len(bits)] = bits
        self._done[columns] = True

    def rows_with(self, values: Indices) -> Floats:
        """For each row of ``values``, which are rows of the words: the rows that have all."""
        counts = np.zeros(len(values))
        # Whether the values up to a column are others than in the row before.
        changed = np.ones(values.shape, bool)
        np.logical_or.accumulate(values[1:] != values[:-1], axis=1, out=changed[1:])
        changed[:, -1] = True
        step = max(1, _BLOCK_WORDS // max(1, self.words.shape[1]))
        for begin in range(0, len(values), step):
            some = slice(begin, begin + step)
            changed[begin] = True
            bits = np.bitwise_count(self._intersections(values[some], changed[some]))
            for power, _, start, end in self._planes:
                # 32-bit sums take half as long as 64-bit ones.
                ones = bits[:, start:end].sum(axis=1, dtype=np.uint32)
                counts[some] += ones * 2.0**power
        return counts

    def _intersections(self, values: Indices, changed: NDArray[np.bool_]) -> Words:
        """The bits of each row; rows that begin alike share the intersections so far."""
        begin = np.flatnonzero(changed[:, 0])
        words: Words = self.words[values[begin, 0]]
        for at in range(1, values.shape[1]):
            finer = np.flatnonzero(changed[:, at])
            more = self.words[values[finer, at]]
            if 1 < len(begin) < len(finer):
                words = words[np.searchsorted(begin, finer, "right") - 1]
            more &= words
            words, begin = more, finer
        return words
