"""``RemovalPlan``: how many decisions change, where, and to what. No row is touched here.

``GeneratedPlan`` is a new table instead, to be generated from the modified model.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute
from evenhand.display import Described, Summary
from evenhand.effects import Indirect, measure_tables
from evenhand.effects.model_tables import compared_counts
from evenhand.evidence import Certificate, Partition, Verdict
from evenhand.graph.admissible_graphs import ancestral_graphs
from evenhand.graph.conditional_tables import ConditionalTable, Network
from evenhand.question import Question
from evenhand.removal.many_values import moves_across, moves_between


class ByDirection(NamedTuple):
    """How many decisions become favorable, and how many unfavorable.

    Where no value is the favorable one: how many rise in the order of values, and fall.
    """

    to_favorable: int
    to_unfavorable: int


@dataclass(frozen=True, eq=False, kw_only=True)
class DecisionChanges:
    """How many rows change; each element is about one group, line, old and new decision.

    ``old`` and ``new`` are indices of the values of the decision as they are stored.
    """

    group: NDArray[np.intp]
    line: NDArray[np.intp]
    old: NDArray[np.intp]
    new: NDArray[np.intp]
    rows: NDArray[np.int64]

    def by_group(self, rank: NDArray[np.intp], groups: int) -> tuple[ByDirection, ...]:
        """Who gains and who loses, where a lower rank of a stored value is better."""
        step = rank[self.old] - rank[self.new]
        up, down = (
            np.bincount(self.group[way], self.rows[way], groups).astype(int).tolist()
            for way in (step > 0, step < 0)
        )
        return tuple(map(ByDirection, up, down))

    def count_change(
        self, kinds: NDArray[np.intp], shape: tuple[int, ...]
    ) -> NDArray[np.int64]:
        """What is added to counts by kind of decision, group and line."""
        change = np.zeros(shape, np.int64)
        np.add.at(change, (kinds[self.new], self.group, self.line), self.rows)
        np.subtract.at(change, (kinds[self.old], self.group, self.line), self.rows)
        return change


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedDecisions:
    """How many decisions of each group change: who gains and who loses."""

    groups: tuple[ByDirection, ...]
    labels: tuple[str, ...]
    question: Question

    @property
    def row_count(self) -> int:
        """All of them."""
        return sum(map(sum, self.groups))

    def to_dict(self) -> dict[str, dict[str, int]]:
        """Plain values, by group."""
        names = ("group", "other") if self.question.group else self.labels
        return {name: by._asdict() for name, by in zip(names, self.groups, strict=True)}

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Both directions in words, for a summary."""
        question = self.question
        named = [f"{question.groups_column}={label}" for label in self.labels]
        ways = (
            f"{sum(way):,} ({_each(named, way)})" if any(way) else none
            for way, none in zip(
                zip(*self.groups, strict=True), ("none", "none: nobody loses"), strict=True
            )
        )
        if question.favorable:
            return tuple(zip(("to favorable", "to unfavorable"), ways, strict=True))
        if question.order:
            return tuple(zip(("to a better value", "to a worse value"), ways, strict=True))
        changed = [sum(by) for by in self.groups]
        text = f"{sum(changed):,} ({_each(named, changed)})" if sum(changed) else "none"
        return (("to another value", text),)


def _each(names: Sequence[str], numbers: Sequence[int]) -> str:
    return ", ".join(f"{name}: {many:,}" for name, many in zip(names, numbers, strict=True))


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


def rank_fact(rank: str | None) -> tuple[tuple[str, str], ...]:
    """How rows were chosen, if not at random."""
    return () if rank is None else (("rows chosen", f"nearest to the other side by {rank}"),)


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
    def rank(self) -> str | None:
        """The column of scores by which rows are chosen; None if they are random."""

    @property
    def question(self) -> Question:
        """The question of the certificate."""

    @property
    def pooled(self) -> str | None:
        """The label of all other groups together, if they were pooled."""


