"""``audit_predictions``: do people alike in the causes of a decision get different predictions?

The graph is that of the data, in which people decided. A model that does not read the protected
attribute has no direct effect of it; what is compared are people alike in what caused the
recorded decisions. The claim is about their predictions, never about *the attribute itself*.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evenhand.auditing import Audit, read_counts
from evenhand.counts import CountTable
from evenhand.display import ProgressCallback, Summary
from evenhand.errors import (
    CannotReleaseError,
    ColumnError,
    QuestionError,
    Remedy,
    keeping,
    listed,
)
from evenhand.evidence import Certificate, ErrorBias
from evenhand.graph import PartialGraph, find_causes
from evenhand.graph.edits import edited, graph_of_predictions, require_graph
from evenhand.question import Codings, Question, QuestionFile
from evenhand.question.display_labels import Labels
from evenhand.question.fields import TABLES
from evenhand.question.parse_values import require_table
from evenhand.releasing.cost import check_apart
from evenhand.releasing.ranked_rows import check_scores
from evenhand.releasing.release import Release
from evenhand.removal import (
    Baseline,
    Method,
    ModifyData,
    ModifyGraph,
    Plan,
)
from evenhand.removal.modify_graph import model_graph
from evenhand.report import Report
from evenhand.rows import Rows, Source
from evenhand.rows.frame_sources import Column, with_columns
from evenhand.rows.rows import check_not_coded, coded_as, read_without
from evenhand.wording import Words, count, share

_PREDICTION, _SCORE, _LABEL = "prediction", "prediction score", "label"
_JUDGING = ("scope", "min_coverage")
# What a question file says, and an audit may say besides.
_BESIDES = ("knowledge", "edits", "judge", *_JUDGING, *TABLES["learning"])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PredictionAudit(Audit):
    """The verdict on a batch of predictions, certified for this batch and never as a rule.

    ``error_bias`` is what the model adds to the difference of the labels, None without labels
    of both groups. ``score_column`` names a column of the table that is not counted.
    """

    error_bias: ErrorBias | None = None
    score_column: str | None = None

    def to_dict(self, **settings: Any) -> dict[str, Any]:  # noqa: ANN401  # as an audit's
        """The plain values of the audit, and what errors add."""
        bias = self.error_bias
        return {
            **super().to_dict(**settings),
            **({"error_bias": bias.to_dict()} if bias else {}),
        }

    def summary(self) -> Summary:
        """An audit's; with labels also how much of the difference errors add."""
        summary = super().summary()
        facts = self.error_bias.summary().facts if self.error_bias else ()
        return replace(summary, facts=(*summary.facts, *facts))

    def plan(self, *, method: Method | Baseline | None = None, seed: int | None = None) -> Plan:
        """An audit's; by itself it changes predictions nearest to the other side by score.

        A plan by which predictions change what they did not cause is refused.
        """
        plan = super().plan(method=method or ModifyData(rank=self.score_column), seed=seed)
        if isinstance(method, ModifyGraph):
            _check_effects(self.certificate)
        return plan

    def release(self, **settings: Any) -> Release:  # noqa: ANN401  # as an audit's
        """An audit's, certified for this batch; with labels its ``accuracy`` is known."""
        labels = self.error_bias.label_column if self.error_bias else None
        return super().release(**{"labels": labels, **settings})

    def report(
        self,
        release: Release | None = None,
        *,
        beside: Mapping[str, "PredictionAudit"] | None = None,
        **settings: Any,  # noqa: ANN401  # as an audit's
    ) -> Report:
        """The report of an audit, with the predictions of other models beside, by name.

        They must have been asked the same question. A copy for others has none of it.
        """
        others = {} if beside is None else require_table(beside, "`beside`")
        report = super().report(release, **settings)
        if report.is_shared:
            return report
        labels = settings.get("labels") or self.labels
        own = self.question.decision
        for name, other in others.items():
            is_taken = name in (own, labels.column(own))
            if is_taken or not isinstance(other, PredictionAudit):
                raise QuestionError.of(
                    f"{name!r} cannot stand beside {own!r}.",
                    "These predictions are called so themselves."
                    if is_taken
                    else f"It is {other!r}, and no audit of predictions.",
                    "Give audits of predictions by names of their own.",
                )
        results = [replace(compare_models({own: self, **others}), notes=self.notes)]
        if self.error_bias:
            results.append(self.error_bias.summary())
        return Report(report.page.but(models=results))


