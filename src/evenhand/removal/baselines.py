"""Methods to compare with. They give no guarantee, and say so.

``ShuffleProtected`` is the paper's Naive. ``LocalMassaging`` and ``LocalPreferentialSampling``
are those of Žliobaitė, Kamiran and Calders, "Handling Conditional Discrimination" (ICDM 2011):
among the people alike in one explanatory attribute both groups' rates move toward the mean of
the two. A ranker, fitted to these people's other attributes, chooses the rows that change:
those nearest to the other decision.

The paper that we compare with conditions on each attribute in turn, and states neither ranker
nor order. Here the ranker is a logistic regression on counts, and the order that of the names.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.display import Described, ProgressCallback, ProgressReporter, Summary
from evenhand.errors import CannotReleaseError, ColumnError, Remedy, ResourceError, listed
from evenhand.evidence import Certificate, Partition
from evenhand.graph.conditional_tables import ConditionalTable
from evenhand.question import Question
from evenhand.removal.modify_data import check_releasable, check_two_groups
from evenhand.removal.removal_plan import ByDirection, ChangedDecisions, FromCertificate, Move

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
# Each iteration solves a linear system with one unknown per value.
_MOST_VALUES = 1000


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
    if sum(people.cards) > _MOST_VALUES:
        raise ResourceError.of(
            f"Ranking people by {sum(people.cards):,} values would take too long.",
            f"At most {_MOST_VALUES:,} values of all attributes together are allowed.",
            "Merge values or put numbers in classes.",
        )
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
# every line and solves for all of them; so many operations take about half a minute.
_MOST_OPERATIONS = 2e9


@dataclass(frozen=True, repr=False, kw_only=True)
class BaselinePlan(FromCertificate, Described):
    """Moves whose patterns give the value of every attribute. They may not suffice."""

    method: str
    policy: str
    certificate: Certificate
    names: tuple[str, ...]
    moves: tuple[Move, ...]
    redrawn: ClassVar[tuple[ConditionalTable, ...]] = ()
    reaches_criterion: ClassVar[bool] = False
    model_distance: ClassVar[None] = None

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
        groups = (ByDirection(amounts[label, True], amounts[label, False]) for label in labels)
        return ChangedDecisions(groups=tuple(groups), labels=labels, question=question)

    def to_dict(self) -> dict[str, object]:
        """The plan as plain values."""
        changed = self.changed_decisions
        return {
            "method": self.method,
            "policy": self.policy,
            "changed_rows": self.changed_rows,
            "changed_decisions": changed.to_dict() if changed else None,
            "reaches_criterion": self.reaches_criterion,
            "moves": [move.to_dict() | {"times": move.times} for move in self.moves],
        }

    def summary(self) -> Summary:
        """The plan's total, and that it promises nothing."""
        changed = self.changed_decisions
        return Summary(
            title=f"{self.method} ({self.policy}): {self.changed_rows:,} rows would change",
            facts=changed.facts() if changed else (),
            notes=("A method to compare with: it gives no guarantee.",),
        )


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
class _LocalMethod:
    """Move both groups' rates to their mean, given one explanatory attribute after another.

    Without ``explanatory`` all attributes are taken, in the order of their names.
    """

    explanatory: tuple[str, ...] = ()
    guaranteed: ClassVar[bool] = False

    @property
    def policy(self) -> str:
        """On what the two rates are conditioned."""
        chosen = ", ".join(self.explanatory)
        return f"given {chosen}" if chosen else "given each attribute"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalMassaging(_LocalMethod):
    """Change decisions until both groups' rates are the mean of the two, in one part at a time.

    Paper: table:comparison
    """

    name: ClassVar[str] = "local-massaging"

    def plan(
        self,
        certificate: Certificate,
        *,
        seed: Seed | None = None,
        progress: ProgressCallback | None = None,
    ) -> BaselinePlan:
        """Decide which rows change; ``progress`` is called after each part."""
        people = _People.of(certificate)
        generator = people.generator(seed)
        after = people.equalize_rates(self.explanatory, generator, progress)
        return people.plan(self.name, self.policy, after, becomes=people.question.decision)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPreferentialSampling(_LocalMethod):
    """Leave rows out and double others, half as many of each as massaging would change.

    So the rates go half the way. This is how we read the original, and it comes nearer to the
    paper's figures than the whole. No row is doubled twice.

    Paper: table:comparison
    """

    name: ClassVar[str] = "local-preferential-sampling"

    def plan(
        self,
        certificate: Certificate,
        *,
        seed: Seed | None = None,
        progress: ProgressCallback | None = None,
    ) -> BaselinePlan:
        """Decide which rows are left out or doubled; ``progress`` is called after each part."""
        people = _People.of(certificate)
        generator = people.generator(seed)
        after = people.equalize_rates(self.explanatory, generator, progress, by_sampling=True)
        return people.plan(self.name, self.policy, after)


