"""What discovery finds on released counts: reported beside the certificate, no part of it.

The paper claims that the decision's causes stay the same. On finite data a re-learned graph can
gain or lose a cause, and with it the verdict.
"""

from dataclasses import dataclass, replace
from typing import Any

from evenhand.counts import CountTable, examined_counts
from evenhand.display import Described, Summary
from evenhand.evidence import Certificate, Verdict, certify
from evenhand.graph import PartialGraph, discover
from evenhand.question import Knowledge, Tiers
from evenhand.question.question import REST


@dataclass(frozen=True, eq=False, kw_only=True)
class Relearned(Described):
    """The graph of the released counts, what would be certified by it, and what differs.

    ``decision_causes`` are the certain ones, as in a certificate; where the graph leaves more
    open, ``possible_decision_causes`` holds every set of them.
    """

    graph: PartialGraph
    decision_causes: tuple[str, ...]
    possible_decision_causes: tuple[tuple[str, ...], ...]
    verdict: Verdict
    gained: tuple[str, ...]
    lost: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "decision_causes": list(self.decision_causes),
            "possible_decision_causes": [
                list(names) for names in self.possible_decision_causes
            ],
            "verdict": str(self.verdict),
            "gained": list(self.gained),
            "lost": list(self.lost),
            "graph": self.graph.to_dict(),
        }

    def sentence(self, certificate: Certificate) -> str:
        """What discovery finds otherwise than the release's certificate; nothing if nothing."""
        found = [
            f"{verb} {', '.join(names)} as {'a cause' if len(names) == 1 else 'causes'}"
            for verb, names in (
                ("no longer finds", self.lost),
                ("also finds", self.gained),
                ("leaves open", self._doubtful),
            )
            if names
        ]
        if not found and self.verdict is certificate.verdict:
            return ""
        told = " and ".join(found) or "finds the same causes"
        return f"Discovery on the released rows {told}; by that graph: {self.verdict}."

    @property
    def _doubtful(self) -> list[str]:
        """What may be a cause, and may not."""
        possible = {name for names in self.possible_decision_causes for name in names}
        return sorted(possible.difference(self.decision_causes))

    def summary(self) -> Summary:
        """The causes found anew, and the verdict that they would lead to."""
        change = [
            f"{word} {', '.join(names)}"
            for word, names in (("gained", self.gained), ("lost", self.lost))
            if names
        ]
        if self._doubtful:
            change.append(f"open: {', '.join(self._doubtful)}")
        return Summary(
            title=f"Learned anew from the release: {self.verdict}",
            facts=(
                ("decision causes", ", ".join(self.decision_causes) or "none"),
                ("against the certificate's", "; ".join(change) or "the same"),
            ),
            notes=("No part of the certificate, which is given with its own graph.",),
        )


def relearn(
    released: CountTable,
    certificate: Certificate,
    *,
    knowledge: Knowledge | Tiers | None = None,
    significance: float = 0.01,
    test: str = "chi-square",
) -> Relearned:
    """Learn the graph of released counts as if nothing else were known, and certify by it.

    The certificate is that of the release or of the data before it: it gives the question and
    the causes to compare with.
    """
    asked = certificate.question
    if certificate.pools_others:
        asked = replace(asked, other=REST)
    graph = discover(
        examined_counts(released, asked).counts,
        knowledge=knowledge,
        significance=significance,
        test=test,
    )
    found = certify(
        released,
        graph,
        asked,
        knowledge=knowledge,
        min_coverage=certificate.min_coverage,
    )
    now, before = set(found.decision_causes), set(certificate.decision_causes)
    possible = {name for names in found.possible_decision_causes for name in names}
    return Relearned(
        graph=graph,
        decision_causes=found.decision_causes,
        possible_decision_causes=found.possible_decision_causes,
        verdict=found.verdict,
        gained=tuple(sorted(now - before)),
        lost=tuple(sorted(before - possible)),
    )
