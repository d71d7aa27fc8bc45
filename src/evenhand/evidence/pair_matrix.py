"""Who against whom: the difference on average of every pair of groups that is compared."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evenhand.display import Summary, points
from evenhand.evidence.common_difference import CommonDifference
from evenhand.evidence.partition import Partition

# More do not fit on a screen; the report has room for them.
_MOST_GROUPS, _MOST_DECISIONS = 8, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDifference:
    """Two groups by one kind of decision: the difference on average, and in how many places.

    ``common`` is None where the two are nowhere together. ``coverage`` is the share of rows
    beside the other group, of the group with the smaller share.
    """

    group: str
    other: str
    decision: str
    common: CommonDifference | None
    comparisons: int
    reaching: int
    shown: int
    coverage: Fraction

    @property
    def strength(self) -> tuple[float, float]:
        """A sorting key: least likely to be chance first, pairs that never meet last."""
        common = self.common
        return (common.p_threshold, common.p_zero) if common else (2.0, 2.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "group": self.group,
            "other": self.other,
            "decision": self.decision,
            "common_difference": self.common.to_dict() if self.common else None,
            "comparisons": self.comparisons,
            "reaching": self.reaching,
            "shown": self.shown,
            "coverage": str(self.coverage),
        }


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
