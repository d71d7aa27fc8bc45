"""The groups of a report one by one: each with its id, and who is behind in it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence import Partition, Subpopulation, Subpopulations
from evenhand.question import Question
from evenhand.wording import Words, capital, has_sides

# Who is behind by the threshold or more.
KINDS = {1: "group", -1: "other", 0: "none"}
Numbers = TypeVar("Numbers", NDArray[np.int8], NDArray[np.float64])


@dataclass(frozen=True)
class Case:
    """A line of a partition as it is told: the two groups that chance explains least in it.

    Where any group may be ahead of any other, ``people`` has the one behind first: differences
    are gaps then. ``rows`` counts all people of the line, whomever they are compared with.
    """

    partition: Partition
    line: int

    @cached_property
    def people(self) -> Subpopulation:
        """The counts of both groups with what they tell."""
        (people,) = Subpopulations(self.partition, np.array([self.line]))
        return turned(people, self.partition.question)

    @property
    def id(self) -> str:
        """Its place in the evidence; empty if it is none."""
        rank = self.partition.strength_rank[self.line]
        return f"E{rank}" if rank else ""

    @property
    def rows(self) -> int:
        """All people of it."""
        return int(self.partition.row_counts[self.line])

    @property
    def side(self) -> int:
        """On which side it reaches the threshold; 0 if it does not."""
        return int(unsigned(self.partition.side, self.partition.question)[self.line])

    @property
    def difference(self) -> Fraction:
        """The others' rate minus the group's, where both occur."""
        return self.people.risk_difference or Fraction(0)

    @property
    def widest(self) -> Subpopulation | None:
        """The widest gap, where it is not the one that chance explains least."""
        partition, line = self.partition, self.line
        is_lead = partition.widest[line] == partition.lead[line]
        return None if is_lead else widest_in(partition, line)


def select_cases(partition: Partition, most: int | None = None) -> list[Case]:
    """The measured groups: evidence, strongest first, then the others, largest first."""
    lines = partition.strength_order[: np.count_nonzero(partition.measured)]
    return [Case(partition, line) for line in lines[:most].tolist()]


def unsigned(values: Numbers, question: Question) -> Numbers:
    """Differences or sides; where any group may be ahead, these are gaps without a sign."""
    return values if has_sides(question) else abs(values)


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


def group_heads(names: Sequence[str], words: Words) -> tuple[str, str]:
    """What heads the names of few groups: one attribute leads, the others are in small type."""
    lead = capital(words.column(names[0])) if names else "Group"
    return lead, " · ".join([*map(words.column, names[1:]), "people"])


def group_names(case: Case, words: Words) -> tuple[str, str]:
    """The leading value of a group; its other values, and how many people it holds."""
    values = [words.labels.value(*one) for one in case.people.where.items()]
    return values[0] if values else "everybody", " · ".join([*values[1:], f"{case.rows:,}"])
