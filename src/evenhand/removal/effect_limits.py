"""The fewest changed decisions that meet the criterion in each line and limits of effects.

Only decisions change, and no share of people by causes depends on them. So in an identified
graph an effect through other attributes is a fixed linear function of the favorable counts. It
joins all lines, so they cannot be solved one by one. If the solution without effects happens
to keep them within their limits, it is the answer; otherwise all counts are one integer
programme, whose answer is checked exactly.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.effects.effects import DirectionEffects, GraphEffects
from evenhand.effects.measure import not_identified
from evenhand.errors import CannotReleaseError, Problem, Remedy, ResourceError, listed
from evenhand.evidence import Certificate, Partition
from evenhand.evidence.certification import direct_edge
from evenhand.removal.fewest_changes import fewest_in_window, within_window
from evenhand.removal.many_values import TOLERANCE, solve_integers, strict_differences

Counts = NDArray[np.int64]

PROVEN_CELLS = 5_000  # counts up to which the fewest changes are proven
MOST_CELLS = 20_000  # counts of one integer programme
MOST_NODES = 2_000  # of its search tree; a limit of time would make plans differ
_LARGE_GAP = 1e-3  # by which a plan for more counts may exceed the lower bound
_MOST_VALUES = 2**40  # of an effect from 0 to 1 that floats can distinguish
# Off the limits of effects. The first limits are closed: their optimum is never above the true.
_MARGINS = (0.0, 1e-7, 1e-6, 1e-5)
_INFEASIBLE = 2  # as scipy numbers it


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LinearEffect:
    """The sum of ``weights`` × favorable / rows, to lie strictly between two limits.

    ``weights`` are fractions, groups × lines. A cell without rows adds nothing, whatever its
    weight: the limits must leave room for what is not known there.

    >>> weights = np.array([[Fraction(-1)], [Fraction(1)]])
    >>> effect = LinearEffect(weights=weights, lower=Fraction(-1, 20), upper=Fraction(1, 20))
    >>> effect.value(np.array([[240], [90]]), np.array([[600], [200]]))
    Fraction(1, 20)
    """

    weights: NDArray[np.object_]
    lower: Fraction
    upper: Fraction

    def value(self, favorable: Counts, rows: Counts) -> Fraction:
        """The effect with these counts, exactly."""
        sums: dict[int, Fraction] = defaultdict(Fraction)
        # One fraction for each number of rows keeps denominators small.
        for cell in zip(*np.nonzero(favorable), strict=True):
            sums[int(rows[cell])] += self.weights[cell] * int(favorable[cell])
        return sum((total / size for size, total in sums.items()), Fraction(0))

    def within_limits(self, favorable: Counts, rows: Counts) -> bool:
        """Whether the effect lies strictly between the limits."""
        return self.lower < self.value(favorable, rows) < self.upper

    def closed_limits(self, rows: Counts) -> tuple[Fraction, Fraction]:
        """The least and the largest value within the limits that counts can give.

        The limits themselves where possible values are closer than floats can tell.
        """
        common = 1
        for cell in zip(*np.nonzero(rows), strict=True):
            common = lcm(common, (self.weights[cell] / int(rows[cell])).denominator)
            if common > _MOST_VALUES:
                return self.lower, self.upper
        lower, upper = floor(self.lower * common) + 1, ceil(self.upper * common) - 1
        return Fraction(lower, common), Fraction(upper, common)


@dataclass(frozen=True, eq=False, kw_only=True)
class JointProblem:
    """Rates to differ by less than a threshold in each compared line, and effects to limit.

    All counts are two groups × lines; ``favorable`` are the decisions as they are. ``compared``
    marks lines, ``may_change`` the groups whose decisions may change, by default both.
    """

    favorable: Counts
    rows: Counts
    compared: NDArray[np.bool_]
    threshold: Fraction
    effects: Sequence[LinearEffect] = ()
    only_raise: bool = False
    may_change: NDArray[np.bool_] | None = None

    @cached_property
    def lowest(self) -> Counts:
        """The least that new counts may be."""
        return np.where(self._movable & (not self.only_raise), 0, self.favorable)

    @cached_property
    def highest(self) -> Counts:
        """The most that new counts may be."""
        return np.where(self._movable, self.rows, self.favorable)

    @property
    def _movable(self) -> Any:  # noqa: ANN401  # one truth value, or a column of them
        return np.True_ if self.may_change is None else self.may_change[:, None]

    def without_effects(self) -> tuple[Counts, NDArray[np.bool_]]:
        """The counts with the fewest changes if effects had no limits, and where any do."""
        new, possible = fewest_in_window(
            self.favorable * self.compared,
            self.rows * self.compared,
            self.threshold,
            only_raise=self.only_raise,
            may_change=self.may_change,
            asked=0,
        )
        return np.where(self.compared, new, self.favorable), possible

    def is_met(self, counts: Counts) -> bool:
        """Whether new counts are allowed and meet everything, in integers and fractions."""
        allowed = (counts >= self.lowest) & (counts <= self.highest)
        near = within_window(counts, self.rows * self.compared, self.threshold)
        return bool(allowed.all() and near.all()) and all(
            effect.within_limits(counts, self.rows) for effect in self.effects
        )

    def changed(self, counts: Counts) -> int:
        """How many decisions change."""
        return int(abs(counts - self.favorable).sum())

    @property
    def cells(self) -> int:
        """How many counts may change."""
        return int(np.count_nonzero(self.lowest < self.highest))

    @cached_property
    def limits(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The least and the largest value of each effect that counts can give it."""
        return tuple(effect.closed_limits(self.rows) for effect in self.effects)

    @property
    def leaves_values(self) -> bool:
        """Whether each effect has any value within its limits."""
        return all(
            effect.lower < effect.upper and low <= high
            for effect, (low, high) in zip(self.effects, self.limits, strict=True)
        )


