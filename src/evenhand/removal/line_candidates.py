"""Pairs of favorable counts among which the best of a line is found at any prices.

The counts i of the group that may take fewer are listed; each leaves a range to the other's
count j, whose best value at any price is its old one, clipped into the range, or an end of it.
In a line with very many counts only those near a corner of its cost are listed, and the corners
themselves as real numbers: their minimum is never above that of all counts.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.removal.linear_effects import Counts, JointProblem

Floats = NDArray[np.float64]
Index = NDArray[np.int64]
_Numbers: TypeAlias = NDArray[Any]  # whole, or real for corners

_MOST_CANDIDATES = 2**24
_MOST_IN_LINE, _LEAST_IN_LINE = 512, 64


class _Side(NamedTuple):
    """One group of each line: its old count, its limits and its rows."""

    old: Counts
    low: Counts
    high: Counts
    size: Counts

    def of(self, which: Index) -> "_Side":
        return _Side(*(part[which] for part in self))


class _Lines(NamedTuple):
    """Lines, the group whose counts are listed in each, that group and the other one."""

    line: Index
    group: Index
    own: _Side
    other: _Side

    def of(self, which: Index) -> "_Lines":
        own, other = self.own.of(which), self.other.of(which)
        return _Lines(self.line[which], self.group[which], own, other)


@dataclass(frozen=True, eq=False, kw_only=True)
class Candidates:
    """Counts i, line after line, and for each the three counts j that can be best.

    ``lines`` are the lines' indices, ``group`` says whose count is i in each, ``start`` where
    its candidates begin, ``owner`` the place of its line for each candidate. ``changed`` is by
    how many decisions i and each j together differ from the old counts.
    """

    lines: Index
    group: Index
    start: Index
    owner: Index
    i: Floats
    j: Floats
    changed: Floats

    @classmethod
    def of(cls, lines: _Lines, owner: Index, i: _Numbers, threshold: Fraction) -> "Candidates":
        """Those counts i, in order of lines, that leave any count j."""
        own, other = lines.own.of(owner), lines.other.of(owner)
        least, most = other_range(i, own.size, other.size, threshold)
        least, most = np.maximum(least, other.low), np.minimum(most, other.high)
        left = np.flatnonzero(least <= most)
        i, least, most, owner = i[left], least[left], most[left], owner[left]
        own, other = own.of(left), other.of(left)
        j = np.stack([np.clip(other.old, least, most), least, most])
        return cls(
            lines=lines.line,
            group=lines.group,
            start=np.searchsorted(owner, np.arange(len(lines.line))),
            owner=owner,
            i=i.astype(np.float64),
            j=j.astype(np.float64),
            changed=(abs(i - own.old) + abs(j - other.old)).astype(np.float64),
        )

    def best(self, cost: Floats) -> tuple[Floats, Index, Index]:
        """The least value of each line, its candidate, and which of the three counts j.

        ``cost`` is what a favorable decision costs at given prices, by group and line.
        """
        own, other = cost[self.group, self.lines], cost[1 - self.group, self.lines]
        # A cost beyond one change outweighs it: then an end of the range is best.
        way = np.where(other > 1, 1, np.where(other < -1, 2, 0))[self.owner]
        at = np.arange(len(self.owner))
        value = self.changed[way, at] + own[self.owner] * self.i
        value += other[self.owner] * self.j[way, at]
        least = np.minimum.reduceat(value, self.start) if len(at) else np.zeros(0)
        lowest = np.flatnonzero(value == least[self.owner])
        first = lowest[np.searchsorted(self.owner[lowest], np.arange(len(self.lines)))]
        return least, first, way[first]

    def pairs(self, at: Index, way: Index) -> Floats:
        """The counts of both groups, of chosen candidates."""
        i, j, first = self.i[at], self.j[way, at], self.group[self.owner[at]] == 0
        return np.stack([np.where(first, i, j), np.where(first, j, i)])


def other_range(
    count: _Numbers, size: Counts, other: Counts, threshold: Fraction
) -> tuple[_Numbers, _Numbers]:
    """The least and the largest count of a group whose rate is less than a threshold away.

    For real numbers it is the closed range.
    """
    if count.dtype == np.float64:
        rate, distance = count / size, float(threshold) * (1 + 1e-12) + 1e-15
        return (rate - distance) * other, (rate + distance) * other
    num, den = threshold.numerator, threshold.denominator
    if int(size.max(initial=0)) * int(other.max(initial=0)) * (num + den) >= 2**62:
        count, size, other = (part.astype(object) for part in (count, size, other))
    center, reach, scale = other * count * den, other * size * num, size * den
    least, most = (center - reach) // scale + 1, -((-center - reach) // scale) - 1
    return least.astype(np.int64), most.astype(np.int64)


def candidates_in_line(lines: int) -> int:
    """How many counts of a line are listed: fewer if there are very many lines."""
    most = _MOST_CANDIDATES // max(lines, 1)
    return min(max(most, _LEAST_IN_LINE), _MOST_IN_LINE)


def list_candidates(
    problem: JointProblem, lines: Index, known: Counts
) -> tuple[Candidates, Candidates]:
    """The candidates of compared lines, and the corners of those not wholly listed.

    ``known`` are counts that meet the criterion in each line; they are always listed.
    """
    threshold, place = problem.threshold, np.arange(len(lines))
    group = (problem.highest - problem.lowest)[:, lines].argmin(axis=0)
    tables = (problem.old, problem.lowest, problem.highest, problem.rows)
    own, other = (_Side(*(table[g, lines] for table in tables)) for g in (group, 1 - group))
    every = _Lines(lines, group, own, other)
    span, most = own.high - own.low + 1, candidates_in_line(len(lines))
    length = np.where(span <= most, span, 0)
    listed = np.repeat(place, length)
    i = np.arange(len(listed)) - np.repeat(np.cumsum(length) - length, length) + own.low[listed]
    many = np.flatnonzero(length == 0)
    some = every.of(many)
    corners = _corners(some.own, some.other, threshold)
    whole = np.concatenate(
        [np.floor(corners).astype(np.int64), known[group, lines][None, many]]
    )
    reach = max(2, (most // len(whole) - 1) // 2)  # on both sides of a corner
    steps = range(-reach, reach + 1)
    near = np.concatenate([np.clip(whole + x, some.own.low, some.own.high) for x in steps])
    owners, counts = np.unique([np.tile(many, len(near)), near.ravel()], axis=1)
    owner = np.concatenate([listed, owners])
    order = np.argsort(owner, kind="stable")
    return (
        Candidates.of(every, owner[order], np.concatenate([i, counts])[order], threshold),
        Candidates.of(
            some,
            np.repeat(np.arange(len(many)), len(corners)),
            corners.T.ravel(),
            threshold,
        ),
    )


def _corners(own: _Side, other: _Side, threshold: Fraction) -> Floats:
    """Where the cost of real counts i may have its minimum: one row for each corner."""
    reach = float(threshold)
    corners = [side.astype(np.float64) for side in (own.low, own.high, own.old)]
    for end in (other.old, other.low, other.high):
        corners += [(end / other.size + way) * own.size for way in (reach, -reach)]
    return np.clip(np.stack(corners), own.low, own.high)
