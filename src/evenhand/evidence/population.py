"""What the table says about the population that it came from: a verdict with three values.

The exact verdict describes these rows. Other rows from the same population would have come out
differently; the statistical verdict says what they could not have changed. It stands beside the
exact one and weighs as much.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter
from typing import Any, Self, TypeAlias

from evenhand.display import Described, Plain, Summary, points
from evenhand.evidence.partition import Partition
from evenhand.evidence.statistics.heterogeneity import Heterogeneity, heterogeneity
from evenhand.evidence.statistics.pooled_difference import PooledDifference
from evenhand.evidence.subpopulations import p_value
from evenhand.verdict import StatisticalVerdict, Verdict, all_must_agree

_GIVEN = (
    "p-values take the subpopulations as given: a graph that was learned from the same rows "
    "has already used them once."
)


_SHOWN_PAIRS = 10


# Each claim's verdict by the name of the claim, that of the direct effect "".
ClaimVerdicts: TypeAlias = Mapping[str, Verdict | StatisticalVerdict]


def exit_status(verdicts: ClaimVerdicts) -> int:
    """The status of a process: 0 all good, 1 if any verdict is bad, else 3."""
    given = {*verdicts.values()}
    if given & {Verdict.NOT_CERTIFIED, StatisticalVerdict.SHOWN}:
        return 1
    return 0 if given <= {Verdict.CERTIFIED, StatisticalVerdict.WITHIN} else 3


def in_words(verdicts: ClaimVerdicts) -> list[str]:
    """The verdict on each claim, with the claim's name."""
    return [f"{name}: {verdict}".removeprefix(": ") for name, verdict in verdicts.items()]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOutcome(Plain):
    """What a graph gives: both verdicts, and numbers of its finest set of causes.

    ``common_difference`` is None where nothing is measured.
    """

    keys = "verdict population measured violating common_difference coverage=covered"
    verdict: Verdict
    population: StatisticalVerdict
    measured: int
    violating: int
    common_difference: float | None = None
    coverage: Fraction | None = None

    @classmethod
    def of(
        cls,
        partitions: Sequence[Partition],
        *,
        min_coverage: Fraction,
        determined: bool,
        **fields: Any,  # noqa: ANN401  # what was judged otherwise, as its class says
    ) -> Self:
        """Judge the partitions by all possible sets of causes, finest first: all must agree.

        Where one column alone determines the decision nothing can be decided.
        """
        verdict = all_must_agree(one.verdict(min_coverage) for one in partitions)
        population, _ = agreed_verdict(partitions, min_coverage=min_coverage)
        finest = partitions[0]
        common = finest.statistics.common
        return cls(
            verdict=Verdict.CANNOT_DECIDE if determined else verdict,
            population=StatisticalVerdict.INCONCLUSIVE if determined else population,
            measured=int(finest.measured.sum()),
            violating=finest.violating,
            common_difference=common.difference if common else None,
            coverage=finest.coverage.overall,
            **fields,
        )

    @property
    def covered(self) -> float:
        """The share of rows that could be compared."""
        return float(self.coverage or 0)

    @property
    def verdicts(self) -> tuple[Verdict, StatisticalVerdict]:
        """The verdict on these rows, and on the population."""
        return self.verdict, self.population

    def __str__(self) -> str:
        return (
            f"{self.verdict}, {self.violating:,} of {self.measured:,} subpopulations violate; "
            f"in the population: {self.population}"
        )


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
    def strength(self) -> tuple[float, float]:
        """A sorting key: least likely to be chance first, pairs that never meet last."""
        common = self.common
        return (common.p_threshold, common.p_zero) if common else (2.0, 2.0)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Population(Plain, Described):
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
    def mean_beyond(self) -> bool:
        """Whether the common difference of several subpopulations lies beyond the threshold."""
        if self.measured < 2 or self.common is None:
            return False
        return abs(self.common.difference) > self.partition.question.threshold

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
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The tests over all subpopulations."""
        facts = []
        if self.pairs:
            facts += self._pair_facts
        elif self.common:
            threshold = self.partition.question.threshold
            text = _common_text(self.common, threshold)
            facts.append(("common difference (p vs 0)", text))
            if self.mean_beyond:
                beyond = _beyond_text(self.common, self.comparisons)
                facts.append(("common difference (p vs τ)", beyond))
        if self.heterogeneity and self.measured > 1 and not self.pairs:
            tests = self.heterogeneity
            facts += [
                ("all the same", f"p {p_value(tests.p)}"),
                ("opposite signs", f"p {p_value(tests.p_opposite)}"),
            ]
        return tuple(facts)

    @property
    def _pair_facts(self) -> list[tuple[str, str]]:
        """The pairs whose mean is farthest from what chance makes, strongest first."""
        threshold, several = (
            self.partition.question.threshold,
            len(self.partition.favorable) > 1,
        )

        strongest = sorted(self.pairs, key=attrgetter("strength"))
        facts = [
            (
                f"{pair.group} → {pair.other}{f', {pair.decision}' if several else ''}",
                _common_text(pair.common, threshold) + _shown_text(pair.common),
            )
            for pair in strongest[:_SHOWN_PAIRS]
            if pair.common
        ]
        rest = len(strongest) - len(facts)
        more = [("", f"and {rest:,} more pairs")] if rest else []
        return [("on average", "the second group's rate minus the first's"), *facts, *more]

    @property
    def tables(self) -> tuple[Summary, ...]:
        """Who is how far from whom on average: a table for each kind of decision."""
        return tuple(pair_tables(self.pairs, self.partition.question.threshold))

    @property
    def shown_on_average_only(self) -> bool:
        """Whether the common difference alone carries the verdict that one is shown."""
        return self.verdict is StatisticalVerdict.SHOWN and not self.shown

    @property
    def headline(self) -> str:
        """The verdict with the numbers of subpopulations behind it."""
        where = " on average, in no single group" if self.shown_on_average_only else ""
        if not self.agreed:
            where = ", as possible sets of decision causes differ in it"
        return (
            f"{self.verdict}{where}: of {self.measured:,} {self._measured_what} {self.shown:,} "
            f"shown beyond the threshold{self._for_group}, {self.within:,} shown within"
        )

    @property
    def _measured_what(self) -> str:
        return "comparisons" if self.pairs else "measured"

    @property
    def _for_group(self) -> str:
        return "" if self.pairs else f" ({self.shown_for_group:,} in favor of the group)"

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


def _common_text(common: PooledDifference, threshold: Fraction) -> str:
    difference, low, high = (
        points(x, threshold=threshold) for x in (common.difference, common.low, common.high)
    )
    return f"{difference} points, 95 % interval {low} to {high}, p {p_value(common.p_zero)}"


def _shown_text(common: PooledDifference) -> str:
    return f", {'shown' if common.shown else 'not shown'} beyond the threshold"


def _beyond_text(common: PooledDifference, comparisons: int) -> str:
    state = "shown" if common.shown else "not shown"
    return (
        f"{state} beyond the threshold, p {p_value(common.p_threshold)}, "
        f"{p_value(common.p_adjusted)} after Holm's correction for {comparisons:,}"
    )


# More do not fit on a screen; the report has room for them.
_MOST_GROUPS, _MOST_DECISIONS = 8, 4


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


def pair_tables(pairs: Sequence[PairDifference], threshold: Fraction) -> Iterator[Summary]:
    """A table for each kind of decision: who is how far from whom on average, at a glance.

    Nothing where there are more groups or kinds than a screen holds.
    """
    by_decision: dict[str, list[PairDifference]] = {}
    for pair in pairs:
        by_decision.setdefault(pair.decision, []).append(pair)
    groups = [*dict.fromkeys(pair.group for pair in pairs)]
    others = [*dict.fromkeys(pair.other for pair in pairs)]
    if max(len(groups), len(others)) > _MOST_GROUPS or len(by_decision) > _MOST_DECISIONS:
        return
    for decision, own in by_decision.items():
        cells = {(pair.group, pair.other): _cell(pair, threshold) for pair in own}
        yield Summary(
            title=f"on average, {decision}: the rate of the column minus that of the row",
            columns=("points", *others),
            lines=tuple(
                (group, *(cells.get((group, other), "") for other in others))
                for group in groups
            ),
            notes=("* shown beyond the threshold",) if any(map(_is_shown, own)) else (),
        )


def _is_shown(pair: PairDifference) -> bool:
    return pair.common is not None and pair.common.shown


def _cell(pair: PairDifference, threshold: Fraction) -> str:
    if pair.common is None:
        return "not compared"
    return points(pair.common.difference, threshold=threshold) + " *" * _is_shown(pair)