def audit_predictions(
    source: Source | Rows | CountTable,
    predictions: Column,
    question: Question | QuestionFile,
    *,
    graph: PartialGraph | None,
    scores: Column | None = None,
    labels: Column | None = None,
    codings: Codings | None = None,
    limit: int = 1000,
    progress: ProgressCallback | None = None,
    memory: str | int | None = None,
    **settings: Any,  # noqa: ANN401  # those of an audit
) -> PredictionAudit:
    """Audit a model's predictions of the decision that a question asks about.

    ``graph`` is the causal graph of the data, with the recorded decision as a node; learned
    from predictions it would be another. ``predictions``, ``scores`` and ``labels`` name
    columns of the table, or hold a value for each of its rows, in their order; values of pandas
    beside a frame of pandas must have its index. Scores say which predictions are nearest to
    the other side, labels what was recorded. Of the table only the attributes of the graph are
    counted. Further settings are those of ``audit``.

    >>> import evenhand as eh
    >>> table = {"sex": [*"ffmm"], "degree": [*"yyyy"], "hired": ["yes", "no"] * 2,
    ...          "predicted": ["no", "no", "yes", "no"]}
    >>> asked = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    >>> graph = eh.CausalGraph.parse("sex -> hired; degree -> hired")
    >>> result = audit_predictions(eh.CountTable.of(table, [5, 5, 5, 5]), "predicted", asked,
    ...                            graph=graph, labels="hired")
    >>> print(result.verdict, *result.error_bias.gap)
    not certified 1/2 0 1/2
    """
    besides = {name: settings.pop(name) for name in _BESIDES if name in settings}
    file = QuestionFile.of(question, codings=Codings.either(codings, settings), **besides)
    decision, chosen = file.question.decision, file.all_settings
    source, names = with_columns(
        source, {_PREDICTION: predictions, _SCORE: scores, _LABEL: labels}
    )
    column, score, label = (names[what] for what in (_PREDICTION, _SCORE, _LABEL))
    if not column:
        raise QuestionError.of(
            "No predictions are given.", remedy=Remedy("Name their column", "predictions")
        )
    if score and not file.question.favorable:
        raise QuestionError.of(
            "Scores are given, and no decision is asked for as favorable.",
            "A score tells how near a prediction is to the favorable one.",
            (
                Remedy("Leave the scores out"),
                Remedy("ask for a favorable value", "criterion", "favorable"),
            ),
        )
    about = replace(file.question, decision=column, predicts=decision)
    of_data = _graph_of_data(graph, file, column)
    graph = graph_of_predictions(of_data, decision, column, kept=about.named_columns)
    uncounted = tuple(name for name in (score, label) if name and name != decision)
    check_apart(column, uncounted, {*graph.nodes, *about.named_columns})
    effects = {decision, *of_data.descendants(decision)}
    whole: CountTable | Rows
    if isinstance(source, CountTable | Rows):
        check_not_coded(source, file.codings)
        whole = source
        if isinstance(source, Rows):
            said = filter(None, (column, label))
            whole = coded_as(source, decision, source.requested, said)
    else:
        whole = _read(source, file, (column, label), effects, memory=memory, progress=progress)
    available = whole.sources[0].names if isinstance(whole, Rows) else whole.names
    for what, name in {"predictions": column, "scores": score, "labels": label}.items():
        if name is not None and name not in available:
            raise ColumnError.unknown([name], available, where=what)
    if score and isinstance(whole, Rows):
        check_scores(whole, score)
    file.knowledge.about((*dict.fromkeys((*whole.names, *of_data.nodes)),))
    needed = {*graph.nodes, *about.named_columns}
    known = file.knowledge.renamed(decision, column).restricted(graph.nodes)
    absent = effects.difference(available) if isinstance(whole, Rows) else ()
    with keeping({*needed, *uncounted}):
        asked = replace(
            file,
            question=about,
            codings=Codings(),
            knowledge=known,
            labels=_words(file.labels, decision, column, absent),
            edits=(),
        )
        rows, counts, _ = read_counts(
            whole.only(needed),
            asked,
            graph=graph,
            find=find_causes if chosen["local"] else None,
            memory=memory,
            progress=progress,
        )
        result = PredictionAudit.of(
            asked,
            rows=rows,
            counts=counts,
            knowledge=known,
            base=graph,
            learning=None,
            judging={"limit": limit, **{name: chosen[name] for name in _JUDGING}},
            score_column=score,
        )
        bias = _error_bias(result, whole, label, file.question.order)
    notes: tuple[str, ...] = ()
    if label is not None and bias is None:
        pair = " and ".join(result.certificate.partition.leading_labels)
        notes = (f"What errors add is not known: {pair} do not both have rows with a label.",)
    words = _words(file.labels, decision, column)
    return replace(result, file=replace(asked, labels=words), error_bias=bias, notes=notes)


