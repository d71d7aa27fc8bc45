"""The groups that a report may show, in the order in which it shows them."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import QuestionError
from evenhand.evidence import Certificate, Partition, Subpopulation, Subpopulations
from evenhand.evidence.first_sentence import deciding_partition
from evenhand.report.phrases import Words, capital


@dataclass(frozen=True, slots=True)
class Case:
    """A comparable group: its counts, on which side it reaches the threshold, its id if so."""

    people: Subpopulation
    line: int
    side: int
    shown: bool
    id: str

    @property
    def difference(self) -> Fraction:
        """The others' rate minus the group's; both occur here."""
        return self.people.risk_difference or Fraction(0)

    @property
    def kind(self) -> str:
        """Who is behind by the threshold or more: the group, the others, or nobody."""
        return {1: "group", -1: "other", 0: "none"}[self.side]


@dataclass(frozen=True)
class Sharing:
    """What may be passed on: everything, or groups with no count under the least one.

    A total gives a withheld group back by subtraction. So once a group is withheld, totals are
    too, and everything that depends on them: shares, averages, adjusted p-values, ids.
    """

    share: bool
    least_count: int
    partition: Partition
    after: Partition | None = None

    def __post_init__(self) -> None:
        if self.least_count < 1:
            raise QuestionError.of(
                f"The least count {self.least_count!r} would withhold nothing.",
                remedy="Give a whole number of at least 1; 10 is usual.",
            )

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Which lines of the partition may be shown, before and after a release."""
        if not self.share:
            return np.ones(len(self.partition), bool)
        cells = (*self.partition.cells, *(self.after.cells if self.after else ()))
        allowed: NDArray[np.bool_] = np.all(
            [cell >= self.least_count for cell in cells], axis=0
        )
        return allowed

    @property
    def withheld(self) -> int:
        """How many groups are not shown."""
        return int(np.count_nonzero(~self.allowed))

    @property
    def whole(self) -> bool:
        """Whether nothing is withheld, so that totals may be shown."""
        return not self.withheld

    def deciding(self, certificate: Certificate) -> Partition | None:
        """The partition that the first sentence is about, if its totals may be shown.

        Of another partition than that by the decision causes others read nothing: its groups
        can be small where those of the first are not.
        """
        partition = deciding_partition(certificate.partitions)
        known = not self.share or partition is certificate.partition
        return partition if self.whole and known else None


def select_cases(
    certificate: Certificate, sharing: Sharing, *, most: int | None = None
) -> tuple[Case, ...]:
    """The measured groups: evidence, strongest first, then the others, largest first.

    At most so many are read: those that are shown, then those with the most people.
    """
    partition = certificate.partition
    chosen = sharing.allowed & _most_notable(partition, most)
    allowed = [line for line in partition.by_strength.tolist() if chosen[line]]
    calm = np.flatnonzero(partition.measured & (partition.side == 0) & chosen)
    size = -abs(partition.statistics.difference[partition.measured_index[calm]])
    # In a shared report gaps between ids would tell of groups that are not shown.
    letter = "E" if sharing.whole else "S"
    named = [(line, f"{letter}{number}") for number, line in enumerate(allowed, 1)]
    named += [
        (line, "") for line in calm[np.lexsort((-partition.row_counts[calm], size))].tolist()
    ]
    lines = [line for line, _ in named]
    read: Iterable[Subpopulation] = Subpopulations(partition, np.asarray(lines, np.intp))
    return tuple(
        Case(
            people=people,
            line=line,
            side=int(partition.side[line]),
            # Without the withheld groups nobody can correct for the number of comparisons.
            shown=people.shown and sharing.whole,
            id=name,
        )
        for people, (line, name) in zip(read, named, strict=True)
    )


def _most_notable(partition: Partition, most: int | None) -> NDArray[np.bool_]:
    """Which lines are shown or have the most people, of those that are measured."""
    lines = np.flatnonzero(partition.measured)
    order = np.lexsort((-partition.row_counts[lines], ~partition.statistics.shown))
    chosen = np.zeros(len(partition), bool)
    chosen[lines[order[:most]]] = True
    return chosen


@dataclass(frozen=True, slots=True)
class GroupNames:
    """How few groups are named in a plot: one attribute leads, the others follow in small type.

    They stand in the order in which sentences and tables name them.
    """

    words: Words
    names: tuple[str, ...]

    @classmethod
    def of(cls, certificate: Certificate, words: Words) -> "GroupNames":
        """Name the groups of the decision causes."""
        return cls(words, certificate.partition.names)

    @property
    def head(self) -> str:
        """The name of the leading attribute."""
        return capital(self.words.column(self.names[0])) if self.names else "Group"

    @property
    def detail_head(self) -> str:
        """The names of the others, and of the count."""
        return " · ".join([*map(self.words.column, self.names[1:]), "people"])

    def name(self, case: Case) -> str:
        """The leading value of a group."""
        return self._value(case, self.names[0]) if self.names else "everybody"

    def detail(self, case: Case) -> str:
        """Its other values, and how many people it holds."""
        values = (self._value(case, name) for name in self.names[1:])
        return " · ".join([*values, f"{case.people.row_count:,}"])

    def _value(self, case: Case, name: str) -> str:
        return self.words.labels.value(name, case.people.where[name])
