"""What the table says about the population that it came from: a verdict with three values.

The exact verdict describes these rows. Other rows from the same population would have come out
differently; the statistical verdict says what they could not have changed. It stands beside the
exact one and weighs as much.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, Literal

import numpy as np

from evenhand.display import Described, Summary
from evenhand.evidence.common_difference import (
    CommonDifference,
    Heterogeneity,
    common_difference,
    heterogeneity,
)
from evenhand.evidence.corrected_spread import Spread, sampling_variance, spread
from evenhand.evidence.partition import Partition
from evenhand.evidence.subpopulations import p_value, points
from evenhand.evidence.verdict import ThreeValued

_LEVEL = 0.05
_POWER = 0.8
_GIVEN = (
    "p-values take the subpopulations as given: a graph that was learned from the same rows "
    "has already used them once."
)

# Needing more than this many times the rows is no useful advice.
_MOST_TIMES = 1000


class StatisticalVerdict(ThreeValued):
    """What the rows show of the population: a difference, that there is none, or neither."""

    SHOWN = "difference shown"
    WITHIN = "all differences shown to be within the threshold"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededRows:
    """How many rows of one subpopulation would probably settle the matter.

    If its difference is what it looks like, so many rows with the same shares of both groups
    settle with a probability of 80 % whether it is beyond the threshold ("shown"), or within.
    For "within" every subpopulation must do its part; this one has the longest way to go.
    """

    toward: Literal["shown", "within"]
    where: dict[str, str]
    row_count: int
    needed: int

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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Population(Described):
    """The statistical verdict on a partition, and what all its subpopulations say together.

    ``shown`` counts the subpopulations whose difference is shown to be beyond the threshold,
    ``shown_for_group`` those among them that favor the group; ``within`` those shown to lie
    within it. Everything is None or 0 where nothing is measured.
    """

    verdict: StatisticalVerdict
    partition: Partition
    agreed: bool
    shown: int
    shown_for_group: int
    within: int
    measured: int
    needed: NeededRows | None
    common: CommonDifference | None
    heterogeneity: Heterogeneity | None
    spread: Spread | None

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats to the numbers."""
        notes = [_GIVEN]
        if not self.agreed:
            notes.append(
                "Possible sets of decision causes give different statistical verdicts."
            )
        if self.spread:
            notes.append(self.spread.sentence())
        return tuple(notes)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "verdict": str(self.verdict),
            "measured": self.measured,
            "shown": self.shown,
            "shown_for_group": self.shown_for_group,
            "within": self.within,
            "needed": self.needed.to_dict() if self.needed else None,
            "common_difference": self.common.to_dict() if self.common else None,
            "heterogeneity": self.heterogeneity.to_dict() if self.heterogeneity else None,
            "spread": self.spread.to_dict() if self.spread else None,
            "notes": list(self.notes),
        }

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The tests over all subpopulations, and what would settle an open verdict."""
        facts = []
        if self.common:
            threshold = self.partition.question.threshold
            facts.append(("common difference (p vs 0)", _common_text(self.common, threshold)))
        if self.heterogeneity and self.measured > 1:
            tests = self.heterogeneity
            facts += [
                ("all the same", f"p {p_value(tests.p)}"),
                ("opposite signs", f"p {p_value(tests.p_opposite)}"),
            ]
        if self.needed:
            facts.append(("to settle it", _needed_text(self.needed)))
        return tuple(facts)

    @property
    def headline(self) -> str:
        """The verdict with the numbers of subpopulations behind it."""
        return (
            f"{self.verdict}: of {self.measured:,} measured {self.shown:,} shown beyond the "
            f"threshold ({self.shown_for_group:,} in favor of the group), {self.within:,} "
            "shown within"
        )

    def summary(self) -> Summary:
        """The headline and the tests over all subpopulations."""
        return Summary(
            title=f"population, at τ = {self.partition.question.threshold}: {self.headline}",
            facts=self.facts,
            notes=self.notes,
        )


def population(partitions: Iterable[Partition], *, min_coverage: Fraction) -> Population:
    """The verdict of the possible decision causes, if they agree; numbers of the finest.

    Rows that follow the graph leave nothing to other block sets: in the population the decision
    causes settle the matter for all of them.
    """
    partitions = tuple(partitions)
    verdict, agreed = agreed_verdict(partitions, min_coverage=min_coverage)
    finest = partitions[0]
    statistics = finest.statistics
    common = common_difference(finest)
    inconclusive = verdict is StatisticalVerdict.INCONCLUSIVE
    return Population(
        verdict=verdict,
        partition=finest,
        agreed=agreed,
        shown=int(statistics.shown.sum()),
        shown_for_group=int((statistics.shown & (statistics.difference < 0)).sum()),
        within=int(statistics.within.sum()),
        measured=len(statistics.shown),
        needed=needed_rows(finest) if inconclusive and agreed else None,
        common=common,
        heterogeneity=heterogeneity(finest, common.difference) if common else None,
        spread=spread(finest),
    )


def agreed_verdict(
    partitions: Iterable[Partition], *, min_coverage: Fraction
) -> tuple[StatisticalVerdict, bool]:
    """The verdict of all partitions, inconclusive where they differ, and whether they agree."""
    verdicts = {statistical_verdict(one, min_coverage=min_coverage) for one in partitions}
    agreed = len(verdicts) == 1
    return verdicts.pop() if agreed else StatisticalVerdict.INCONCLUSIVE, agreed


def statistical_verdict(partition: Partition, *, min_coverage: Fraction) -> StatisticalVerdict:
    """One difference shown beyond the threshold, or each shown within it, or neither.

    That one is shown is a claim about the worst of many, corrected for all (Holm). That each is
    within is a claim that every one of them must support, so that none needs a correction
    (intersection-union); it needs enough of both groups to be measured, too.
    """
    shown, within = partition.statistics.shown, partition.statistics.within
    if shown.any():
        return StatisticalVerdict.SHOWN
    if len(within) and within.all() and partition.coverage.reaches(min_coverage):
        return StatisticalVerdict.WITHIN
    return StatisticalVerdict.INCONCLUSIVE


def needed_rows(partition: Partition) -> NeededRows | None:
    """The rows with which the nearest answer could be expected; None if none would do.

    Where differences beyond the threshold were seen, the one that is nearest to being shown is
    taken; otherwise the one that is farthest from being shown within. One that is just the
    threshold is never settled by more rows.
    """
    from scipy.special import ndtri  # noqa: PLC0415  # slow to import

    a, n, b, m = (counts.astype(float) for counts in partition.measured_counts)
    statistics, threshold = partition.statistics, float(partition.question.threshold)
    # Decided exactly, so that a difference of just the threshold is not taken for less.
    reaches = partition.side[partition.measured] != 0
    excess = np.abs(statistics.difference) - threshold
    beyond = reaches & (excess > 0) & ~statistics.shown
    unsettled = beyond if reaches.any() else ~statistics.within
    if not unsettled.any():
        return None
    # Intervals have 95 %, 2.5 % at either end; Holm asks for less where there are many.
    level = min(_LEVEL / 2, _LEVEL / len(a)) if reaches.any() else _LEVEL / 2
    deviates = float(ndtri(1 - level) + ndtri(_POWER))
    variance = sampling_variance(a, n, b, m, smoothed=True)
    times = np.full(len(a), np.inf)
    times[unsettled] = variance[unsettled] * (deviates / excess[unsettled]) ** 2
    times[~unsettled] = np.inf if reaches.any() else 0.0
    at = int(times.argmin() if reaches.any() else times.argmax())
    line = int(np.flatnonzero(partition.measured)[at])
    rows = int(partition.row_counts[line])
    return NeededRows(
        toward="shown" if reaches.any() else "within",
        where=partition.where(line),
        row_count=rows,
        needed=max(ceil(rows * float(times[at])), rows + 1),
    )


def _common_text(common: CommonDifference, threshold: Fraction) -> str:
    difference, low, high = (
        points(x, threshold=threshold) for x in (common.difference, common.low, common.high)
    )
    return f"{difference} points, 95 % interval {low} to {high}, p {p_value(common.p_zero)}"


def _needed_text(needed: NeededRows) -> str:
    where = ", ".join(f"{name} = {value}" for name, value in needed.where.items())
    aim = "to show the nearest difference" if needed.toward == "shown" else "to show all within"
    if needed.times > _MOST_TIMES:
        return (
            f"no number of rows that anyone could collect, {aim}: where "
            f"{where or 'everybody is'} the difference lies almost at the threshold"
        )
    return (
        f"about {needed.needed:,} rows instead of {needed.row_count:,} ({needed.times:.1f} "
        f"times) where {where or 'everybody is'}, {aim}"
    )