def audit_models(
    source: Source,
    predictions: Sequence[str],
    question: QuestionFile,
    *,
    labels: str | None = None,
    memory: str | int | None = None,
    progress: ProgressCallback | None = None,
    **settings: Any,  # noqa: ANN401  # those of ``audit_predictions``
) -> tuple[PredictionAudit, ...]:
    """Audit the predictions of models, each in a column of the table, which is opened once."""
    if twice := [name for name, times in Counter(predictions).items() if times > 1]:
        raise QuestionError.of(
            f"The predictions in {twice[0]!r} are named twice.",
            remedy="Name each model's column once.",
        )
    of_data = _graph_of_data(settings.get("graph"), question, predictions[0])
    decision = question.question.decision
    effects = {decision, *of_data.descendants(decision)}
    rows = _read(
        source, question, (*predictions, labels), effects, memory=memory, progress=progress
    )
    asked = replace(question, codings=Codings())
    return tuple(
        audit_predictions(
            rows, column, asked, labels=labels, memory=memory, progress=progress, **settings
        )
        for column in predictions
    )


def compare_models(audited: Mapping[str, Audit]) -> Summary:
    """A line for each model, of audits by name that were asked the same question."""
    models = {name: one for name, one in audited.items() if isinstance(one, PredictionAudit)}
    (name, first), *others = models.items()
    for beside, other in others:
        if _asked_and_counted(first.certificate) != _asked_and_counted(other.certificate):
            raise QuestionError.of(
                f"{name} and {beside} cannot be compared.",
                "They were not asked the same question, about the same people and causes.",
                "Audit both with one question, one graph and one table.",
            )
    words = Words.of(first.certificate, first.labels)
    group, ahead = words.leading_pair(first.certificate.partition)
    leading = first.certificate.partition.statistics.leading
    ranked = "; they are not ranked" if others else ""
    return Summary(
        title=count(len(models), "model"),
        sentence=f"in points, {ahead} minus {group}{ranked}.",
        columns=(
            "predictions",
            "these rows",
            "the population",
            f"groups at {words.threshold_points} or more",
            "significant",
            "alike, on average",
            "all rows",
            "accuracy",
        ),
        lines=tuple((model, *_figures(one, leading, words)) for model, one in models.items()),
    )


def _asked_and_counted(certificate: Certificate) -> tuple[object, ...]:
    """What two audits must have in common to stand beside each other."""
    question, partition = certificate.question, certificate.partition
    compared = (question.protected, question.groups_column, certificate.examined.groups)
    decided = (question.predicts, question.favorable, question.criterion, question.order)
    limits = (question.threshold, question.min_rows, certificate.row_count)
    # Beside the favorable values a model may say what it likes.
    values = () if question.favorable else certificate.examined.decisions
    people = (partition.assignments, partition.rows.tobytes())
    return *compared, *decided, values, *limits, certificate.decision_causes, *people


