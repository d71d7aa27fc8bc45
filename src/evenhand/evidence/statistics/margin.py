"""Whether a difference stands when people are compared alike in one attribute more.

Let D be the pooled difference among people alike in the causes Q, and D' among people alike in
Q and x. If x is no cause, both estimate the same, and D - D' is noise of a known size: both are
sums over rows of the decision times a number that depends on the row's stratum and group alone.
So their difference is such a sum, too, and its variance follows from the rates of the cells of
Q, x and group (Hausman's comparison of two estimates of one quantity). If x is the cause that
learning dropped, only D' is right. So a difference stands if D', less what noise alone could
have taken from D, is still beyond the threshold.
"""

from dataclasses import dataclass

import numpy as np

from evenhand.evidence.statistics.tails import Counts, Floats

# The 95 % point of the standard normal distribution: noise works against the difference.
_ONE_SIDED = 1.6448536269514722


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """The pooled difference before and after one attribute more, other minus group.

    ``error`` is the standard error of the difference between the two.
    """

    before: float
    after: float
    error: float

    def stands(self, threshold: float) -> bool:
        """Whether the difference after, less its margin, is beyond the threshold."""
        after = self.after if self.before > 0 else -self.after
        return after - _ONE_SIDED * self.error > threshold

    def was_masked(self, threshold: float) -> bool:
        """Whether more than noise has taken the difference beyond the threshold."""
        moved = abs(self.after - self.before)
        return abs(self.after) > threshold and moved > _ONE_SIDED * self.error


def margin(
    stratum: Counts,
    group_yes: Counts,
    group: Counts,
    other_yes: Counts,
    other: Counts,
    *,
    least_rows: int = 1,
) -> Margin | None:
    """Compare the pooled differences of strata and of the cells into which x divides them.

    ``stratum`` has the number of each cell's stratum; cells may lack a group. Strata and cells
    are measured if both groups have ``least_rows`` rows there. None where either comparison
    measures nothing.
    """
    strata = int(stratum.max(initial=-1)) + 1
    a, n, b, m = (cells.astype(float) for cells in (group_yes, group, other_yes, other))
    n_before, m_before = (np.bincount(stratum, cells, strata).astype(float) for cells in (n, m))
    share_before = _shares(n_before, m_before, least_rows)
    share_after = _shares(n, m, least_rows)
    if share_before is None or share_after is None:
        return None
    # What one favorable decision adds to the weighted rate of its group.
    before = [_each(share_before, rows)[stratum] for rows in (n_before, m_before)]
    after = [_each(share_after, rows) for rows in (n, m)]
    variance = sum(
        _variance(yes, rows, row_before - row_after)
        for yes, rows, row_before, row_after in zip((a, b), (n, m), before, after, strict=True)
    )
    return Margin(
        before=float(before[1] @ b - before[0] @ a),
        after=float(after[1] @ b - after[0] @ a),
        error=float(variance**0.5),
    )


def _shares(group: Floats, other: Floats, least_rows: int) -> Floats | None:
    """Mantel and Haenszel's weights, adding up to 1; None where nothing is measured."""
    measured = (group >= least_rows) & (other >= least_rows)
    weight = np.divide(group * other, group + other, out=np.zeros(len(group)), where=measured)
    total = weight.sum()
    return weight / total if total else None


def _each(share: Floats, rows: Floats) -> Floats:
    return np.divide(share, rows, out=np.zeros(len(rows)), where=rows > 0)


def _variance(yes: Floats, rows: Floats, weight: Floats) -> float:
    """The variance of the weighted sum of decisions, as the pooled difference estimates it.

    A rate as seen varies by too little, by its n-th part on average; that part is taken at the
    mean rate.
    """
    occupied = rows > 0
    yes, rows, square = yes[occupied], rows[occupied], weight[occupied] ** 2
    total = float(square @ rows)
    if not total:
        return 0.0
    rates, mean = yes / rows, float(square @ yes) / total
    return float(square @ (rows * rates * (1 - rates) + mean * (1 - mean)))
