"""Methods to compare with. They give no guarantee, and say so.

``ShuffleProtected`` is the paper's Naive. ``LocalMassaging`` and ``LocalPreferentialSampling``
are those of Žliobaitė, Kamiran and Calders, "Handling Conditional Discrimination" (ICDM 2011):
among the people alike in one explanatory attribute both groups' rates move toward the mean of
the two. A ranker, fitted to these people's other attributes, chooses the rows that change:
those nearest to the other decision.

The paper that we compare with conditions on each attribute in turn, and states neither ranker
nor order. Here the ranker is a logistic regression on counts, and the order that of the names.

``RepairAttributes`` is that of Feldman, Friedler, Moeller, Scheidegger and Venkatasubramanian,
"Certifying and Removing Disparate Impact" (KDD 2015): a value x becomes F_A⁻¹(F_group(x)),
where F_A⁻¹ is the lower median of the groups' quantiles. Decisions stay as they are, so what
the attributes explained becomes a difference between people who are alike now.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import CannotReleaseError, ColumnError, Remedy, ResourceError, listed
from evenhand.evidence import Certificate, Partition
from evenhand.question import Question
from evenhand.question.parse_values import require_texts
from evenhand.removal.modify_data import check_releasable
from evenhand.removal.plan import BaselinePlan, Move

# NumPy's generators choose among fewer rows than this.
_MOST_ROWS = 10**9


def choose_rows(
    counts: NDArray[np.int64], amount: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """How many rows of each line are among ``amount`` rows chosen from all of them.

    >>> choose_rows(np.array([2**40]), 2**30, np.random.default_rng(1))
    array([1073741824])
    """
    rows = sum(counts.tolist())
    if rows < _MOST_ROWS:
        chosen: NDArray[np.int64] = generator.multivariate_hypergeometric(
            counts, amount, method="marginals"
        )
        return chosen
    if len(counts) == 1:  # Nothing is left to chance.
        return np.array([amount])
    raise ResourceError.of(
        f"{amount:,} of {rows:,} rows that are alike would have to be chosen at random.",
        f"This is possible among fewer than {_MOST_ROWS:,}.",
        "Count only the causes: rows that are alike in every column need no choice.",
    )


_MAX_ITERATIONS = 30
_TOLERANCE = 1e-6


def favorable_scores(
    people: CountTable, yes: NDArray[np.int64], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The log-odds of a favorable decision for each line of people, by logistic regression.

    ``yes`` of ``rows`` decisions about the people of a line are favorable. Each value of each
    attribute has a coefficient, with a unit ridge penalty, so that the fit is unique even
    where an attribute determines the decision. Solved by Newton's method.

    >>> people = CountTable.of({"degree": ["no", "yes"]})
    >>> favorable_scores(people, np.array([10, 50]), np.array([60, 60])).round(2).tolist()
    [-1.45, 1.45]
    """
    people = people.pruned()
    # The index of each coefficient: one column for the intercept and one per attribute.
    ends = np.cumsum([1, *people.cards])
    size, used = int(ends[-1]), len(people.cards) + 1
    at = np.stack([np.zeros(len(people), np.int64), *map(np.add, people.codes, ends)], axis=1)
    # The intercept is all but free; where all decisions agree, the penalty keeps it finite.
    penalty = np.array([1e-9] + [1.0] * (size - 1))
    weights = np.zeros(size)

    def loss(candidate: NDArray[np.float64]) -> float:
        odds = candidate[at].sum(axis=1)
        fit = rows * np.logaddexp(0.0, odds) - yes * odds
        return float(fit.sum() + (penalty * candidate**2).sum() / 2)

    for _ in range(_MAX_ITERATIONS):
        share = 1 / (1 + np.exp(-weights[at].sum(axis=1).clip(-500, 500)))
        excess = np.repeat(rows * share - yes, used)
        slope = np.bincount(at.ravel(), excess, size) + penalty * weights
        spread = np.repeat(rows * share * (1 - share), used)
        curve = np.diag(penalty)
        for column in at.T:
            pairs = (column[:, None] * size + at).ravel()
            curve += np.bincount(pairs, spread, size**2).reshape(size, size)
        step = np.linalg.solve(curve, slope)
        now = loss(weights)
        while abs(step).max() > _TOLERANCE and loss(weights - step) > now:
            step = step / 2
        weights = weights - step
        if abs(step).max() <= _TOLERANCE:
            break
    scores: NDArray[np.float64] = weights[at].sum(axis=1)
    return scores


