"""``audit_predictions``: do people alike in the causes of a decision get different predictions?

The graph is that of the data, in which people decided. A model that does not read the protected
attribute has no direct effect of it; what is compared are people alike in what caused the
recorded decisions. The claim is about their predictions, never about *the attribute itself*.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

from evenhand.counts import CountTable
from evenhand.display import Summary
from evenhand.errors import ColumnError, InputError, QuestionError, Remedy, ValuesError
from evenhand.evidence import ErrorBias
from evenhand.evidence.judgement import Graph
from evenhand.graph.edited_graphs import edited
from evenhand.question import Codings, Question, QuestionFile
from evenhand.question.question_file import Labels
from evenhand.releasing.release import Release
from evenhand.removal import (
    Baseline,
    BaselinePlan,
    GeneratedPlan,
    Method,
    ModifyData,
    RemovalPlan,
)
from evenhand.report import Report
from evenhand.report.model_section import models
from evenhand.report.phrases import Words
from evenhand.report.template_types import SharedPage
from evenhand.rows import Rows, Source, read
from evenhand.rows.read_and_count import check_not_coded
from evenhand.study import Audit, audit

# A column of the table, by name, or as many values as it has rows.
Column: TypeAlias = str | Sequence[Any]
_PREDICTION, _SCORE, _LABEL = "prediction", "prediction score", "label"
# What a question file says, and an audit may say besides.
_BESIDES = ("knowledge", "edits", "judge")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PredictionAudit(Audit):
    """The verdict on a batch of predictions, certified for this batch and never as a rule.

    ``error_bias`` is what the model adds to the difference of the labels, None without labels.
    ``score_column`` names a column of the table that is not counted.
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

    def plan(
        self, *, method: Method | Baseline | None = None, seed: int | None = None
    ) -> RemovalPlan | GeneratedPlan | BaselinePlan:
        """An audit's; by itself it changes predictions nearest to the other side by score."""
        return super().plan(method=method or ModifyData(rank=self.score_column), seed=seed)

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
        report = super().report(release, **settings)
        if isinstance(report.page, SharedPage):
            return report
        labels = settings.get("labels") or self.labels
        words = Words.of(self.certificate, labels, self.counts.names)
        audited = {words.column(self.question.decision): self, **(beside or {})}
        return Report(replace(report.page, models=models(audited, words)))


def audit_predictions(
    source: Source | Rows | CountTable,
    predictions: Column,
    question: Question | QuestionFile,
    *,
    graph: Graph | None,
    scores: Column | None = None,
    labels: Column | None = None,
    codings: Codings | None = None,
    **settings: Any,  # noqa: ANN401  # those of an audit
) -> PredictionAudit:
    """Audit a model's predictions of the decision that a question asks about.

    ``graph`` is the causal graph of the data, with the recorded decision as a node; learned
    from predictions it would be another. ``predictions``, ``scores`` and ``labels`` name
    columns of the table, or hold a value for each of its rows. Scores say which predictions are
    nearest to the other side, labels what was recorded. Of the table only the attributes of the
    graph are counted. Further settings are those of ``audit``.

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
    file = QuestionFile.of(question, codings=codings, **besides)
    decision = file.question.decision
    source, names = _with_columns(
        source, {_PREDICTION: predictions, _SCORE: scores, _LABEL: labels}
    )
    column, score, label = names[_PREDICTION], names[_SCORE], names[_LABEL]
    if column is None:
        raise QuestionError.of(
            "No predictions are given.", remedy=Remedy("Name their column", "predictions")
        )
    about = replace(file.question, decision=column, predicts=decision)
    graph = _graph_of_predictions(graph, file, column)
    uncounted = tuple(name for name in (score, label) if name and name != decision)
    _check_apart(column, uncounted, {*graph.nodes, *about.named_columns})
    if isinstance(source, CountTable | Rows):
        check_not_coded(source, file.codings)
        whole: CountTable | Rows = source
    else:
        limits: Any = {name: settings.get(name) for name in ("memory", "progress")}
        chosen = _choosing(file.codings, [column, *([label] if label else [])])
        whole = read(source, codings=chosen, **limits)
    _check_columns(whole, (column, *(name for name in (score, label) if name)))
    file.knowledge.about((*dict.fromkeys((*whole.names, *graph.nodes, decision)),))
    needed = {*graph.nodes, *about.named_columns}
    known = file.knowledge.renamed(decision, column).restricted(graph.nodes)
    result = audit(
        whole.only(needed),
        replace(
            file,
            question=about,
            codings=Codings(),
            knowledge=known,
            labels=_labels_of_predictions(file.labels, decision, column),
            edits=(),
        ),
        graph=graph,
        **settings,
    )
    bias = None
    if label is not None:
        alike = result.certificate.partition.names
        part = whole.only({*about.columns, *alike, label})
        counts = part.count() if isinstance(part, Rows) else part
        bias = ErrorBias.of(counts, about, label, alike)
    return PredictionAudit(
        **{one.name: getattr(result, one.name) for one in fields(result)},
        error_bias=bias,
        score_column=score,
    )


def _graph_of_predictions(graph: Graph | None, file: QuestionFile, column: str) -> Graph:
    """The graph of the data with its edits, and the predictions in the decision's place."""
    decision = file.question.decision
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
    return edited(graph, file.edits).renamed(decision, column)


