"""Who against whom: the difference on average of every pair of groups that is compared."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evenhand.evidence.common_difference import CommonDifference
from evenhand.evidence.partition import Partition


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