@dataclass(frozen=True, eq=False)
class _People:
    """All rows, one line for each assignment of every attribute but group and decision."""

    certificate: Certificate
    lines: Partition

    @classmethod
    def of(cls, certificate: Certificate) -> "_People":
        check_two_groups(check_releasable(certificate), "This method")
        question, counts = certificate.question, certificate.examined.counts
        values = counts.attribute(question.decision).values
        if len(question.protected_names) > 1 or len(values) > 2:
            raise CannotReleaseError.of(
                "This method is for one protected attribute and a decision of two values.",
                f"There are {listed(question.protected_names)} and {listed(values)}.",
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
        explanatory: Iterable[str],
        generator: np.random.Generator,
        progress: ProgressCallback | None = None,
        *,
        by_sampling: bool = False,
    ) -> Cells:
        """The rows after moving both groups' rates to their mean, in one part after another.

        ``by_sampling`` leaves rows out and doubles others instead of changing decisions.
        """
        names = tuple(explanatory) or self.lines.names
        if unknown := [name for name in names if name not in self.lines.names]:
            raise ColumnError.unknown(unknown, self.lines.names, where="explanatory")
        first = self.cells
        cells = first.copy()
        parts, reporter = [*self._parts(names)], ProgressReporter(progress)
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
                if by_sampling:
                    half = round(Fraction(abs(amount), 2))
                    rows = now[:, group, target]
                    room = np.minimum(rows, 2 * first[part, group, target] - rows)
                    added = _take(room, nearest[target], half)
                    removed = _take(now[:, group, source], nearest[source], half)
                else:
                    added = _take(now[:, group, source], nearest[source], abs(amount))
                    removed = added
                cells[part, group, target] += added
                cells[part, group, source] -= removed
        return cells

    def _parts(self, names: Iterable[str]) -> Iterator[NDArray[np.intp]]:
        """The lines of each value of each name in turn; all lines where there is no name."""
        if not names:
            yield np.arange(len(self.lines))
        for name in names:
            column = self.lines.assignments.column(name)
            for code in np.unique(column):
                yield np.flatnonzero(column == code)

    def _check_work(self, parts: Sequence[NDArray[np.intp]]) -> None:
        """Refuse what would take minutes, whatever the parts hold."""
        cards = self.lines.assignments.pruned().cards
        lines = sum(map(len, parts))
        if len(parts) * sum(cards) ** 3 + lines * len(cards) ** 2 > _MOST_OPERATIONS:
            raise ResourceError.of(
                f"Ranking people by {sum(cards):,} values of {len(cards):,} attributes, anew "
                f"for each of {len(parts):,} values, would take too long.",
                remedy=Remedy("Name fewer columns", "columns"),
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
        groups, decisions = self.lines.groups, self.lines.decisions[::-1]
        for line, group, decision in np.argwhere(change < 0 if becomes else change).tolist():
            where = self.lines.where(line) | {
                question.groups_column: groups[group],
                question.decision: decisions[decision],
            }
            rows = int(change[line, group, decision])
            if becomes is None:
                yield Move(where, abs(rows), {}, times=0 if rows < 0 else 2)
            elif becomes == question.decision:
                yield Move(where, -rows, {becomes: decisions[1 - decision]})
            else:
                yield Move(where, -rows, {becomes: groups[1 - group]})


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
