"""``Audit``: the verdict on a table, and everything needed to go on from there."""

import secrets
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import Any

from evenhand.counts import CountTable
from evenhand.display import Described, ProgressCallback, Summary
from evenhand.effects import Indirect
from evenhand.evidence import (
    Certificate,
    PartitionExplanation,
    PartitionSurvey,
    Sensitivity,
    Subpopulations,
    Verdict,
    explain_partition,
    sensitivity_of_findings,
    survey_partitions,
)
from evenhand.evidence.certificate import Graph
from evenhand.evidence.population import ClaimVerdicts, exit_status, in_words
from evenhand.evidence.variations.arrow_dependence import ArrowDependence, judge_arrows
from evenhand.evidence.variations.bootstrap import Bootstrap, bootstrap
from evenhand.evidence.variations.graph_tests import GraphDoubt, doubt
from evenhand.graph import PartialGraph
from evenhand.question import Judge, Knowledge, Number, Question, QuestionFile
from evenhand.question.question_file import Labels
from evenhand.releasing.release import Release, release
from evenhand.removal import (
    Baseline,
    BaselinePlan,
    GeneratedPlan,
    Method,
    RemovalPlan,
    plan_removal,
)
from evenhand.report import Report, report
from evenhand.report.notebook import audit_figures
from evenhand.rows import Inspection, Rows
from evenhand.rows.inspect.inspection import inspect
from evenhand.verdict import StatisticalVerdict


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Audit(Described):
    """The verdict on a table, and everything needed to go on from there.

    ``rows`` is None if counts were given. ``judge`` says which verdict decides; both are there
    in any case. ``labels`` are the words of the question file; ``notes`` say what required
    arrows did to the causes. ``judged_with`` gives the audit of the same counts and learned
    graph with another question file: other edits, threshold, words or effects through others;
    for other columns or another rule a graph is to be learned anew.
    """

    rows: Rows | None
    counts: CountTable
    knowledge: Knowledge
    graph: Graph
    certificate: Certificate
    judge: Judge = "rows"
    labels: Labels = field(default_factory=Labels)
    notes: tuple[str, ...] = ()
    judged_with: "Callable[[QuestionFile], Audit]"
    doubts: dict[tuple[Graph, Question], GraphDoubt] = field(default_factory=dict)

    def __repr__(self) -> str:
        verdict = f"{self.verdict} at {self.question.threshold}, {self.counts.row_count:,} rows"
        return f"<Audit: {verdict}, causes {', '.join(self.decision_causes) or 'none'}>"

    @property
    def question(self) -> Question:
        """The question, with both groups named."""
        return self.certificate.question

    @property
    def verdict(self) -> Verdict:
        """Whether the criterion is met, given the graph."""
        return self.certificate.verdict

    @property
    def indirect(self) -> Indirect | None:
        """The claim about effects through the attributes that ``redlining`` names, if any."""
        return self.certificate.indirect

    @property
    def deciding_verdict(self) -> Verdict | StatisticalVerdict:
        """The verdict on the direct effect, on these rows or the population by ``judge``."""
        return self.deciding_verdicts[""]

    @property
    def deciding_verdicts(self) -> ClaimVerdicts:
        """The verdict on each claim, the direct effect under ""; see ``deciding_verdict``."""
        return self.certificate.verdicts(by_rows=self.judge == "rows")

    @property
    def exit_status(self) -> int:
        """The status of a process: 1 if any claim is not met, else 3 if any is open, else 0."""
        return exit_status(self.deciding_verdicts)

    @property
    def decision_causes(self) -> tuple[str, ...]:
        """The attributes that cause the decision, the protected one aside."""
        return self.certificate.decision_causes

    @property
    def subpopulations(self) -> Subpopulations:
        """Every subpopulation of the decision causes that occurs."""
        return self.certificate.subpopulations

    @cached_property
    def inspection(self) -> Inspection:
        """A look at the table as it was counted; people are compared alike in the causes."""
        return inspect(
            self.certificate.examined.counts,
            self.question,
            where=self.rows.where if self.rows else "table",
            alike=self.decision_causes,
            notes=self.rows.notes if self.rows else (),
        )

    def explain_partition(self, names: Collection[str]) -> PartitionExplanation:
        """Whether comparing people alike in these names means anything, and what it shows."""
        found = self.certificate  # its graph has the edges that knowledge settles
        return explain_partition(found.examined.counts, found.graph, self.question, names)

    def survey_partitions(self) -> PartitionSurvey:
        """How many of all partitions are meaningful, and what the examined ones show."""
        return survey_partitions(self.certificate)

    def sensitivity(self) -> tuple[Sensitivity, ...]:
        """How strong an unmeasured cause must be to overturn each of the strongest findings."""
        return sensitivity_of_findings(self.certificate.partition)

    def doubt(self, *, progress: ProgressCallback | None = None) -> GraphDoubt:
        """What the counts themselves say against the graph around the decision."""
        if (found := self.known_doubt) is None:
            counts, known = self.certificate.examined.counts, self.knowledge
            found = doubt(counts, self.graph, self.question, knowledge=known, progress=progress)
            self.doubts[self._doubted] = found
        return found

    @property
    def known_doubt(self) -> GraphDoubt | None:
        """The same if it was asked for before, of this audit or of one with the same graph."""
        return self.doubts.get(self._doubted)

    @property
    def _doubted(self) -> tuple[Graph, Question]:
        # No threshold and no effect through others changes what the counts say.
        return self.graph, replace(self.question.direct, threshold=Fraction(1, 20))

    def bootstrap(
        self,
        resamples: int = 200,
        *,
        seed: int | None = None,
        progress: ProgressCallback | None = None,
    ) -> Bootstrap:
        """How often each attribute is a cause, and each verdict, if rows are drawn again."""
        record = self.graph.record if isinstance(self.graph, PartialGraph) else None
        return bootstrap(
            self.certificate.examined.counts,
            self.question,
            seed=seed,
            resamples=resamples,
            graph=None
            if self.certificate.learned_here and not self.certificate.graph_origin.edits
            else self.graph,
            knowledge=self.knowledge,
            **(record.settings if record else {}),
            min_coverage=self.certificate.min_coverage,
            progress=progress,
        )

    def with_resamples(self, resampled: Bootstrap | None) -> "Audit":
        """The audit whose bounds of effects have the errors of resamples, and a verdict."""
        effects = resampled.indirect if resampled else None
        return replace(self, certificate=self.certificate.resampled(effects))

    def arrows(self, *, limit: int = 50) -> ArrowDependence:
        """What hangs on each arrow: the verdict without each cause, and with each candidate.

        A candidate may be a cause by what is known and is not certain to be one. At most
        ``limit`` of them are judged, those first that look least independent of the decision.
        """
        return judge_arrows(self.certificate, self.doubt(), self.knowledge, limit=limit)

    def plan(
        self, *, method: Method | Baseline | None = None, seed: int | None = None
    ) -> RemovalPlan | GeneratedPlan | BaselinePlan:
        """What would change, by default with ``ModifyData``; no row is touched."""
        return plan_removal(self.certificate, method=method, seed=seed)

    def release(
        self,
        *,
        method: Method | Baseline | None = None,
        seed: int | None = None,
        uncertified: bool = False,
        key: str | None = None,
        drop: Iterable[str] = (),
        labels: str | None = None,
        progress: ProgressCallback | None = None,
    ) -> Release:
        """Apply the plan to the rows, and certify the result; settings are as ``release`` has.

        ``Release.betrayals`` names columns that tell which rows were changed.
        """
        seed = secrets.randbits(128) if seed is None else seed
        return release(
            self.counts if self.rows is None else self.rows,
            self.plan(method=method, seed=seed),
            seed=seed,
            knowledge=self.knowledge,
            uncertified=uncertified,
            key=key,
            drop=drop,
            labels=labels,
            progress=progress,
        )

    def report(
        self,
        release: Release | None = None,
        *,
        labels: Labels | None = None,
        partition: PartitionExplanation | None = None,
        doubt: GraphDoubt | None = None,
        resampled: Bootstrap | None = None,
        arrows: ArrowDependence | None = None,
        share: bool = False,
        least_count: int = 10,
        title: str | None = None,
        certificate_file: str | PathLike[str] | None = None,
    ) -> Report:
        """The audit, and a release if there is one, as an HTML page; see ``report``."""
        return report(
            self,
            release,
            labels=labels or self.labels,
            partition=partition,
            doubt=doubt or (None if share else self.doubt()),
            resampled=resampled,
            arrows=arrows,
            share=share,
            least_count=least_count,
            title=title,
            certificate_file=certificate_file,
        )

    def to_dict(self, *, assurance: Number = "0.8") -> dict[str, Any]:
        """The plain values of the certificate, what decides, and how sensitive findings are."""
        return {
            "verdict": str(self.verdict),
            "judge": self.judge,
            "deciding_verdict": str(self.deciding_verdict),
            **self.certificate.to_dict(assurance=assurance, labels=self.labels),
            "notes": list(self.notes),
            "sensitivity": [finding.to_dict() for finding in self.sensitivity()],
            "inspection": self.inspection.to_dict(),
        }

    def summary(self) -> Summary:
        """The certificate's, what decides, whether the rows contradict the graph, and notes."""
        summary = self.certificate.summary(self.labels)
        inspection = self.inspection
        notes = (
            *(self.rows.notes if self.rows else ()),
            *(finding.problem for finding in inspection.matters),
            *inspection.same_decisions(),
        )
        claims = "; ".join(in_words(self.deciding_verdicts))
        judged = ("judged by", f"the {self.judge}: {claims}")
        said = self.doubt().sentence if self.doubt().contradicted else ""
        against = [("rows against the graph", said)] if said else []
        return replace(
            summary,
            facts=(judged, summary.facts[0], *against, *summary.facts[1:]),
            notes=(*summary.notes, *self.notes, *notes),
            hint='audit.report().write("report.html") writes the whole page.',
        )

    def _repr_html_(self) -> str:
        return self.summary().html(audit_figures(self.certificate, self.knowledge, self.labels))
