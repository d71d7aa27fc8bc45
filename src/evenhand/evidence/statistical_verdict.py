"""What the table says about the population that it came from: a verdict with three values.

The exact verdict describes these rows. Other rows from the same population would have come out
differently; the statistical verdict says what they could not have changed. It stands beside the
exact one and weighs as much.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from evenhand.display import Plain
from evenhand.evidence.partition import Partition
from evenhand.evidence.statistics.comparison_statistics import Heterogeneity, heterogeneity
from evenhand.evidence.statistics.pooled_difference import PooledDifference
from evenhand.verdict import StatisticalVerdict, Verdict, Word

_GIVEN = (
    "p-values treat the groups as fixed in advance: they do not account for a graph that was "
    "learned from the same rows."
)


# What each claim comes to by the name of the claim, that about the direct effect "".
ClaimVerdicts: TypeAlias = Mapping[str, Verdict | Word | StatisticalVerdict]


def exit_status(verdicts: ClaimVerdicts, *, strict: bool = False) -> int:
    """The status of a process: 1 if that of any verdict is, else the largest.

    If it is ``strict``, Not shown has that of what nobody can tell.
    """
    given = {
        (Word.CANNOT_TELL if strict and verdict is Word.NOT_SHOWN else verdict).status
        for verdict in verdicts.values()
    }
    return 1 if 1 in given else max(given)


def in_words(verdicts: ClaimVerdicts) -> list[str]:
    """The verdict on each claim, with the claim's name."""
    return [f"{name}: {verdict}".removeprefix(": ") for name, verdict in verdicts.items()]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDifference(Plain):
    """Two groups by one kind of decision: the difference on average, and in how many places.

    ``common`` is None where the two are nowhere together. ``coverage`` is the share of rows
    beside the other group, of the group with the smaller share.
    """

    keys = "group other decision common_difference=common comparisons reaching shown coverage"

    group: str
    other: str
    decision: str
    common: PooledDifference | None
    comparisons: int
    reaching: int
    shown: int
    coverage: Fraction

    @property
    def strength(self) -> tuple[float, ...]:
        """A sorting key: least likely to be chance first, pairs that never meet last."""
        return self.common.strength if self.common else (3.0,)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Population(Plain):
    """The statistical verdict on a partition, and what all its subpopulations say together.

    ``shown`` counts the subpopulations whose difference is shown to be beyond the threshold,
    ``shown_for_group`` those among them that favor the group; ``within`` those shown to lie
    within it. Everything is None or 0 where nothing is measured.
    """

    keys = (
        "verdict measured shown shown_for_group within common_difference=common "
        "heterogeneity notes pairs?"
    )

    verdict: StatisticalVerdict
    partition: Partition
    agreed: bool
    shown: int
    shown_for_group: int
    within: int
    measured: int
    common: PooledDifference | None
    heterogeneity: Heterogeneity | None
    pairs: tuple[PairDifference, ...] = ()

    @property
    def comparisons(self) -> int:
        """The size of Holm's family: each subpopulation, and the mean of several."""
        return self.partition.statistics.family

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats to the numbers."""
        notes = [_GIVEN]
        if not self.agreed:
            notes.append(
                "Possible sets of decision causes give different statistical verdicts."
            )
        return tuple(notes)

    @property
    def shown_on_average_only(self) -> bool:
        """Whether the common difference alone carries the verdict that one is shown."""
        return self.verdict is StatisticalVerdict.SHOWN and not self.shown


def population(partitions: Iterable[Partition], *, min_coverage: Fraction) -> Population:
    """The verdict of the possible decision causes, if they agree; numbers of the finest.

    Rows that follow the graph leave nothing to other block sets: in the population the decision
    causes settle the matter for all of them.
    """
    partitions = tuple(partitions)
    verdict, agreed = agreed_verdict(partitions, min_coverage=min_coverage)
    finest = partitions[0]
    statistics = finest.statistics
    common = statistics.common
    return Population(
        verdict=verdict,
        partition=finest,
        agreed=agreed,
        shown=int(statistics.shown.sum()),
        shown_for_group=int((statistics.shown & (statistics.difference < 0)).sum()),
        within=int(statistics.within.sum()),
        measured=len(statistics.shown),
        common=common,
        heterogeneity=heterogeneity(finest.leading, common.difference) if common else None,
        pairs=() if finest.two_groups else pair_differences(finest),
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

    That one is shown is a claim about the worst of many and their mean, corrected for all
    (Holm). That each is within is a claim that every one of them must support, so that none
    needs a correction (intersection-union); it needs enough of both groups to be measured, too.
    """
    within = partition.statistics.within
    if partition.statistics.any_shown:
        return StatisticalVerdict.SHOWN
    if len(within) and within.all() and partition.coverage.reaches(min_coverage):
        return StatisticalVerdict.WITHIN
    return StatisticalVerdict.INCONCLUSIVE


def pair_differences(partition: Partition) -> tuple[PairDifference, ...]:
    """All pairs by all kinds of decision, in the order of the statistics' means."""
    compared, statistics, groups = partition.comparisons, partition.statistics, partition.groups
    found, mean = [], compared.mean
    coverage = partition.pair_coverage
    for at, common in enumerate(statistics.means):
        cut, pair = divmod(at, len(partition.pairs))
        own = mean == at
        group, other = partition.pairs[pair]
        found.append(
            PairDifference(
                group=groups[group],
                other=groups[other],
                decision=partition.cut_label(cut),
                common=common,
                comparisons=int(own.sum()),
                reaching=int((compared.side[own] != 0).sum()),
                shown=int(statistics.shown[own].sum()),
                coverage=coverage[pair],
            )
        )
    return tuple(found)
