"""The fewest changed decisions that bring the rates of all groups into one window.

In each subpopulation the largest rate minus the smallest must be less than the threshold τ: all
rates lie in one window [t, t + τ). The smallest new rate may be taken as t, so t is some j/n of
a group of n rows; ``window_sweep`` finds the best of them. Two groups are the smallest case.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from evenhand.removal.window_ranges import Ranges
from evenhand.removal.window_sweep import FewestChanges, Preference

_BLOCK = 1 << 17  # numbers in an array of the subpopulations that are solved together


def fewest_in_window(
    favorable: NDArray[np.int64],
    rows: NDArray[np.int64],
    threshold: Fraction,
    *,
    only_raise: bool = False,
    may_change: NDArray[np.bool_] | None = None,
    reference: int | None = None,
    asked: int | None = None,
    lowest: bool = False,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """New favorable counts, groups × subpopulations, and where the criterion can be met.

    With a ``reference`` each rate lies less than the threshold from that group's instead. Where
    the criterion is met, or cannot be because only some groups may change, the counts stay as
    they are. A group without rows is ignored. Among equally few changes the counts are those
    with the least sum of changes, or with ``asked``, one of two groups, those with the fewest
    changes in it; then, and with ``lowest`` at once, those of the lowest window.

    >>> sizes = np.array([[1000], [500], [142], [21], [11]])
    >>> new, _ = fewest_in_window(
    ...     np.array([[310], [110], [71], [2], [9]]), sizes, Fraction(1, 20))
    >>> new.ravel()
    array([310, 131,  44,   6,   3])
    """
    frozen = np.zeros(len(rows), np.bool_) if may_change is None else ~may_change
    preference = Preference(asked=asked, lowest=lowest)
    new = favorable.copy()
    feasible = within_window(favorable, rows, threshold, reference=reference)
    left = np.flatnonzero(~feasible)
    one_of_each, which = distinct_columns(np.concatenate([favorable[:, left], rows[:, left]]))
    columns = left[one_of_each]
    answer, solved = favorable[:, columns], np.zeros(len(columns), np.bool_)
    for block, kind in column_blocks(rows[:, columns], threshold):
        at = columns[block]
        ranges = Ranges.of(
            favorable[:, at].astype(kind), rows[:, at].astype(kind), threshold, reference
        ).limited(frozen, only_raise=only_raise)
        answer[:, block], solved[block] = FewestChanges(ranges, preference).solve()
    new[:, left], feasible[left] = answer[:, which], solved[which]
    return new, feasible


def within_window(
    favorable: NDArray[np.int64],
    rows: NDArray[np.int64],
    threshold: Fraction,
    *,
    reference: int | None = None,
) -> NDArray[np.bool_]:
    """Where all rates lie in one window, or less than the threshold from the reference's."""
    large = rows.max(initial=0) > _largest_rows(1, threshold)
    yes, size = (a.astype(object) if large else a for a in (favorable, rows))
    num, den = threshold.numerator, threshold.denominator
    if reference is not None:
        apart = abs(yes * size[reference] - yes[reference] * size) * den
        both = (rows > 0) & (rows[reference] > 0)
        near = np.asarray((apart < num * size * size[reference]) | ~both, np.bool_)
        return np.asarray(near.all(axis=0))
    least, most = [yes[0], size[0]], [yes[0], size[0]]
    for group in zip(yes[1:], size[1:], strict=True):
        for extreme, sign in ((least, 1), (most, -1)):
            # A group without rows is replaced by any other, and replaces none.
            beyond = (extreme[0] * group[1] - group[0] * extreme[1]) * sign > 0
            taken = (beyond | (extreme[1] == 0)).astype(np.bool_) & (group[1] > 0).astype(bool)
            extreme[:] = (np.where(taken, g, e) for g, e in zip(group, extreme, strict=True))
    apart = (most[0] * least[1] - least[0] * most[1]) * den
    return np.asarray((apart < num * most[1] * least[1]) | (least[1] == 0), np.bool_)


def column_blocks(
    rows: NDArray[np.int64], threshold: Fraction
) -> Iterator[tuple[NDArray[np.int64], type]]:
    """Subpopulations to solve together, and the integers that hold their products."""
    small = rows.max(axis=0, initial=0) <= _largest_rows(len(rows), threshold)
    step = max(1, _BLOCK // (2 * len(rows) ** 2))
    for part, kind in ((np.flatnonzero(small), np.int64), (np.flatnonzero(~small), object)):
        for at in range(0, len(part), step):
            yield part[at : at + step], kind


def _largest_rows(groups: int, threshold: Fraction) -> float:
    """Rows of a group up to which no product leaves 64 bits."""
    return float((2**61 / groups / (threshold.numerator + threshold.denominator)) ** 0.5)


def distinct_columns(
    table: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One index of each distinct column, and which of these every column equals."""
    code = np.zeros(table.shape[1], np.int64)
    size = 1
    for line in table:
        span = int(line.max(initial=0)) + 1
        if size * span >= 2**62:
            code = np.unique(code, return_inverse=True)[1]
            size = len(code) + 1
        if size * span >= 2**62:
            line = np.unique(line, return_inverse=True)[1]  # noqa: PLW2901
            span = len(line) + 1
        code = code * span + line
        size *= span
    _, one, which = np.unique(code, return_index=True, return_inverse=True)
    return one, which
