"""``Certificate``: a verdict with everything that it rests on."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.display import Described, Summary, percent
from evenhand.errors import words_only
from evenhand.evidence import certificate_document
from evenhand.evidence.findings import Findings
from evenhand.evidence.partition import Partition
from evenhand.evidence.relaxed import RelaxedCertificate, relax
from evenhand.evidence.subpopulations import Subpopulations, points
from evenhand.evidence.verdict import Verdict
from evenhand.question import Question


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Certificate(Findings, Described):
    """Whether the criterion is met, given this graph, and the counts that show it."""

    def __repr__(self) -> str:
        return f"<Certificate: {self.verdict} at {self.question.threshold}, {self.rows:,} rows>"

    def __bool__(self) -> bool:
        raise TypeError(
            "A certificate is not true or false: there are three verdicts. Compare "
            "`certificate.verdict is Verdict.CERTIFIED`."
        )

    def __eq__(self, other: object) -> bool:
        return (
            self.to_json() == other.to_json()
            if isinstance(other, Certificate)
            else NotImplemented
        )

    def __hash__(self) -> int:
        return hash(self.to_json())

    @property
    def subpopulations(self) -> Subpopulations:
        """Every subpopulation that occurs."""
        return Subpopulations(self.partition, np.arange(len(self.partition)))

    @property
    def evidence(self) -> Subpopulations:
        """The violating subpopulations, strongest first."""
        return Subpopulations(self.partition, self.partition.by_strength)

    @property
    def unmeasured(self) -> Subpopulations:
        """The subpopulations in which one of the groups is absent."""
        return Subpopulations(self.partition, np.flatnonzero(~self.partition.measured))

    def relaxed(
        self, *, assurance: object = "0.8", threshold: object = None
    ) -> RelaxedCertificate:
        """The relaxed criterion on the same subpopulations."""
        asked = self.question
        if threshold is not None:
            asked = replace(asked, threshold=threshold)  # type: ignore[arg-type]  # read from text
        return relax(self.causes, assurance=assurance, threshold=asked.threshold)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the counts that the verdict rests on."""
        return certificate_document.digest(self.examined, self.partition)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the verdict takes for granted, in words."""
        return certificate_document.assumptions(self)

    def to_json(self) -> str:
        """The full certificate document as canonical JSON."""
        return certificate_document.canonical(certificate_document.full(self))

    def to_shared_json(self, *, least_count: int = 10) -> str:
        """The document for others, without subpopulations that have a cell under the count."""
        return certificate_document.canonical(
            certificate_document.shared(self, least_count=least_count)
        )

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the full document, for its owner's eyes; it appears whole or not at all.

        A file that is there already is replaced only with ``overwrite``.
        """
        return certificate_document.write(path, self.to_json(), mode=0o600, overwrite=overwrite)

    def write_shared(
        self, path: str | Path, *, least_count: int = 10, overwrite: bool = False
    ) -> Path:
        """Write the shared document, with the same care."""
        text = self.to_shared_json(least_count=least_count)
        return certificate_document.write(path, text, mode=0o644, overwrite=overwrite)

    def to_dict(self, *, assurance: object = "0.8") -> dict[str, Any]:
        """The result as plain values, evidence strongest first."""
        partition, question = self.partition, self.question
        return {
            "verdict": str(self.verdict),
            "reasons": [reason.text(words_only) for reason in self.reasons],
            "protected": question.protected,
            "group": question.group,
            "other": question.other,
            "decision": question.decision,
            "favorable": question.favorable,
            "threshold": str(question.threshold),
            "direct_arrow": self.direct_arrow,
            "rows": self.rows,
            "left_out": self.examined.left_out,
            "dropped": self.dropped,
            "coverage": {
                "rows": float(self.coverage.rows),
                "group": float(self.coverage.group),
                "other": float(self.coverage.other),
            },
            "min_coverage": float(self.min_coverage),
            "decision_causes": list(self.decision_causes),
            "possible_decision_causes": [
                list(names) for names in self.possible_decision_causes
            ],
            "graph": {**self.graph.to_dict(), "origin": self.graph_origin},
            "scope": {
                "asked": self.scope,
                "complete": self.complete,
                "examined": [list(partition.names) for partition in self.partitions],
            },
            "subpopulations": certificate_document.tally(partition),
            "risk_difference": _spread(partition),
            "relaxed": self.relaxed(assurance=assurance).to_dict(),
            "population": self.population.to_dict(),
            "evidence": [found.to_dict() for found in self.evidence],
            "unmeasured": {
                "subpopulations": len(self.unmeasured),
                "rows": int(partition.rows[~partition.measured].sum()),
            },
            "assumptions": list(self.assumptions),
        }

    def summary(self) -> Summary:
        """The verdict, what was asked and given, and the strongest evidence."""
        question, partition = self.question, self.partition
        tally = certificate_document.tally(partition)
        met = {
            Verdict.CERTIFIED: "criterion met",
            Verdict.NOT_CERTIFIED: "criterion not met",
            Verdict.CANNOT_DECIDE: "criterion neither met nor broken",
        }[self.verdict]
        facts = [
            ("in the population", self.population.counted),
            ("question", _asked(question)),
            ("threshold", f"{question.threshold}, chosen by whoever asked the question"),
            ("graph", self.graph_origin),
            ("decision causes", _listed(self.decision_causes)),
            ("subpopulations", _counted(tally)),
            ("coverage", _covered(partition)),
        ]
        if tally["measured"]:
            facts += [("difference in points", _range(partition)), *self.population.facts]
        if self.ambiguous:
            possible = " or ".join(_listed(names) for names in self.possible_decision_causes)
            facts.insert(5, ("possible decision causes", possible))
        table = self.evidence.summary()
        return Summary(
            title=f"{self.verdict}: {met} at τ = {question.threshold}, given this graph",
            facts=tuple(facts),
            columns=table.columns if table.rows else (),
            rows=table.rows,
            notes=(*table.notes, *self.reasons, *self.also_assumed),
        )


