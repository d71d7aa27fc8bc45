"""``audit``: read, count, learn, judge. ``Audit``: the verdict, and what goes on from there.

The file is not called like the function: a module ``evenhand.audit`` would take its place.
"""

import secrets
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

from evenhand.counts import CountTable
from evenhand.display import Described, ProgressCallback, Summary
from evenhand.effects import Indirect
from evenhand.errors import QuestionError, listed
from evenhand.evidence import (
    Bootstrap,
    Certificate,
    GraphDoubt,
    GraphOrigin,
    PartitionExplanation,
    Subpopulations,
    Variations,
    Verdict,
    Word,
    explain_partition,
)
from evenhand.evidence.answer import Answer, answer_of
from evenhand.evidence.audit_progress import expect_of, whole_progress
from evenhand.evidence.certificate import Scope
from evenhand.evidence.certification import certify_case
from evenhand.evidence.determining_columns import JudgedCase, without_rule
from evenhand.evidence.graph_origin import decision_last
from evenhand.evidence.implied_independences import doubt
from evenhand.evidence.statistical_verdict import ClaimVerdicts, exit_status, in_words
from evenhand.evidence.variations.adjustment_sets import AdjustmentSets
from evenhand.evidence.variations.bootstrap import bootstrap
from evenhand.graph import PartialGraph, find_causes
from evenhand.graph.discovery import learn_graph
from evenhand.graph.edits import edited, require_graph
from evenhand.graph.searched_columns import choose_columns
from evenhand.question import (
    Codings,
    GraphEdit,
    Judge,
    Knowledge,
    Number,
    Question,
    QuestionFile,
    Tiers,
)
from evenhand.question.display_labels import Labels
from evenhand.rows import Inspection, Rows, Source
from evenhand.rows.finer_classes import finer_counts
from evenhand.rows.inspect.favorable_value import named_after
from evenhand.rows.inspect.inspection import inspect
from evenhand.rows.rows import read_and_count

if TYPE_CHECKING:  # a verdict needs no release and no page: methods load them
    from evenhand.releasing.release import Release
    from evenhand.removal import Baseline, Method, Plan
    from evenhand.report import Report
    from evenhand.tables import Comparators, SelectionTables
    from evenhand.wording.answer_words import AnswerStatements

__all__ = ["Audit", "audit"]


