"""Plans: how many rows change, where, and to what. No row is touched here.

``POLICIES`` are the ways to remove differences: one list, which methods and all doors read.

``RemovalPlan`` is that of a method that changes decisions, ``BaselinePlan`` one of those to
compare with. ``GeneratedPlan`` is a new table, to be generated from the modified model.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable
from evenhand.display import Described, Plain, Summary
from evenhand.effects import Indirect, measure_examined
from evenhand.evidence import Certificate, Partition, Verdict
from evenhand.graph.conditional_tables import ConditionalTable, Tables
from evenhand.question import Question
from evenhand.removal.moves import DecisionChanges


@dataclass(frozen=True, slots=True)
class Policy:
    """A variant of a method, and what it is called by people who do not program.

    In ``title`` {group} stands for the people asked about, {protected} for what divides them.
    ``takes_groups`` says whether the groups whose decisions may change can be named,
    ``favorable`` and ``many_values`` to which decisions the policy applies, and ``in_order``
    whether it differs from others only where values have an order.
    """

    method: str
    name: str
    title: str
    what: str = ""
    _: KW_ONLY
    guaranteed: bool = False
    takes_groups: bool = False
    favorable: bool = True
    many_values: bool = False
    in_order: bool = False


_FEWEST = "as few decisions as possible; those of all groups may change"
_ROWS = "as few rows, however far a value moves"
_QUOTAS = "as near as whole rows come to the best changed distribution"
_NEW = "no row is kept; it follows the changed distribution"
# In the order in which methods are compared.
POLICIES = (
    Policy(
        "modify-data",
        "minimal",
        "Fewest changes",
        _FEWEST,
        takes_groups=True,
        many_values=True,
        guaranteed=True,
    ),
    Policy(
        "modify-data",
        "rows",
        "Fewest rows",
        _ROWS,
        favorable=False,
        many_values=True,
        in_order=True,
        guaranteed=True,
    ),
    Policy("modify-data", "group", "Only decisions of {group}", guaranteed=True),
    Policy(
        "modify-data",
        "raise",
        "Only in people’s favor",
        "nobody loses a favorable decision",
        takes_groups=True,
        guaranteed=True,
    ),
    Policy("modify-graph", "quotas", "Nearest to the model", _QUOTAS, guaranteed=True),
    Policy("modify-graph", "generate", "A wholly new table", _NEW, guaranteed=True),
    Policy("modify-data", "paper", "The paper’s rule"),
    Policy("modify-data", "printed", "The paper’s algorithm as printed"),
    Policy("modify-graph", "sample", "A random draw from the model"),
    Policy("shuffle-protected", "", "Shuffle {protected} among the rows"),
    Policy("local-massaging", "", "Local massaging"),
    Policy("local-preferential-sampling", "", "Local preferential sampling"),
    Policy("repair-attributes", "", "Repair the other attributes"),
)


def policies_of(method: str) -> dict[str, Policy]:
    """The policies of a method by name; of a method without policies the one without a name."""
    return {policy.name: policy for policy in POLICIES if policy.method == method}


def policy_of(method: str, name: str) -> Policy:
    """A policy; of methods that have none, whatever variant the name tells."""
    known = policies_of(method)
    return known.get(name) or known[""]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedDecisions:
    """How many decisions of each group become favorable, and how many unfavorable.

    Where no value is the favorable one: how many rise in the order of values, and fall.
    """

    groups: tuple[tuple[int, int], ...]
    labels: tuple[str, ...]
    question: Question

    @property
    def row_count(self) -> int:
        """All of them."""
        return sum(map(sum, self.groups))

    def to_dict(self) -> dict[str, dict[str, int]]:
        """Plain values, by group."""
        names = ("group", "other") if self.question.group else self.labels
        return {
            name: {"to_favorable": gain, "to_unfavorable": lose}
            for name, (gain, lose) in zip(names, self.groups, strict=True)
        }

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Both directions in words, for a summary."""
        question = self.question
        named = [f"{question.groups_column}={label}" for label in self.labels]

        def told(numbers: Sequence[int], none: str = "none") -> str:
            each = (f"{name}: {many:,}" for name, many in zip(named, numbers, strict=True))
            return f"{sum(numbers):,} ({', '.join(each)})" if any(numbers) else none

        if not question.favorable and not question.order:
            return (("to another value", told([*map(sum, self.groups)])),)
        gain, lose = zip(*self.groups, strict=True)
        names = ("favorable", "unfavorable")
        better, worse = names if question.favorable else ("a better value", "a worse value")
        return (
            (f"to {better}", told(gain)),
            (f"to {worse}", told(lose, "none: nobody loses")),
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
        where, becomes = dict(self.where), dict(self.becomes)
        return {"where": where, "rows": self.row_count, "becomes": becomes}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _Planned(Plain, Described):
    """What every plan has: the certificate that it was made for, and moves that never overlap.

    Their patterns name the same columns. In changed rows the decision's effects are sampled
    again from the tables ``redrawn``, causes first. ``rank`` names the column of scores by
    which the rows that change are chosen; without one they are random.
    """

    method: str
    policy: str
    certificate: Certificate
    redrawn: tuple[ConditionalTable, ...] = ()
    model_distance: float | None = None
    rank: str | None = None

    @property
    def partition(self) -> Partition:
        """The people divided by the decision causes, as they were."""
        return self.certificate.partition

    @property
    def question(self) -> Question:
        """The question of the certificate."""
        return self.certificate.question

    @cached_property
    def counted(self) -> CountTable:
        """The rows as they were, by the columns that patterns name."""
        names: tuple[str, ...] = self.names  # type: ignore[attr-defined]  # each kind has them
        return self.certificate.examined.counts.marginal(names)

    @property
    def pooled(self) -> str | None:
        """The label of all other groups together, if they were pooled."""
        return self.certificate.pooled

    @property
    def changed_columns(self) -> tuple[str, ...]:
        """The columns in which released rows can differ; none if rows only leave or double."""
        moves: Iterable[Move] = self.moves  # type: ignore[attr-defined]  # each kind has them
        return tuple(dict.fromkeys(name for move in moves for name in move.becomes))

    @property
    def changeable_columns(self) -> tuple[str, ...]:
        """The columns that the method changes where it must, whether or not it had to."""
        return self.changed_columns

    @property
    def rank_facts(self) -> tuple[tuple[str, str], ...]:
        """How rows were chosen, if not at random."""
        by = f"nearest to the other side by {self.rank}"
        return () if self.rank is None else (("rows chosen", by),)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RemovalPlan(_Planned):
    """Changes of decisions that make every measured difference smaller than the threshold.

    ``lower_bound`` is a number of changed rows below which nothing can do, where effects
    through other attributes are limited too.
    """

    keys = (
        "method policy changed_rows changed_decisions reaches_criterion "
        "still_violating=after.violating lower_bound? proven=is_proven? indirect=claim? "
        "redrawn=redrawn_names rank? moves"
    )

    changes: DecisionChanges
    lower_bound: int | None = None

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
        examined, graph = self.certificate.examined, self.certificate.graph
        return measure_examined(examined, graph, decisions=self.after.as_counts)

    @property
    def reaches_criterion(self) -> bool:
        """Whether neither a difference nor an effect is left that is as large as allowed."""
        claim = self.indirect
        return self.after.violating == 0 and (
            claim is None or claim.verdict is Verdict.CERTIFIED
        )

    @property
    def is_proven(self) -> bool | None:
        """Whether no plan of this kind changes fewer rows, by proof; None without a bound."""
        return None if self.lower_bound is None else self.lower_bound == self.changed_rows

    @property
    def claim(self) -> dict[str, object] | None:
        """The claim about effects through other attributes as plain values."""
        return self.indirect.to_dict_of_change() if self.indirect else None

    @property
    def redrawn_names(self) -> list[str]:
        """The attributes that are sampled again in changed rows."""
        return [table.node.name for table in self.redrawn]

    @property
    def changed_columns(self) -> tuple[str, ...]:
        """The columns in which released rows can differ from those before."""
        return self.changeable_columns if self.changed_rows else ()

    @property
    def changeable_columns(self) -> tuple[str, ...]:
        """The columns that the method changes where it must, whether or not it had to."""
        return (self.question.decision, *self.redrawn_names)

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

    def summary(self) -> Summary:
        """Describe the plan: its totals, and its largest moves."""
        moves = sorted(self.moves, key=lambda move: -move.row_count)
        facts = [
            *self.changed_decisions.facts(),
            ("subpopulations changed", f"{len(np.unique(self.changes.line)):,}"),
            *self.rank_facts,
        ]
        if self.lower_bound is not None:
            least = f"perhaps fewer, but {self.lower_bound:,} at least"
            known = "proven" if self.is_proven else least
            facts.append(("fewest rows", f"{self.changed_rows:,}, {known}"))
        if self.indirect is not None:
            facts.append(self.indirect.fact_of_change("then"))
        notes, left = [], self.after.violating
        if self.redrawn:
            effects = ", ".join(self.redrawn_names)
            notes.append(f"In changed rows the decision's effects are drawn anew: {effects}.")
        if not self.reaches_criterion:
            missed = "The claim about effects through other attributes would not be met"
            if left:
                missed = f"{left} subpopulations would still differ by the threshold or more"
            notes.append(f"{missed}: this is no plan for a release.")
        return Summary(
            title=f"{self.method} ({self.policy}): {self.changed_rows:,} of "
            f"{int(self.partition.row_counts.sum()):,} decisions would change",
            facts=tuple(facts),
            columns=("rows", "where", "becomes"),
            lines=tuple(
                (
                    f"{move.row_count:,}",
                    ", ".join(f"{name}={value}" for name, value in move.where.items()),
                    ", ".join(move.becomes.values()),
                )
                for move in moves[:_SHOWN_MOVES]
            ),
            more=max(len(moves) - _SHOWN_MOVES, 0),
            notes=tuple(notes),
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GeneratedPlan(_Planned):
    """A new table of the graph's columns with as many rows as were compared.

    The rows follow the network, with ``decision_shares`` in place of the decision's own table.
    By quotas every decision rate meets the criterion below ``threshold``; sampled independently
    (``sampled``) they meet it only by chance. No row of the input is used, so there are no
    moves, and every row counts as changed.

    Paper: alg:mg
    """

    keys = (
        "method policy changed_rows changed_decisions reaches_criterion columns=names "
        "model_distance"
    )

    sampled: bool
    fitted: Tables
    decision_shares: NDArray[np.float64]
    threshold: Fraction
    names: tuple[str, ...]
    row_count: int

    moves: ClassVar[tuple[Move, ...]] = ()
    changed_decisions: ClassVar[None] = None

    @property
    def changed_rows(self) -> int:
        """All rows."""
        return self.row_count

    @property
    def changed_columns(self) -> tuple[str, ...]:
        """All columns."""
        return self.names

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
        for name, table in self.fitted.items():
            yield table.node, table.names[:-1], modified.get(name, table.shares)

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


@dataclass(frozen=True, repr=False, kw_only=True)
class BaselinePlan(_Planned):
    """Moves whose patterns give the value of every attribute. They may not suffice."""

    keys = "method policy changed_rows changed_decisions reaches_criterion moves=complete_moves"

    names: tuple[str, ...]
    moves: tuple[Move, ...]
    reaches_criterion: ClassVar[bool] = False

    @property
    def changed_rows(self) -> int:
        """How many rows are changed, left out or doubled."""
        return sum(move.row_count for move in self.moves)

    @property
    def changed_decisions(self) -> ChangedDecisions | None:
        """The changed decisions by group and direction; None if it is not these that change."""
        question = self.question
        amounts: Counter[tuple[str, bool]] = Counter()
        for move in self.moves:
            if question.decision not in move.becomes:
                return None
            favorable = move.becomes[question.decision] in question.favorable_values
            amounts[move.where[question.groups_column], favorable] += move.row_count
        labels = self.partition.groups
        groups = ((amounts[label, True], amounts[label, False]) for label in labels)
        return ChangedDecisions(groups=tuple(groups), labels=labels, question=question)

    @property
    def complete_moves(self) -> list[dict[str, Any]]:
        """The moves as plain values, with how often their rows occur afterwards."""
        return [move.to_dict() | {"times": move.times} for move in self.moves]

    def summary(self) -> Summary:
        """The plan's total, and that it promises nothing."""
        changed = self.changed_decisions
        return Summary(
            title=f"{self.method} ({self.policy}): {self.changed_rows:,} rows would change",
            facts=changed.facts() if changed else (),
            notes=("A method to compare with: it gives no guarantee.",),
        )


Plan: TypeAlias = RemovalPlan | GeneratedPlan | BaselinePlan
