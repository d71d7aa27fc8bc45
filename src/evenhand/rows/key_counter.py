"""Counts by key, by a table of all keys if that is small, else by sorting and merging.

An assignment of codes is packed into an integer key by mixed radix. A table too wide for one
63-bit key has several, its words: then keys are columns of an array with one line per word.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts.count_table import code_type

Keys: TypeAlias = NDArray[np.signedinteger]  # words × rows
Codes: TypeAlias = NDArray[np.integer]

_LARGEST_WORD = 2**62
_LARGEST_SHORT = 2**31 - 1  # keys of 32 bits: half the memory, two thirds of the sorting
MOST_PENDING = 2**21
# Beside the keys that wait, a table of all keys may have so many cells: with them it takes a
# quarter of the time of sorting and merging.
_CELLS_PER_KEY = 16
_MOST_CELLS = 1 << 25
_MOST_IN_TABLE = 2**31 - 1  # rows
_LINES_AT_ONCE = 1 << 16  # temporary arrays stay in the cache


@dataclass(frozen=True)
class KeyLayout:
    """Where each attribute stands in a key, given how many values each may have.

    >>> layout = KeyLayout((2, 3))
    >>> keys = layout.keys([(np.arange(2), np.array([0, 1])), (np.arange(3), np.array([2, 0]))])
    >>> keys.tolist()
    [[2, 3]]
    >>> [column.tolist() for column in layout.codes(keys)]
    [[0, 1], [2, 0]]
    """

    capacities: tuple[int, ...]

    @cached_property
    def words(self) -> tuple[tuple[int, ...], ...]:
        """The capacities in groups, each of which fits one integer."""
        words: list[list[int]] = [[]]
        for capacity in self.capacities:
            if prod(words[-1]) * capacity > _LARGEST_WORD:
                words.append([])
            words[-1].append(capacity)
        return tuple(map(tuple, words))

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """The word of each attribute, and the factor of its code in there."""
        return tuple(
            (number, prod(word[position + 1 :]))
            for number, word in enumerate(self.words)
            for position in range(len(word))
        )

    def keys(self, columns: Sequence[tuple[NDArray[np.int64], Codes]]) -> Keys:
        """The key of each line; a column is an array of codes and indices into it by line."""
        short = prod(self.capacities) <= _LARGEST_SHORT
        keys = np.zeros((len(self.words), len(columns[0][1])), np.int32 if short else np.int64)
        term = np.empty(keys.shape[1], keys.dtype)
        for (word, factor), (codes, indices) in zip(self.places, columns, strict=True):
            # With "clip" take is twice as fast, and all indices are in range.
            terms = (codes * factor).astype(keys.dtype)
            keys[word] += np.take(terms, indices, out=term, mode="clip")
        return keys

    def codes(self, keys: Keys) -> list[Codes]:
        """The codes of each attribute, from keys."""
        lines = keys.shape[1]
        columns = [np.empty(lines, code_type(capacity)) for capacity in self.capacities]
        for begin in range(0, lines, _LINES_AT_ONCE):
            part = slice(begin, begin + _LINES_AT_ONCE)
            last = iter(columns[::-1])
            for word, line in zip(self.words[::-1], keys[::-1], strict=True):
                rest = line[part]
                for capacity in word[::-1]:
                    higher = rest // capacity
                    next(last)[part] = rest - higher * capacity
                    rest = higher
        return columns


class KeyCounter:
    """Counts by key, exact, in memory proportional to the distinct keys and those waiting."""

    def __init__(self, layout: KeyLayout, *, most_pending: int = MOST_PENDING) -> None:
        self.layout = layout
        self._most_pending = most_pending
        # Sorted distinct keys with their counts, and batches that are not yet merged.
        self._merged = np.zeros((len(layout.words), 0), np.int64), np.zeros(0, np.int64)
        self._pending: list[tuple[Keys, NDArray[np.int64] | None]] = []
        self._waiting = 0
        self._table = np.zeros(0, np.int32)  # the count of each key that can be
        self._table_rows = 0
        self.distinct = 0  # keys but for those pending; one may be merged and in the table, too

    def add(self, keys: Keys, counts: NDArray[np.int64] | None = None) -> None:
        """Count each key once, or as often as ``counts`` says."""
        if keys.shape[1]:
            self._pending.append((keys, counts))
        self._waiting += keys.shape[1]
        if self._waiting > max(self._most_pending, self.distinct):
            self._count_pending()

    def result(self) -> tuple[Keys, NDArray[np.int64]]:
        """The distinct keys in order, and the count of each."""
        self._count_pending()
        self._merge([self._take_table()])
        return self._merged

    def _count_pending(self) -> None:
        """Count the pending keys: by the table if it is small beside them, else by sorting."""
        pending, waiting = self._pending, self._waiting
        self._pending, self._waiting = [], 0
        counted = [(keys, counts) for keys, counts in pending if counts is not None]
        single = [keys for keys, counts in pending if counts is None]
        del pending
        runs = [_merge(counted)] if counted else []
        cells = prod(self.layout.capacities)
        if single and (self._table_rows or cells <= min(_CELLS_PER_KEY * waiting, _MOST_CELLS)):
            if self._table_rows + waiting > _MOST_IN_TABLE:
                runs.append(self._take_table())
            if not self._table_rows:
                self._table = np.zeros(cells, np.int32)
            for keys in single:
                np.add.at(self._table, keys[0], np.int32(1))
            self._table_rows += waiting
        elif single:
            runs.append(_sorted_run(single))
        self._merge(runs)

    def _take_table(self) -> tuple[Keys, NDArray[np.int64]]:
        """The keys that the table has counted, which is empty then."""
        keys = np.flatnonzero(self._table)
        counts = self._table[keys].astype(np.int64)
        self._table, self._table_rows = np.zeros(0, np.int32), 0
        return keys[np.newaxis], counts

    def _merge(self, runs: Sequence[tuple[Keys, NDArray[np.int64]]]) -> None:
        """Add runs of sorted distinct keys, with their counts, to those merged before."""
        full = [run for run in (self._merged, *runs) if len(run[1])]
        if full:
            self._merged = _merge(full) if full[1:] else full[0]
        self.distinct = len(self._merged[1]) + int(np.count_nonzero(self._table))

    def with_layout(self, layout: KeyLayout) -> "KeyCounter":
        """The same counts under a layout with more room."""
        keys, counts = self.result()
        columns = [
            *zip(map(np.arange, layout.capacities), self.layout.codes(keys), strict=True)
        ]
        counter = KeyCounter(layout, most_pending=self._most_pending)
        counter.add(layout.keys(columns), counts)
        return counter


def _sorted_run(single: list[Keys]) -> tuple[Keys, NDArray[np.int64]]:
    """The distinct keys in order, and how often each occurs."""
    # Keys alone are sorted in a third of the time of their order.
    keys = np.concatenate(single, axis=1)
    single.clear()  # they take as much memory again
    if len(keys) == 1:
        keys.sort()
    else:
        keys = keys[:, sort_order(keys)]
    first = _first_of_each(keys)
    return keys[:, first], np.diff(first, append=keys.shape[1])


def _merge(runs: Sequence[tuple[Keys, NDArray[np.int64]]]) -> tuple[Keys, NDArray[np.int64]]:
    """Sort keys and add up the counts of equal ones.

    >>> _merge([(np.array([[7, 3]]), np.array([1, 1])), (np.array([[7]]), np.array([5]))])
    (array([[3, 7]]), array([1, 6]))
    """
    keys = np.concatenate([keys for keys, _ in runs], axis=1)
    counts = np.concatenate([counts for _, counts in runs])
    order = sort_order(keys)
    keys, counts = keys[:, order], counts[order]
    first = _first_of_each(keys)
    return keys[:, first], np.add.reduceat(counts, first) if len(first) else counts


def _first_of_each(keys: Keys) -> NDArray[np.intp]:
    """Where each distinct key begins in sorted keys."""
    begins = np.ones(keys.shape[1], bool)
    begins[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    return np.flatnonzero(begins)


def sort_order(keys: Keys) -> NDArray[np.intp]:
    """The order that sorts keys, the first word being the most significant.

    >>> sort_order(np.array([[7, 3, 5]]))
    array([1, 2, 0])
    """
    if len(keys) > 1:
        return np.lexsort(keys[::-1])
    lines = keys.shape[1]
    bits = lines.bit_length()
    if not lines or int(keys[0].max()) >= _LARGEST_WORD >> bits:
        return np.argsort(keys[0])
    # A key and its line in one number: sorted in half the time of an order.
    numbered: NDArray[np.int64] = (keys[0].astype(np.int64) << bits) | np.arange(lines)
    numbered.sort()
    numbered &= (1 << bits) - 1
    return numbered
