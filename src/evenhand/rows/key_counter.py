"""Adding up keys: dense where the domain is small, sorted and merged otherwise.

An assignment of codes becomes a key by mixed radix. A table that is too wide for one 63-bit key
has several, its words; then keys are columns of an array with one line for each word.
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
_MOST_WAITING = 2**22
# A dense array pays when rows are not too thin in it: it is cleared and searched as a whole.
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
        """The key of each line; a column is a table of codes, and for each line where in it."""
        keys = np.zeros((len(self.words), len(columns[0][1])), np.int64)
        part = np.empty(keys.shape[1], np.int64)
        for (word, factor), (codes, indices) in zip(self.places, columns, strict=True):
            # With "clip" take is twice as fast, and all indices are in range.
            keys[word] += np.take(codes * factor, indices, out=part, mode="clip")
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
        most_waiting: int = 2**62,
    ) -> None:
        self.layout = layout
        self._largest_dense, self._most_waiting = largest_dense, most_waiting
        self._dense: NDArray[np.int64] | None = None
        # The first is a sorted run of distinct keys; what comes after is as it came.
        self._runs = [(np.zeros((len(layout.words), 0), np.int64), np.zeros(0, np.int64))]
        self._waiting = 0

    def add(self, keys: Keys, counts: NDArray[np.int64] | None = None) -> None:
        """Count each key once, or as often as ``counts`` says."""
        if self._dense is not None:
            np.add.at(self._dense, keys[0], 1 if counts is None else counts)
            return
        lines = keys.shape[1]
        self._runs.append((keys, np.ones(lines, np.int64) if counts is None else counts))
        self._waiting += lines
        if self._waiting > max(min(_MOST_WAITING, self._most_waiting), len(self._runs[0][1])):
            self._settle()

    @property
    def distinct(self) -> int:
        """How many distinct keys there are, as far as they were added up; 0 if in an array."""
        return len(self._runs[0][1]) if self._runs else 0

    def content(self) -> tuple[Keys, NDArray[np.int64]]:
        """The distinct keys in order, and the count of each."""
        self._settle()
        if self._dense is None:
            return self._runs[0]
        occupied = np.flatnonzero(self._dense)
        return occupied[np.newaxis], self._dense[occupied]

    def laid_out(self, layout: KeyLayout) -> "KeyCounter":
        """The same counts under a roomier layout."""
        keys, counts = self.content()
        same = map(np.arange, self.layout.capacities)
        columns = [*zip(same, self.layout.codes(keys), strict=True)]
        tally = KeyCounter(
            layout, largest_dense=self._largest_dense, most_waiting=self._most_waiting
        )
        tally.add(layout.keys(columns), counts)
        return tally

    def _settle(self) -> None:
        """Add up what is waiting: in a dense array if that pays, else by sorting."""
        if self._dense is None:
            if self.layout.cells > min(self._largest_dense, _CELLS_PER_ROW * self._waiting):
                keys = np.concatenate([keys for keys, _ in self._runs], axis=1)
                counts = np.concatenate([counts for _, counts in self._runs])
                self._runs, self._waiting = [merged(keys, counts)], 0
                return
            self._dense = np.zeros(self.layout.cells, np.int64)
        for keys, counts in self._runs:
            np.add.at(self._dense, keys[0], counts)
        self._runs = []


def merged(keys: Keys, counts: NDArray[np.int64]) -> tuple[Keys, NDArray[np.int64]]:
    """Sort keys and add up the counts of equal ones.

    >>> merged(np.array([[7, 3, 7]]), np.array([1, 1, 5]))
    (array([[3, 7]]), array([1, 6]))
    """
    order = sorting(keys)
    keys, counts = keys[:, order], counts[order]
    begins = np.ones(len(counts), bool)
    begins[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
    first = np.flatnonzero(begins)
    return keys[:, first], np.add.reduceat(counts, first) if len(first) else counts


def sorting(keys: Keys) -> NDArray[np.intp]:
    """The order that sorts keys, the first word being the most significant."""
    return np.argsort(keys[0]) if len(keys) == 1 else np.lexsort(keys[::-1])
