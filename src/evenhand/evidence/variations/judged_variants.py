"""``JudgedVariants``: what the verdict would be, had one thing been chosen otherwise.

A variant is the same question with other classes of numbers, or with one arrow more or less.
Each is judged on the same count as the audit, by every possible set of causes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Generic, Literal, Self, TypeAlias, TypeVar

from evenhand.display import Described
from evenhand.evidence.partition import Partition
from evenhand.evidence.population import agreed_verdict
from evenhand.verdict import StatisticalVerdict, Verdict, all_must_agree


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

    def __str__(self) -> str:
        return f"{self.verdict}; {self.statistical}"

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