Seed: TypeAlias = int | np.random.Generator
# The rows of each line of people, by group (the one asked about, the others) and by decision
# (unfavorable, favorable).
Cells: TypeAlias = NDArray[np.int64]
# The ranker is fitted anew in every part. One step of a fit counts the pairs of coefficients in
# every line and solves for all of them; this many operations take about half a minute.
_MOST_OPERATIONS = 2e9


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffleProtected:
    """Permute the values of the protected attribute among all rows.

    Paper: table:comparison
    """

    name: ClassVar[str] = "shuffle-protected"
    policy: ClassVar[str] = "all rows"
    guaranteed: ClassVar[bool] = False

    def plan(self, certificate: Certificate, *, seed: Seed | None = None) -> BaselinePlan:
        """Choose at random which rows get which value."""
        people = _People.of(certificate)
        rows = people.cells.sum(axis=1).ravel()
        in_group = choose_rows(rows, int(people.cells[:, 0].sum()), people.generator(seed))
        after = np.stack([in_group, rows - in_group]).reshape(2, -1, 2).transpose(1, 0, 2)
        return people.plan(self.name, self.policy, after, becomes=people.question.groups_column)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalMassaging:
    """Change decisions until both groups' rates are the mean of the two, in one part at a time.

    The parts are those of one explanatory attribute after another; without ``explanatory`` all
    are taken, in the order of their names.

    Paper: table:comparison
    """

    explanatory: tuple[str, ...] = ()
    name: ClassVar[str] = "local-massaging"
    guaranteed: ClassVar[bool] = False
    samples: ClassVar[bool] = False

    @property
    def policy(self) -> str:
        """On what the two rates are conditioned."""
        return f"given {', '.join(self.explanatory) or 'each attribute'}"

    def plan(
        self,
        certificate: Certificate,
        *,
        seed: Seed | None = None,
        progress: ProgressCallback | None = None,
    ) -> BaselinePlan:
        """Decide which rows change; ``progress`` is called after each part."""
        people = _People.of(certificate)
        names = self.explanatory or people.lines.names
        if unknown := [name for name in names if name not in people.lines.names]:
            raise ColumnError.unknown(unknown, people.lines.names, where="explanatory")
        after = people.equalize_rates(
            names, people.generator(seed), progress, samples=self.samples
        )
        becomes = None if self.samples else people.question.decision
        return people.plan(self.name, self.policy, after, becomes=becomes)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPreferentialSampling(LocalMassaging):
    """Leave rows out and double others, half as many of each as massaging would change.

    So the rates go half the way. This is how we read the original, and it comes nearer to the
    paper's figures than the whole. No row is doubled twice.

    Paper: table:comparison
    """

    name: ClassVar[str] = "local-preferential-sampling"
    samples: ClassVar[bool] = True


