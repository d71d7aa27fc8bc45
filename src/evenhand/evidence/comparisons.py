"""Comparisons: every pair of groups in every subpopulation in which both occur.

Many of them have the same counts: what these tell is worked out once for each distinct table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.verdict import INT64_END, sides

Counts: TypeAlias = NDArray[np.int64]
Results: TypeAlias = tuple[NDArray[Any], ...]

# Tables of a block stay in the processor's cache.
_BLOCK = 1 << 14
# With at most so many possible keys for each line a table of all keys is shorter than sorting.
_FEW_KEYS = 2


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Two groups in one subpopulation each, as columns: favorable decisions and rows of both.

    ``line`` is the subpopulation, ``pair`` the index in ``pairs`` of groups and ``cut`` that of
    the decisions that count as favorable. Two groups and two decisions give one comparison for
    each subpopulation in which both groups occur.
    """

    line: NDArray[np.intp]
    pair: NDArray[np.intp]
    cut: NDArray[np.intp]
    group_yes: Counts
    group: Counts
    other_yes: Counts
    other: Counts
    threshold: Fraction
    pairs: tuple[tuple[int, int], ...] = ((0, 1),)
    cuts: int = 1

    @classmethod
    def of(
        cls,
        favorable: NDArray[np.int64],
        rows: NDArray[np.int64],
        pairs: Sequence[tuple[int, int]],
        *,
        least_rows: int,
        threshold: Fraction,
    ) -> "Comparisons":
        """Compare favorable decisions, by cut, group and line, of rows by group and line."""
        first, second = np.array(pairs, np.intp).reshape(-1, 2).T
        present = rows >= least_rows
        pair, line = np.nonzero(present[first] & present[second])
        a, b = first[pair], second[pair]
        cuts = len(favorable)
        return cls(
            np.tile(line, cuts),
            np.tile(pair, cuts),
            np.repeat(np.arange(cuts), len(line)),
            favorable[:, a, line].ravel(),
            np.tile(rows[a, line], cuts),
            favorable[:, b, line].ravel(),
            np.tile(rows[b, line], cuts),
            threshold,
            tuple(pairs),
            cuts,
        )

    def __len__(self) -> int:
        return len(self.line)

    @property
    def tables(self) -> tuple[Counts, Counts, Counts, Counts]:
        """Favorable decisions and rows of the group, then of the others."""
        return self.group_yes, self.group, self.other_yes, self.other

    @property
    def mean(self) -> NDArray[np.intp]:
        """Which mean each comparison belongs to: one for each cut and pair, in this order."""
        return self.cut * len(self.pairs) + self.pair

    @property
    def means(self) -> int:
        """How many pairs of groups are compared, by how many cuts."""
        return self.cuts * len(self.pairs)

    def groups_compared(self, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Which groups, by line, are compared with another."""
        compared = np.zeros(shape, bool)
        for end in np.array(self.pairs, np.intp).reshape(-1, 2).T:
            compared[end[self.pair], self.line] = True
        return compared

    @property
    def row_counts(self) -> NDArray[np.int64]:
        """The rows of both groups."""
        return self.group + self.other

    @cached_property
    def side(self) -> NDArray[np.int8]:
        """1 where the difference is at or above the threshold, -1 at or below its negative."""
        return sides(*self.tables, self.threshold)

    def of_mean(self, at: int) -> "Comparisons":
        """The comparisons of one pair of groups by one cut."""
        if self.means == 1:
            return self
        own = self.mean == at
        a, n, b, m = (column[own] for column in self.tables)
        places = (self.line[own], self.pair[own], self.cut[own])
        return Comparisons(*places, a, n, b, m, self.threshold)

    def widest(self, lines: int) -> NDArray[np.intp]:
        """For each of so many lines its largest difference, or -1; on a tie the first."""
        a, n, b, m = (column.astype(float) for column in self.tables)
        size = abs(a * m - b * n) / (n * m)
        widest = np.full(lines, -1)
        order = np.lexsort((-np.arange(len(self)), size))
        widest[self.line[order]] = order
        # Differences that floats do not tell apart are compared exactly.
        near = np.flatnonzero(size >= size[widest[self.line]] * (1 - 1e-12))
        for at in near[self._exceeds(near, widest[self.line[near]])].tolist():
            if self._exceeds(np.array([at]), widest[self.line[[at]]])[0]:
                widest[self.line[at]] = at
        return widest

    def _exceeds(self, these: NDArray[np.intp], those: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which of these differences are larger than those, or as large and earlier."""
        largest = int(self.row_counts.max(initial=0)) ** 4
        integer = np.int64 if largest < INT64_END else object
        sides = []
        for at in (these, those):
            a, n, b, m = (column[at].astype(integer) for column in self.tables)
            sides.append((abs(b * n - a * m), n * m))
        (size, scale), (other_size, other_scale) = sides
        left, right = size * other_scale, other_size * scale
        return np.asarray((left > right) | ((left == right) & (these < those)), bool)

    def texts(self, at: NDArray[np.intp]) -> list[str | None]:
        """Differences as fractions in lowest terms, None for -1."""
        if not len(self):
            return [None] * len(at)
        largest = int(self.row_counts.max()) ** 2
        integer = np.int64 if largest < INT64_END else object
        a, n, b, m = (column[at].astype(integer) for column in self.tables)
        crossed, scale = b * n - a * m, n * m
        common = np.gcd(crossed, scale)
        pairs = zip((crossed // common).tolist(), (scale // common).tolist(), strict=True)
        texts = (f"{top}/{bottom}" if bottom != 1 else str(top) for top, bottom in pairs)
        absent = (at < 0).tolist()
        return [None if is_absent else t for is_absent, t in zip(absent, texts, strict=True)]

    def difference(self, at: int) -> Fraction:
        """The others' rate of favorable decisions minus the group's."""
        a, n, b, m = (int(column[at]) for column in self.tables)
        return Fraction(b * n - a * m, n * m)


def for_each_distinct(function: Callable[..., Results], *columns: Counts) -> Results:
    """The function's arrays for columns of counts; equal lines are worked out once.

    >>> twice = lambda counts: (2 * counts,)
    >>> for_each_distinct(twice, np.array([3, 1, 3]))
    (array([6, 2, 6]),)
    """
    first, which = distinct_lines(*columns)
    distinct = [column[first] for column in columns]
    blocks = [
        function(*(column[start : start + _BLOCK] for column in distinct))
        for start in range(0, max(len(first), 1), _BLOCK)
    ]
    return tuple(np.concatenate(parts)[which] for parts in zip(*blocks, strict=True))


def distinct_lines(*columns: Counts) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each distinct line stands, in order of the last column, and which each line is."""
    spans = [int(column.max(initial=0)) + 1 for column in columns]
    keys = int(np.prod(np.array(spans, object)))
    if keys < INT64_END:
        key = np.zeros(len(columns[0]), np.int64)
        for column, span in zip(reversed(columns), reversed(spans), strict=True):
            key = key * span + column
        if keys < _FEW_KEYS * len(key):  # without sorting: 14 times as fast for a million lines
            first = np.full(keys, -1)
            first[key] = np.arange(len(key))
            present = first >= 0
            return first[present], (np.cumsum(present) - 1)[key]
        order = np.argsort(key)
        new = np.diff(key[order], prepend=-1) != 0
    else:
        order = np.lexsort(columns)
        new = np.ones(len(order), np.bool_)
        new[1:] = np.any([np.diff(column[order]) != 0 for column in columns], axis=0)
    which = np.empty(len(order), np.intp)
    which[order] = np.cumsum(new) - 1
    return order[new], which