def _figures(audited: PredictionAudit, leading: int, words: Words) -> tuple[str, ...]:
    """The verdicts and figures of a model; of several pairs of groups, or values, of one."""
    certificate, bias = audited.certificate, audited.error_bias
    partition, population = certificate.partition, certificate.population
    cut, pair = divmod(leading, len(partition.pairs))
    means = partition.statistics.means
    common = means[leading] if means else None
    group, other = (
        partition.favorable[cut, at].sum() / partition.rows[at].sum()
        for at in partition.pairs[pair]
    )
    return (
        str(certificate.verdict),
        str(population.verdict),
        f"{partition.violating:,} of {int(partition.measured.sum()):,}",
        f"{population.shown:,}",
        words.points(common.difference) if common else "none",
        words.points(float(other - group)),
        share(float(bias.accuracy)) if bias else "no labels",
    )


def _read(
    source: Source,
    file: QuestionFile,
    names: Iterable[str | None],
    absentable: Collection[str],
    *,
    memory: str | int | None,
    progress: ProgressCallback | None,
) -> Rows:
    """Open a table by a file that was made for the data, with columns of predictions besides.

    They are coded as the decision is. It may be absent, and so may what it caused.
    """
    named, codings = [name for name in names if name], file.codings
    columns = codings.columns
    codings = replace(  # a file made for the data leaves them out
        codings,
        columns=None if columns is None else (*dict.fromkeys((*columns, *named)),),
        exclude=tuple(name for name in codings.exclude if name not in named),
    )
    rows = read_without(source, codings, absentable, memory=memory, progress=progress)
    return coded_as(rows, file.question.decision, codings, named)


def _error_bias(
    result: Audit, whole: CountTable | Rows, label: str | None, order: Sequence[str]
) -> ErrorBias | None:
    """What errors add on the rows that were judged; None without labels of both groups."""
    if label is None:
        return None
    if isinstance(whole, CountTable):
        labelled: CountTable | None = whole.only({*result.counts.names, label})
    else:
        labelled = None if result.rows is None else result.rows.labelled(label)
    if labelled is None:
        return None
    return ErrorBias.of(result.certificate, labelled, label, order=order)


def _graph_of_data(graph: PartialGraph | None, file: QuestionFile, column: str) -> PartialGraph:
    """The graph of the data with its edits; refused if it knows predictions, or no decision."""
    decision = file.question.decision
    graph = require_graph(graph)
    if graph is None or decision not in graph.nodes:
        raise QuestionError.of(
            f"It is not said what causes {decision!r}, whose predictions are audited.",
            "No graph is given: learned from predictions it would be another."
            if graph is None
            else f"The graph has no node {decision!r}.",
            Remedy("Give the graph of the data", "graph"),
        )
    if column in graph.nodes:
        raise QuestionError.of(
            f"The graph of the data has a node {column!r}, which names the predictions.",
            "A model's predictions caused none of the recorded decisions.",
            Remedy("Give a graph without it", "graph"),
        )
    return edited(graph, file.edits)


def _check_effects(certificate: Certificate) -> None:
    """Refuse a model in which predictions cause other columns: these would change with them."""
    effects = model_graph(certificate).descendants(certificate.question.decision)
    if effects:
        raise CannotReleaseError.of(
            f"{ModifyGraph.name} would change {listed(sorted(effects))} too.",
            "Predictions brought about nothing that is recorded; the graph leaves open what "
            "the recorded decision did.",
            (
                Remedy("Use modify-data", "method", "modify-data"),
                Remedy("give a graph that leaves less open", "graph"),
            ),
        )


def _words(labels: Labels, decision: str, column: str, absent: Collection[str] = ()) -> Labels:
    """Plain words: the predictions are called after the decision, not by its values' words."""
    columns = {column: f"predicted {labels.column(decision)}", **labels.columns}
    return Labels(
        columns={name: word for name, word in columns.items() if name not in absent},
        values={name: words for name, words in labels.values.items() if name not in absent},
    )
