"""``RemovalPlan``: how many decisions change, where, and to what. No row is touched here."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.display import Described, Summary
from evenhand.evidence import Certificate, Partition
from evenhand.graph.conditional_tables import ConditionalTable
from evenhand.question import Question

_SHOWN_MOVES = 10


@dataclass(frozen=True, slots=True)
class Move:
    """Change ``row_count`` randomly chosen rows that match ``where``.

    ``becomes`` holds the new values. ``times`` is how often such a row occurs in the release:
    0 or 2 only for methods without a guarantee.
    """

    where: Mapping[str, str]
    row_count: int
    becomes: Mapping[str, str]
    times: int = 1

    def to_dict(self) -> dict[str, object]:
        """Plain values, without ``times``."""
        return {
            "where": dict(self.where),
            "rows": self.row_count,
            "becomes": dict(self.becomes),
        }


class ByDirection(NamedTuple):
    """How many decisions become favorable, and how many unfavorable."""

    to_favorable: int
    to_unfavorable: int

    @classmethod
    def of(cls, change: NDArray[np.int64]) -> "ByDirection":
        """The two numbers of changes by line, which are negative where they are unfavorable."""
        return cls(int(change.clip(0).sum()), int((-change).clip(0).sum()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedDecisions:
    """How many decisions of the group and of the others change: who gains and who loses."""

    group: ByDirection
    other: ByDirection

    def to_dict(self) -> dict[str, dict[str, int]]:
        """Plain values, by group."""
        return {"group": self.group._asdict(), "other": self.other._asdict()}

    def facts(self, question: Question) -> tuple[tuple[str, str], ...]:
        """Both directions in words, for a summary."""
        ways = zip(self.group, self.other, ("none", "none: nobody loses"), strict=True)
        in_group, in_other = (
            f"{question.protected}={value}" for value in (question.group, question.other)
        )
        gains, losses = (
            f"{group + other:,} ({in_group}: {group:,}, {in_other}: {other:,})"
            if group or other
            else none
            for group, other, none in ways
        )
        return ("to favorable", gains), ("to unfavorable", losses)


class Plan(Protocol):
    """What a release applies: moves whose patterns name the same columns and never overlap."""

    @property
    def method(self) -> str:
        """The method that made the plan."""

    @property
    def policy(self) -> str:
        """Which variant of the method."""

    @property
    def redrawn(self) -> tuple[ConditionalTable, ...]:
        """The tables from which the decision's effects are sampled again in changed rows."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that patterns name."""

    @property
    def moves(self) -> Iterable[Move]:
        """The changes."""

    @property
    def question(self) -> Question:
        """The question of the certificate."""

    @property
    def pooled(self) -> str | None:
        """The label of all other groups together, if they were pooled."""


class FromCertificate:
    """What every plan reads from the certificate that it was made for."""

    certificate: Certificate

    @property
    def partition(self) -> Partition:
        """The people divided by the decision causes, as they were."""
        return self.certificate.partition

    @property
    def question(self) -> Question:
        """The question of the certificate."""
        return self.certificate.question

    @property
    def pooled(self) -> str | None:
        """The label of all other groups together, if they were pooled."""
        return self.certificate.pooled


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RemovalPlan(FromCertificate, Described):
    """Changes of decisions that make every measured difference smaller than the threshold.

    ``group_change`` and ``other_change`` have one number for each line of the partition: how
    many unfavorable decisions become favorable, or the reverse where negative. In changed rows
    the decision's effects are sampled again from the tables ``redrawn``, causes first; nothing
    else changes.
    """

    method: str
    policy: str
    certificate: Certificate
    unfavorable: str
    group_change: NDArray[np.int64]
    other_change: NDArray[np.int64]
    redrawn: tuple[ConditionalTable, ...] = ()
    model_distance: float | None = None

    @cached_property
    def after(self) -> Partition:
        """The partition as it will be counted after the change."""
        before = self.partition
        return replace(
            before,
            group_yes=before.group_yes + self.group_change,
            group_no=before.group_no - self.group_change,
            other_yes=before.other_yes + self.other_change,
            other_no=before.other_no - self.other_change,
        )

    @property
    def reaches_criterion(self) -> bool:
        """Whether no measured difference is left that is as large as the threshold."""
        return self.after.violating == 0

    @property
    def changed_rows(self) -> int:
        """How many rows get another decision."""
        return sum(map(sum, (self.changed_decisions.group, self.changed_decisions.other)))

    @cached_property
    def changed_decisions(self) -> ChangedDecisions:
        """The changed decisions by group and direction."""
        group, other = map(ByDirection.of, (self.group_change, self.other_change))
        return ChangedDecisions(group=group, other=other)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that patterns name: the causes, the protected attribute, the decision."""
        return (*self.partition.names, self.question.protected, self.question.decision)

    @property
    def moves(self) -> Iterator[Move]:
        """Each change as a pattern of rows, their number, and their new decision."""
        question = self.question
        for value, changes in (
            (question.group, self.group_change),
            (str(question.other), self.other_change),
        ):
            for at in np.flatnonzero(changes).tolist():
                old, new = self.unfavorable, question.favorable
                if changes[at] < 0:
                    old, new = new, old
                where = self.partition.where(at) | {
                    question.protected: value,
                    question.decision: old,
                }
                yield Move(where, abs(int(changes[at])), {question.decision: new})

    def to_dict(self) -> dict[str, object]:
        """The plan as plain values."""
        return {
            "method": self.method,
            "policy": self.policy,
            "changed_rows": self.changed_rows,
            "changed_decisions": self.changed_decisions.to_dict(),
            "reaches_criterion": self.reaches_criterion,
            "still_violating": self.after.violating,
            "redrawn": [table.node.name for table in self.redrawn],
            "moves": [move.to_dict() for move in self.moves],
        }

    def summary(self) -> Summary:
        """Describe the plan: its totals, and its largest moves."""
        moves = sorted(self.moves, key=lambda move: -move.row_count)
        more = len(moves) - _SHOWN_MOVES
        notes = [f"… and {more:,} smaller moves"] if more > 0 else []
        if self.redrawn:
            effects = ", ".join(table.node.name for table in self.redrawn)
            notes.append(f"In changed rows the decision's effects are drawn anew: {effects}.")
        if not self.reaches_criterion:
            notes.append(
                f"{self.after.violating} subpopulations would still differ by the threshold or "
                "more: this is no plan for a release."
            )
        touched = np.count_nonzero((self.group_change != 0) | (self.other_change != 0))
        return Summary(
            title=f"{self.method} ({self.policy}): {self.changed_rows:,} of "
            f"{int(self.partition.row_counts.sum()):,} decisions would change",
            facts=(
                *self.changed_decisions.facts(self.question),
                ("subpopulations changed", f"{touched:,}"),
            ),
            columns=("rows", "where", "becomes"),
            lines=tuple(
                (
                    f"{move.row_count:,}",
                    ", ".join(f"{name}={value}" for name, value in move.where.items()),
                    ", ".join(move.becomes.values()),
                )
                for move in moves[:_SHOWN_MOVES]
            ),
            notes=tuple(notes),
        )
