"""Section 5b: what a model's errors add, and several models beside each other."""

from collections.abc import Mapping
from typing import Protocol

from evenhand.counts import CountTable
from evenhand.errors import QuestionError
from evenhand.evidence import Certificate
from evenhand.evidence.error_bias import DifferenceParts, ErrorBias
from evenhand.question import Question
from evenhand.report.html_report import View
from evenhand.wording import Words, capital, share


class Predicted(Protocol):
    """What the section needs of an audit of predictions."""

    @property
    def certificate(self) -> Certificate:
        """The verdict on the predictions."""

    @property
    def error_bias(self) -> ErrorBias | None:
        """What errors add, if there are labels."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known of it besides."""


def models(audited: Mapping[str, Predicted], words: Words) -> View:
    """The audited predictions first, others beside them; errors are those of the first."""
    first, *others = audited.values()
    bias = first.error_bias
    group, ahead = words.leading_pair(first.certificate.partition)
    adds = (
        f" With labels, the difference of {words.decision} is the difference that was recorded "
        "plus what errors add: who is wrongly predicted as favorable, less who is wrongly "
        "predicted as not."
        if bias
        else ""
    )
    compared = (
        " The models are asked the same question about the same causes; they are not ranked."
        if others
        else ""
    )
    notes = "".join(f" {note}" for note in (*first.notes, *(bias.notes if bias else ())))
    return View(
        subtitle="What its predictions add to what was recorded."
        if bias
        else "How its predictions differ among people alike.",
        lead=(f"Differences are {ahead} minus {group}, in points.{adds}{notes}{compared}"),
        tables=(
            *model_tables(audited, words),
            *(_errors(bias, words) if bias else ()),
        ),
    )


def model_tables(audited: Mapping[str, Predicted], words: Words) -> tuple[View, View]:
    """The verdicts on each model, and its figures; all were asked the same question."""
    (name, first), *others = audited.items()
    for beside, other in others:
        _check_comparable(first.certificate, other.certificate, f"{name} and {beside}")
    leading = first.certificate.partition.statistics.leading
    reached = f"Groups at {words.threshold_points} or more"
    verdicts = View(
        title="The verdicts",
        heads=("Predictions", "These rows", "The population", reached, "Shown"),
        rows=tuple((model, *_verdicts(one.certificate)) for model, one in audited.items()),
    )
    figures = View(
        title="The predictions",
        heads=("Predictions", "Alike, on average", "All rows", "Accuracy"),
        rows=tuple((model, *_figures(one, leading, words)) for model, one in audited.items()),
    )
    return verdicts, figures


def _check_comparable(one: Certificate, other: Certificate, names: str) -> None:
    """Refuse to put beside each other what was not asked in the same way."""

    def asked(certificate: Certificate) -> tuple[object, ...]:
        question: Question = certificate.question
        compared = (question.protected, question.groups_column, certificate.examined.groups)
        decided = (question.predicts, question.favorable, question.criterion, question.order)
        limits = (question.threshold, question.min_rows, certificate.row_count)
        # Beside the favorable values a model may say what it likes.
        values = () if question.favorable else certificate.examined.decisions
        return *compared, *decided, values, *limits, certificate.decision_causes

    def people(certificate: Certificate) -> tuple[CountTable, bytes]:
        return certificate.partition.assignments, certificate.partition.rows.tobytes()

    if asked(one) != asked(other) or people(one) != people(other):
        raise QuestionError.of(
            f"{names} cannot stand beside each other.",
            "They were not asked the same question, about the same people and causes.",
            "Audit both with one question, one graph and one table.",
        )


def _verdicts(certificate: Certificate) -> tuple[str, ...]:
    partition, population = certificate.partition, certificate.population
    return (
        str(certificate.verdict),
        str(population.verdict),
        f"{partition.violating:,} of {int(partition.measured.sum()):,}",
        f"{population.shown:,}",
    )


def _figures(predicted: Predicted, leading: int, words: Words) -> tuple[str, ...]:
    """The figures of one model; of several pairs of groups, or values, those of one."""
    partition = predicted.certificate.partition
    cut, pair = divmod(leading, len(partition.pairs))
    means = partition.statistics.means
    common = means[leading] if means else None
    group, other = (
        partition.favorable[cut, at].sum() / partition.rows[at].sum()
        for at in partition.pairs[pair]
    )
    bias = predicted.error_bias
    return (
        words.points(common.difference) if common else "none",
        words.points(float(other - group)),
        share(float(bias.accuracy)) if bias else "no labels",
    )


def _errors(bias: ErrorBias, words: Words) -> tuple[View, ...]:
    """The totals, and the groups in which errors add most to the difference on average."""
    group, other = map(capital, words.leading_pair(bias.predicted))
    heads = ("Labels", "Errors", "Predictions")
    alike = "People alike, with a label" if bias.unlabelled_rows else "People alike"
    totals = {capital(bias.rows_in_words): bias.gap, f"{alike}, on average": bias.common}
    most = bias.most_added()
    rows = bias.pair_rows
    tables = [
        View(
            title="What errors add to the difference",
            heads=("Among", *heads),
            rows=tuple((who, *_parts(one, words)) for who, one in totals.items() if one),
        )
    ]
    if most:
        where = View(
            title="Where errors add most to the difference on average",
            heads=("Group", group, other, *heads),
            rows=tuple(
                (
                    words.alike(bias.predicted.where(line)) or "everybody",
                    *(f"{many:,}" for many in rows[:, line].tolist()),
                    *_parts(bias.parts(line), words),
                )
                for line in most
            ),
        )
        tables.append(where)
    return tuple(tables)


def _parts(parts: DifferenceParts, words: Words) -> tuple[str, ...]:
    return tuple(map(words.points, (parts.labels, parts.errors, parts.predictions)))