def _listed(names: tuple[str, ...]) -> str:
    return "{" + ", ".join(names) + "}"


def _asked(question: Question) -> str:
    compared = f"{question.protected} {question.group} against {question.other}"
    return f"{question.decision} = {question.favorable}: {compared}"


def _counted(tally: Mapping[str, int]) -> str:
    found = f"{tally['violating']:,} at or beyond the threshold"
    which = f"{tally['above']:,} above, {tally['below']:,} below"
    return f"{tally['occupied']:,} occur, {tally['measured']:,} measured, {found} ({which})"


def _covered(partition: Partition) -> str:
    question, cover = partition.question, partition.coverage
    shares = ((question.group, cover.group), (question.other, cover.other))
    by_group = ", ".join(f"{label} {percent(float(share))}" for label, share in shares)
    return f"{percent(float(cover.rows))} of the rows; {by_group}"


def _range(partition: Partition) -> str:
    """The smallest and largest difference, exact, so that neither crosses the threshold."""
    lines = np.flatnonzero(partition.measured)
    differences = partition.statistics.difference
    low, high = (
        points(partition.risk_difference(int(line)), threshold=partition.question.threshold)
        for line in (lines[differences.argmin()], lines[differences.argmax()])
    )
    return low if low == high else f"{low} to {high}"


def _spread(partition: Partition) -> dict[str, float | None]:
    """Extremes, mean and standard deviation of the differences, weighted by rows."""
    differences = partition.statistics.difference
    if not len(differences):
        return dict.fromkeys(("min", "max", "mean", "sd"))
    rows = partition.rows[partition.measured]
    mean = float(np.average(differences, weights=rows))
    variance = float(np.average((differences - mean) ** 2, weights=rows))
    return {
        "min": float(differences.min()),
        "max": float(differences.max()),
        "mean": mean,
        "sd": sqrt(variance),
    }
