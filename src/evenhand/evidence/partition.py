"""A partition: people who are alike in some attributes, counted by group and decision."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable, ExaminedCounts
from evenhand.evidence.by_chance import ByChance, by_chance
from evenhand.evidence.statistics import Statistics, statistics, statistics_of_several
from evenhand.evidence.verdict import Coverage, Verdict, judge, sides
from evenhand.question import Question


@dataclass(frozen=True, eq=False, repr=False)
class Partition:
    """The subpopulations of some attributes that occur, as columns.

    ``assignments`` has one line for each of them, with its rows; the four arrays of counts have
    one element for each line.

    >>> from evenhand.counts import examined_counts
    >>> columns = {"sex": ["f", "f", "m", "m"], "hired": ["no", "yes", "no", "yes"]}
    >>> counts = CountTable.of(columns, [360, 240, 110, 90])
    >>> question = Question(protected="sex", group="f", decision="hired", favorable="yes")
    >>> whole = Partition.of(examined_counts(counts, question), [])
    >>> whole.risk_difference(0), whole.violating
    (Fraction(1, 20), 1)
    """

    question: Question
    assignments: CountTable
    group_yes: NDArray[np.int64]
    group_no: NDArray[np.int64]
    other_yes: NDArray[np.int64]
    other_no: NDArray[np.int64]

    @classmethod
    def of(cls, examined: ExaminedCounts, names: Iterable[str]) -> "Partition":
        """Divide the people of an examined question by some attributes."""
        counts, question, names = examined.counts, examined.question, sorted(names)
        line, first = counts.groups(names)
        in_other = counts.column(question.protected) != counts.code(
            question.protected, question.group
        )
        unfavorable = counts.column(question.decision) != counts.code(
            question.decision, question.favorable
        )
        cells = counts.totals(4 * line + 2 * in_other + unfavorable, 4 * len(first))
        columns = np.ascontiguousarray(cells.reshape(-1, 4).T)
        assignments = CountTable(
            tuple(counts.attribute(name) for name in names),
            tuple(counts.column(name)[first] for name in names),
            columns.sum(axis=0),
        )
        columns.flags.writeable = False
        return cls(question, assignments, *columns)

    def __repr__(self) -> str:
        return f"<Partition by {', '.join(self.names) or 'nothing'}: {len(self):,}>"

    def __len__(self) -> int:
        return len(self.group_yes)

    @property
    def cells(self) -> tuple[NDArray[np.int64], ...]:
        """The four counts: of the group and of the others, favorable and not."""
        return self.group_yes, self.group_no, self.other_yes, self.other_no

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that divide the people, by name."""
        return self.assignments.names

    @cached_property
    def group(self) -> NDArray[np.int64]:
        """The rows of the group in each subpopulation."""
        return self.group_yes + self.group_no

    @cached_property
    def other(self) -> NDArray[np.int64]:
        """The rows of the others in each subpopulation."""
        return self.other_yes + self.other_no

    @property
    def row_counts(self) -> NDArray[np.int64]:
        """All rows of each subpopulation."""
        return self.assignments.counts

    @cached_property
    def measured(self) -> NDArray[np.bool_]:
        """Where both groups occur: elsewhere there is no difference to speak of."""
        return (self.group > 0) & (self.other > 0)

    @property
    def measured_counts(self) -> tuple[NDArray[np.int64], ...]:
        """Favorable decisions and rows of the group, then of the others, in measured lines."""
        columns = (self.group_yes, self.group, self.other_yes, self.other)
        return tuple(column[self.measured] for column in columns)

    @cached_property
    def side(self) -> NDArray[np.int8]:
        """1 where the difference is at or above the threshold, -1 at or below its negative."""
        return sides(
            group_yes=self.group_yes,
            group=self.group,
            other_yes=self.other_yes,
            other=self.other,
            threshold=self.question.threshold,
        )

    @property
    def violating(self) -> int:
        """How many subpopulations differ by the threshold or more."""
        return int(np.count_nonzero(self.side))

    @property
    def violating_rows(self) -> int:
        """How many people are in them."""
        return int(self.row_counts[self.side != 0].sum())

    @property
    def same_decision(self) -> NDArray[np.bool_]:
        """Where everybody, of whatever group, got the same decision."""
        favorable = self.group_yes + self.other_yes
        alike: NDArray[np.bool_] = (favorable == 0) | (favorable == self.row_counts)
        return alike

    @property
    def numbers(self) -> dict[str, int]:
        """How many subpopulations occur, are measured, and lie at or beyond the threshold."""
        return {
            "occupied": len(self),
            "measured": int(np.count_nonzero(self.measured)),
            "violating": self.violating,
            "above": int(np.count_nonzero(self.side > 0)),
            "below": int(np.count_nonzero(self.side < 0)),
        }

    @cached_property
    def coverage(self) -> Coverage:
        """The share of rows in measured subpopulations."""
        return Coverage(
            overall=_share(self.row_counts, self.measured),
            group=_share(self.group, self.measured),
            other=_share(self.other, self.measured),
        )

    def verdict(self, min_coverage: Fraction) -> Verdict:
        """Whether the criterion is met in every subpopulation, as far as they were measured."""
        return judge(
            violating=self.violating, coverage=self.coverage, min_coverage=min_coverage
        )

    def risk_difference(self, at: int) -> Fraction | None:
        """The others' rate of favorable decisions minus the group's, or None if unmeasured."""
        group, other = int(self.group[at]), int(self.other[at])
        if not group or not other:
            return None
        crossed = int(self.other_yes[at]) * group - int(self.group_yes[at]) * other
        return Fraction(crossed, group * other)

    @property
    def extremes(self) -> tuple[Fraction, ...]:
        """The smallest and the largest difference, exact; nothing where none is measured."""
        lines, differences = np.flatnonzero(self.measured), self.statistics.difference
        if not len(lines):
            return ()
        ends = map(self.risk_difference, lines[[differences.argmin(), differences.argmax()]])
        return tuple(end for end in ends if end is not None)

    def where(self, at: int) -> dict[str, str]:
        """The values that the people of a subpopulation share, by attribute."""
        columns = zip(self.assignments.attributes, self.assignments.codes, strict=True)
        return {attribute.name: attribute.values[codes[at]] for attribute, codes in columns}

    @cached_property
    def statistics(self) -> Statistics:
        """Intervals and p-values of the measured subpopulations."""
        group_yes, group, other_yes, other = self.measured_counts
        return statistics(
            group_yes=group_yes,
            group=group,
            other_yes=other_yes,
            other=other,
            threshold=float(self.question.threshold),
        )

    @cached_property
    def by_chance(self) -> ByChance | None:
        """How many subpopulations chance alone would put at or beyond the threshold."""
        group_yes, group, other_yes, other = self.measured_counts
        return by_chance(
            group_yes=group_yes,
            group=group,
            other_yes=other_yes,
            other=other,
            threshold=self.question.threshold,
            violating=self.violating,
        )

    @cached_property
    def measured_index(self) -> NDArray[np.intp]:
        """The index of each measured line in ``statistics`` and ``measured_counts``."""
        return np.cumsum(self.measured) - 1

    @cached_property
    def by_strength(self) -> NDArray[np.intp]:
        """The violating subpopulations, least likely to be chance first, then by rows."""
        violating = np.flatnonzero(self.side)
        p = self.statistics.p_threshold[self.measured_index[violating]]
        return violating[np.lexsort((-self.row_counts[violating], p))]


def share_statistics(partitions: Sequence[Partition]) -> None:
    """Work out the statistics of similar partitions of one question together: much faster."""
    threshold = float(partitions[0].question.threshold)
    tables = [one.measured_counts for one in partitions]
    for one, its in zip(partitions, statistics_of_several(tables, threshold), strict=True):
        vars(one)["statistics"] = its  # where the cached property keeps them


def _share(rows: NDArray[np.int64], chosen: NDArray[np.bool_]) -> Fraction:
    whole = int(rows.sum())
    return Fraction(int(rows[chosen].sum()), whole) if whole else Fraction(0)
