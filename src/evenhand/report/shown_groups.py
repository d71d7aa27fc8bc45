"""The groups of a report, in the order in which it shows them."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence import Certificate, Partition, Subpopulation, Subpopulations
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


def select_cases(certificate: Certificate, *, most: int | None = None) -> tuple[Case, ...]:
    """The measured groups: evidence, strongest first, then the others, largest first.

    At most so many are read: those that are shown, then those with the most people.
    """
    partition = certificate.partition
    chosen = _most_notable(partition, most)
    reaching = [line for line in partition.by_strength.tolist() if chosen[line]]
    calm = np.flatnonzero(partition.measured & (partition.side == 0) & chosen)
    size = -abs(partition.statistics.difference[partition.measured_index[calm]])
    named = [(line, f"E{number}") for number, line in enumerate(reaching, 1)]
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
            shown=people.shown,
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
