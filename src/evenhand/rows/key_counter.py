"""Counts by key: in a dense array where the domain is small, by sorting and merging otherwise.

An assignment of codes is packed into an integer key by mixed radix. A table too wide for one
63-bit key has several, its words: then keys are columns of an array with one line per word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts.count_table import code_type

Keys: TypeAlias = NDArray[np.signedinteger]  # words × rows
Codes: TypeAlias = NDArray[np.integer]
_Dense: TypeAlias = NDArray[np.signedinteger]
_Batch: TypeAlias = tuple[Keys, NDArray[np.int64] | None]

_LARGEST_WORD = 2**62
_LARGEST_SHORT = (
    2**31 - 1
)  # keys and counts of 32 bits: half the memory, two thirds of the sorting
LARGEST_DENSE = 2**26
_MOST_PENDING = 2**22
# A dense array with more cells per row does not pay: it is cleared and searched as a whole.
_CELLS_PER_ROW = 16
# Lines whose codes are worked out at a time: temporary arrays stay in the cache.
_LINES_AT_ONCE = 1 << 16


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

    @property
    def cells(self) -> int:
        """How many assignments there may be."""
        return prod(self.capacities)

    def keys(self, columns: Sequence[tuple[NDArray[np.int64], Codes]]) -> Keys:
        """The key of each line; a column is an array of codes and indices into it by line."""
        short = self.cells <= _LARGEST_SHORT
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
        self._dense: _Dense | None = None
        self._rows = 0.0  # exact as long as it matters
        # Sorted distinct keys with their counts, and batches that are not yet merged.
        self._merged = _no_keys(layout)
        self._pending: list[_Batch] = []
        self._waiting = 0

    def add(self, keys: Keys, counts: NDArray[np.int64] | None = None) -> None:
        """Count each key once, or as often as ``counts`` says."""
        lines = keys.shape[1]
        self._rows += lines if counts is None else float(counts.sum(dtype=np.float64))
        if self._dense is not None:
            self._dense = self._added(self._dense, keys, counts)
            return
        self._pending.append((keys, counts))
        self._waiting += lines
        if self._waiting > max(min(_MOST_PENDING, self._most_pending), self.distinct):
            self._merge_pending()

    @property
    def distinct(self) -> int:
        """The number of distinct keys merged so far; 0 if they are in a dense array."""
        return len(self._merged[1])

    def result(self) -> tuple[Keys, NDArray[np.int64]]:
        """The distinct keys in order, and the count of each."""
        self._merge_pending()
        if self._dense is None:
            return self._merged
        occupied = np.flatnonzero(self._dense)
        return occupied[np.newaxis], self._dense[occupied].astype(np.int64)

    def with_layout(self, layout: KeyLayout) -> "KeyCounter":
        """The same counts under a layout with more room."""
        keys, counts = self.result()
        columns = [
            *zip(map(np.arange, layout.capacities), self.layout.codes(keys), strict=True)
        ]
        counter = KeyCounter(
            layout, largest_dense=self._largest_dense, most_pending=self._most_pending
        )
        counter.add(layout.keys(columns), counts)
        return counter

    def _merge_pending(self) -> None:
        """Add up pending batches: in a dense array if that pays, else by sorting."""
        pending, self._pending = self._pending, []
        waiting, self._waiting = self._waiting, 0
        if not pending:
            return
        if self.layout.cells > min(self._largest_dense, _CELLS_PER_ROW * waiting):
            self._merged = _merge([self._merged, *_summed(pending)])
            return
        dense: _Dense = np.zeros(self.layout.cells, np.int32)
        for keys, counts in (self._merged, *pending):
            dense = self._added(dense, keys, counts)
        self._dense, self._merged = dense, _no_keys(self.layout)

    def _added(self, dense: _Dense, keys: Keys, counts: NDArray[np.int64] | None) -> _Dense:
        if self._rows > _LARGEST_SHORT:
            dense = dense.astype(np.int64, copy=False)
        kind = dense.dtype.type
        np.add.at(dense, keys[0], kind(1) if counts is None else counts.astype(kind))
        return dense


def _no_keys(layout: KeyLayout) -> tuple[Keys, NDArray[np.int64]]:
    return np.zeros((len(layout.words), 0), np.int64), np.zeros(0, np.int64)


def _summed(batches: Sequence[_Batch]) -> Iterator[tuple[Keys, NDArray[np.int64]]]:
    """The batches as sorted distinct keys with their counts.

    Where each key counts once, keys alone are sorted: a third of the time of sorting an order.
    """
    single = [keys for keys, counts in batches if counts is None]
    if single:
        keys = np.concatenate(single, axis=1)
        keys = np.sort(keys) if len(keys) == 1 else keys[:, sort_order(keys)]
        first = _first_of_each(keys)
        yield keys[:, first], np.diff(first, append=keys.shape[1])
    for keys, counts in batches:
        if counts is not None:
            yield keys, counts


def _merge(runs: Sequence[tuple[Keys, NDArray[np.int64]]]) -> tuple[Keys, NDArray[np.int64]]:
    """Sort keys and add up the counts of equal ones.

    >>> _merge([(np.array([[7, 3]]), np.array([1, 1])), (np.array([[7]]), np.array([5]))])
    (array([[3, 7]]), array([1, 6]))
    """
    filled = [run for run in runs if len(run[1])]
    if not filled or (len(filled) == 1 and _is_sorted(filled[0][0])):
        return (filled or runs)[0]
    keys = np.concatenate([keys for keys, _ in filled], axis=1)
    counts = np.concatenate([counts for _, counts in filled])
    order = sort_order(keys)
    keys, counts = keys[:, order], counts[order]
    first = _first_of_each(keys)
    return keys[:, first], np.add.reduceat(counts, first)


def _is_sorted(keys: Keys) -> bool:
    """Whether keys of one word are distinct and in order."""
    return len(keys) == 1 and bool((keys[0, 1:] > keys[0, :-1]).all())


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
