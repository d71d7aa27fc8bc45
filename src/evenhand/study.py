"""``audit``: the one high-level path, from rows and a question to a verdict."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from evenhand.audit_result import Audit
from evenhand.counts import CountTable
from evenhand.display import ProgressCallback
from evenhand.errors import EvenhandError
from evenhand.evidence import Certificate, certify
from evenhand.evidence.certificate import Graph, Scope
from evenhand.evidence.decision_rules import judge_without_rule
from evenhand.evidence.graph_origin import GraphOrigin, UneditedGraph, decision_last
from evenhand.evidence.variations.graph_tests import GraphDoubt, learn_graph
from evenhand.graph import PartialGraph, discover, find_causes
from evenhand.graph.column_choice import choose_columns
from evenhand.graph.edited_graphs import edited, require_graph
from evenhand.question import (
    SIGNIFICANCE,
    Codings,
    GraphEdit,
    Judge,
    Knowledge,
    Number,
    Question,
    QuestionFile,
    Tiers,
)
from evenhand.rows import Rows, Source
from evenhand.rows.rows import read_and_count

__all__ = ["Audit", "audit"]


def audit(
    source: Source | Rows | CountTable,
    question: Question | QuestionFile,
    *,
    knowledge: Knowledge | Tiers | None = None,
    graph: Graph | None = None,
    codings: Codings | None = None,
    scope: Scope = "causes",
    limit: int = 1000,
    min_coverage: Number = "0.9",
    significance: float = SIGNIFICANCE,
    test: str = "chi-square",
    max_depth: int | None = None,
    local: bool = False,
    judge: Judge | None = None,
    edits: Iterable[GraphEdit] | None = None,
    progress: ProgressCallback | None = None,
    memory: str | int | None = None,
) -> Audit:
    """Ask whether the protected attribute itself changed the decision.

    ``source`` is a path, a frame, an Arrow, DuckDB or Ibis table, ``Rows`` or a ``CountTable``.
    The graph is learned from the rows unless it is given. Knowledge, codings and judge that are
    passed here override those of a question file. ``edits`` change the graph, each with a
    reason. ``judge`` says which verdict decides: that on these rows, exact and the default, or
    what they show of the population. ``memory`` limits what counting may use; ``progress`` is
    called with a ``Progress`` as rows are counted and tests are made. With ``max_depth`` tests
    are given at most so many attributes: the graph is learned sooner and may have arrows too
    many. With ``local`` it is learned of columns near the decision, of however many there are.

    >>> import evenhand as eh
    >>> asked = eh.datasets.question("admissions")
    >>> graph = eh.CausalGraph.parse("gender -> major -> admission; test_score -> admission; "
    ...                              "gender -> admission")
    >>> eh.audit(eh.datasets.admissions(2), asked, graph=graph).verdict
    <Verdict.NOT_CERTIFIED: 'not certified'>
    """
    file = QuestionFile.of(
        question, judge=judge, knowledge=knowledge, codings=codings, edits=edits
    )
    GraphEdit.check_reasons(file.edits)
    question, known = file.question, file.knowledge
    asked, decision, graph = question.named_columns, question.decision, require_graph(graph)
    known = decision_last(known, decision) if graph is None else known
    search: dict[str, Any] = {"significance": significance, "test": test, "progress": progress}
    learn = partial(discover, max_depth=max_depth, **search)
    most = 6 if max_depth is None else max_depth
    find = partial(find_causes, decision=decision, knowledge=known, max_given=most, **search)
    choose = partial(choose_columns, asked, decision, graph=graph, find=find if local else None)
    rows, counts, names = read_and_count(source, file.codings, memory, progress, choose)
    judged = partial(certify, scope=scope, limit=limit, min_coverage=min_coverage)
    if rows is not None:
        file.labels.check(rows.sources[0].names, where=f"labels for {rows.where}")
        rows.check_counted(*asked)
        judged = partial(judged, codings=rows.codings, dropped=rows.dropped)
    notes: tuple[str, ...] = ()
    if graph is not None:
        graph.check(names, question, known)
    if len(names) > len(counts.names):
        known = known.restricted(counts.names)
        notes = (f"Of {len(names):,} columns {len(counts.names):,} were counted.",)
    if graph is None:
        unedited, evicted = learn_graph(learn, counts, question, known)
        notes += evicted
    judging = _Judging(
        rows=rows,
        counts=counts,
        knowledge=known,
        graph=unedited if graph is None else graph,
        chosen_from=len(names) if local else 0,
        certify=judged,
        learn=learn if graph is None else None,
        notes=notes,
    )
    return judging.judge(file)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judging:
    """What an audit judges: counts and a graph, which any number of question files may share.

    ``learn`` is the search for a graph, if it was learned here. ``unedited`` keeps what a graph
    gives before edits, which is the same for whatever edits are tried; ``doubts`` is shared by
    audits of one graph.
    """

    rows: Rows | None
    counts: CountTable
    knowledge: Knowledge
    graph: Graph
    chosen_from: int
    certify: Callable[..., Certificate]
    learn: Callable[..., PartialGraph] | None
    notes: tuple[str, ...]
    unedited: dict[tuple[Graph, Question], UneditedGraph] = field(default_factory=dict)
    doubts: dict[tuple[Graph, Question], GraphDoubt] = field(default_factory=dict)

    def judge(self, file: QuestionFile) -> Audit:
        """The audit of a question file, of which codings and knowledge are not read again."""
        question, known, counts = file.question, self.knowledge, self.counts
        graph = edited(self.graph, file.edits)
        if file.edits:
            graph.check(counts.names, question, known)
        origin = GraphOrigin.of(graph, decision_last=known.tiers_assumed)
        origin = replace(origin, chosen_from=self.chosen_from)
        certificate = self._certify(
            counts, graph, question, knowledge=known, graph_origin=origin
        )
        if file.graphs_judged:
            certificate = replace(certificate, tried={"graphs": file.graphs_judged})
        if question.rule:
            without = judge_without_rule(
                counts,
                question,
                graph,
                knowledge=known,
                determined_by=certificate.determined_by,
                learn=self.learn,
                judge=self._certify,
            )
            certificate = replace(certificate, without_rule=without)
        return Audit(
            rows=self.rows,
            counts=counts,
            knowledge=known,
            graph=graph,
            certificate=certificate,
            judge=file.judge,
            labels=file.labels,
            notes=self.notes,
            judged_with=self.judge,
            doubts=self.doubts,
        )

    def _certify(
        self,
        counts: CountTable,
        graph: Graph,
        question: Question,
        *,
        knowledge: Knowledge,
        graph_origin: GraphOrigin,
    ) -> Certificate:
        """Certify a graph; of an edited one also what it gave before, by its causes alone."""
        certify = partial(self.certify, counts, knowledge=knowledge)
        certificate = certify(graph, question, graph_origin=graph_origin)
        before = graph.unedited
        if before is None:
            return certificate
        if (before, question) not in self.unedited:
            # Edits may mend what could not be judged, as an arrow against the tiers.
            unedited = UneditedGraph.of(before)
            with suppress(EvenhandError):
                unedited = certify(before, question.direct, scope="causes").as_unedited
            self.unedited[before, question] = unedited
        origin = replace(certificate.graph_origin, unedited=self.unedited[before, question])
        return replace(certificate, graph_origin=origin)
