"""A partition: people who are alike in some attributes, counted by group and decision."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from json.encoder import encode_basestring
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable, ExaminedCounts
from evenhand.evidence.comparisons import Comparisons, distinct_lines
from evenhand.evidence.statistics.comparison_statistics import (
    Statistics,
    statistics,
)
from evenhand.evidence.statistics.expected_by_chance import (
    ByChance,
    by_chance,
)
from evenhand.evidence.statistics.p_values import Floats
from evenhand.question import OR, Question
from evenhand.record import BLOCK, Table
from evenhand.verdict import Coverage, Verdict, judge

_NEAR = 1e-9
_SMALLEST = 5e-324


@dataclass(frozen=True, eq=False, repr=False)
class Partition:
    """The subpopulations of some attributes that occur, as columns.

    ``assignments`` has one line for each of them, with its rows; ``counts`` has an axis of
    decisions, one of groups and one of lines.

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
    groups: tuple[str, ...]
    decisions: tuple[str, ...]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, examined: ExaminedCounts, names: Iterable[str]) -> "Partition":
        """Divide the people of an examined question by some attributes."""
        counts, names = examined.counts, sorted(names)
        line, first = counts.groups(names)
        groups, decisions = examined.groups, examined.decisions
        shape = (len(first), len(groups), len(decisions))
        cell = examined.group_codes * shape[2] + examined.decision_codes
        cells = counts.totals(
            line * (shape[1] * shape[2]) + cell, shape[0] * shape[1] * shape[2]
        )
        table = np.ascontiguousarray(cells.reshape(shape).T)
        table.flags.writeable = False
        assignments = CountTable(
            tuple(counts.attribute(name) for name in names),
            tuple(counts.column(name)[first] for name in names),
            table.sum(axis=(0, 1)),
        )
        return cls(examined.question, assignments, groups, decisions, table)

    def __repr__(self) -> str:
        return f"<Partition by {', '.join(self.names) or 'nothing'}: {len(self):,}>"

    def __len__(self) -> int:
        return len(self.assignments)

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that divide the people, by name."""
        return self.assignments.names

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The groups that are compared, as indices of ``groups``."""
        return self.question.pairs(self.groups)

    @property
    def two_groups(self) -> bool:
        """Whether two groups are compared by one rate: one comparison in each subpopulation."""
        return len(self.pairs) == len(self.favorable) == 1

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The rows of each group in each subpopulation."""
        rows: NDArray[np.int64] = self.counts.sum(axis=0)
        return rows

    @cached_property
    def favorable(self) -> NDArray[np.int64]:
        """Favorable decisions by cut, group and line: what is compared with ``rows``."""
        cuts = self.question.cuts(len(self.decisions))
        return np.stack([self.counts[np.array(cut)].sum(axis=0) for cut in cuts])

    @property
    def row_counts(self) -> NDArray[np.int64]:
        """All rows of each subpopulation."""
        return self.assignments.counts

    @cached_property
    def comparisons(self) -> Comparisons:
        """Every pair of groups, by every cut, in every subpopulation where both occur."""
        return Comparisons.of(
            self.favorable,
            self.rows,
            self.pairs,
            least_rows=self.question.min_rows,
            threshold=self.question.threshold,
        )

    @property
    def leading(self) -> Comparisons:
        """The comparisons of the pair of groups whose mean difference leads."""
        return self.comparisons.of_mean(self.statistics.leading)

    @property
    def leading_labels(self) -> tuple[str, str]:
        """The groups of that pair."""
        group, other = self.pairs[self.statistics.leading % len(self.pairs)]
        return self.groups[group], self.groups[other]

    @property
    def leading_decision(self) -> str:
        """What counts as favorable for that pair."""
        return self.cut_label(self.statistics.leading // len(self.pairs))

    @cached_property
    def widest(self) -> NDArray[np.intp]:
        """For each line the comparison with the largest difference, -1 if unmeasured."""
        return self.lead if self.two_groups else self.comparisons.widest(len(self))

    @cached_property
    def measured(self) -> NDArray[np.bool_]:
        """Where two groups can be compared: elsewhere there is no difference to speak of."""
        return self._lines_of(np.ones(len(self.comparisons), bool))

    @cached_property
    def violates(self) -> NDArray[np.bool_]:
        """Where two groups differ by the threshold or more."""
        return self._lines_of(self.comparisons.side != 0)

    @property
    def shown(self) -> NDArray[np.bool_]:
        """Where a difference of two groups is shown to lie beyond the threshold."""
        return self._lines_of(self.statistics.shown)

    def _lines_of(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The lines in which any of the chosen comparisons is."""
        lines = np.zeros(len(self), bool)
        lines[self.comparisons.line[chosen]] = True
        return lines

    @property
    def tied(self) -> NDArray[np.bool_]:
        """Where a difference of two groups is exactly the threshold, which it then reaches."""
        compared, threshold = self.comparisons, self.question.threshold
        tied = abs(abs(self.statistics.difference) - float(threshold)) < _NEAR
        for at in np.flatnonzero(tied).tolist():  # floats find them, fractions decide
            tied[at] = abs(compared.difference(at)) == threshold
        return self._lines_of(tied)

    @property
    def violating(self) -> int:
        """How many subpopulations differ by the threshold or more."""
        return int(np.count_nonzero(self.violates))

    @property
    def violating_rows(self) -> int:
        """How many people are in them."""
        return int(self.row_counts[self.violates].sum())

    @property
    def same_decision(self) -> NDArray[np.bool_]:
        """Where everybody, of whatever group, got the same decision."""
        alike: NDArray[np.bool_] = self.counts.sum(axis=1).max(axis=0) == self.row_counts
        return alike

    @property
    def numbers(self) -> dict[str, int]:
        """How many subpopulations occur, are measured, and lie at or beyond the threshold.

        Pairs of groups are counted besides where there are several in a subpopulation.
        """
        side = self.comparisons.side
        numbers = {
            "occupied": len(self),
            "measured": int(np.count_nonzero(self.measured)),
            "violating": self.violating,
            "above": int(np.count_nonzero(side > 0)),
            "below": int(np.count_nonzero(side < 0)),
        }
        return numbers if self.two_groups else {**numbers, "comparisons": len(side)}

    def numbers_beside(self, chance: ByChance | None) -> dict[str, Any]:
        """How many subpopulations occur and reach the threshold, and would by chance."""
        alike = self.same_decision
        return {
            **self.numbers,
            "violating_rows": self.violating_rows,
            "same_decision": int(alike.sum()),
            "same_decision_rows": int(self.row_counts[alike].sum()),
            "by_chance": chance.to_dict() if chance else None,
        }

    @property
    def difference_moments(self) -> dict[str, float | None]:
        """Extremes, mean and standard deviation of the differences, weighted by rows."""
        differences, rows = self.statistics.difference, self.comparisons.row_counts
        if not len(differences):
            return dict.fromkeys(("min", "max", "mean", "sd"))
        mean = float(np.average(differences, weights=rows))
        return {
            "min": float(differences.min()),
            "max": float(differences.max()),
            "mean": mean,
            "sd": sqrt(float(np.average((differences - mean) ** 2, weights=rows))),
        }

    @cached_property
    def coverage(self) -> Coverage:
        """The share of rows in measured subpopulations, and of each group's beside another."""
        beside = self.comparisons.groups_compared(self.rows.shape)
        return Coverage(
            overall=_share(self.row_counts, self.measured),
            groups=tuple(map(_share, self.rows, beside)),
            labels=() if self.question.group is not None else self.groups,
        )

    @property
    def pair_coverage(self) -> tuple[Fraction, ...]:
        """For each pair the share of rows beside the other group, of the group with less."""
        compared = self.comparisons
        shares = []
        for pair, ends in enumerate(self.pairs):
            beside = self._lines_of(compared.pair == pair)
            shares.append(min(_share(self.rows[end], beside) for end in ends))
        return tuple(shares)

    def verdict(self, min_coverage: Fraction) -> Verdict:
        """Whether the criterion is met in every subpopulation, as far as they were measured."""
        return judge(
            violating=self.violating, coverage=self.coverage, min_coverage=min_coverage
        )

    @cached_property
    def lead(self) -> NDArray[np.intp]:
        """For each line the comparison that speaks for it, -1 where nothing is measured.

        It is the one of which chance is the least likely cause among those at or beyond the
        threshold, or among all where none is; of equally unlikely ones the largest.
        """
        lead = np.full(len(self), -1)
        compared = self.comparisons
        if self.two_groups:
            lead[compared.line] = np.arange(len(compared))
            return lead
        p, size = _comparable(self.statistics.p_threshold), abs(self.statistics.difference)
        weakest_first = np.lexsort((compared.row_counts, size, -p, compared.side != 0))
        lead[compared.line[weakest_first]] = weakest_first
        return lead

    @cached_property
    def lead_cells(self) -> NDArray[np.int64]:
        """Favorable decisions and rows, of the group and of the others, for each line.

        The groups are those of the comparison that speaks for it; where nothing is measured,
        the two with the most rows.
        """
        group, other, cut = self._lead_groups
        lines = np.arange(len(self))
        return np.stack(
            [
                self.favorable[cut, group, lines],
                self.rows[group, lines],
                self.favorable[cut, other, lines],
                self.rows[other, lines],
            ]
        )

    @cached_property
    def _lead_groups(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """For each line the indices of both groups that are compared, and of the cut."""
        if self.two_groups:
            zero = np.zeros(len(self), np.intp)
            return zero, zero + 1, zero
        most = np.sort(np.argsort(-self.rows, axis=0, kind="stable")[:2], axis=0)
        found, compared = self.lead >= 0, self.comparisons
        at = self.lead[found]
        cut = np.zeros(len(self), np.intp)
        most[:, found] = np.array(self.pairs, np.intp)[compared.pair[at]].T
        cut[found] = compared.cut[at]
        return most[0], most[1], cut

    def lead_labels(self, at: int) -> tuple[str, str]:
        """The groups that are compared in a line."""
        group, other, _ = self._lead_groups
        return self.groups[group[at]], self.groups[other[at]]

    def lead_decision(self, at: int) -> str:
        """What counts as favorable in the comparison that speaks for a line."""
        return self.cut_label(int(self._lead_groups[2][at]))

    def cut_label(self, cut: int) -> str:
        """The decisions that a cut counts as favorable."""
        counted = zip(self.decisions, self.question.cuts(len(self.decisions))[cut], strict=True)
        return OR.join(label for label, counts in counted if counts)

    @cached_property
    def side(self) -> NDArray[np.int8]:
        """1 where the difference is at or above the threshold, -1 at or below its negative."""
        side, found = np.zeros(len(self), np.int8), np.flatnonzero(self.measured)
        side[found] = self.comparisons.side[self.lead[found]]
        return side

    def risk_difference(self, at: int) -> Fraction | None:
        """The others' rate of favorable decisions minus the group's, or None if unmeasured."""
        lead = int(self.lead[at])
        return None if lead < 0 else self.comparisons.difference(lead)

    @property
    def extremes(self) -> tuple[Fraction, ...]:
        """The smallest and the largest difference, exact; nothing where none is measured."""
        differences = self.statistics.difference
        if not len(differences):
            return ()
        ends = (int(differences.argmin()), int(differences.argmax()))
        return tuple(map(self.comparisons.difference, ends))

    def where(self, at: int) -> dict[str, str]:
        """The values that the people of a subpopulation share, by attribute."""
        columns = zip(self.assignments.attributes, self.assignments.codes, strict=True)
        return {attribute.name: attribute.values[codes[at]] for attribute, codes in columns}

    @property
    def cells(self) -> NDArray[np.int64]:
        """The counts of each line, by group and within a group by decision."""
        many = len(self.groups) * len(self.decisions)
        return self.counts.transpose(1, 0, 2).reshape(many, len(self))

    def table(self) -> Table:
        """The table of a record: a line for each subpopulation.

        It has the values, the counts by group and decision, and the largest exact difference.
        """
        return Table(tuple(self._encode_blocks()))

    def _encode_blocks(self) -> Iterator[bytes]:
        # Labels and counts are encoded once each: mostly there are far fewer than lines.
        assignments, counts = self.assignments, self.cells
        first, which = distinct_lines(*counts)
        differences = self.comparisons.texts(self.widest[first])
        cells = zip(
            *(map(str, column[first].tolist()) for column in counts),
            ("null" if text is None else f'"{text}"' for text in differences),
            strict=True,
        )
        labels = [[*map(encode_basestring, one.values)] for one in assignments.attributes]
        columns = zip(
            [*labels, [*map(",".join, cells)]], [*assignments.codes, which], strict=True
        )
        texts = [(np.array(texts, object), codes) for texts, codes in columns]
        for begin in range(0, len(self), BLOCK):
            part = slice(begin, begin + BLOCK)
            lines = zip(*(text[codes[part]].tolist() for text, codes in texts), strict=True)
            yield f"[{'],['.join(map(','.join, lines))}]".encode()

    @property
    def as_counts(self) -> CountTable:
        """The counts of groups, decision and the partition's attributes, as compared."""
        counts = np.ascontiguousarray(self.cells.T)
        line, cell = np.nonzero(counts)
        group, kind = np.divmod(cell, len(self.decisions))
        columns = tuple(column[line] for column in self.assignments.codes)
        people = CountTable(self.assignments.attributes, columns, counts[line, cell])
        people = people.with_column(self.question.groups_column, self.groups, group)
        return people.with_column(self.question.decision, self.decisions, kind)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the counts of groups, decision and the partition's attributes.

        They are counted as they were compared: only these groups, only these kinds of decision.
        """
        return self.as_counts.digest

    @cached_property
    def statistics(self) -> Statistics:
        """Intervals and p-values of the comparisons."""
        return statistics(self.comparisons, float(self.question.threshold))

    @cached_property
    def by_chance(self) -> ByChance | None:
        """How many subpopulations chance alone would put at or beyond the threshold.

        Of many groups between the leading pair: that *some* pair reaches it is nearly certain.
        """
        pair = "" if self.two_groups else " and ".join(self.leading_labels)
        if len(self.favorable) > 1:
            pair = f"{pair} ({self.leading_decision})"
        return by_chance(self.leading, pair)

    def is_explained(self, level: float = 0.05) -> bool:
        """Whether chance explains what was seen: how many, each difference, and each mean.

        It does if chance makes as many with a probability of at least the level, and nothing is
        shown. Of many pairs the least likely counts, allowing for their number (Bonferroni); it
        need not be the leading one.
        """
        if self.statistics.any_shown or not len(self.comparisons):
            return False
        means = [(at, mean) for at, mean in enumerate(self.statistics.means) if mean]
        chances = (by_chance(self.comparisons.of_mean(at)) for at, _ in means)
        least = min(*(one.p for one in chances if one), *(mean.p_zero for _, mean in means))
        return least * len(means) >= level

    @cached_property
    def strength_order(self) -> NDArray[np.intp]:
        """All subpopulations: the violating ones, least likely to be chance first.

        The others follow by the size of their difference, and unmeasured ones come last; those
        that are equal in this are ordered by rows.
        """
        reaches, measured = self.violates, self.measured
        # An unmeasured line has the index -1: the zero at the end.
        p = np.append(_comparable(self.statistics.p_threshold), -inf)[self.lead]
        size = abs(np.append(self.statistics.difference, 0.0)[self.lead])
        key = np.where(reaches, p, -size)
        return np.lexsort((-self.row_counts, key, ~measured, ~reaches))

    @property
    def by_strength(self) -> NDArray[np.intp]:
        """The violating subpopulations, least likely to be chance first, then by rows."""
        return self.strength_order[: self.violating]

    @cached_property
    def strength_rank(self) -> NDArray[np.intp]:
        """The place of each line among the violating ones, from 1; 0 for the others."""
        rank = np.zeros(len(self), np.intp)
        rank[self.by_strength] = np.arange(1, self.violating + 1)
        return rank


def _comparable(p: Floats) -> NDArray[Any]:
    """Numbers in the order of p-values; those that differ by rounding alone are equal.

    Mirrored differences have the same p, which floats work out in different steps.
    """
    order: NDArray[Any] = np.round(np.log(np.maximum(p, _SMALLEST)), 8)
    return order


def _share(rows: NDArray[np.int64], chosen: NDArray[np.bool_]) -> Fraction:
    whole = int(rows.sum())
    return Fraction(int(rows[chosen].sum()), whole) if whole else Fraction(0)
