"""What a model adds to the difference that the recorded decisions had, by subpopulation.

In each group and subpopulation the favorable rate of predictions is that of the labels, plus
the rate of false favorable predictions, minus that of false unfavorable ones. So the
difference of predictions is the difference of labels plus a difference of errors: an identity,
and a model that errs in favor of one group makes a difference where the labels had none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.counts.examined import group_labels
from evenhand.display import Described, Summary, percent, points
from evenhand.errors import ColumnError, Remedy, listed
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.partition import Partition
from evenhand.question.codings import MISSING

_MOST_LINES = 10
_MOST_FIRST = "Groups in which errors add most to the average difference come first."


class DifferenceParts(NamedTuple):
    """A difference of predictions, and what it is the sum of: those of labels and of errors."""

    predictions: Fraction | float
    labels: Fraction | float
    errors: Fraction | float

    @classmethod
    def of(cls, counts: NDArray[np.int64]) -> "DifferenceParts":
        """The other group's rate minus the group's, by all but the first counts: the rows."""
        (group, other), *kinds = counts.tolist()
        return cls(*(Fraction(b, other) - Fraction(a, group) for a, b in kinds))

    def to_dict(self) -> dict[str, float]:
        """The three as plain numbers."""
        return {name: float(value) for name, value in self._asdict().items()}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ErrorBias(Described):
    """Predictions beside labels in each subpopulation, among the rows that have a label.

    Counts have an axis of groups and one of lines, as ``predicted.rows`` has; of several pairs
    of groups, or values, they are of the leading one. ``rows`` counts people with a label,
    ``said`` those predicted as favorable, ``favorable`` those whose label is favorable.
    ``accuracy`` is the share of rows whose prediction is of the label's kind. ``other_labels``
    are those that no prediction has, with their rows: they are never favorable.
    """

    predicted: Partition
    label_column: str
    rows: NDArray[np.int64]
    said: NDArray[np.int64]
    favorable: NDArray[np.int64]
    accuracy: Fraction
    other_labels: Mapping[str, int]

    @classmethod
    def of(
        cls, judged: Certificate, counts: CountTable, labels: str, *, order: Sequence[str] = ()
    ) -> "ErrorBias | None":
        """Compare judged predictions with the labels in one column.

        ``counts`` are of the judged rows, of which some may lack a label. None if nobody of a
        group has one. ``order`` is that of all labels, if they are ordered: it may have more
        than the predictions.
        """
        predicted, question = judged.partition, judged.question
        counts = _labelled(judged, counts, labels)
        cell = _groups(judged, counts) * len(predicted) + _line_of(predicted, counts)

        def tally(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
            many = np.zeros(predicted.rows.size, np.int64)
            np.add.at(many, cell[chosen], counts.counts[chosen])
            return many.reshape(predicted.rows.shape)

        rows = tally(np.ones(len(counts), bool))
        cut, pair = divmod(predicted.statistics.leading, len(predicted.pairs))
        if not rows[[*predicted.pairs[pair]]].any(axis=1).all():
            return None
        strange = _strange_labels(judged, counts, labels, order)
        # The last kind is that of labels which no prediction has: it is never favorable.
        favorable = np.array([*question.cuts(len(predicted.decisions))[cut], False])
        said = _kinds(counts, question.decision, predicted)
        right = said == _kinds(counts, labels, predicted)
        return cls(
            predicted=predicted,
            label_column=labels,
            rows=rows,
            said=tally(favorable[said]),
            favorable=tally(favorable[_kinds(counts, labels, predicted, order)]),
            accuracy=Fraction(int(counts.counts[right].sum()), counts.row_count),
            other_labels=strange,
        )

    def __repr__(self) -> str:
        return f"<ErrorBias: accuracy {percent(float(self.accuracy))}, {len(self.lines):,}>"

    @property
    def labelled_rows(self) -> int:
        """How many of the judged rows have a label."""
        return int(self.rows.sum())

    @property
    def unlabelled_rows(self) -> int:
        """How many of the judged rows have none: nothing is told of their errors."""
        return int(self.predicted.rows.sum()) - self.labelled_rows

    @property
    def notes(self) -> tuple[str, ...]:
        """Which rows have no label, or one that no prediction has."""
        without, others = self.unlabelled_rows, self.other_labels
        unlabelled = (
            f"Only {self.labelled_rows:,} of {self.labelled_rows + without:,} rows have a "
            "label: accuracy, and what errors add, are told of these alone."
        )
        favors = self.predicted.question.criterion == "favorable"
        strange = (
            f"No prediction is {listed(others)}, which {self.label_column!r} is in "
            f"{sum(others.values()):,} rows: "
            + ("this counts as not favorable." if favors else "these predictions are errors.")
        )
        return (*([unlabelled] if without else []), *([strange] if others else []))

    @property
    def lines(self) -> tuple[int, ...]:
        """The subpopulations in which the two groups can be compared."""
        enough = self._counts[0] >= self.predicted.question.min_rows
        return tuple(np.flatnonzero(enough.all(axis=0)).tolist())

    def parts(self, line: int) -> DifferenceParts:
        """The exact differences in a subpopulation in which the groups can be compared."""
        return DifferenceParts.of(self._counts[:, :, line])

    @property
    def gap(self) -> DifferenceParts:
        """The differences of all labelled rows of the two groups, alike or not."""
        return DifferenceParts.of(self._counts.sum(axis=2))

    @property
    def common(self) -> DifferenceParts | None:
        """The Mantel–Haenszel means of the differences; None where nobody can be compared."""
        return DifferenceParts(*self._weighed.sum(axis=1).tolist()) if self.lines else None

    @property
    def contributions(self) -> NDArray[np.float64]:
        """What each of ``lines`` adds to the errors' part of the common difference."""
        added: NDArray[np.float64] = self._weighed[2]
        return added

    def most_added(self) -> tuple[int, ...]:
        """The subpopulations in which errors add most to the common difference, by size."""
        added = self.contributions
        order = np.argsort(-np.abs(added), kind="stable")[:_MOST_LINES]
        return tuple(self.lines[at] for at in order.tolist() if added[at])

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        """Rows, favorable predictions, favorable labels and errors of the leading pair."""
        pairs, leading = self.predicted.pairs, self.predicted.statistics.leading
        pair = pairs[leading % len(pairs)]
        kinds = (self.rows, self.said, self.favorable, self.said - self.favorable)
        return np.stack([one[[*pair]] for one in kinds])

    @cached_property
    def _weighed(self) -> NDArray[np.float64]:
        """The differences of predictions, labels and errors in each of ``lines``, weighted."""
        rows, *kinds = self._counts[:, :, [*self.lines]]
        group, other = rows.astype(float)
        weights = group * other / (group + other)
        rates = np.stack(kinds) / rows
        weighed: NDArray[np.float64] = weights / weights.sum() * (rates[:, 1] - rates[:, 0])
        return weighed

    def to_dict(self) -> dict[str, Any]:
        """The totals, and for each subpopulation the three differences."""
        group, other = self.predicted.leading_labels
        return {
            "labels": self.label_column,
            "labelled_rows": self.labelled_rows,
            "unlabelled_rows": self.unlabelled_rows,
            "other_labels": dict(self.other_labels),
            "accuracy": float(self.accuracy),
            "group": group,
            "other": other,
            "favorable": self.predicted.leading_decision,
            "gap": self.gap.to_dict(),
            "common_difference": self.common and self.common.to_dict(),
            "subpopulations": [
                {"where": self.predicted.where(line), **self.parts(line).to_dict()}
                for line in self.lines
            ],
        }

    def summary(self) -> Summary:
        """The totals, and the subpopulations in which errors add most to the difference."""
        predicted, lines = self.predicted, self.most_added()
        threshold = predicted.question.threshold
        group, other = predicted.leading_labels

        def in_points(parts: DifferenceParts) -> list[str]:
            of = (parts.labels, parts.errors, parts.predictions)
            return [points(one, threshold=threshold) for one in of]

        # Rounded, the parts need not add up to the last digit.
        said = "{2} points: {0} of the labels, {1} of errors"
        whom = "rows with a label" if self.unlabelled_rows else "all rows"
        totals = {f"gap of {whom}": self.gap, "alike, on average": self.common}
        return Summary(
            title=f"What errors add to the difference of {self.label_column}",
            sentence=f"in points, {other} minus {group}; predictions = labels + errors.",
            facts=(
                ("accuracy", percent(float(self.accuracy))),
                *((what, said.format(*in_points(of))) for what, of in totals.items() if of),
                *(("labels", note) for note in self.notes),
            ),
            columns=(*predicted.names, group, other, "labels", "errors", "predictions")
            if lines
            else (),
            lines=tuple(
                (
                    *predicted.where(line).values(),
                    *(f"{many:,}" for many in self._counts[0][:, line].tolist()),
                    *in_points(self.parts(line)),
                )
                for line in lines
            ),
            more=int(np.count_nonzero(self.contributions)) - len(lines),
            notes=(_MOST_FIRST,) if lines else (),
        )


