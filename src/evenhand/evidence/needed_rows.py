"""How many rows would probably settle what these rows leave open."""

from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Literal

import numpy as np

from evenhand.evidence.corrected_spread import sampling_variance
from evenhand.evidence.partition import Partition
from evenhand.evidence.score_intervals import Z

Toward = Literal["shown", "shown on average", "within"]
_AIMS: dict[Toward, str] = {
    "shown": "the nearest difference",
    "shown on average": "the difference on average",
    "within": "all within",
}
_EVERYBODY = "everybody is"
_LEVEL = 0.05
_POWER = 0.8
# Needing more than this many times the rows is no useful advice.
_MOST_TIMES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededRows:
    """How many rows of one subpopulation, or of all, would probably settle the matter.

    If its difference is what it looks like, so many rows with the same shares of both groups
    settle with a probability of 80 % whether it is beyond the threshold ("shown"), or within.
    "shown on average" is about the common difference, and the rows of all measured
    subpopulations. For "within" every subpopulation must do its part; this one has the longest
    way to go. Of more than two groups the rows are those of one ``pair``.
    """

    toward: Toward
    where: dict[str, str]
    row_count: int
    needed: int
    pair: tuple[str, ...] = ()

    @property
    def times(self) -> float:
        """The rows needed over the rows there are."""
        return self.needed / self.row_count

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "toward": self.toward,
            "where": self.where,
            "rows": self.row_count,
            "needed": self.needed,
            "times": self.times,
        }

    @property
    def text(self) -> str:
        """How many rows of whom, and what for."""
        alike = ", ".join(f"{name} = {value}" for name, value in self.where.items())
        on_average = self.toward == "shown on average"
        who = "in all measured subpopulations" if on_average else f"where {alike or _EVERYBODY}"
        aim = f"to show {_AIMS[self.toward]}"
        if self.pair:
            who, aim = f"of {' and '.join(self.pair)} {who}", f"{aim} of this one pair"
        if self.times > _MOST_TIMES:
            return (
                f"no number of rows that anyone could collect, {aim}: {who} the difference "
                "lies almost at the threshold"
            )
        return (
            f"about {self.needed:,} rows instead of {self.row_count:,} ({self.times:.1f} "
            f"times) {who}, {aim}"
        )


def needed_rows(partition: Partition) -> NeededRows | None:
    """The rows with which the nearest answer could be expected; None if none would do.

    Where differences beyond the threshold were seen, the one that is nearest to being shown is
    taken, their mean among them; otherwise the one that is farthest from being shown within.
    One that is just the threshold is never settled by more rows.
    """
    from scipy.special import ndtri  # noqa: PLC0415  # slow to import

    a, n, b, m = (counts.astype(float) for counts in partition.comparisons.tables)
    statistics, threshold = partition.statistics, float(partition.question.threshold)
    # Decided exactly, so that a difference of just the threshold is not taken for less.
    reaches = partition.comparisons.side != 0
    excess = np.abs(statistics.difference) - threshold
    beyond = reaches & (excess > 0) & ~statistics.shown
    unsettled = np.flatnonzero(beyond if reaches.any() else ~statistics.within)
    if not len(unsettled):
        return None
    # Intervals have 95 %, 2.5 % at either end; Holm asks for less where there are many.
    family = statistics.family
    level = min(_LEVEL / 2, _LEVEL / family) if reaches.any() else _LEVEL / 2
    deviates = float(ndtri(1 - level) + ndtri(_POWER))
    variance = sampling_variance(a, n, b, m, smoothed=True)
    times = variance[unsettled] * (deviates / excess[unsettled]) ** 2
    chosen = int(times.argmin() if reaches.any() else times.argmax())
    line = int(partition.comparisons.line[unsettled[chosen]])
    common, several = statistics.common, len(partition.pairs) > 1
    if family > 1 and common and (mean_excess := abs(common.difference) - threshold) > 0:
        error = (common.high - common.low) / (2 * Z)
        mean_times = (error * deviates / mean_excess) ** 2
        if mean_times < times[chosen]:
            rows = int(partition.leading.row_counts.sum())
            mean = _needed("shown on average", {}, rows, mean_times)
            return replace(mean, pair=partition.leading_labels) if several else mean
    rows = int(partition.comparisons.row_counts[unsettled[chosen]])
    toward: Toward = "shown" if reaches.any() else "within"
    one = _needed(toward, partition.where(line), rows, float(times[chosen]))
    ends = partition.pairs[partition.comparisons.pair[unsettled[chosen]]]
    return replace(one, pair=tuple(partition.groups[at] for at in ends)) if several else one


def _needed(toward: Toward, where: dict[str, str], rows: int, times: float) -> NeededRows:
    needed = max(ceil(rows * times), rows + 1)
    return NeededRows(toward=toward, where=where, row_count=rows, needed=needed)
