"""By how much a hidden cause could move the pooled difference, if it is like a recorded one.

The pooled difference is the least-squares coefficient of the protected group in a regression of
the decision with a dummy for each stratum. So the bound of Cinelli and Hazlett (2020, *Making
sense of sensitivity*, Journal of the Royal Statistical Society B 82, section 4.4) on the bias
of an omitted variable applies exactly. A hidden cause is told by two shares: how much of what
is left of the group it explains, and how much of what is left of the decision. A recorded cause
x is the yardstick: a hidden cause may be k times as strong.

The bound is about the average over all strata, and about a cause that is hidden from the group
and the decision. A hidden cause of the decision and of an attribute that comes between needs no
link with the group, and is not bounded here.
"""

from dataclasses import dataclass
from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from evenhand.evidence.statistics.p_values import Counts, Floats

_HALVINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Yardstick:
    """What a recorded cause explains, given all others.

    ``group`` is the partial R² of the cause for the group, ``decision`` that for the decision
    given the group, both adjusted for degrees of freedom; ``scale`` is the standard deviation
    of the decision given group and causes, in units of that of the group given the causes.
    """

    group: float
    decision: float
    scale: float

    def bound(self, times: float = 1.0) -> float:
        """The largest bias of a hidden cause that is so many times as strong.

        Infinite if such a cause would leave nothing of the group unexplained.
        """
        hidden_group = times * self.group / (1 - self.group)
        if hidden_group >= 1:
            return inf
        # How much of the hidden cause the recorded one explains, once the group is given.
        shared = hidden_group * self.group / (1 - times * self.group)
        if shared >= 1 or self.decision >= 1:
            hidden_decision = 1.0
        else:
            factor = (sqrt(times) + sqrt(shared)) / sqrt(1 - shared)
            hidden_decision = factor**2 * self.decision / (1 - self.decision)
        return self.scale * sqrt(min(hidden_decision, 1.0) * hidden_group / (1 - hidden_group))

    def breaking_factor(self, gap: float) -> float | None:
        """How many times as strong a hidden cause must be to move the difference by a gap.

        None without a cause that tells the groups apart and tells on the decision.
        """
        if not self.group or not self.decision:
            return None
        narrow, wide = 0.0, (1 - self.group) / self.group
        for _ in range(_HALVINGS):
            times = (narrow + wide) / 2
            narrow, wide = (narrow, times) if self.bound(times) >= gap else (times, wide)
        return wide


def yardstick(
    stratum: Counts, group_yes: Counts, group: Counts, other_yes: Counts, other: Counts
) -> Yardstick | None:
    """What the cause explains that divides strata of all other causes into cells.

    ``stratum`` has the number of each cell's stratum; cells may lack a group. None where no
    rows are left to measure it, or the causes tell the group.
    """
    tables = [cells.astype(float) for cells in (group_yes, group, other_yes, other)]
    strata = int(stratum.max(initial=-1)) + 1
    coarse = _left(*(np.bincount(stratum, cells, strata).astype(float) for cells in tables))
    fine = _left(*tables)
    if fine.free < 1 or not fine.group or not coarse.decision:
        return None
    # One degree of freedom more goes to the group's own coefficient.
    group_share = 1 - fine.group / (fine.free + 1) / (coarse.group / (coarse.free + 1))
    decision_share = 1 - fine.decision / fine.free / (coarse.decision / coarse.free)
    return Yardstick(
        group=max(group_share, 0.0),
        decision=max(decision_share, 0.0),
        scale=sqrt(fine.decision / fine.group),
    )


def widened(interval: tuple[float, float], bound: float) -> tuple[float, float]:
    """The interval of the pooled difference with a hidden cause of that bound."""
    low, high = interval
    return max(low - bound, -1.0), min(high + bound, 1.0)


class _Left(NamedTuple):
    """Sums of squares that dummies of the strata leave, and degrees of freedom.

    That of the decision is what is left once the group is given, too.
    """

    group: float
    decision: float
    free: int


def _left(group_yes: Floats, group: Floats, other_yes: Floats, other: Floats) -> _Left:
    occupied = group + other > 0
    a, n, b, m = (cells[occupied] for cells in (group_yes, group, other_yes, other))
    rows, yes = n + m, a + b
    of_group = float((n * m / rows).sum())
    of_decision = float((yes * (rows - yes) / rows).sum())
    together = float((a - n * yes / rows).sum())
    if of_group:
        of_decision = max(of_decision - together**2 / of_group, 0.0)
    return _Left(of_group, of_decision, int(rows.sum()) - len(rows) - 1)