def fewest_with_effects(problem: JointProblem) -> tuple[Counts, int]:
    """The new favorable counts with the fewest changes, and how many must change at least.

    Raises ``CannotReleaseError`` if no counts meet the criterion, or none were found.

    >>> old, rows = np.array([[4, 2], [8, 8]]), np.array([[10, 10], [10, 20]])
    >>> weights = np.array([[Fraction(-1, 4), Fraction(1, 4)], [Fraction(0)] * 2])
    >>> effect = LinearEffect(weights=weights, lower=Fraction(-1, 50), upper=Fraction(1, 50))
    >>> problem = JointProblem(favorable=old, rows=rows, compared=np.array([True, True]),
    ...                        threshold=Fraction(1, 4), effects=[effect])
    >>> counts, at_least = fewest_with_effects(problem)
    >>> counts.tolist(), problem.changed(counts), at_least
    ([[4, 4], [6, 8]], 4, 4)
    """
    counts, possible = problem.without_effects()
    if not possible.all() or not problem.leaves_values:
        raise _no_such_counts()
    bound = float(problem.changed(counts))
    if not problem.is_met(counts):
        counts, at_least = _by_programme(problem)
        bound = max(bound, at_least)
    return counts, min(ceil(bound - TOLERANCE), problem.changed(counts))


def _by_programme(problem: JointProblem) -> tuple[Counts, float]:
    """Counts that the exact check accepts, and a lower bound of changes."""
    if problem.cells > MOST_CELLS:
        raise ResourceError.of(
            f"A plan that also limits effects would have {problem.cells:,} unknown counts.",
            f"At most {MOST_CELLS:,} are solved together.",
            (Remedy("Merge values", "merge"), Remedy("use coarser bins", "bins")),
        )
    bound = 0.0
    for margin in _MARGINS:
        answer = _programme(problem, margin)
        if not margin:
            if answer.status == _INFEASIBLE:
                raise _no_such_counts()
            bound = answer.mip_dual_bound or 0.0
        if answer.x is None:
            break
        up, down = np.rint(answer.x).astype(np.int64).reshape(2, *problem.rows.shape)
        if problem.is_met(counts := problem.favorable + up - down):
            return counts, bound
    raise CannotReleaseError.of(
        "No decisions were found that meet the criterion with the effects asked about.",
        "The exact check refused every solution that was found with rounded numbers.",
        (Remedy("Ask for a small margin"), Remedy("choose another threshold")),
    )