def _check_apart(column: str, uncounted: Sequence[str], counted: set[str]) -> None:
    """Refuse labels or scores from a column that is compared or held equal."""
    if used := sorted({*uncounted} & counted):
        what = "holds the predictions" if used[0] == column else "is in the graph or question"
        raise QuestionError.of(
            f"The column {used[0]!r} {what}: it cannot hold labels or scores as well.",
            remedy="Name another column.",
        )


def _check_columns(whole: CountTable | Rows, names: Sequence[str]) -> None:
    """Refuse names of columns that the table lacks."""
    available = whole.sources[0].names if isinstance(whole, Rows) else whole.names
    if unknown := [name for name in names if name not in available]:
        raise ColumnError.unknown(unknown, available, where="predictions")


def _choosing(codings: Codings, names: Iterable[str]) -> Codings:
    """Codings by which these columns are read as well: a file made for the data leaves them."""
    chosen = codings.columns
    return replace(
        codings,
        columns=None if chosen is None else (*dict.fromkeys((*chosen, *names)),),
        exclude=tuple(name for name in codings.exclude if name not in names),
    )


def _labels_of_predictions(labels: Labels, decision: str, column: str) -> Labels:
    """Plain words: the predictions are called after the decision, not by its values' words."""
    words = {column: f"predicted {labels.column(decision)}", **labels.columns}
    return replace(labels, columns=words)


def _with_columns(
    source: Any,  # noqa: ANN401  # whatever a person has
    columns: dict[str, Column | None],
) -> tuple[Any, dict[str, str | None]]:
    """The source with columns for what is given as values, and the name of each column."""
    names: dict[str, str | None] = {}
    values: dict[str, Sequence[Any]] = {}
    for name, column in columns.items():
        if column is None or isinstance(column, str):
            names[name] = column
        else:
            names[name], values[name] = name, column
    is_frame = not isinstance(source, Rows | CountTable) and hasattr(source, "columns")
    if values and not is_frame:
        raise InputError.of(
            f"Values of {', '.join(values)} cannot be put beside this table.",
            "Only a frame of pandas, polars or Arrow can take them.",
            "Add a column to the table, and name it.",
        )
    if not is_frame:
        return source, names
    import narwhals as nw  # noqa: PLC0415  # only needed for frames

    frame = nw.from_native(source, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        if values:
            raise InputError.of(
                f"Values of {', '.join(values)} cannot be put beside this table.",
                "It is not in memory.",
                "Add a column to the table, and name it.",
            )
        return source, names
    _check_values(values, frame)
    series = [
        nw.new_series(name, list(of), backend=nw.get_native_namespace(frame))
        for name, of in values.items()
    ]
    if series:
        frame = frame.with_columns(*series)
    score = names[_SCORE]
    if score in frame.columns and not frame.schema[score].is_numeric():
        raise ValuesError.of(
            f"The scores in {score!r} are no numbers.",
            remedy="Give for each prediction how near it is to the favorable one, as 0.7.",
        )
    return frame.to_native() if series else source, names


def _check_values(values: dict[str, Sequence[Any]], frame: Any) -> None:  # noqa: ANN401
    """Refuse values under a name that the table has, and too few or too many of them."""
    if taken := sorted({*values} & {*frame.columns}):
        raise ColumnError.of(
            f"The table has a column {taken[0]!r} already, and values are given besides.",
            remedy="Name the column instead of giving values, or rename it.",
        )
    for name, of in values.items():
        if len(of) != len(frame):
            raise InputError.of(
                f"There are {len(of):,} values of {name}, and the table has {len(frame):,} "
                "rows.",
                remedy="Give one for each row.",
            )
