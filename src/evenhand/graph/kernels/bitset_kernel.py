"""Tests by intersecting columns that are packed into bits, for tables whose lines hardly merge.

How many rows have value u of one column, v of another and so on is the number of bits in an
intersection. Combinations in which some column has its first value need none: their rows are
those of the fewer columns, less what the other values have. So a set of three binary columns
needs one intersection beyond those of its pairs, which are cached and serve many sets. The
counts are the same whole numbers as in the cubes of ``numpy_kernel``, and go through the same
formulas.
"""

from collections.abc import Iterator
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from evenhand.graph.kernels import numpy_kernel
from evenhand.graph.kernels.batch import BatchPlan, BatchResults, CodedTable, Floats, Indices

Words = NDArray[np.uint64]
Keys = NDArray[np.int64]

# Columns of more values are not packed.
MOST_VALUES = 8

# So many words are intersected at a time: a megabyte stays in the processor's cache.
_BLOCK_WORDS = 2**17
# About so many counts are cached.
_MOST_CACHED = 2**22
# Sets are counted up to so many cells at a time, which bounds the memory.
_BLOCK_CELLS = 2**19
# Tests of one shape are evaluated up to so many cells at a time.
_STACKED_CELLS = 2**15


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


class BitsetKernel:
    """Evaluates tests on one table."""

    def __init__(self, table: CodedTable) -> None:
        self.table = table
        self._counts: JointCounts | None = None

    def run(self, plan: BatchPlan, sets: Indices, test: str, results: BatchResults) -> None:
        """Fill in the results of the tests of some sets."""
        if not len(sets):
            return
        if self._counts is None:
            self._counts = JointCounts(self.table)
        cells = self.table.cards[plan.members[sets]].prod(axis=1)
        block = np.cumsum(cells) // _BLOCK_CELLS
        for some in np.split(sets, np.flatnonzero(np.diff(block)) + 1):
            waiting: dict[tuple[int, ...], list[tuple[Indices, Floats]]] = {}
            for tests, strata in self._by_strata(self._counts, plan, some):
                shape = (*strata.shape[:2], strata.shape[3])
                waiting.setdefault(shape, []).append((tests, strata))
            for parts in waiting.values():
                _evaluate(
                    np.concatenate([tests for tests, _ in parts]),
                    np.concatenate([strata for _, strata in parts], axis=2),
                    test,
                    results,
                )

    def _by_strata(
        self, counts: JointCounts, plan: BatchPlan, sets: Indices
    ) -> Iterator[tuple[Indices, Floats]]:
        """Tests with their cells by the values of both ends, by test and by stratum."""
        begin, end = plan.start[sets], plan.start[sets + 1]
        of = np.repeat(np.arange(len(sets)), end - begin)
        test = np.arange(len(of)) + np.repeat(end - np.cumsum(end - begin), end - begin)
        for chosen, cubes in counts.cubes(plan.members[sets]):
            place = np.full(len(sets), -1)
            place[chosen] = np.arange(len(chosen))
            here = np.flatnonzero(place[of] >= 0)
            ends = plan.x[test[here]] * cubes.ndim + plan.y[test[here]]
            for pair in np.unique(ends).tolist():
                x, y = divmod(pair, cubes.ndim)
                some = here[ends == pair]
                cells = np.moveaxis(cubes[place[of[some]]], (x + 1, y + 1), (0, 1))
                yield test[some], cells.reshape(*cells.shape[:3], prod(cells.shape[3:]))


def _evaluate(tests: Indices, strata: Floats, test: str, results: BatchResults) -> None:
    """Evaluate tests of one shape, some at a time."""
    step = 1 + _STACKED_CELLS * len(tests) // strata.size
    for begin in range(0, len(tests), step):
        # In the order of numpy_kernel's arrays, so that sums are rounded as there.
        cells = np.array(strata[:, :, begin : begin + step], order="C")
        numpy_kernel.evaluate_tests(tests[begin : begin + step], cells, test, results)
