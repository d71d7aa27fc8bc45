"""``Certificate``: a verdict with everything that it rests on, and its documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from evenhand.counts import Determination, ExaminedCounts
from evenhand.display import Pictured, ProgressCallback, Summary
from evenhand.effects.indirect_claim import Indirect, ResampledEffects
from evenhand.errors import Problem, words_only
from evenhand.evidence.determining_columns import comparable_columns, determinations
from evenhand.evidence.graph_origin import GraphOrigin, edges
from evenhand.evidence.partition import Partition
from evenhand.evidence.relaxed_criterion import RelaxedCertificate, relax
from evenhand.evidence.release_provenance import ReleaseStatement
from evenhand.evidence.statistical_verdict import ClaimVerdicts, Population, population
from evenhand.evidence.statistics.expected_by_chance import ByChance
from evenhand.evidence.subpopulations import Subpopulations
from evenhand.files import write_file
from evenhand.graph import PartialGraph
from evenhand.question import Codings, Number, Question
from evenhand.question.display_labels import Labels
from evenhand.record import canonical
from evenhand.record.differencing import check_other_copies
from evenhand.verdict import Coverage, StatisticalVerdict, Verdict

Scope: TypeAlias = Literal["causes", "minimal", "all"]

_SCOPES = {
    "causes": "Only the decision causes were examined: in rows that follow the graph exactly "
    "no other block set differs by more, but in finite data one can.",
    "predictions": "Only the causes of the recorded decision were examined: predictions need "
    "not follow the graph, and among people alike in other attributes they can differ by more.",
    "minimal": "The decision causes and all minimal block sets were examined: in finite data a "
    "larger block set can still differ.",
    "all": "All block sets of the graph were examined.",
}


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
    chosen attributes, if the question makes one. ``answer`` is what an audit answered, as the
    full record states it. ``guesses`` are the keys of the question that nobody gave, with what
    was taken for them.
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
    answer: Mapping[str, Any] | None = None
    guesses: Mapping[str, Sequence[str]] = field(default_factory=dict)

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

    @property
    def verdicts(self) -> ClaimVerdicts:
        """The verdict on each claim on these rows, that on the direct effect under ""."""
        through = self.indirect
        beside = {} if through is None else {through.name: through.verdict}
        return {"": self.verdict, **beside}

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
            return replace(relaxed, mean=None, mean_square=None, coverage=Fraction(0))
        return relaxed

    @property
    def deciding_partition(self) -> Partition:
        """That by the decision causes; another block set if only that one differs."""
        return next((one for one in self.partitions if one.violating), self.partition)

    @property
    def explained_by_chance(self) -> bool:
        """Whether all that was seen is no more than chance would make, given this graph.

        Where the graph leaves several sets of causes open it must be so for all of them, each
        tested at its part of .05.
        """
        if self.release or self.is_determined:
            return False
        different = {one.names: one for one in (*self.causes, self.deciding_partition)}
        return all(one.is_explained(0.05 / len(different)) for one in different.values())

    @property
    def prediction_claim(self) -> dict[str, str]:
        """What a difference of predictions says, under a name; none of recorded decisions."""
        recorded = self.question.predicts
        alike = f"people alike in the causes of the recorded {recorded}"
        return {"claim": f"{alike} get different predictions"} if recorded else {}

    def first_sentence(self, labels: Labels | None = None) -> str:
        """How many groups differ, seen and by chance, and the difference on average."""
        # Words stand above what they are about: they are loaded when somebody asks for them.
        from evenhand.wording import certificate_words  # noqa: PLC0415

        return certificate_words.opening(self, labels)

    @property
    def by_chance(self) -> ByChance | None:
        """What chance alone would make; None of released rows, which chance did not make."""
        return None if self.release else self.partition.by_chance

    @property
    def as_unedited(self) -> dict[str, Any]:
        """The graph and what it gives, as told beside the certificate of an edited one."""
        return {
            **edges(self.graph),
            "verdict": str(self.verdict),
            "population": str(self.population.verdict),
            "measured": int(self.partition.measured.sum()),
            "violating": self.partition.violating,
        }

    @property
    def digest(self) -> str:
        """SHA-256 of the counts that the verdict rests on."""
        return self.partition.digest

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the verdict takes for granted, in words and without numbers."""
        question, origin = self.question, self.graph_origin
        decision, predicts, through = question.decision, question.predicts, question.redlining
        direct = f"direct effect of {question.groups_column} on"
        scope = "predictions" if predicts and self.scope == "causes" else self.scope
        said = {
            "The verdict holds if the graph is right: it lacks no common cause of its "
            "attributes, and every arrow points from cause to effect.": True,
            f"The graph was {origin}.": True,
            f"Only the {direct} {decision} is measured, not what works through other "
            "attributes.": not through and not predicts,
            f"People alike in the causes of the recorded {predicts} are compared by their "
            f"predictions, {decision}; no {direct} them is claimed, and a model that does not "
            "read it has none.": bool(predicts),
            "The verdict is about these predictions, not about the model as a rule for new "
            "rows.": bool(predicts),
            f"The verdict is about the {direct} {decision}; the effect through "
            f"{', '.join(through)} has one of its own, and nothing is said of other "
            "ways.": bool(through),
            "The threshold was chosen by whoever asked the question.": True,
            "The verdict describes these rows; what they tell about other people is a matter "
            "of statistics.": True,
            _SCOPES[scope]: self.complete,
            "Not all block sets that were asked for were examined.": not self.complete,
            "Where one of the groups is absent nothing is measured, and nothing is said.": True,
            "Certified does not mean anonymous.": True,
            f"All groups other than {question.group} were pooled.": self.pools_others,
            "Rows of groups that are not compared were left out.": self.examined.left_out > 0,
            "Rows with missing values were dropped.": self.dropped > 0,
            "All decisions that are not favorable were pooled.": self.pools_decisions,
        }
        applying = (sentence for sentence, applies in said.items() if applies)
        return (*applying, *self.also_assumed)

    @property
    def also_assumed(self) -> tuple[str, ...]:
        """The assumptions that only some certificates make: about the graph, and a release."""
        return (
            *self.graph_origin.assumptions(self.question.decision),
            *self.contradictions,
            *((self.release.notice, *self.release.acceptance) if self.release else ()),
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

    def resampled(self, draws: ResampledEffects | None) -> "Certificate":
        """The certificate whose bounds have the errors of resamples; as it is without any."""
        if self.indirect is None or draws is None:
            return self
        return replace(self, indirect=replace(self.indirect, resampled=draws.ends))

    def to_json(self) -> str:
        """The full record as canonical JSON."""
        from evenhand.evidence.certificate_record import full_record  # noqa: PLC0415  # a cycle

        return canonical(full_record(self))

    def to_shared_json(self, *, least_count: int = 10) -> str:
        """The record for others, without subpopulations that have a cell under the count."""
        from evenhand.evidence.certificate_record import shared_record  # noqa: PLC0415  # same

        return canonical(shared_record(self, least_count=least_count))

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
        from evenhand.record.checker_process import confirm  # noqa: PLC0415  # loads the checker

        check = partial(confirm, data=data, progress=progress)
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
        """Write the shared document in the same way, readable by everybody.

        It is refused where another one lies beside it from which it could be subtracted.
        """
        from evenhand.record.checker_process import confirm  # noqa: PLC0415  # as above

        text = self.to_shared_json(least_count=least_count)
        check_other_copies(Path(path), text)
        check = partial(confirm, data=data, progress=progress)
        return write_file(path, text, mode=0o644, overwrite=overwrite, check=check)

    def to_dict(
        self, *, assurance: Number = "0.8", labels: Labels | None = None
    ) -> dict[str, Any]:
        """The result as plain values, evidence strongest first."""
        partition, question, coverage = self.partition, self.question, self.coverage
        return {
            "verdict": str(self.verdict),
            "sentence": self.first_sentence(labels),
            **self.prediction_claim,
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
            **({"unedited": before} if (before := self.graph_origin.unedited) else {}),
            "scope": {
                "asked": self.scope,
                "complete": self.complete,
                "examined": [list(partition.names) for partition in self.partitions],
            },
            "subpopulations": partition.numbers_beside(self.by_chance),
            "risk_difference": partition.difference_moments,
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
        from evenhand.wording import certificate_words  # noqa: PLC0415

        return certificate_words.summary(self, labels)

    @property
    def is_sample(self) -> bool:
        """Whether the rows say something of a population: unchanged, and not determined."""
        return not self.release and not self.is_determined
