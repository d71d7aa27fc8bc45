"""``Certificate``: a verdict with everything that it rests on, and its documents."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeAlias

import numpy as np

from evenhand.counts import Determination, ExaminedCounts
from evenhand.display import Pictured, ProgressCallback, Summary
from evenhand.effects.claim import Indirect, ResampledEffects
from evenhand.errors import Problem, words_only
from evenhand.evidence import sentences
from evenhand.evidence.decision_rules import (
    comparable_columns,
    determinations,
    met_by_construction,
)
from evenhand.evidence.graph_origin import GraphOrigin, UneditedGraph
from evenhand.evidence.partition import Partition
from evenhand.evidence.partition_table import digest
from evenhand.evidence.population import ClaimVerdicts, GraphOutcome, Population, population
from evenhand.evidence.relaxed import RelaxedCertificate, relax
from evenhand.evidence.release_statement import ReleaseStatement
from evenhand.evidence.sentences import (
    assumption_sentences,
    deciding_partition,
    explained_by_chance,
    first_sentence,
    prediction_claim,
)
from evenhand.evidence.statistics.by_chance import ByChance
from evenhand.evidence.subpopulations import Subpopulations
from evenhand.files import write_file
from evenhand.graph import PartialGraph
from evenhand.question import Codings, Number, Question
from evenhand.question.question_file import Labels
from evenhand.record import canonical
from evenhand.verdict import MET, Coverage, StatisticalVerdict, Verdict

Scope: TypeAlias = Literal["causes", "minimal", "all"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Certificate(Pictured):
    """Whether the criterion is met, given this graph, and the counts that show it.

    ``partitions`` holds what was examined: first the possible decision causes, finest first,
    then, if asked for, other block sets. ``complete`` says whether all that the scope asks for
    was examined; ``reasons`` why the verdict is what it is, with a remedy where there is one.
    ``contradictions`` are sentences about a graph that contradicts itself. ``release`` says
    what was changed in these rows, if they are a release. ``determined_by`` names the columns
    that alone determine the decision; ``without_rule`` is, under a declared rule, the
    certificate without it and without them. ``tried`` says how many ways to class numbers,
    other arrows and other graphs were judged. ``indirect`` is the claim about effects through
    chosen attributes, if the question makes one.
    """

    verdict: Verdict
    reasons: tuple[Problem, ...]
    examined: ExaminedCounts
    pools_others: bool
    graph: PartialGraph
    graph_origin: GraphOrigin
    direct_arrow: bool
    possible_decision_causes: tuple[tuple[str, ...], ...]
    deciding_edges: tuple[tuple[str, str], ...]
    partitions: tuple[Partition, ...]
    scope: Scope
    complete: bool
    min_coverage: Fraction
    codings: Codings = field(default_factory=Codings)
    dropped: int = 0
    contradictions: tuple[str, ...] = ()
    release: ReleaseStatement | None = None
    determined_by: tuple[str, ...] = ()
    without_rule: "Certificate | None" = None
    tried: Mapping[str, int] = field(default_factory=dict)
    indirect: Indirect | None = None

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

    @property
    def question(self) -> Question:
        """The question, with both groups named."""
        return self.examined.question

    @property
    def learned_here(self) -> bool:
        """Whether the graph was learned from these rows, and not read from a file."""
        record = self.graph.record
        is_read = record is None or isinstance(record.counts, str)
        return not is_read and self.graph_origin.rows == "same"

    @property
    def pooled(self) -> str | None:
        """The label of all other groups together, if they were put together."""
        return self.question.other if self.pools_others else None

    @property
    def row_count(self) -> int:
        """How many rows were examined."""
        return self.examined.counts.row_count

    @property
    def ambiguous(self) -> bool:
        """Whether the graph leaves open what causes the decision."""
        return len(self.possible_decision_causes) > 1

    @property
    def decision_causes(self) -> tuple[str, ...]:
        """The certain causes of the decision, the protected attribute aside."""
        first, *others = self.possible_decision_causes
        return tuple(name for name in first if all(name in names for names in others))

    @property
    def partition(self) -> Partition:
        """The people divided by the decision causes; the finest, where these are ambiguous."""
        return self.partitions[0]

    @property
    def causes(self) -> tuple[Partition, ...]:
        """The partitions by possible decision causes."""
        return self.partitions[: len(self.possible_decision_causes)]

    @property
    def coverage(self) -> Coverage:
        """The share of rows that could be compared."""
        return self.partition.coverage

    @cached_property
    def population(self) -> Population:
        """What these rows tell about the population that they came from."""
        beyond = population(self.causes, min_coverage=self.min_coverage)
        if self.is_determined:
            return replace(beyond, verdict=StatisticalVerdict.INCONCLUSIVE)
        return beyond

    def verdicts(self, *, by_rows: bool) -> ClaimVerdicts:
        """The verdict on each claim, on these rows or on the population.

        Where the decision is determined neither can be given: that on the rows says so.
        """
        by_rows, through = by_rows or self.is_determined, self.indirect
        verdicts: dict[str, Verdict | StatisticalVerdict]
        verdicts = {"": self.verdict if by_rows else self.population.verdict}
        if through is not None:
            verdicts[through.name] = through.verdict if by_rows else through.population_verdict
        return verdicts

    @property
    def is_determined(self) -> bool:
        """Whether columns, or a declared rule, leave nothing of the decision to compare."""
        return bool(self.determined_by or self.question.rule)

    @cached_property
    def determinations(self) -> tuple[Determination, ...]:
        """The columns that alone determine the decision, or do so but for a few rows."""
        names = comparable_columns(self.graph, self.question.decision)
        return determinations(self.examined, names & {*self.examined.counts.names})

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
        self, *, assurance: Number = "0.8", threshold: Number | None = None
    ) -> RelaxedCertificate:
        """The relaxed criterion on every partition that was examined; the weakest bound."""
        question = self.question
        if threshold is not None:
            question = replace(question, threshold=threshold)  # type: ignore[arg-type]  # text
        others = self.partitions[len(self.causes) :]
        relaxed = relax(self.causes, others, assurance=assurance, threshold=question.threshold)
        if self.is_determined:
            return replace(relaxed, moments=None, coverage=Fraction(0))
        return relaxed

    @property
    def explained_by_chance(self) -> bool:
        """Whether all that was seen is no more than chance would make, given this graph."""
        if self.release or self.is_determined:
            return False
        return explained_by_chance((*self.causes, deciding_partition(self.partitions)))

    def first_sentence(self, labels: Labels | None = None) -> str:
        """How many groups differ, seen and by chance, and the difference on average.

        Where the decision is determined, that, and the verdict without the rule.
        """
        if self.is_determined:
            beside = self.without_rule
            return self.reasons[0].what + (
                f" Without it: {beside.verdict}. {beside.first_sentence(labels)}"
                if beside is not None
                else ""
            )
        return first_sentence(
            self.partitions,
            causes=len(self.causes),
            min_coverage=self.min_coverage,
            released=self.release is not None,
            labels=labels,
        )

    @property
    def by_chance(self) -> ByChance | None:
        """What chance alone would make; None of released rows, which chance did not make."""
        return None if self.release else self.partition.by_chance

    @property
    def as_unedited(self) -> UneditedGraph:
        """The graph and what it gives, as told beside the certificate of an edited one."""
        outcome = GraphOutcome(
            verdict=self.verdict,
            population=self.population.verdict,
            measured=int(self.partition.measured.sum()),
            violating=self.partition.violating,
        )
        return replace(UneditedGraph.of(self.graph), outcome=outcome)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the counts that the verdict rests on."""
        return digest(self.partition)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the verdict takes for granted, in words and without numbers."""
        applying = assumption_sentences(
            self.question,
            self.graph_origin,
            scope=self.scope,
            complete=self.complete,
            pools_others=self.pools_others,
            pools_decisions=self.pools_decisions,
            left_out=self.examined.left_out,
            dropped=self.dropped,
        )
        return (*applying, *self.also_assumed)

    @property
    def also_assumed(self) -> tuple[str, ...]:
        """The assumptions that only some certificates make: about the graph, and a release."""
        return (
            *self.graph_origin.assumptions(self.question.decision),
            *self.contradictions,
            *((self.release.notice,) if self.release else ()),
        )

    @property
    def pools_decisions(self) -> bool:
        """Whether several decisions count as unfavorable, and are named so."""
        favorable = self.question.favorable_label
        return bool(favorable) and self.examined.decisions[1] == f"not {favorable}"

    @property
    def variants(self) -> dict[str, int]:
        """How many variants were judged: sets of causes, rules, classes, other arrows.

        And how many graphs on the way to this one, if that is known.
        """
        graphs = self.tried.get("graphs", 0)
        return {
            "cause_sets": len(self.possible_decision_causes),
            "rules": 1 + (self.without_rule is not None),
            **{kind: self.tried.get(kind, 0) for kind in ("classes", "arrows")},
            **({"graphs": graphs} if graphs else {}),
        }

    @property
    def rules(self) -> dict[str, Any]:
        """The rule that was declared, the columns that determine, the verdict without them."""
        declared, beside = self.question.rule, self.without_rule
        left_out = sorted({*declared, *self.determined_by})
        without = (
            {"left_out": left_out, "verdict": str(beside.verdict)}
            if beside is not None
            else None
        )
        return {
            "declared": list(declared),
            "determining": list(self.determined_by),
            **({"without": without} if without else {}),
        }

    def stating(self, **judged: int) -> "Certificate":
        """The certificate with the number of variants that were judged besides, by kind."""
        return replace(self, tried={**self.tried, **judged})

    def resampled(self, draws: ResampledEffects | None) -> "Certificate":
        """The certificate whose bounds have the errors of resamples; as it is without any."""
        if self.indirect is None or draws is None:
            return self
        return replace(self, indirect=replace(self.indirect, resampled=draws.ends))

    def full_document(self) -> dict[str, Any]:
        """The record for the owner of the data: every subpopulation, and digests."""
        content: dict[str, Any] = json.loads(self.to_json())
        return content

    def shared_document(self, *, least_count: int = 10) -> dict[str, Any]:
        """The record for others: what it withholds cannot be computed from what it shows."""
        content: dict[str, Any] = json.loads(self.to_shared_json(least_count=least_count))
        return content

    def to_json(self) -> str:
        """The full record as canonical JSON."""
        return canonical(_records().full_record(self))

    def to_shared_json(self, *, least_count: int = 10) -> str:
        """The record for others, without subpopulations that have a cell under the count."""
        return canonical(_records().shared_record(self, least_count=least_count))

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
            "subpopulations": sentences.numbers_by_chance(partition, self.by_chance),
            "risk_difference": sentences.difference_moments(partition),
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
        compared = f"{question.groups_column} {question.compared.text(self.examined.groups)}"
        counted = question.outcome.text(len(self.examined.decisions))
        facts = [
            ("verdict", f"criterion {self._claim}"),
            *([("in the population", self.population.headline)] if self.is_sample else []),
            ("question", f"{question.decision}{counted}: {compared}"),
            *prediction_claim(question).items(),
            ("threshold", f"{question.threshold}, chosen by whoever asked the question"),
            ("graph", str(self.graph_origin)),
            *self._as_learned,
            ("decision causes", "{" + ", ".join(self.decision_causes) + "}"),
            *([("possible decision causes", " or ".join(sets))] if self.ambiguous else []),
            *sentences.partition_facts(self.partition),
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
    def is_sample(self) -> bool:
        """Whether the rows say something of a population: unchanged, and not determined."""
        return not self.release and not self.is_determined

    def _statistical_facts(self) -> list[tuple[str, str]]:
        """What chance would make, and the tests over all subpopulations."""
        chance = sentences.chance_facts(self.partitions)
        return [*chance, *(self.population.facts if self.by_chance else ())]

    @property
    def _claim(self) -> str:
        """Whether the criterion is met, in words."""
        if self.question.rule:
            return met_by_construction(self.question)
        return f"{MET[self.verdict]} at τ = {self.question.threshold}, given this graph"


def _records() -> ModuleType:
    """The functions that make records of certificates; they import this module."""
    from evenhand.evidence import certificate_record  # noqa: PLC0415  # as it says

    return certificate_record


def _confirm(written: Path, **settings: Any) -> None:  # noqa: ANN401  # those of ``confirm``
    """Have the checker, which is loaded for this alone, check a file."""
    from evenhand.record.stand_alone import confirm  # noqa: PLC0415  # as it says

    confirm(written, **settings)
