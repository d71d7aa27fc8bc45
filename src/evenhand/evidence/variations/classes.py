"""Other classes of the columns in which people are compared, and what is left within classes.

Two or three coarse classes leave part of what a number does to the groups that differ in it. So
each number is also judged in twice as many classes, by quantiles and by cuts that the decisions
themselves suggest, and merged values are taken apart.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import ExaminedCounts, FinerCounts
from evenhand.display import Plain
from evenhand.evidence.partition import Partition
from evenhand.evidence.statistics.p_values import Counts, Floats, Z

Classes = NDArray[np.intp]

_FINER = 2
_MOST_DUMMIES = 30
_STRONGEST, _MOST = 3, 20


@dataclass(frozen=True, slots=True)
class WithinClasses(Plain):
    """A difference beside what is left of it when exact values are held constant linearly.

    ``line`` is its subpopulation, None for the pooled difference; ``names`` are the columns.
    """

    keys = "line names difference adjusted interval"

    line: int | None
    names: tuple[str, ...]
    difference: float
    adjusted: float
    interval: tuple[float, float]


@dataclass(frozen=True, eq=False)
class OtherClasses:
    """The rows with a second, finer column for each compared one that is in classes."""

    finer: FinerCounts
    examined: ExaminedCounts
    base: Partition

    @classmethod
    def of(
        cls, finer: FinerCounts, examined: ExaminedCounts, names: Iterable[str]
    ) -> "OtherClasses":
        """Divide them by some attributes; they are counts of the rows that are examined."""
        examined = replace(examined, counts=finer.counts)
        return cls(finer, examined, Partition.of(examined, names))

    def classes(self) -> Iterator[tuple[str, str, Classes]]:
        """Each column, its second one, and other classes for the lines of the counts."""
        counts = self.examined.counts
        favorable = counts.counts * (self.examined.decision_codes == 0)
        for name, second in self.finer.finer.items():
            codes = counts.column(second).astype(np.intp)
            numbers = self.finer.numbers.get(second)
            if numbers is None:
                yield name, second, codes
                continue
            rank = np.empty(len(numbers), np.intp)
            rank[np.argsort(numbers, kind="stable")] = np.arange(len(numbers))
            place, many = rank[codes], _FINER * len(counts.attribute(name))
            known = np.isfinite(numbers)[codes]  # a missing value is a class by itself
            rows = np.bincount(place, counts.counts * known, len(numbers))
            yes = np.bincount(place, favorable * known, len(numbers))
            for classes in (by_quantiles(rows, many), by_decision(yes, rows, many)):
                yield name, second, np.where(known, classes[place], classes.max() + 1)

    def within(self) -> tuple[WithinClasses, ...]:
        """What is left of the pooled difference, of the strongest and of all that are shown."""
        counts, base, columns = self.examined.counts, self.base, self._columns()
        if not base.two_groups or not columns:
            return ()
        line, _ = counts.groups(base.names)
        yes = counts.counts * (self.examined.decision_codes == 0)
        is_other = self.examined.group_codes == 1
        names, found, statistics = tuple(self.finer.finer), [], base.statistics
        many = max(_STRONGEST, min(int(statistics.shown.sum()), _MOST))
        strongest = np.argsort(statistics.p_threshold, kind="stable")[:many]
        measured = base.measured[line]
        for at in (None, *strongest.tolist()):
            own = None if at is None else int(base.comparisons.line[at])
            chosen = measured if own is None else line == own
            left = adjusted_difference(
                line[chosen],
                is_other[chosen],
                yes[chosen],
                counts.counts[chosen],
                [column[chosen] for column in columns],
            )
            common = statistics.common
            if left is None or common is None:
                continue
            before = common.difference if at is None else float(statistics.difference[at])
            found.append(WithinClasses(own, names, before, *left))
        return tuple(found)

    def _columns(self) -> list[Floats]:
        """Numbers, and an indicator for each of few merged values."""
        counts, columns = self.examined.counts, []
        for second in self.finer.finer.values():
            codes = counts.column(second)
            if (numbers := self.finer.numbers.get(second)) is not None:
                columns.append(np.nan_to_num(numbers)[codes])
            elif len(counts.attribute(second)) <= _MOST_DUMMIES:
                columns += [(codes == value).astype(float) for value in np.unique(codes)[1:]]
        return columns


def by_quantiles(rows: Counts, many: int) -> Classes:
    """The class of each value, in their order, if classes have about equally many rows."""
    middle = np.cumsum(rows) - rows / 2
    classes: Classes = np.minimum(middle * many // max(rows.sum(), 1), many - 1).astype(np.intp)
    return classes


def by_decision(yes: Counts, rows: Counts, many: int) -> Classes:
    """The class of each value, in their order, if each cut explains most of the decisions."""
    total = np.concatenate([[0.0], np.cumsum(rows)])
    favorable = np.concatenate([[0.0], np.cumsum(yes)])

    def explained(start: Counts | int, end: Counts | int) -> Floats:
        own = total[end] - total[start]
        square = (favorable[end] - favorable[start]) ** 2
        part: Floats = np.divide(square, own, out=np.zeros(np.shape(own)), where=own > 0)
        return part

    ends = [0, len(rows)]
    while len(ends) <= many:
        best, where = 0.0, None
        for start, end in pairwise(ends):
            cuts = np.arange(start + 1, end)
            gains = explained(start, cuts) + explained(cuts, end) - explained(start, end)
            if len(cuts) and gains.max() > best * (1 + 1e-12):
                best, where = float(gains.max()), int(cuts[gains.argmax()])
        if where is None:
            break
        ends = sorted([*ends, where])
    classes: Classes = np.searchsorted(np.array(ends[1:-1]), np.arange(len(rows)), side="right")
    return classes


def adjusted_difference(
    stratum: NDArray[np.intp],
    is_other: NDArray[np.bool_],
    yes: NDArray[np.int64],
    rows: NDArray[np.int64],
    columns: Sequence[Floats],
) -> tuple[float, tuple[float, float]] | None:
    """The difference, other minus group, left when columns count linearly within strata.

    The slope of the group in a least-squares regression of the decision on the group, the
    columns and a dummy for each stratum, with its 95 % interval; one entry for each cell.
    None where the group is not told apart from the columns, or nothing is left to say how
    exact the difference is. The standard error allows for variances of any kind (HC1).
    """
    weight = rows.astype(float)
    units = map(_in_units, columns)
    matrix = np.column_stack([is_other.astype(float), *units, yes / np.maximum(rows, 1)])
    strata = int(stratum.max(initial=-1)) + 1
    totals = np.bincount(stratum, weight, strata)
    centered = np.empty_like(matrix)
    for at, column in enumerate(matrix.T):
        means = np.bincount(stratum, weight * column, strata) / np.maximum(totals, 1)
        centered[:, at] = column - means[stratum]
    *_, rate = centered.T
    regressors = centered[:, :-1]
    scale = np.sqrt(weight @ regressors**2)
    kept = scale > 1e-9 * np.sqrt(weight.sum())
    if not kept[0]:
        return None
    regressors = regressors[:, kept] / scale[kept]
    products = regressors.T @ (regressors * weight[:, None])
    free = weight.sum() - np.count_nonzero(totals) - len(products)
    if free < 1 or np.linalg.cond(products) > 1e10:
        return None
    inverse = np.linalg.inv(products)
    slopes = inverse @ (regressors.T @ (weight * rate))
    # Each row of a cell has the residual of its own decision.
    expected = yes / np.maximum(rows, 1) - rate + regressors @ slopes
    squares = yes * (1 - expected) ** 2 + (rows - yes) * expected**2
    spread = inverse @ (regressors.T @ (regressors * squares[:, None])) @ inverse
    difference = float(slopes[0] / scale[0])
    error = float(np.sqrt(max(spread[0, 0], 0) * weight.sum() / free) / scale[0])
    return difference, (difference - Z * error, difference + Z * error)


def _in_units(column: Floats) -> Floats:
    """The column from 0 to 1: squares of huge numbers are infinite, those of tiny ones 0."""
    for _ in range(2):  # the span of the largest numbers is infinite, too
        column = column / (abs(column).max(initial=0.0) or 1.0)
        column = column - column.min(initial=1.0)
    return column
