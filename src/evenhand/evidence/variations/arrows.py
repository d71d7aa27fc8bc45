"""``Variations``: what is given without each cause of the decision, and with each candidate."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evenhand.display import Described, Plain, Summary, percent, points
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.variations.adjustment_sets import AdjustmentSet


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Variations(Plain, Described):
    """Sensitivity to each arrow: without each cause of the decision, with each candidate."""

    keys = "decision as_audited variants=ways deciding=deciding_changes notes"
    certificate: Certificate
    ways: tuple[AdjustmentSet, ...]

    @property
    def decision(self) -> str:
        """The decision to which the arrows lead."""
        return self.certificate.question.decision

    @property
    def as_audited(self) -> dict[str, Any]:
        """What the audit gives."""
        partition, common = self.certificate.partition, self.certificate.population.common
        return {
            "verdict": str(self.certificate.verdict),
            "measured": int(partition.measured.sum()),
            "violating": partition.violating,
            "difference": common and common.difference,
            "coverage": str(partition.coverage.overall),
        }

    @property
    def deciding(self) -> tuple[AdjustmentSet, ...]:
        """Those that give another verdict on the rows, or in which a finding falls."""
        verdict = self.certificate.verdict
        return tuple(way for way in self.ways if way.falls or way.verdict is not verdict)

    @property
    def deciding_changes(self) -> tuple[str, ...]:
        """What is other in these."""
        return tuple(way.change() for way in self.deciding)

    def sentence(self, spell: Callable[[str], str] = str) -> str:
        """Which variations change the verdict, with columns in the words of a reader."""
        if not self.ways:
            return "There is no cause to leave out and no candidate to add."
        many = len(self.deciding)
        opening = (
            f"{many or 'None'} of {len(self.ways):,} variations "
            f"{'change' if many > 1 else 'changes'} the verdict or what is significant"
        )
        changes = "; ".join(f"{way.change(spell)}: {_outcome(way)}" for way in self.deciding)
        return f"{opening}: {changes}." if many else f"{opening}."

    @property
    def notes(self) -> tuple[str, ...]:
        """What the numbers do not say."""
        return ("Nothing here is corrected for trying several graphs.",)

    def summary(self) -> Summary:
        """One line for each arrow."""
        threshold, audited = self.certificate.question.threshold, self.as_audited
        share = Fraction(audited["coverage"])
        first = ("as audited", audited["verdict"], audited, audited["difference"], share)
        rows = [
            (way.change(), _outcome(way), way.to_dict(), way.difference, way.coverage)
            for way in self.ways
        ]
        return Summary(
            title=f"sensitivity to each arrow to {self.decision}",
            sentence=self.sentence(),
            columns=("causes", "verdict", "differ", "pooled", "compared"),
            lines=tuple(
                (
                    change,
                    outcome,
                    f"{numbers['violating']:,} of {numbers['measured']:,}",
                    points(difference, threshold=threshold),
                    percent(float(coverage)),
                )
                for change, outcome, numbers, difference, coverage in (first, *rows)
            ),
            notes=self.notes,
        )


_FALLS = {
    "smaller": "nothing is significant",
    "not separated": "hardly anybody can be compared",
    "within": "all differences are within τ",
    "shown": "a difference is significant",
    "larger": "the average is beyond τ",
}


def _outcome(way: AdjustmentSet) -> str:
    """The verdict on the rows, and what becomes of the answer's findings."""
    return f"{way.verdict}, {_FALLS[way.falls]}" if way.falls else str(way.verdict)
