"""``Certificate``: a judgement with its two documents, its plain values and its summary."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from evenhand.display import Pictured, ProgressCallback, Summary
from evenhand.errors import words_only
from evenhand.evidence import certificate_encoding as document
from evenhand.evidence import partition_facts
from evenhand.evidence.assumption_sentences import prediction_claim
from evenhand.evidence.certificate_document import full_document, shared_document
from evenhand.evidence.decision_rules import met_by_construction
from evenhand.evidence.judged_variants import JudgedVariants
from evenhand.evidence.judgement import Judgement
from evenhand.evidence.resampled_effects import ResampledEffects
from evenhand.evidence.verdict import MET
from evenhand.files import write_file
from evenhand.question import Number
from evenhand.question.question_file import Labels


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Certificate(Judgement, Pictured):
    """A judgement that can be written, read and compared."""

    def __repr__(self) -> str:
        threshold = self.question.threshold
        return f"<Certificate: {self.verdict} at {threshold}, {self.row_count:,} rows>"

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

    def stating(self, *tried: JudgedVariants[Any] | None) -> "Certificate":
        """The certificate with the number of variants that were judged besides."""
        judged = {str(one.kind): len(one.ways) for one in tried if one is not None}
        return replace(self, tried={**self.tried, **judged})

    def resampled(self, draws: ResampledEffects | None) -> "Certificate":
        """The certificate whose bounds have the errors of resamples; as it is without any."""
        if self.indirect is None or draws is None:
            return self
        return replace(self, indirect=replace(self.indirect, resampled=draws.ends))

    def full_document(self) -> dict[str, Any]:
        """The document for the owner of the data: every subpopulation, and digests."""
        content: dict[str, Any] = document.plain(full_document(self))
        return content

    def shared_document(self, *, least_count: int = 10) -> dict[str, Any]:
        """The document for others: what it withholds cannot be computed from what it shows."""
        shown = shared_document(self, least_count=least_count)
        content: dict[str, Any] = document.plain(shown)
        return content

    def to_json(self) -> str:
        """The full certificate document as canonical JSON."""
        return document.canonical(full_document(self))

    def to_shared_json(self, *, least_count: int = 10) -> str:
        """The document for others, without subpopulations that have a cell under the count."""
        return document.canonical(shared_document(self, least_count=least_count))

    def write(
        self,
        path: str | Path,
        *,
        overwrite: bool = False,
        data: str | Path | None = None,
        progress: ProgressCallback | None = None,
    ) -> Path:
        """Write the full document atomically, readable by its owner only.

        The stand-alone checker must find it true first: from its own numbers, and against
        ``data`` if that names a CSV file of at most 50 MB. An existing file is replaced only
        with ``overwrite``.
        """
        check = partial(_confirm, data=data, progress=progress)
        return write_file(path, self.to_json(), mode=0o600, overwrite=overwrite, check=check)

    def write_shared(
        self,
        path: str | Path,
        *,
        least_count: int = 10,
        overwrite: bool = False,
        data: str | Path | None = None,
        progress: ProgressCallback | None = None,
    ) -> Path:
        """Write the shared document in the same way, readable by everybody."""
        text = self.to_shared_json(least_count=least_count)
        check = partial(_confirm, data=data, progress=progress)
        return write_file(path, text, mode=0o644, overwrite=overwrite, check=check)

    def to_dict(
        self, *, assurance: Number = "0.8", labels: Labels | None = None
    ) -> dict[str, Any]:
        """The result as plain values, evidence strongest first."""
        partition, question, coverage = self.partition, self.question, self.coverage
        return {
            "verdict": str(self.verdict),
            "sentence": self.first_sentence(labels),
            **prediction_claim(question),
            "explained_by_chance": self.explained_by_chance,
            "reasons": [reason.text(words_only) for reason in self.reasons],
            **replace(question.direct, rule=()).to_dict(),
            "direct_arrow": self.direct_arrow,
            "rows": self.row_count,
            "left_out": self.examined.left_out,
            "dropped": self.dropped,
            "coverage": coverage.by_name(float),
            "min_coverage": float(self.min_coverage),
            "decision_causes": list(self.decision_causes),
            "possible_decision_causes": list(map(list, self.possible_decision_causes)),
            "graph": {**self.graph.to_dict(), "origin": str(self.graph_origin)},
            **self._unedited,
            "scope": {
                "asked": self.scope,
                "complete": self.complete,
                "examined": [list(partition.names) for partition in self.partitions],
            },
            "subpopulations": partition_facts.numbers_by_chance(partition, self.by_chance),
            "risk_difference": partition_facts.difference_moments(partition),
            "relaxed": self.relaxed(assurance=assurance).to_dict(),
            "population": self.population.to_dict(),
            "evidence": [subpopulation.to_dict() for subpopulation in self.evidence],
            "unmeasured": {
                "subpopulations": len(self.unmeasured),
                "rows": int(partition.row_counts[~partition.measured].sum()),
            },
            **({"indirect": self.indirect.to_dict(labels)} if self.indirect else {}),
            "assumptions": list(self.assumptions),
            "variants": self.variants,
            "rules": {
                **self.rules,
                "near": [one.to_dict() for one in self.determinations if not one.exact],
            },
        }

    def summary(self, labels: Labels | None = None) -> Summary:
        """The verdict, what was asked and given, and the strongest evidence."""
        question = self.question
        sets = ["{" + ", ".join(names) + "}" for names in self.possible_decision_causes]
        compared = f"{question.groups_column} {self._compared}"
        facts = [
            ("verdict", f"criterion {self._claim}"),
            *([("in the population", self.population.headline)] if self.is_sample else []),
            ("question", f"{question.decision}{self._favored}: {compared}"),
            *prediction_claim(question).items(),
            ("threshold", f"{question.threshold}, chosen by whoever asked the question"),
            ("graph", str(self.graph_origin)),
            *self._as_learned,
            ("decision causes", "{" + ", ".join(self.decision_causes) + "}"),
            *([("possible decision causes", " or ".join(sets))] if self.ambiguous else []),
            *partition_facts.partition_facts(self.partition),
            *(self._statistical_facts() if self.is_sample else []),
        ]
        if self.without_rule is not None:
            beside = f"{self.without_rule.verdict}: {self.without_rule.first_sentence(labels)}"
            facts.insert(1, ("without the rule", beside))
        if self.indirect is not None:
            said = f"criterion {self.indirect.claim}. {self.indirect.sentence(labels)}"
            facts.insert(1 + self.is_sample, (self.indirect.name, said))
        table = self.evidence.summary()
        # Chance did not make released rows: no interval and no p, which are the last columns.
        columns = slice(-2 if self.release else None)
        return Summary(
            title=str(self.verdict),
            sentence=self.first_sentence(labels),
            facts=tuple(facts),
            columns=table.columns[columns] if table.lines else (),
            lines=tuple(line[columns] for line in table.lines),
            more=table.more,
            notes=(
                *self.reasons,
                *(
                    one.near_problem(question.decision, self.row_count)
                    for one in self.determinations
                    if not one.exact
                ),
                *self.also_assumed,
            ),
            hint='evenhand.audit(…).report().write("report.html") writes the whole page.',
        )

    @property
    def _unedited(self) -> dict[str, Any]:
        """The graph before the edits and what it gives, if there were any."""
        before = self.graph_origin.unedited
        return {"unedited": before.to_dict()} if before else {}

    @property
    def _as_learned(self) -> list[tuple[str, str]]:
        """What the graph gives without the edits, in words."""
        origin = self.graph_origin
        before = origin.unedited and origin.unedited.outcome
        return [(f"as {origin.kind}", str(before))] if before else []

    @property
    def _compared(self) -> str:
        """Who is compared with whom."""
        question, groups = self.question, self.examined.groups
        if question.group is not None:
            return f"{question.group} against {question.other}"
        if question.other is not None:
            return f"against {question.other}: {len(groups) - 1} groups"
        return f"in pairs of {len(groups)} groups"

    @property
    def _favored(self) -> str:
        """Which decisions are compared."""
        question = self.question
        if question.favorable:
            return f" = {question.favorable_label}"
        each = "each cut of" if question.criterion == "cumulative" else "each of"
        return f", {each} {len(self.examined.decisions)} values"

    @property
    def is_sample(self) -> bool:
        """Whether the rows say something of a population: unchanged, and not determined."""
        return not self.release and not self.is_determined

    def _statistical_facts(self) -> list[tuple[str, str]]:
        """What chance would make, and the tests over all subpopulations."""
        chance = partition_facts.chance_facts(self.partitions)
        return [*chance, *(self.population.facts if self.by_chance else ())]

    @property
    def _claim(self) -> str:
        """Whether the criterion is met, in words."""
        if self.question.rule:
            return met_by_construction(self.question)
        return f"{MET[self.verdict]} at τ = {self.question.threshold}, given this graph"


def _confirm(written: Path, **settings: Any) -> None:  # noqa: ANN401  # those of ``confirm``
    """Have the checker, which is loaded for this alone, check a file."""
    from evenhand.checker_process import confirm  # noqa: PLC0415  # as it says

    confirm(written, **settings)