def _programme(problem: JointProblem, margin: float) -> Any:  # noqa: ANN401  # scipy's result
    """Unknowns: by how much each count rises, and by how much it falls."""
    from scipy.sparse import coo_array, csr_array, hstack, vstack  # noqa: PLC0415

    rows, old = problem.rows, problem.favorable
    lines = np.flatnonzero(problem.compared)
    first, second = rows[:, lines]
    *rates, most = strict_differences(first, second, problem.threshold)
    # What HiGHS tolerates is much less than a row in each line, and than the margin.
    most = np.maximum(most - (2 * TOLERANCE if margin else 0.0), 0.0)
    cells = np.concatenate([lines, lines + rows.shape[1]])
    at = np.tile(np.arange(len(lines)), 2)
    apart = coo_array((np.concatenate(rates), (at, cells)), shape=(len(lines), old.size))
    # What one more favorable decision adds to each effect, in units of the most that one does.
    weights = np.array([one.weights for one in problem.effects], np.float64)
    effects = weights.reshape(-1, old.size) / np.maximum(rows, 1).ravel() * (rows > 0).ravel()
    unit = 1 / np.maximum(np.abs(effects).max(axis=1, initial=0.0), 1e-300)
    limits = np.array(problem.limits, np.float64).reshape(-1, 2).T
    lower, upper = (limits + np.array([[margin], [-margin]])) * unit
    matrix = vstack([apart, csr_array(effects * unit[:, None])])
    now = matrix @ old.ravel()
    low, high = problem.lowest - old, problem.highest - old
    return solve_integers(
        np.ones(2 * old.size),
        integrality=np.ones(2 * old.size, np.int64),
        bounds=(np.maximum([low, -high], 0).ravel(), np.maximum([high, -low], 0).ravel()),
        constraints=[
            (
                hstack([matrix, -matrix]),
                np.concatenate([-most, lower]) - now,
                np.concatenate([most, upper]) - now,
            )
        ],
        nodes=MOST_NODES,
        gap=0.0 if problem.cells <= PROVEN_CELLS else _LARGE_GAP,
    )


def _no_such_counts() -> CannotReleaseError:
    """The error where no decisions meet the criterion, effects included."""
    return CannotReleaseError.of(
        "No decisions that may change meet the criterion with the effects asked about.",
        "Some decisions may not change, or effects hang too much on people who do not occur.",
        (
            Remedy("Let decisions of all groups change, both ways", "policy", "minimal"),
            Remedy("choose a larger threshold"),
            Remedy("merge rare values of attributes", "merge"),
        ),
    )


def through_effects(certificate: Certificate, threshold: Fraction) -> tuple[LinearEffect, ...]:
    """The effects in both directions, limited so that the claim about them is met.

    There are none without a path through the chosen attributes. Raises ``CannotReleaseError``
    where the graph is open or the effect is not identified.
    """
    graph = identified_graph(certificate)
    if not graph.sides.in_use:
        return ()
    return tuple(
        LinearEffect(
            weights=_by_line(certificate.partition, one, group, one.weights),
            **one.limits(threshold)._asdict(),
        )
        for group, one in enumerate(graph.directions.values())
    )


def identified_graph(certificate: Certificate) -> GraphEffects:
    """The one graph in which the effect is identified, or ``CannotReleaseError``."""
    claim, question = certificate.indirect, certificate.question
    if claim is None or not claim.graphs or not claim.is_exact:
        raise CannotReleaseError(*(claim.reasons if claim else ()))
    problems = [
        Problem(
            f"A release that removes the effect through {listed(question.redlining)} needs one "
            "graph.",
            f"The graph does not direct {a} - {b}.",
            direct_edge(a, b),
        )
        for a, b in sorted(certificate.graph.undirected)
        if len({one.sides.graph.arrows & {(a, b), (b, a)} for one in claim.graphs}) > 1
    ]
    if claim.witnesses:
        problems.append(not_identified(claim.witnesses, question))
    if not question.favorable:
        problems.append(
            Problem(
                "Effects through other attributes are removed from favorable decisions.",
                "None is named.",
                Remedy("Name what is favorable", "favorable"),
            )
        )
    if problems:
        raise CannotReleaseError(*problems)
    (graph,) = claim.graphs
    return graph


def _by_line(
    partition: Partition, direction: DirectionEffects, group: int, weights: NDArray[Any]
) -> NDArray[np.object_]:
    """Weights of a group's rates by causes, as those of each line's rates.

    Where the graph does not let the group cause the decision, its table has one rate for both:
    then the weight is shared as the rows are.
    """
    tables = direction.tables
    of_line = weights[tuple(partition.assignments.column(name) for name in tables.causes)]
    by_group = np.full(partition.rows.shape, Fraction(0), object)
    if tables.protected in tables.parents[tables.decision]:
        by_group[group] = of_line
        return by_group
    for own, rows in zip(by_group, partition.rows, strict=True):
        whole = zip(rows.tolist(), partition.row_counts.tolist(), strict=True)
        own[:] = [w * Fraction(a, b) for w, (a, b) in zip(of_line, whole, strict=True)]
    return by_group
