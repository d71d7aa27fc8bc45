"""Suggested classes for a column of numbers, with cut points that a person would write.

Quantile classes need the numbers alone. Supervised ones (Fayyad and Irani 1993) look at the
decision, too: a cut must lower its entropy by more than the cut itself costs to describe. The
protected attribute is never looked at.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import log2

import numpy as np
from numpy.typing import NDArray

from evenhand.question import Bins
from evenhand.question.number_classes import number_text
from evenhand.question.parse_values import exact_number

_CLASSES = (2, 3, 4, 5)
_LEAST_SHARE = Fraction(1, 100)  # of the rows in each supervised class
_MOST_TRIED = 2048  # cuts of one piece; of more numbers every second, third … is tried
MOST_DECISIONS = 12  # values of the decision, for supervised classes


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassSuggestion:
    """Classes between cut points, each including its upper cut, and the rows in each.

    ``comparison`` says, where groups are known, how many classes occur, how many have rows of
    both groups, and how many rows are without a comparator, by this column alone.
    """

    method: str  # "quantiles" or "entropy"
    bins: Bins
    rows: tuple[int, ...]
    comparison: Mapping[str, int] = field(default_factory=dict)

    @property
    def cuts(self) -> list[int | str]:
        """The cut points as they are written: whole numbers, or text."""
        return [
            cut.numerator if cut.denominator == 1 else number_text(cut)
            for cut in self.bins.cuts
        ]

    def to_dict(self) -> dict[str, object]:
        """Plain values."""
        return {
            "method": self.method,
            "cuts": self.cuts,
            "rows": list(self.rows),
            **self.comparison,
        }


@dataclass(frozen=True)
class NumberCounts:
    """Distinct numbers in order, and how often each occurs with each decision and group.

    Without a decision or a group the tables have one column.
    """

    numbers: NDArray[np.float64]
    decisions: NDArray[np.int64]  # numbers × decisions
    groups: NDArray[np.int64]  # numbers × groups

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """How often each number occurs."""
        totals: NDArray[np.int64] = self.decisions.sum(axis=1)
        return totals

    def suggest(self) -> Iterator[ClassSuggestion]:
        """Two to five quantile classes, then supervised ones; no cuts are suggested twice."""
        suggested = set()
        ways = [("quantiles", _quantile_cuts(self, classes)) for classes in _CLASSES]
        if self.decisions.shape[1] > 1:
            ways.append(("entropy", _entropy_cuts(self)))
        for method, cuts in ways:
            if cuts and cuts not in suggested:
                suggested.add(cuts)
                whole = bool((self.numbers == np.floor(self.numbers)).all())
                yield self._suggestion(method, Bins(cuts).of_whole_numbers(whole))

    def compare(self, classes: NDArray[np.integer]) -> dict[str, int]:
        """What classes of the numbers leave to compare; empty without groups."""
        if self.groups.shape[1] < 2:
            return {}
        groups = np.stack([np.bincount(classes, rows) for rows in self.groups.T])
        rows, measured = groups.sum(axis=0), np.count_nonzero(groups, axis=0) > 1
        return {
            "occupied": int(np.count_nonzero(rows)),
            "measured": int(np.count_nonzero(measured)),
            "without_comparator": int(rows[~measured].sum()),
        }

    def _suggestion(self, method: str, bins: Bins) -> ClassSuggestion:
        classes = np.searchsorted([float(cut) for cut in bins.cuts], self.numbers)
        rows = np.bincount(classes, self.rows, len(bins.labels)).astype(np.int64)
        return ClassSuggestion(
            method=method,
            bins=bins,
            rows=tuple(rows.tolist()),
            comparison=self.compare(classes),
        )


def roundest(low: Fraction, high: Fraction) -> Fraction:
    """The number from low to below high with the fewest digits; the least if there are several.

    >>> print(roundest(Fraction(4781), Fraction(5178)), roundest(Fraction(36), Fraction(37)))
    5000 36
    """
    if low <= 0 < high:
        return Fraction(0)
    largest = max(abs(low), abs(high))
    power = len(str(int(largest))) if largest >= 1 else 0
    while True:
        for step in (Fraction(10) ** power, Fraction(10) ** power / 2):
            candidate = -(-low // step) * step
            if candidate < high:
                return candidate
        power -= 1


def _exact(number: float) -> Fraction:
    return exact_number(repr(float(number)))


def _quantile_cuts(counts: NumberCounts, classes: int) -> tuple[Fraction, ...]:
    """Round numbers at most a fifth of a class from the quantiles, or as near as there are."""
    reached = np.cumsum(counts.rows)
    last, total = len(reached) - 1, int(reached[-1])
    slack = total // (5 * classes)
    cuts = set()
    for number in range(1, classes):
        rank = -(-total * number // classes)
        low, high = np.searchsorted(reached, [max(rank - slack, 1), min(rank + slack, total)])
        nearer_below = low == last or rank - reached[low - 1] < reached[low] - rank
        if low == high and low and nearer_below:  # one number has more rows than the slack
            low = high = low - 1
        # A cut at any number from the value on, below the next one, makes the same classes.
        high = min(high + 1, last)
        if low < high:
            cuts.add(roundest(_exact(counts.numbers[low]), _exact(counts.numbers[high])))
    return tuple(sorted(cuts))


def _entropy_cuts(counts: NumberCounts) -> tuple[Fraction, ...]:
    """Cuts that tell most about the decision, the best first, until none pays or enough are.

    Each class has at least a hundredth of the rows.
    """
    cumulated = np.vstack([np.zeros_like(counts.decisions[:1]), counts.decisions]).cumsum(0)
    least = -(-int(cumulated[-1].sum()) * _LEAST_SHARE.numerator // _LEAST_SHARE.denominator)
    whole = (0, len(counts.numbers))
    pieces = {whole: _best_cut(cumulated, *whole, least)}
    cuts: list[int] = []
    while len(pieces) < _CLASSES[-1]:
        begin, end = max(pieces, key=lambda piece: pieces[piece])
        gain, cut = pieces.pop((begin, end))
        if gain <= 0:
            break
        for piece in ((begin, cut), (cut, end)):
            pieces[piece] = _best_cut(cumulated, *piece, least)
        cuts.append(cut)
    numbers = counts.numbers
    return tuple(
        roundest(_exact(numbers[cut - 1]), _exact(numbers[cut])) for cut in sorted(cuts)
    )


def _best_cut(
    cumulated: NDArray[np.int64], begin: int, end: int, least: int
) -> tuple[float, int]:
    """Bits saved by the best cut of a piece less what it costs, and where it is; else 0."""
    step = -(-(end - begin) // _MOST_TRIED)
    at = np.arange(begin + 1, end, step)
    left = cumulated[at] - cumulated[begin]
    right = cumulated[end] - cumulated[at]
    whole = cumulated[end] - cumulated[begin]
    allowed = np.minimum(left.sum(axis=1), right.sum(axis=1)) >= max(least, 1)
    if not allowed.any():
        return 0.0, begin
    left, right, at = left[allowed], right[allowed], at[allowed]
    saved = _bits(whole[np.newaxis]) - _bits(left) - _bits(right)
    best = int(np.argmax(saved))
    values = [np.count_nonzero(part) for part in (whole, left[best], right[best])]
    entropies = [
        float(_bits(part[np.newaxis])[0]) / int(part.sum())
        for part in (whole, left[best], right[best])
    ]
    signed = np.array([1, -1, -1]) * values
    cost = log2(int(whole.sum()) - 1) + log2(3 ** values[0] - 2) - float(signed @ entropies)
    return float(saved[best]) - cost, int(at[best])


def _bits(tables: NDArray[np.int64]) -> NDArray[np.float64]:
    """Entropy times rows of each line."""
    totals = tables.sum(axis=1, keepdims=True)
    shares = np.divide(tables, totals, where=tables > 0, out=np.ones(tables.shape))
    bits: NDArray[np.float64] = -(tables * np.log2(shares)).sum(axis=1)
    return bits
