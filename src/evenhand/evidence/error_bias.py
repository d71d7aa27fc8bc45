"""What a model adds to the difference that the recorded decisions had, by subpopulation.

In each group and subpopulation the favorable rate of predictions is that of the labels, plus
the rate of false favorable predictions, minus that of false unfavorable ones. So the
difference of predictions is the difference of labels plus a difference of errors: an identity,
and a model that errs in favor of one group makes a difference where the labels had none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable, ExaminedCounts, examined_counts
from evenhand.display import Described, Summary, percent
from evenhand.errors import ColumnError, Remedy, listed
from evenhand.evidence.partition import Partition
from evenhand.evidence.subpopulations import points
from evenhand.question import Question

_MOST_LINES = 10


class DifferenceParts(NamedTuple):
    """A difference of predictions, and what it is the sum of: those of labels and of errors."""

    predictions: Fraction | float
    labels: Fraction | float
    errors: Fraction | float

    def to_dict(self) -> dict[str, float]:
        """The three as plain numbers."""
        return {name: float(value) for name, value in self._asdict().items()}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ErrorBias(Described):
    """Predictions beside labels in each subpopulation.

    Counts have an axis of groups and one of lines, as ``predicted.rows`` has; of several pairs
    of groups, or values, they are of the leading one. ``labelled`` counts favorable labels,
    ``false_favorable`` people predicted as favorable whose label is not, and
    ``false_unfavorable`` the reverse. ``right`` rows have a prediction of the label's kind.
    """

    predicted: Partition
    label_column: str
    labelled: NDArray[np.int64]
    false_favorable: NDArray[np.int64]
    false_unfavorable: NDArray[np.int64]
    right: int

    @classmethod
    def of(
        cls, counts: CountTable, question: Question, labels: str, names: Sequence[str]
    ) -> "ErrorBias":
        """Compare predictions with the labels in one column, among people alike in names."""
        examined = examined_counts(counts, question)
        predicted = Partition.of(examined, names)
        cuts = examined.question.cuts(len(predicted.decisions))
        leading = predicted.statistics.leading // len(predicted.pairs)
        # The last kind is that of labels which no prediction has: it is never favorable.
        favorable = np.array([*cuts[leading], False])
        kinds, recorded = examined.decision_codes, _label_kinds(examined, labels)
        line, _ = examined.counts.groups(predicted.names)
        cell = examined.group_codes * len(predicted) + line

        def tally(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
            many = np.zeros(predicted.rows.size, np.int64)
            np.add.at(many, cell[chosen], examined.counts.counts[chosen])
            return many.reshape(predicted.rows.shape)

        said, was = favorable[kinds], favorable[recorded]
        return cls(
            predicted=predicted,
            label_column=labels,
            labelled=tally(was),
            false_favorable=tally(said & ~was),
            false_unfavorable=tally(was & ~said),
            right=int(examined.counts.counts[kinds == recorded].sum()),
        )

    def __repr__(self) -> str:
        return f"<ErrorBias: accuracy {percent(float(self.accuracy))}, {len(self.lines):,}>"

    @property
    def errors(self) -> NDArray[np.int64]:
        """By how many more people of each group are favored by errors than harmed."""
        return self.false_favorable - self.false_unfavorable

    @property
    def accuracy(self) -> Fraction:
        """The share of rows whose prediction is of the kind of the label."""
        rows = int(self.predicted.rows.sum())
        return Fraction(self.right, rows) if rows else Fraction(0)

    @property
    def lines(self) -> tuple[int, ...]:
        """The subpopulations in which the two groups can be compared."""
        return tuple(self.predicted.leading.line.tolist())

    def parts(self, line: int) -> DifferenceParts:
        """The exact differences in a subpopulation in which the groups can be compared."""
        return self._difference([counts[:, line] for counts in self._counts])

    @property
    def gap(self) -> DifferenceParts:
        """The differences of all rows of the two groups, alike or not."""
        return self._difference([counts.sum(axis=1) for counts in self._counts])

    @cached_property
    def common(self) -> DifferenceParts | None:
        """The Mantel–Haenszel means of the differences; None where nobody can be compared."""
        if not len(self._weights):
            return None
        means = (self._weights @ self._differences.T).tolist()
        return DifferenceParts(*means)

    @property
    def contributions(self) -> NDArray[np.float64]:
        """What each of ``lines`` adds to the errors' part of the common difference."""
        added: NDArray[np.float64] = self._weights * self._differences[2]
        return added

    def most_added(self) -> tuple[int, ...]:
        """The subpopulations in which errors add most to the common difference, by size."""
        added = self.contributions
        order = np.argsort(-np.abs(added), kind="stable")[:_MOST_LINES]
        return tuple(self.lines[at] for at in order.tolist() if added[at])

    @property
    def pair_rows(self) -> NDArray[np.int64]:
        """The rows of both groups in each subpopulation."""
        return self._counts[0]

    def to_dict(self) -> dict[str, Any]:
        """The totals, and for each subpopulation the three differences."""
        group, other = self.predicted.leading_labels
        return {
            "labels": self.label_column,
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
        group, other = predicted.leading_labels
        facts = [
            ("accuracy", percent(float(self.accuracy))),
            ("gap of all rows", self._say(self.gap)),
        ]
        if self.common is not None:
            facts.append(("alike, on average", self._say(self.common)))
        rows = self.pair_rows
        return Summary(
            title=f"What errors add to the difference of {self.label_column}",
            sentence=f"in points, {other} minus {group}; predictions = labels + errors.",
            facts=tuple(facts),
            columns=(*predicted.names, group, other, "labels", "errors", "predictions")
            if lines
            else (),
            lines=tuple(
                (
                    *predicted.where(line).values(),
                    *(f"{many:,}" for many in rows[:, line].tolist()),
                    *map(self._points, self._in_order(self.parts(line))),
                )
                for line in lines
            ),
            more=int(np.count_nonzero(self.contributions)) - len(lines),
            notes=(
                "Subpopulations in which errors add most to the common difference stand first.",
            )
            if lines
            else (),
        )

    @staticmethod
    def _in_order(parts: DifferenceParts) -> tuple[Fraction | float, ...]:
        return parts.labels, parts.errors, parts.predictions

    def _say(self, parts: DifferenceParts) -> str:
        """A difference with its two parts; rounded they need not add up to the last digit."""
        labels, errors, predictions = map(self._points, self._in_order(parts))
        return f"{predictions} points: {labels} of the labels, {errors} of errors"

    def _points(self, difference: Fraction | float) -> str:
        return points(difference, threshold=self.predicted.question.threshold)

    @property
    def _pair(self) -> tuple[int, int]:
        """The two groups, as indices: of several pairs the leading one."""
        predicted = self.predicted
        return predicted.pairs[predicted.statistics.leading % len(predicted.pairs)]

    @cached_property
    def _counts(self) -> tuple[NDArray[np.int64], ...]:
        """Rows, favorable predictions, favorable labels and errors of both groups."""
        predicted, pair = self.predicted, [*self._pair]
        said = self.labelled + self.errors
        return tuple(one[pair] for one in (predicted.rows, said, self.labelled, self.errors))

    @staticmethod
    def _difference(counts: Sequence[NDArray[np.int64]]) -> DifferenceParts:
        """The other group's rate minus the group's, by each of the counts."""
        (group, other), *kinds = (one.tolist() for one in counts)
        return DifferenceParts(*(Fraction(b, other) - Fraction(a, group) for a, b in kinds))

    @cached_property
    def _differences(self) -> NDArray[np.float64]:
        """For predictions, labels and errors the difference in each of ``lines``."""
        rows, *kinds = (one[:, [*self.lines]] for one in self._counts)
        rates = np.stack(kinds) / rows
        differences: NDArray[np.float64] = rates[:, 1] - rates[:, 0]
        return differences

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        """The weight of each of ``lines`` in a Mantel–Haenszel mean."""
        group, other = self._counts[0][:, [*self.lines]].astype(float)
        weights: NDArray[np.float64] = group * other / (group + other)
        return weights / weights.sum() if len(weights) else weights


def _label_kinds(examined: ExaminedCounts, labels: str) -> NDArray[np.intp]:
    """The kind of each line's label, as those of predictions; -1 if no prediction has it."""
    question, counts, decisions = examined.question, examined.counts, examined.decisions
    values, occurring = counts.attribute(labels).values, {*counts.values(labels)}
    predictions = {*counts.values(question.decision)}
    strange = sorted(occurring - predictions - {*question.favorable_values, *question.order})
    if question.criterion == "favorable":
        wrong = bool(strange) and not occurring & {*question.favorable_values}
    else:
        wrong = bool(strange) and (
            question.criterion == "cumulative" or len(strange) == len(occurring)
        )
    if wrong:
        raise ColumnError.of(
            f"No prediction is {listed(strange)}, which {labels!r} has.",
            f"Predictions are {listed(sorted(predictions))}.",
            (Remedy("Write both alike", "merge"), Remedy("give other labels", "labels")),
            where="labels",
        )
    if question.criterion == "favorable":
        kinds = [int(value not in question.favorable_values) for value in values]
    else:
        kinds = [decisions.index(one) if one in decisions else -1 for one in values]
    of_lines: NDArray[np.intp] = np.array(kinds, np.intp)[counts.column(labels)]
    return of_lines
