"""Counts by key: in a dense array where the domain is small, by sorting and merging otherwise.

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

Keys: TypeAlias = NDArray[np.int64]  # words × rows
Codes: TypeAlias = NDArray[np.integer]

_LARGEST_WORD = 2**62
LARGEST_DENSE = 2**26
_MOST_PENDING = 2**22
# A dense array with more cells per row does not pay: it is cleared and searched as a whole.
_CELLS_PER_ROW = 16


@dataclass(frozen=True)
class KeyLayout:
    """Where each attribute stands in a key, given how many values each may have.

    >>> layout = KeyLayout((2, 3))
    >>> keys = layout.keys([(np.arange(2), np.array([0, 1])), (np.arange(3), np.array([2, 0]))])
    >>> keys
    array([[2, 3]])
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

    @property
    def cells(self) -> int:
        """How many assignments there may be."""
        return prod(self.capacities)

    def keys(self, columns: Sequence[tuple[NDArray[np.int64], Codes]]) -> Keys:
        """The key of each line; a column is an array of codes and indices into it by line."""
        keys = np.zeros((len(self.words), len(columns[0][1])), np.int64)
        term = np.empty(keys.shape[1], np.int64)
        for (word, factor), (codes, indices) in zip(self.places, columns, strict=True):
            # With "clip" take is twice as fast, and all indices are in range.
            keys[word] += np.take(codes * factor, indices, out=term, mode="clip")
        return keys

    def codes(self, keys: Keys) -> list[Codes]:
        """The codes of each attribute, from keys."""
        columns = []
        for word, line in zip(self.words[::-1], keys[::-1], strict=True):
            rest = line
            for capacity in word[::-1]:
                higher = rest // capacity
                codes = rest - higher * capacity
                columns.append(codes.astype(code_type(capacity)))
                rest = higher
        return columns[::-1]


class KeyCounter:
    """Counts by key, exact, in memory proportional to the distinct keys."""

    def __init__(
        self,
        layout: KeyLayout,
        *,
        largest_dense: int = LARGEST_DENSE,
        most_pending: int = 2**62,
    ) -> None:
        self.layout = layout
        self._largest_dense, self._most_pending = largest_dense, most_pending
        self._dense: NDArray[np.int64] | None = None
        # The first run holds sorted distinct keys; the others are batches not yet merged.
        self._runs = [(np.zeros((len(layout.words), 0), np.int64), np.zeros(0, np.int64))]
        self._pending = 0

    def add(self, keys: Keys, counts: NDArray[np.int64] | None = None) -> None:
        """Count each key once, or as often as ``counts`` says."""
        if self._dense is not None:
            np.add.at(self._dense, keys[0], 1 if counts is None else counts)
            return
        lines = keys.shape[1]
        self._runs.append((keys, np.ones(lines, np.int64) if counts is None else counts))
        self._pending += lines
        if self._pending > max(min(_MOST_PENDING, self._most_pending), len(self._runs[0][1])):
            self._merge_pending()

    @property
    def distinct(self) -> int:
        """The number of distinct keys merged so far; 0 if they are in a dense array."""
        return len(self._runs[0][1]) if self._runs else 0

    def result(self) -> tuple[Keys, NDArray[np.int64]]:
        """The distinct keys in order, and the count of each."""
        self._merge_pending()
        if self._dense is None:
            return self._runs[0]
        occupied = np.flatnonzero(self._dense)
        return occupied[np.newaxis], self._dense[occupied]

    def with_layout(self, layout: KeyLayout) -> "KeyCounter":
        """The same counts under a layout with more room."""
        keys, counts = self.result()
        same = map(np.arange, self.layout.capacities)
        columns = [*zip(same, self.layout.codes(keys), strict=True)]
        counter = KeyCounter(
            layout, largest_dense=self._largest_dense, most_pending=self._most_pending
        )
        counter.add(layout.keys(columns), counts)
        return counter

    def _merge_pending(self) -> None:
        """Add up pending batches: in a dense array if that pays, else by sorting."""
        if self._dense is None:
            if self.layout.cells > min(self._largest_dense, _CELLS_PER_ROW * self._pending):
                keys = np.concatenate([keys for keys, _ in self._runs], axis=1)
                counts = np.concatenate([counts for _, counts in self._runs])
                self._runs, self._pending = [sum_by_key(keys, counts)], 0
                return
            self._dense = np.zeros(self.layout.cells, np.int64)
        for keys, counts in self._runs:
            np.add.at(self._dense, keys[0], counts)
        self._runs = []


def sum_by_key(keys: Keys, counts: NDArray[np.int64]) -> tuple[Keys, NDArray[np.int64]]:
    """Sort keys and add up the counts of equal ones.

    >>> sum_by_key(np.array([[7, 3, 7]]), np.array([1, 1, 5]))
    (array([[3, 7]]), array([1, 6]))
    """
    order = sort_order(keys)
    keys, counts = keys[:, order], counts[order]
    begins = np.ones(len(counts), bool)
    begins[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    first = np.flatnonzero(begins)
    return keys[:, first], np.add.reduceat(counts, first) if len(first) else counts


def sort_order(keys: Keys) -> NDArray[np.intp]:
    """The order that sorts keys, the first word being the most significant."""
    return np.argsort(keys[0]) if len(keys) == 1 else np.lexsort(keys[::-1])
