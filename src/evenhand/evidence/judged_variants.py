"""``JudgedVariants``: what the verdict would be, had one thing been chosen otherwise.

A variant is the same question with other classes of numbers, or with one arrow more or less.
Each is judged on the same count as the audit, by every possible set of causes.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, Self, TypeAlias, TypeVar

from evenhand.display import Described, percent
from evenhand.evidence.partition import Partition
from evenhand.evidence.population import StatisticalVerdict, agreed_verdict
from evenhand.evidence.subpopulations import points
from evenhand.evidence.verdict import Verdict, all_must_agree


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedVariant:
    """What one variant gives; numbers are those of the finest set of causes.

    ``common`` is the common difference, None where nothing is measured.
    """

    verdict: Verdict
    statistical: StatisticalVerdict
    common: float | None
    coverage: Fraction
    measured: int
    violating: int

    @classmethod
    def of(
        cls,
        partitions: Sequence[Partition],
        *,
        min_coverage: Fraction,
        determined: bool,
        **fields: Any,  # noqa: ANN401  # what the variant is, as its class says
    ) -> Self:
        """Judge the partitions by all possible sets of causes, finest first: all must agree.

        Where one column alone determines the decision nothing can be decided.
        """
        verdict = all_must_agree([one.verdict(min_coverage) for one in partitions])
        statistical, _ = agreed_verdict(partitions, min_coverage=min_coverage)
        finest = partitions[0]
        common = finest.statistics.common
        return cls(
            verdict=Verdict.CANNOT_DECIDE if determined else verdict,
            statistical=StatisticalVerdict.INCONCLUSIVE if determined else statistical,
            common=common.difference if common else None,
            coverage=finest.coverage.overall,
            measured=int(finest.measured.sum()),
            violating=finest.violating,
            **fields,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "verdict": str(self.verdict),
            "population": str(self.statistical),
            "measured": self.measured,
            "violating": self.violating,
            "common_difference": self.common,
            "coverage": float(self.coverage),
        }


VariantKind: TypeAlias = Literal["classes", "arrows"]
Way = TypeVar("Way", bound=JudgedVariant)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JudgedVariants(Described, Generic[Way]):
    """Variants of an audit, and what the audit itself gives."""

    kind: ClassVar[VariantKind]
    ways: tuple[Way, ...]
    audited: JudgedVariant
    threshold: Fraction

    @cached_property
    def verdicts(self) -> dict[Verdict, int]:
        """How many ways give each verdict."""
        return dict(Counter(way.verdict for way in self.ways).most_common())

    @cached_property
    def statistical(self) -> dict[StatisticalVerdict, int]:
        """How many ways give each verdict on the population."""
        return dict(Counter(way.statistical for way in self.ways).most_common())

    @property
    def shown(self) -> int:
        """In how many ways a difference beyond the threshold is shown."""
        return self.statistical.get(StatisticalVerdict.SHOWN, 0)

    def share(self, ways: int) -> float:
        """A number of ways as a share of all."""
        return ways / len(self.ways)

    @property
    def common_range(self) -> tuple[float, float] | None:
        """The smallest and the largest common difference."""
        differences = [way.common for way in self.ways if way.common is not None]
        return (min(differences), max(differences)) if differences else None

    @property
    def coverage_range(self) -> tuple[Fraction, Fraction]:
        """The smallest and the largest share of the rows that can be compared."""
        shares = [way.coverage for way in self.ways]
        return min(shares), max(shares)

    @property
    def sentence(self) -> str:
        """The shares of verdicts, and of shown differences, in one sentence."""
        verdicts = ", ".join(
            f"{one} in {self._of_all(many)}" for one, many in self.verdicts.items()
        )
        return f"{verdicts}; a difference shown in {self._of_all(self.shown)}"

    def _of_all(self, ways: int) -> str:
        if ways == len(self.ways):
            return "all"
        return f"{ways:,} ({percent(self.share(ways))})" if ways else "none"

    @property
    def ranges(self) -> tuple[tuple[str, str], ...]:
        """The range of the common difference, and of what could be compared."""
        common, (least, most) = self.common_range, self.coverage_range
        low, high = (points(x, threshold=self.threshold) for x in common or (None, None))
        return (
            ("common difference", f"{low} to {high} points" if common else "unmeasured"),
            ("rows compared", f"{percent(float(least))} to {percent(float(most))}"),
        )

    @property
    def shares(self) -> dict[str, Any]:
        """Shares of all ways that were judged, and ranges, as plain values."""
        common = self.common_range
        return {
            "ways": len(self.ways),
            "verdicts": {str(one): self.share(many) for one, many in self.verdicts.items()},
            "population": {
                str(one): self.share(many) for one, many in self.statistical.items()
            },
            "shown": self.share(self.shown),
            "common_difference": list(common) if common else None,
            "coverage": [float(share) for share in self.coverage_range],
        }