def audit(
    source: Source | Rows | CountTable,
    question: Question | QuestionFile,
    *,
    knowledge: Knowledge | Tiers | None = None,
    graph: PartialGraph | None = None,
    codings: Codings | None = None,
    scope: Scope | None = None,
    limit: int = 1000,
    min_coverage: Number | None = None,
    significance: float | None = None,
    test: str | None = None,
    max_depth: int | None = None,
    local: bool | None = None,
    judge: Judge | None = None,
    edits: Iterable[GraphEdit] | None = None,
    reuse: PartialGraph | None = None,
    progress: ProgressCallback | None = None,
    memory: str | int | None = None,
    **reading: Any,  # noqa: ANN401  # what ``read`` takes, as bins or missing
) -> "Audit":
    """Ask whether the protected attribute itself changed the decision.

    ``source`` is a path, a frame, an Arrow, DuckDB or Ibis table, ``Rows`` or a ``CountTable``.
    The graph is learned from the rows unless it is given. What is passed here overrides what a
    question file says. Columns are read by ``codings``, or by what ``read`` takes one by one,
    as ``bins``. ``edits`` change the graph, each with a reason. ``judge`` says what
    decides: the answer, by default, or the exact verdict on these rows.
    ``memory`` limits what counting may use; ``progress`` is called with a ``Progress`` as rows
    are counted and tests are made. With ``max_depth`` tests are given at most so many
    attributes: the graph is learned sooner and may have arrows too many. With ``local`` it is
    learned of columns near the decision, of however many there are. If ``reuse`` is a graph
    that was learned before from the same counts, by another order of the columns say, no test
    of it is made again.

    >>> import evenhand as eh
    >>> asked = eh.datasets.question("admissions")
    >>> graph = eh.CausalGraph.parse("gender -> major -> admission; test_score -> admission; "
    ...                              "gender -> admission")
    >>> eh.audit(eh.datasets.admissions(2), asked, graph=graph).verdict
    <Verdict.NOT_CERTIFIED: 'not certified'>
    """
    progress = progress and whole_progress(progress)
    file = QuestionFile.of(
        question,
        judge=judge,
        knowledge=knowledge,
        codings=Codings.either(codings, reading),
        edits=edits,
        scope=scope,
        min_coverage=min_coverage,
        significance=significance,
        test=test,
        max_depth=max_depth,
        local=local,
    )
    chosen = file.all_settings
    GraphEdit.check_reasons(file.edits)
    question, known, graph = file.question, file.knowledge, require_graph(graph)
    search = {name: chosen[name] for name in ("significance", "test")}

    # Read and count.
    if graph is None:
        known = decision_last(known, question.decision)
    find = partial(find_causes, decision=question.decision, knowledge=known, **search)
    depth = 6 if chosen["max_depth"] is None else chosen["max_depth"]
    rows, counts, names = read_counts(
        source,
        replace(file, knowledge=known),
        graph=graph,
        find=partial(find, max_given=depth, progress=progress) if chosen["local"] else None,
        memory=memory,
        progress=progress,
    )
    notes: tuple[str, ...] = ()
    if len(names) > len(counts.names):
        known = known.restricted(counts.names)
        notes = (f"Of {len(names):,} columns {len(counts.names):,} were counted.",)
    expect_of(progress, counts, is_given=graph is not None)

    # Learn.
    learning = None
    if graph is None:
        learning = {**search, "max_depth": chosen["max_depth"]}
        graph, evicted = learn_graph(
            counts, question, known, reuse=reuse, progress=progress, **learning
        )
        notes += evicted

    # Judge.
    return Audit.of(
        file,
        rows=rows,
        counts=counts,
        knowledge=known,
        base=graph,
        learning=learning,
        judging={"limit": limit} | {n: chosen[n] for n in ("scope", "min_coverage")},
        chosen_from=len(names) if chosen["local"] else 0,
        notes=notes,
        progress=progress,
    )