@dataclass(frozen=True, eq=False)
class _People:
    """All rows, one line for each assignment of every attribute but group and decision."""

    certificate: Certificate
    lines: Partition

    @classmethod
    def of(cls, certificate: Certificate) -> "_People":
        groups = check_releasable(certificate).groups
        question, counts = certificate.question, certificate.examined.counts
        values = counts.attribute(question.decision).values
        if len(groups) != 2 or len(question.protected_names) > 1 or len(values) != 2:
            raise CannotReleaseError.of(
                "This method is for two groups of one attribute, and a decision of two values.",
                f"There are the groups {listed(groups)} and the values {listed(values)}.",
                Remedy("Use modify-data", "method", "modify-data"),
            )
        others = {*counts.names} - {*question.columns}
        return cls(certificate, Partition.of(certificate.examined, others))

    def generator(self, seed: Seed | None) -> np.random.Generator:
        """The generator of a seed; without one, of a seed that depends on the counts alone."""
        return np.random.default_rng(
            self.certificate.examined.counts.seed if seed is None else seed
        )

    @property
    def question(self) -> Question:
        return self.lines.question

    @property
    def cells(self) -> Cells:
        return self.lines.counts[::-1].transpose(2, 1, 0)

    def equalize_rates(
        self,
        names: Sequence[str],
        generator: np.random.Generator,
        progress: ProgressCallback | None = None,
        *,
        samples: bool,
    ) -> Cells:
        """The rows after moving both groups' rates to their mean, in one part after another.

        A part is all lines with one value of one of the names; all lines if there is no name.
        With ``samples`` rows are left out and doubled, and no decision changes.
        """
        first = self.cells
        cells, reporter = first.copy(), ProgressReporter(progress)
        columns = [self.lines.assignments.column(name) for name in names]
        parts = [
            np.flatnonzero(column == code) for column in columns for code in np.unique(column)
        ]
        parts = parts if columns else [np.arange(len(self.lines))]
        self._check_work(parts)
        for at, part in enumerate(parts):
            reporter.report("ranking people", at, len(parts))
            now, amounts = cells[part], _amounts(cells[part])
            if not any(amounts):
                continue
            nearest = self._nearest(part, now, generator)
            for group, amount in enumerate(amounts):
                # A positive amount is to become favorable: unfavorable rows decrease.
                source, target = (0, 1) if amount > 0 else (1, 0)
                many = round(Fraction(abs(amount), 2)) if samples else abs(amount)
                added = removed = _take(now[:, group, source], nearest[source], many)
                if samples:
                    rows = now[:, group, target]
                    room = np.minimum(rows, 2 * first[part, group, target] - rows)
                    added = _take(room, nearest[target], many)
                cells[part, group, target] += added
                cells[part, group, source] -= removed
        return cells

    def _check_work(self, parts: Sequence[NDArray[np.intp]]) -> None:
        """Refuse what would take minutes, whatever the parts hold."""
        cards = self.lines.assignments.pruned().cards
        lines = sum(map(len, parts))
        if len(parts) * sum(cards) ** 3 + lines * len(cards) ** 2 > _MOST_OPERATIONS:
            raise ResourceError.of(
                f"Ranking people by {sum(cards):,} values of {len(cards):,} attributes, anew "
                f"for each of {len(parts):,} values, would take too long.",
                remedy=(
                    Remedy("Merge values", "merge"),
                    Remedy("name fewer columns", "columns"),
                ),
            )

    def _nearest(
        self, part: NDArray[np.intp], cells: Cells, generator: np.random.Generator
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The lines by how near unfavorable, and favorable, rows are to the other decision."""
        everyone, by_decision = self.lines.assignments, cells.sum(axis=1)
        people = CountTable(
            everyone.attributes, tuple(c[part] for c in everyone.codes), everyone.counts[part]
        )
        scores = favorable_scores(people, by_decision[:, 1], by_decision.sum(axis=1))
        chance = generator.random(len(part))
        return np.lexsort((chance, -scores)), np.lexsort((chance, scores))

    def plan(
        self, method: str, policy: str, after: Cells, *, becomes: str | None = None
    ) -> BaselinePlan:
        """The moves from the rows as they are to the rows as they will be."""
        return BaselinePlan(
            method=method,
            policy=policy,
            certificate=self.certificate,
            names=(*self.lines.names, *self.question.columns),
            moves=tuple(self._moves(after - self.cells, becomes)),
        )

    def _moves(self, change: Cells, becomes: str | None) -> Iterator[Move]:
        """Rows get the other value of ``becomes``; without it they are left out or doubled."""
        question = self.question
        labels = {
            question.groups_column: self.lines.groups,
            question.decision: self.lines.decisions[::-1],
        }
        for at in np.argwhere(change < 0 if becomes else change).tolist():
            code = dict(zip(labels, at[1:], strict=True))
            where = self.lines.where(at[0]) | {n: labels[n][c] for n, c in code.items()}
            rows = int(change[tuple(at)])
            if becomes is None:
                yield Move(where, abs(rows), {}, times=0 if rows < 0 else 2)
            else:
                yield Move(where, -rows, {becomes: labels[becomes][1 - code[becomes]]})


def _amounts(cells: Cells) -> tuple[int, int]:
    """How many decisions of each group to change for equal rates; below zero to unfavorable."""
    (no, yes), (other_no, other_yes) = cells.sum(axis=0).tolist()
    group, other = no + yes, other_no + other_yes
    if not group or not other:
        return 0, 0
    half = (Fraction(other_yes, other) - Fraction(yes, group)) / 2
    return round(group * half), round(-other * half)


def _take(rows: NDArray[np.int64], order: NDArray[np.intp], amount: int) -> NDArray[np.int64]:
    """Take rows line by line in an order until there are enough.

    >>> _take(np.array([5, 2, 4]), np.array([1, 2, 0]), 3).tolist()
    [0, 2, 1]
    """
    taken = np.zeros_like(rows)
    taken[order] = np.diff(np.minimum(np.cumsum(rows[order]), amount), prepend=0)
    return taken


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairAttributes:
    """Give each attribute the same distribution in every group; decisions stay.

    Without ``attributes`` all are repaired that the question is not about. Values are taken in
    their order: numbers and classes of numbers by size, others by label, so that other labels
    give another repair. Of rows that are alike those that change are chosen at random.
    """

    attributes: tuple[str, ...] = ()
    name: ClassVar[str] = "repair-attributes"
    guaranteed: ClassVar[bool] = False

    def __post_init__(self) -> None:
        names = require_texts(self.attributes, "`attributes`")
        object.__setattr__(self, "attributes", tuple(dict.fromkeys(names)))

    @property
    def policy(self) -> str:
        """Which attributes change."""
        return ", ".join(self.attributes) or "every attribute"

    def plan(self, certificate: Certificate, *, seed: Seed | None = None) -> BaselinePlan:
        """Decide how many rows of each kind get which values."""
        check_releasable(certificate)
        examined, counts = certificate.examined, certificate.examined.counts
        others = [name for name in counts.names if name not in examined.question.columns]
        if unknown := [name for name in self.attributes if name not in others]:
            raise ColumnError.unknown(unknown, others, where="attributes")
        generator = np.random.default_rng(counts.seed if seed is None else seed)
        codes, groups = np.stack(counts.codes, axis=1).astype(np.int64), examined.group_codes
        lines = _SplitLines(np.arange(len(counts)), codes, counts.counts.copy())
        for name in self.attributes or others:
            at, values = counts.position(name), len(counts.attribute(name))
            lines = _repaired(lines, at, groups[lines.origin], values, generator)
        return BaselinePlan(
            method=self.name,
            policy=self.policy,
            certificate=certificate,
            names=counts.names,
            moves=tuple(_moves(counts, codes, lines)),
        )


class _SplitLines(NamedTuple):
    """Rows as they will be, with the line of counts that each line of them comes from."""

    origin: NDArray[np.intp]
    codes: NDArray[np.int64]
    rows: NDArray[np.int64]


def _repaired(
    lines: _SplitLines,
    at: int,
    groups: NDArray[np.intp],
    values: int,
    generator: np.random.Generator,
) -> _SplitLines:
    """Repair the attribute at one position, in each group; lines are split as needed."""
    column, many = lines.codes[:, at], int(groups.max(initial=0)) + 1
    sizes = np.zeros((many, values), np.int64)
    np.add.at(sizes, (groups, column), lines.rows)
    left, pieces = lines.rows.copy(), [lines]
    for group, old, new, amount in repairs(sizes.tolist()):
        alike = np.flatnonzero((groups == group) & (column == old))
        chosen = choose_rows(left[alike], amount, generator)
        left[alike] -= chosen
        codes = lines.codes[alike]
        codes[:, at] = new
        pieces.append(_SplitLines(lines.origin[alike], codes, chosen))
    origin, codes, rows = map(np.concatenate, zip(*pieces, strict=True))
    rows[: len(left)] = left
    return _SplitLines(origin[rows > 0], codes[rows > 0], rows[rows > 0])


def repairs(sizes: Sequence[Sequence[int]]) -> Iterator[tuple[int, int, int, int]]:
    """Which rows change: group, old value, new value, and how many; values are in order.

    ``sizes`` holds the rows of each group and value. A group's k-th row of n, its rows in order
    and ties at random, stands at the quantile (k + 1/2)/n of every group.

    >>> [*repairs([[6, 4], [2, 8]])]
    [(1, 1, 0, 4)]
    """
    sums = [[*accumulate(rows)] for rows in sizes]
    occurring = [ends for ends in sums if ends and ends[-1]]
    for group, own in enumerate(sums):
        if not own or not own[-1]:
            continue
        size = own[-1]
        # The first row at or beyond a number of another group's rows, rounded up exactly.
        starts = {
            -((ends[-1] - 2 * size * end) // (2 * ends[-1]))
            for ends in occurring
            for end in ends
        }
        # The last start is the size; before the first one every group has its first value.
        for first, last in pairwise(sorted(starts)):
            quantiles = sorted(_value(ends, 2 * first + 1, 2 * size) for ends in occurring)
            old, new = (
                _value(own, 2 * first + 1, 2 * size),
                quantiles[(len(quantiles) - 1) // 2],
            )
            if old != new:
                yield group, old, new, last - first


def _value(ends: Sequence[int], part: int, whole: int) -> int:
    """The value at a quantile, part of whole, of rows that end at these places."""
    return bisect_right(ends, part * ends[-1] // whole)


def _moves(counts: CountTable, codes: NDArray[np.int64], lines: _SplitLines) -> Iterator[Move]:
    """The lines that are not as they were, as moves."""
    is_changed = (lines.codes != codes[lines.origin]).any(axis=1)
    labels = [attribute.values for attribute in counts.attributes]
    for origin, new, rows in zip(*(part[is_changed].tolist() for part in lines), strict=True):
        where = [values[code] for values, code in zip(labels, codes[origin], strict=True)]
        now = [values[code] for values, code in zip(labels, new, strict=True)]
        becomes = {
            name: after
            for name, before, after in zip(counts.names, where, now, strict=True)
            if before != after
        }
        yield Move(dict(zip(counts.names, where, strict=True)), rows, becomes)