class FromCertificate:
    """What every plan reads from the certificate that it was made for."""

    certificate: Certificate
    rank: str | None = None

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

    In changed rows the decision's effects are sampled again from the tables ``redrawn``, causes
    first; nothing else changes. ``lower_bound`` is a number of changed rows below which nothing
    can do, where effects through other attributes are limited too. ``rank`` names the column
    of scores by which the rows that change are chosen; without one they are random.
    """

    method: str
    policy: str
    certificate: Certificate
    changes: DecisionChanges
    redrawn: tuple[ConditionalTable, ...] = ()
    model_distance: float | None = None
    lower_bound: int | None = None
    rank: str | None = None

    @cached_property
    def after(self) -> Partition:
        """The partition as it will be counted after the change."""
        before, kinds = self.partition, self.certificate.examined.decision_kinds
        change = self.changes.count_change(kinds, before.counts.shape)
        return replace(before, counts=before.counts + change)

    @cached_property
    def indirect(self) -> Indirect | None:
        """The claim about effects through other attributes, exactly, after the change."""
        if self.certificate.indirect is None:
            return None
        question, table = self.question, compared_counts(self.certificate.examined)

        def source(names: tuple[str, ...]) -> NDArray[np.int64]:
            if question.decision not in names:
                return table.cube(names)
            return _decisions(self.after, names, tuple(len(table.attribute(n)) for n in names))

        return measure_tables(
            source,
            {attribute.name: attribute.values for attribute in table.attributes},
            ancestral_graphs(self.certificate.graph, question),
            question,
        )

    @property
    def reaches_criterion(self) -> bool:
        """Whether neither a difference nor an effect is left that is as large as allowed."""
        claim = self.indirect
        return self.after.violating == 0 and (
            claim is None or claim.verdict is Verdict.CERTIFIED
        )

    @property
    def is_proven(self) -> bool:
        """Whether it is proven that no plan of this kind changes fewer rows."""
        return self.lower_bound == self.changed_rows

    @property
    def changed_rows(self) -> int:
        """How many rows get another decision."""
        return int(self.changes.rows.sum())

    @cached_property
    def changed_decisions(self) -> ChangedDecisions:
        """The changed decisions by group and direction."""
        kinds, groups = self.certificate.examined.decision_kinds, self.partition.groups
        return ChangedDecisions(
            groups=self.changes.by_group(kinds, len(groups)),
            labels=groups,
            question=self.question,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that patterns name: causes, protected attributes, the decision."""
        return (*self.partition.names, *self.question.columns)

    @property
    def moves(self) -> Iterator[Move]:
        """Each change as a pattern of rows, their number, and their new decision."""
        question, partition, changes = self.question, self.partition, self.changes
        values = self.certificate.examined.counts.attribute(question.decision).values
        columns = (changes.group, changes.line, changes.old, changes.new, changes.rows)
        people = [question.group_values(label) for label in partition.groups]
        for group, line, old, new, rows in zip(*(c.tolist() for c in columns), strict=True):
            where = partition.where(line) | people[group] | {question.decision: values[old]}
            yield Move(where, rows, {question.decision: values[new]})

    def to_dict(self) -> dict[str, object]:
        """The plan as plain values."""
        return {
            "method": self.method,
            "policy": self.policy,
            "changed_rows": self.changed_rows,
            "changed_decisions": self.changed_decisions.to_dict(),
            "reaches_criterion": self.reaches_criterion,
            "still_violating": self.after.violating,
            **self._joint_values,
            "redrawn": [table.node.name for table in self.redrawn],
            **({} if self.rank is None else {"rank": self.rank}),
            "moves": [move.to_dict() for move in self.moves],
        }

    @property
    def _joint_values(self) -> dict[str, object]:
        """What is known of effects through other attributes, if the question asks."""
        bound, claim = self.lower_bound, self.indirect
        proof = {} if bound is None else {"lower_bound": bound, "proven": self.is_proven}
        return proof | ({} if claim is None else {"indirect": claim.to_dict_of_change()})

    @property
    def _joint_facts(self) -> Iterator[tuple[str, str]]:
        if self.lower_bound is not None:
            least = f"perhaps fewer, but {self.lower_bound:,} at least"
            known = "proven" if self.is_proven else least
            yield "fewest rows", f"{self.changed_rows:,}, {known}"
        if self.indirect is not None:
            yield self.indirect.fact_of_change("then")

    def summary(self) -> Summary:
        """Describe the plan: its totals, and its largest moves."""
        moves = sorted(self.moves, key=lambda move: -move.row_count)
        more = len(moves) - _SHOWN_MOVES
        notes = [f"… and {more:,} smaller moves"] if more > 0 else []
        if self.redrawn:
            effects = ", ".join(table.node.name for table in self.redrawn)
            notes.append(f"In changed rows the decision's effects are drawn anew: {effects}.")
        if self.after.violating:
            notes.append(
                f"{self.after.violating} subpopulations would still differ by the threshold or "
                "more: this is no plan for a release."
            )
        elif not self.reaches_criterion:
            notes.append(
                "The claim about effects through other attributes would not be met: this is no "
                "plan for a release."
            )
        touched = len(np.unique(self.changes.line))
        return Summary(
            title=f"{self.method} ({self.policy}): {self.changed_rows:,} of "
            f"{int(self.partition.row_counts.sum()):,} decisions would change",
            facts=(
                *self.changed_decisions.facts(),
                ("subpopulations changed", f"{touched:,}"),
                *rank_fact(self.rank),
                *self._joint_facts,
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


def _decisions(
    partition: Partition, names: tuple[str, ...], shape: tuple[int, ...]
) -> NDArray[np.int64]:
    """A partition's counts of decisions by some of its causes and the group."""
    cube = np.zeros(shape, np.int64)
    question, axes = partition.question, np.indices(partition.counts.shape)
    of = {question.decision: axes[0], question.groups_column: axes[1]}
    of |= {name: partition.assignments.column(name)[axes[2]] for name in partition.names}
    np.add.at(cube, tuple(of[name] for name in names), partition.counts)
    return cube


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GeneratedPlan(FromCertificate, Described):
    """A new table of the graph's columns with as many rows as were compared.

    The rows follow the network, with ``decision_shares`` in place of the decision's own table.
    By quotas every decision rate meets the criterion below ``threshold``; sampled independently
    (``sampled``) they meet it only by chance. No row of the input is used, so there are no
    moves, and every row counts as changed.

    Paper: alg:mg
    """

    policy: str
    sampled: bool
    network: Network
    decision_shares: NDArray[np.float64]
    certificate: Certificate
    threshold: Fraction
    names: tuple[str, ...]
    row_count: int
    model_distance: float

    method: ClassVar[str] = "modify-graph"
    moves: ClassVar[tuple[Move, ...]] = ()
    redrawn: ClassVar[tuple[ConditionalTable, ...]] = ()
    changed_decisions: ClassVar[None] = None

    @property
    def changed_rows(self) -> int:
        """All rows."""
        return self.row_count

    @property
    def reaches_criterion(self) -> bool:
        """Whether the generated rows are sure to meet the criterion."""
        return not self.sampled

    @property
    def tables(self) -> Iterator[tuple[Attribute, tuple[str, ...], NDArray[np.float64]]]:
        """Each node, its parents, and its shares given them; causes before effects."""
        modified: Mapping[str, NDArray[np.float64]] = {
            self.question.decision: self.decision_shares
        }
        for name, table in self.network.tables.items():
            yield table.node, table.names[:-1], modified.get(name, table.shares)

    def to_dict(self) -> dict[str, object]:
        """The plan as plain values."""
        return {
            "method": self.method,
            "policy": self.policy,
            "changed_rows": self.changed_rows,
            "changed_decisions": self.changed_decisions,
            "reaches_criterion": self.reaches_criterion,
            "columns": list(self.names),
            "model_distance": self.model_distance,
        }

    def summary(self) -> Summary:
        """How many rows would be generated, and how."""
        how = (
            "drawn independently: nothing promises that they meet the criterion"
            if self.sampled
            else "counted out so that every decision rate meets the criterion"
        )
        return Summary(
            title=f"{self.method} ({self.policy}): {self.row_count:,} new rows, {how}",
            facts=(
                ("columns", ", ".join(self.names)),
                ("distance in the model", f"{self.model_distance:.2e}"),
            ),
        )


def changeable_columns(plan: Plan) -> tuple[str, ...]:
    """The columns that a plan's method changes where it must, whether or not it had to."""
    changed = changed_columns(plan)
    if changed or not isinstance(plan, RemovalPlan):
        return changed
    return (plan.question.decision, *(table.node.name for table in plan.redrawn))


def changed_columns(plan: Plan) -> tuple[str, ...]:
    """The columns in which released rows can differ from those before.

    All of them if rows are generated, none if rows are only left out or doubled.
    """
    if isinstance(plan, GeneratedPlan):
        return plan.names
    if isinstance(plan, RemovalPlan):  # whose moves can be very many, all of one column
        moved = [plan.question.decision] * bool(plan.changed_rows)
    else:
        moved = [name for move in plan.moves for name in move.becomes]
    redrawn = [table.node.name for table in plan.redrawn] if moved else []
    return tuple(dict.fromkeys([*moved, *redrawn]))