def share_of_right(judged: Certificate, counts: CountTable, labels: str) -> Fraction | None:
    """The share of labelled rows with a prediction of the label's kind; None without any.

    The rows may be others than those that were judged, as after a release.
    """
    counts = _labelled(judged, counts, labels)
    _strange_labels(judged, counts, labels, None)  # which is better does not matter here
    kinds, recorded = (
        _kinds(counts, name, judged.partition) for name in (judged.question.decision, labels)
    )
    right = int(counts.counts[kinds == recorded].sum())
    return Fraction(right, counts.row_count) if counts.row_count else None


def _labelled(judged: Certificate, counts: CountTable, labels: str) -> CountTable:
    """The rows of compared groups that have a label."""
    counts = counts.without(labels, [MISSING])
    return counts.chosen(_groups(judged, counts) >= 0)


def _groups(judged: Certificate, counts: CountTable) -> NDArray[np.intp]:
    """The index of each line's group; -1 if it is not compared."""
    names, line = group_labels(counts, judged.question)
    index = {group: at for at, group in enumerate(judged.partition.groups)}
    others = 1 if judged.pools_others else -1
    of_lines: NDArray[np.intp] = np.array([index.get(n, others) for n in names], np.intp)[line]
    return of_lines


def _kinds(
    counts: CountTable, name: str, predicted: Partition, order: Sequence[str] = ()
) -> NDArray[np.intp]:
    """The kind of each line's prediction or label; -1 if no prediction has it.

    By an order of all labels, one that no prediction has is of the next worse kind.
    """
    values, question = counts.attribute(name).values, predicted.question
    if question.criterion == "favorable":
        kinds = [int(value not in question.favorable_values) for value in values]
    else:
        index = {value: at for at, value in enumerate(predicted.decisions)}
        next_worse = -1
        for value in reversed(order):
            next_worse = index.setdefault(value, next_worse)
        kinds = [index.get(value, -1) for value in values]
    of_lines: NDArray[np.intp] = np.array(kinds, np.intp)[counts.column(name)]
    return of_lines


