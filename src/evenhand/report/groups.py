"""The groups of a report, in the order in which it shows them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import overload

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence import Certificate, Partition, Subpopulation, Subpopulations
from evenhand.evidence.statistics.pooled_difference import PooledDifference
from evenhand.question import Question
from evenhand.wording import Words, capital, has_sides

# Who is behind by the threshold or more.
KINDS = {1: "group", -1: "other", 0: "none"}


@dataclass(frozen=True, slots=True)
class Case:
    """A comparable group: its counts, on which side it reaches the threshold, its id if so.

    Of many groups of people two are compared in it, those that chance explains least. Where any
    may be ahead of any other, ``people`` has the one behind first: differences are gaps then.
    ``rows`` counts all people of it, whomever they are compared with.
    """

    people: Subpopulation
    line: int
    side: int
    shown: bool
    id: str
    rows: int

    @property
    def difference(self) -> Fraction:
        """The others' rate minus the group's; both occur here."""
        return self.people.risk_difference or Fraction(0)

    @property
    def kind(self) -> str:
        """Who is behind by the threshold or more: the group, the others, or nobody."""
        return KINDS[self.side]


@dataclass(frozen=True, eq=False)
class Cases(Sequence[Case]):
    """Some groups in some order; each is read when it is asked for, however many there are."""

    people: Subpopulations

    def __len__(self) -> int:
        return len(self.people)

    @overload
    def __getitem__(self, at: int) -> Case: ...
    @overload
    def __getitem__(self, at: slice) -> "Cases": ...
    def __getitem__(self, at: int | slice) -> "Case | Cases":
        if isinstance(at, slice):
            return Cases(self.people[at])
        partition, line = self.people.partition, int(self.people.lines[at])
        people, rank = self.people[at], int(partition.strength_rank[line])
        side = int(partition.side[line])
        return Case(
            people=turned(people, partition.question),
            line=line,
            side=side if has_sides(partition.question) else abs(side),
            shown=people.shown,
            id=f"E{rank}" if rank else "",
            rows=int(partition.row_counts[line]),
        )

    @property
    def reaching(self) -> "Cases":
        """Those at or beyond the threshold."""
        return Cases(self.people.where(self.people.partition.violates))

    @property
    def shown(self) -> "Cases":
        """Those whose leading difference is shown to lie beyond the threshold."""
        partition = self.people.partition
        return Cases(
            self.people.where(np.append(partition.statistics.shown, False)[partition.lead])
        )

    def most_notable(self, most: int) -> "Cases":
        """At most so many: those in which something is shown, then those with most people."""
        partition, lines = self.people.partition, self.people.lines
        order = np.lexsort((-partition.row_counts[lines], ~partition.shown[lines]))
        return Cases(Subpopulations(partition, lines[np.sort(order[:most])]))


def select_cases(certificate: Certificate) -> Cases:
    """The measured groups: evidence, strongest first, then the others, largest first."""
    partition = certificate.partition
    every = Subpopulations(partition, partition.strength_order)
    return Cases(every.where(partition.measured))


def turned(people: Subpopulation, question: Question) -> Subpopulation:
    """The same counts with the group behind first, where any group may be ahead."""
    difference = people.risk_difference
    if has_sides(question) or difference is None or difference >= 0:
        return people
    interval = people.interval
    return replace(
        people,
        group_yes=people.other_yes,
        group_no=people.other_no,
        other_yes=people.group_yes,
        other_no=people.group_no,
        risk_difference=-difference,
        interval=interval and (0.0 - interval[1], 0.0 - interval[0]),
        labels=people.labels[::-1],
    )


def turned_common(common: PooledDifference, question: Question) -> tuple[float, float, float]:
    """A difference on average with the ends of its interval; a gap is not below zero."""
    if has_sides(question) or common.difference >= 0:
        return common.difference, common.low, common.high
    return -common.difference, 0.0 - common.high, 0.0 - common.low


def widest_in(partition: Partition, line: int) -> Subpopulation:
    """A subpopulation with the widest difference in it, as exact counts without statistics."""
    at, compared = int(partition.widest[line]), partition.comparisons
    pair, cut = (0, 0) if at < 0 else (int(compared.pair[at]), int(compared.cut[at]))
    ends = partition.pairs[pair]
    group_yes, other_yes = (int(partition.favorable[cut, end, line]) for end in ends)
    group, other = (int(partition.rows[end, line]) for end in ends)
    named = partition.question.group is not None
    people = Subpopulation(
        where=partition.where(line),
        group_yes=group_yes,
        group_no=group - group_yes,
        other_yes=other_yes,
        other_no=other - other_yes,
        risk_difference=None if at < 0 else compared.difference(at),
        interval=None,
        p_zero=None,
        p_threshold=None,
        p_adjusted=None,
        discovery_rate=None,
        shown=False,
        labels=() if named else tuple(partition.groups[end] for end in ends),
        decision="" if partition.two_groups else partition.cut_label(cut),
    )
    return turned(people, partition.question)


def widest_sides(partition: Partition) -> NDArray[np.int8]:
    """On which side the widest difference of each line reaches the threshold."""
    side = np.append(partition.comparisons.side, 0)[partition.widest]
    return side if has_sides(partition.question) else abs(side)


def turned_sides(partition: Partition) -> NDArray[np.int8]:
    """On which side each line reaches the threshold; gaps have one side."""
    side = partition.side
    return side if has_sides(partition.question) else abs(side)


def group_heads(names: Sequence[str], words: Words) -> tuple[str, str]:
    """What heads the names of few groups: one attribute leads, the others are in small type."""
    lead = capital(words.column(names[0])) if names else "Group"
    return lead, " · ".join([*map(words.column, names[1:]), "people"])


def group_names(case: Case, names: Sequence[str], words: Words) -> tuple[str, str]:
    """The leading value of a group; its other values, and how many people it holds."""
    values = [words.labels.value(name, case.people.where[name]) for name in names]
    return values[0] if values else "everybody", " · ".join([*values[1:], f"{case.rows:,}"])
