"""Batches of independence tests, and the plan by which each set is counted once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.intp]
Floats = NDArray[np.float64]
Numbers = NDArray[np.unsignedinteger]
Matrix = NDArray[np.bool_]

# Sets of attributes are encoded as bits of integers, so many attributes in each.
_WORD = 40
_MANY = 8 * _WORD
_LARGEST_KEY = 2**62


class BatchResults(NamedTuple):
    """Statistic and degrees of freedom of each test."""

    statistic: Floats
    degrees: NDArray[np.int64]

    @classmethod
    def empty(cls, tests: int) -> "BatchResults":
        """Uninitialised results of so many tests, for kernels to fill in."""
        return cls(np.empty(tests), np.empty(tests, np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Tests that condition on equally many attributes, which are given by position.

    ``given`` has an ascending row for each test. ``pools``, if there, says that all subsets of
    ``pools[x]`` and of ``pools[y]`` are going to be asked for, so that it pays to evaluate them
    together.
    """

    x: Indices
    y: Indices
    given: Indices
    pools: Matrix | None = None

    def __len__(self) -> int:
        return len(self.x)

    def take(self, tests: Indices) -> "Batch":
        """Some of the tests."""
        return Batch(self.x[tests], self.y[tests], self.given[tests])

    @classmethod
    def joined(cls, parts: Sequence["Batch"], pools: Matrix | None = None) -> "Batch":
        """Concatenate batches of one depth."""
        return cls(
            np.concatenate([part.x for part in parts]),
            np.concatenate([part.y for part in parts]),
            np.concatenate([part.given for part in parts]),
            pools,
        )


@dataclass(frozen=True, slots=True, eq=False)
class BatchPlan:
    """The tests of a batch grouped by the set of all their attributes.

    ``members`` has an ascending row for each set, and the tests of set i are those from
    ``start[i]`` to ``start[i + 1]``. ``x`` and ``y`` are positions in the row, x the lower.
    ``order`` says where each test stood in the batch.
    """

    members: Indices
    start: Indices
    x: Indices
    y: Indices
    order: Indices

    @classmethod
    def of(cls, batch: Batch, attributes: int) -> "BatchPlan":
        """Group the tests; sets are sorted, so that neighbors share their first members."""
        low, high = np.minimum(batch.x, batch.y), np.maximum(batch.x, batch.y)
        x = (batch.given < low[:, None]).sum(axis=1)
        y = (batch.given < high[:, None]).sum(axis=1) + 1
        number = _number_sets((low, high, *batch.given.T), attributes)
        order = np.argsort(number, kind="stable")
        start = np.flatnonzero(np.diff(number[order], prepend=-1, append=-1))
        first = order[start[:-1]]
        members = np.column_stack((batch.given[first], low[first], high[first]))
        members.sort(axis=1)
        return cls(members, start, x[order], y[order], order)


def _number_sets(columns: tuple[Indices, ...], attributes: int) -> Indices:
    """Number the distinct sets that the rows of the columns hold."""
    if attributes > _WORD and attributes ** len(columns) < _LARGEST_KEY:
        # Few members of many attributes fit into one integer, the last attribute first.
        keys = np.zeros(len(columns[0]), np.int64)
        for column in np.sort(np.column_stack(columns), axis=1).T:
            keys = keys * attributes + (attributes - 1 - column)
        return np.unique(keys, return_inverse=True)[1]
    if attributes > _MANY:
        used = np.unique(columns)  # a wide table has far more attributes than a batch
        columns = tuple(np.searchsorted(used, column) for column in columns)
        attributes = len(used)
    number, count = np.zeros(len(columns[0]), np.intp), 1
    for word in range(0, attributes, _WORD):
        bits = min(_WORD, attributes - word)
        key = number << bits
        for column in columns:
            inside = (column >= word) & (column < word + bits)
            key += np.where(inside, np.int64(1) << (bits - 1 + word - column) % _WORD, 0)
        number, count = _rank(key, count << bits)
    return number


def _rank(keys: Indices, span: int) -> tuple[Indices, int]:
    if span > max(8 * len(keys), 2**14):
        distinct, rank = np.unique(keys, return_inverse=True)
        return rank, len(distinct)
    present = np.zeros(span, bool)
    present[keys] = True
    rank = np.cumsum(present) - 1
    return rank[keys], int(rank[-1]) + 1