def _strange_labels(
    judged: Certificate, counts: CountTable, labels: str, order: Sequence[str] | None
) -> dict[str, int]:
    """Labels that no prediction has, with their rows; refused where all may be written so."""
    question, occurring = judged.question, counts.values(labels)
    predictions = {*judged.examined.counts.values(question.decision)}
    known = {*predictions, *question.favorable_values, *(order or ())}
    strange = {label: many for label, many in occurring.items() if label not in known}
    if question.criterion == "favorable":
        wrong = bool(strange) and not {*occurring} & {*question.favorable_values}
    else:
        wrong = bool(strange) and (
            (question.criterion == "cumulative" and order is not None)
            or len(strange) == len(occurring)
        )
    if wrong:
        raise ColumnError.of(
            f"No prediction is {listed(sorted(strange))}, which {labels!r} has.",
            f"Predictions are {listed(sorted(predictions))}.",
            (Remedy("Write both alike", "merge"), Remedy("give other labels", "labels")),
            where="labels",
        )
    return strange


def _line_of(partition: Partition, counts: CountTable) -> NDArray[np.intp]:
    """The subpopulation of each line of other counts, all of people who are in it."""
    table, columns = partition.assignments, []
    for attribute, codes in zip(table.attributes, table.codes, strict=True):
        code = {value: at for at, value in enumerate(attribute.values)}
        own = np.array([code[v] for v in counts.attribute(attribute.name).values], np.intp)
        columns.append(np.concatenate([codes, own[counts.column(attribute.name)]]))
    rows = np.concatenate([table.counts, counts.counts])
    group, first = CountTable(table.attributes, tuple(columns), rows).groups(partition.names)
    lines: NDArray[np.intp] = first[group][len(table) :]
    return lines
