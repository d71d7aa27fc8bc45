"""The decisions of each group as they are stored, and which of them become which."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence import Certificate
from evenhand.removal.decision_changes import DecisionChanges
from evenhand.removal.value_moves import moves_across, moves_between


@dataclass(frozen=True, eq=False)
class StoredDecisions:
    """Counts by stored value, group and line, in the order of values if there is one.

    ``place`` is the index of each value among those of the decision's column, ``kinds`` that of
    its kind among the decisions that are compared.
    """

    counts: NDArray[np.int64]
    place: NDArray[np.intp]
    kinds: NDArray[np.intp]
    is_ordered: bool

    @classmethod
    def of(cls, certificate: Certificate) -> "StoredDecisions":
        """Count the decisions of the people whom a certificate compares, as they are stored."""
        examined, partition = certificate.examined, certificate.partition
        question, counts = examined.question, examined.counts
        values = counts.attribute(question.decision).values
        line, first = counts.groups(partition.names)
        shape = (len(first), len(examined.groups), len(values))
        cell = (line * shape[1] + examined.group_codes) * shape[2]
        cells = counts.totals(cell + counts.column(question.decision), int(np.prod(shape)))
        stored = [v for v in question.order or values if v in values]
        place = np.array([values.index(v) for v in stored], np.intp)
        return cls(
            cells.reshape(shape).T[place],
            place,
            examined.decision_kinds[place],
            bool(question.order),
        )

    def changes_across(self, change: NDArray[np.int64]) -> DecisionChanges:
        """So many more favorable decisions, by group and line; fewer where it is negative."""
        lines = np.flatnonzero(change.any(axis=0))
        moves = moves_across(
            self.counts[..., lines],
            self.kinds == 0,
            change[:, lines],
            ordered=self.is_ordered,
        )
        return self._changes(moves, lines)

    def changes_to(self, new: NDArray[np.int64]) -> DecisionChanges:
        """So many decisions of each kind, by kind, group and line; each value is a kind."""
        new = new[self.kinds]
        lines = np.flatnonzero((new != self.counts).any(axis=(0, 1)))
        moves = moves_between(self.counts[..., lines], new[..., lines], ordered=self.is_ordered)
        return self._changes(moves, lines)

    def _changes(self, moves: NDArray[np.int64], lines: NDArray[np.intp]) -> DecisionChanges:
        """Moves by old value, new value, group and line, as changes of stored values."""
        group, line, old, new = np.nonzero(moves.transpose(2, 3, 0, 1))
        return DecisionChanges(
            group=group,
            line=lines[line],
            old=self.place[old],
            new=self.place[new],
            rows=moves[old, new, group, line],
        )