def read_counts(
    source: Source | Rows | CountTable,
    file: QuestionFile,
    *,
    graph: PartialGraph | None,
    find: Callable[..., Any] | None,
    memory: str | int | None,
    progress: ProgressCallback | None,
) -> tuple[Rows | None, CountTable, tuple[str, ...]]:
    """The rows, None of counts; counts of the columns that matter; the names of all columns."""
    question, asked = file.question, file.question.named_columns
    choose = partial(choose_columns, asked, question.decision, graph=graph, find=find)
    rows, counts, names = read_and_count(
        source, file.codings, memory, progress, choose, question=question
    )
    if rows is not None:
        file.labels.check(rows.sources[0].names, where=f"labels for {rows.where}")
        rows.check_counted(*asked)
    if graph is not None:
        graph.check(names, question, file.knowledge)
    return rows, counts, names


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Audit(Described):
    """The verdict on a table, and everything needed to go on from there.

    ``file`` is what was asked. ``rows`` is None if counts were given. ``notes`` say what
    required arrows did to the causes. ``base`` is the graph before the edits of this question,
    ``learning`` how ``discover`` learned it, None if it was given, and ``judging`` how
    ``certify`` judges. ``doubts`` and ``unedited`` keep what one graph gives for one question,
    for all audits of the same counts.
    """

    file: QuestionFile
    rows: Rows | None
    counts: CountTable
    knowledge: Knowledge
    graph: PartialGraph
    certificate: Certificate
    base: PartialGraph
    learning: Mapping[str, Any] | None
    judging: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    doubts: dict[tuple[PartialGraph, Question], GraphDoubt] = field(default_factory=dict)
    unedited: dict[tuple[PartialGraph, Question], dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        file: QuestionFile,
        *,
        rows: Rows | None,
        counts: CountTable,
        knowledge: Knowledge,
        base: PartialGraph,
        learning: Mapping[str, Any] | None,
        judging: Mapping[str, Any],
        chosen_from: int = 0,
        unedited: dict[tuple[PartialGraph, Question], dict[str, Any]] | None = None,
        progress: ProgressCallback | None = None,
        **fields: Any,  # noqa: ANN401  # others of the audit
    ) -> Self:
        """Judge counts by a question file, of which codings and knowledge are not read."""
        question, graph = file.question, edited(base, file.edits)
        unedited = {} if unedited is None else unedited
        if rows is not None:
            judging = {**judging, "codings": rows.codings, "dropped": rows.dropped}
        if file.edits:
            graph.check(counts.names, question, knowledge)
        origin = replace(GraphOrigin.of(graph), chosen_from=chosen_from)
        case = JudgedCase(counts, graph, question, knowledge, origin)
        certificate = certify_case(case, judging, unedited, progress)
        tried = {"graphs": file.graphs_judged} if file.graphs_judged else {}
        certificate = replace(certificate, tried=tried, guesses=file.guessed)
        if question.rule:
            search = None if learning is None else {**learning, "progress": progress}
            other = without_rule(case, certificate.determined_by, search)
            beside = other and certify_case(other, judging, unedited, progress)
            certificate = replace(certificate, without_rule=beside)
        return cls(
            file=file,
            rows=rows,
            counts=counts,
            knowledge=knowledge,
            graph=graph,
            certificate=certificate,
            base=base,
            learning=learning,
            judging=judging,
            unedited=unedited,
            **fields,
        )

    def judged_with(self, file: QuestionFile) -> Self:
        """The audit of the same counts and graph with another question file.

        It may have other edits, threshold, words or effects through others; for other columns
        or another rule a graph is to be learned anew.
        """
        return self.of(
            file,
            rows=self.rows,
            counts=self.counts,
            knowledge=self.knowledge,
            base=self.base,
            learning=self.learning,
            judging=self.judging,
            chosen_from=self.certificate.graph_origin.chosen_from,
            unedited=self.unedited,
            notes=self.notes,
            doubts=self.doubts,
        )

    def __repr__(self) -> str:
        verdict = f"{self.verdict} at {self.question.threshold}, {self.counts.row_count:,} rows"
        return f"<Audit: {verdict}, causes {', '.join(self.decision_causes) or 'none'}>"

    @property
    def question(self) -> Question:
        """The question, with both groups named."""
        return self.certificate.question

    @property
    def judge(self) -> Judge:
        """Whether the answer or the verdict on these rows decides; both are there."""
        return self.file.judge

    @property
    def labels(self) -> Labels:
        """The words of the question file."""
        return self.file.labels

    @property
    def verdict(self) -> Verdict:
        """Whether the criterion is met, given the graph."""
        return self.certificate.verdict

    @property
    def indirect(self) -> Indirect | None:
        """The claim about effects through the attributes that ``redlining`` names, if any."""
        return self.certificate.indirect

    @property
    def answer(self) -> Answer:
        """Whether the protected attribute itself changes the decision; what that hangs on."""
        return self.find_answer()

    def find_answer(self, *, progress: ProgressCallback | None = None) -> Answer:
        """The answer, which is kept; ``progress`` is called while it is judged."""
        judged, rows = self.certificate, self.rows
        if "answer" not in vars(self):
            finer = None  # the compared columns in classes as finely as the rows allow
            if rows is not None and not judged.is_determined:
                finer = finer_counts(rows, judged.partition.names, self.file.question)
            after = named_after(judged.examined.counts.names, self.question.decision)
            doubt = self.doubt(progress=progress)
            found = answer_of(judged, self.knowledge, doubt, finer, after, progress=progress)
            said = self._said(found)
            vars(self)["answer"] = replace(found, statements=(said.headline, *said.lines))
        answer: Answer = vars(self)["answer"]
        return answer

    def _said(self, answer: Answer) -> "AnswerStatements":
        """The answer in words."""
        from evenhand.wording import Words
        from evenhand.wording.answer_words import answer_statements

        return answer_statements(answer, Words.of(self.certificate, self.labels))

    @cached_property
    def stated_certificate(self) -> Certificate:
        """The certificate as a file of it is written: with the answer, and what was tried."""
        tried = {**self.certificate.tried, **self.answer.tried}
        stated = self.answer.to_record(self.knowledge)
        return replace(self.certificate, tried=tried, answer=stated)

    @property
    def deciding_verdict(self) -> Verdict | Word:
        """The word of the answer, or the verdict on these rows where ``judge`` says so."""
        return self.verdict if self.judge == "rows" else self.answer.word

    @property
    def deciding_verdicts(self) -> ClaimVerdicts:
        """What each claim comes to, the direct effect under ""; see ``deciding_verdict``.

        Beside the answer stands what the rows show of the population.
        """
        through = self.indirect
        if self.judge == "rows":
            return self.certificate.verdicts
        beside = {} if through is None else {through.name: through.population_verdict}
        return {"": self.answer.word, **beside}

    @property
    def exit_status(self) -> int:
        """The status of a process: 1 for *Yes* or not met, else 3 if any is open, else 0."""
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
            declared_counts=self.rows is None or self.rows.requested.frequency is not None,
            notes=self.rows.notes if self.rows else (),
        )

    def explain_partition(self, names: Collection[str]) -> PartitionExplanation:
        """Whether comparing people alike in these names means anything, and what it shows."""
        found = self.certificate  # its graph has the edges that knowledge settles
        return explain_partition(found.examined.counts, found.graph, self.question, names)

    def doubt(self, *, progress: ProgressCallback | None = None) -> GraphDoubt:
        """What the counts themselves say against the graph around the decision."""
        if (found := self.known_doubt) is None:
            counts, known = self.certificate.examined.counts, self.knowledge
            graph = self.certificate.graph  # it has the edges that knowledge settles
            found = doubt(counts, graph, self.question, knowledge=known, progress=progress)
            self.doubts[self._doubted] = found
        return found

    @property
    def known_doubt(self) -> GraphDoubt | None:
        """The same if it was asked for before, of this audit or of one with the same graph."""
        return self.doubts.get(self._doubted)

    @property
    def _doubted(self) -> tuple[PartialGraph, Question]:
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
        record, found = self.graph.record, self.certificate
        relearns = found.learned_here and not found.graph_origin.edits
        return bootstrap(
            self.certificate.examined.counts,
            self.question,
            seed=seed,
            resamples=resamples,
            graph=None if relearns else self.graph,
            knowledge=self.knowledge,
            **(record.settings if record else {}),
            min_coverage=self.certificate.min_coverage,
            progress=progress,
        )

    def with_resamples(self, resampled: Bootstrap | None) -> "Audit":
        """The audit whose bounds of effects have the errors of resamples, and a verdict."""
        effects = resampled.indirect if resampled else None
        return replace(self, certificate=self.certificate.resampled(effects))

    def arrows(self) -> Variations:
        """Sensitivity to each arrow: without each cause, and with each candidate.

        They are variations that the answer was tried against.
        """
        if rule := self.question.rule:
            raise QuestionError.of(
                f"Under the rule {listed(rule)} nothing is measured, with no arrows.",
                remedy="Ask without the rule.",
            )
        ways = (one for one in self.answer.variations if one.kind in ("with", "without"))
        return Variations(certificate=self.certificate, ways=tuple(ways))

    def plan(
        self, *, method: "Method | Baseline | None" = None, seed: int | None = None
    ) -> "Plan":
        """What would change, by default with ``ModifyData``; no row is touched."""
        from evenhand.removal import plan_removal

        return plan_removal(self.certificate, method=method, seed=seed)

    def release(
        self,
        *,
        method: "Method | Baseline | None" = None,
        seed: int | None = None,
        uncertified: bool = False,
        accept_graph: str | None = None,
        key: str | None = None,
        drop: Iterable[str] = (),
        labels: str | None = None,
        progress: ProgressCallback | None = None,
    ) -> "Release":
        """Apply the plan to the rows, and certify the result; settings are as ``release`` has.

        If nobody can tell the answer by this graph, ``accept_graph`` is why it is relied on.
        ``Release.revealing_columns`` names columns that tell which rows were changed.
        """
        from evenhand.releasing.release import release

        seed = secrets.randbits(128) if seed is None else seed
        # The answer is about the rows before, and not part of a release's certificate.
        tried = replace(self.stated_certificate, answer=None)
        plan = replace(self, certificate=tried).plan(method=method, seed=seed)
        if accept_graph is None and not uncertified:
            self.answer.require_graph()
        return release(
            self.counts if self.rows is None else self.rows,
            plan,
            seed=seed,
            knowledge=self.knowledge,
            uncertified=uncertified,
            accept_graph=accept_graph,
            key=key,
            drop=drop,
            labels=labels,
            progress=progress,
        )

    def report(
        self,
        release: "Release | None" = None,
        *,
        share: bool = False,
        rates: bool = False,
        **settings: Any,  # noqa: ANN401  # those of ``report``
    ) -> "Report":
        """The audit, and a release if there is one, as an HTML page; see ``report``.

        With ``rates`` its appendix has tables of selection rates, a copy for others not.
        """
        from evenhand.report import report
        from evenhand.tables import audited_rates

        chosen = {name: value for name, value in settings.items() if value is not None}
        tables = audited_rates(self.counts, self.certificate) if rates and not share else ()
        chosen = {"labels": self.labels, "rates": tables, **chosen}
        return report(self, release, share=share, **chosen)

    def tables(self, *, layout: str = "evenhand") -> "SelectionTables":
        """Rates of selection and impact ratios by category; see ``selection_tables``."""
        from evenhand.tables import selection_tables

        return selection_tables(self.rows or self.counts, self.certificate, layout=layout)

    def comparators(self, **settings: Any) -> "Comparators":  # noqa: ANN401
        """Refused people of findings with favored ones alike; see ``find_comparators``."""
        from evenhand.tables import find_comparators

        return find_comparators(self.rows or self.counts, self.certificate, **settings)

    def to_dict(self, *, assurance: Number = "0.8") -> dict[str, Any]:
        """The plain values of the certificate, what decides, and how sensitive findings are."""
        content = self.stated_certificate.to_dict(assurance=assurance, labels=self.labels)
        if self.indirect:  # nothing else says how well the rows bear out its graph
            content["indirect"]["graph_fit"] = self.answer.graph_fit.to_dict()
        return {
            "verdict": str(self.verdict),
            "judge": self.judge,
            "deciding_verdict": str(self.deciding_verdict),
            "answer": self.answer.to_dict(),
            **content,
            "notes": [*self._group_taken, *self.notes],
            "columns_left_out": list(self.rows.left_out if self.rows else ()),
            "guesses": self.file.told_guesses(),
            "inspection": self.inspection.to_dict(),
        }

    @property
    def _group_taken(self) -> list[str]:
        """Which of two groups is the one asked about, if nobody named it."""
        group, other = self.question.group, self.question.other
        if group is None or self.file.question.group is not None:
            return []
        return [f"No group was named: {group!r} was taken, and is compared with {other!r}."]

    def summary(self) -> Summary:
        """The answer, or the verdict on the rows if that decides; the certificate's facts."""
        summary = self.certificate.summary(self.labels)
        inspection, doubt = self.inspection, self.known_doubt
        placed = AdjustmentSets(certificate=self.certificate, knowledge=self.knowledge).placed
        notes = (
            *(self.rows.notes if self.rows else ()),
            *(one.problem for one in inspection.matters if not one.is_answered_by(placed)),
            *inspection.same_decisions(),
        )
        title, sentence, facts = summary.title, summary.sentence, summary.facts
        lines: list[object] = []
        if self.judge == "answer":
            answer = self._said(self.answer)
            title, sentence = str(answer.word), answer.sentence
            lines += [*filter(None, [self.answer.open_problem]), *answer.lines]
        else:
            claims = "; ".join(in_words(self.deciding_verdicts))
            said = doubt.sentence if doubt and doubt.contradicted else ""
            against = [("rows against the graph", said)] if said else []
            facts = (("judged by", f"the rows: {claims}"), facts[0], *against, *facts[1:])
        if self.learning is not None and self.rows and (left_out := self.rows.left_out):
            lines.append(f"Columns left out: {listed(left_out)}.")
        return replace(
            summary,
            title=title,
            sentence=sentence,
            besides=tuple(lines),
            facts=facts,
            notes=(*summary.notes, *self._group_taken, *self.notes, *notes),
            hint='audit.report().write("report.html") writes the whole page.',
        )

    def _repr_html_(self) -> str:
        from evenhand.report.notebook import audit_view

        return audit_view(self, self.labels)
