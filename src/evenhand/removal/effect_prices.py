"""Prices of joint effects: a lower bound of changed decisions, and which lines are in doubt.

At given prices every line is a problem of its own (``line_candidates``), and so is every count
of a line that is not compared. The sum of their minima, less what the limits allow at these
prices, is never above the fewest changes, and it is a concave function of the prices. The best
prices are found by cutting planes: each evaluation bounds that function from above everywhere.
"""

from typing import NamedTuple

import numpy as np

from evenhand.removal.line_candidates import Floats, Index, list_candidates
from evenhand.removal.linear_effects import Counts, JointProblem

_MOST_CUTS = 120
_CLOSE = 0.25  # changes that better prices could still add to the bound
_LARGEST = 2.0**24  # price, in units in which the most effective decision is worth one change
_ROUNDING = 1e-9  # of the bound, relative to its terms
_STEPS = (1e-6, 1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 0.6)  # by which prices are varied


class PricedCounts(NamedTuple):
    """The best counts at some prices, how many decisions they change, effects and bound."""

    counts: Counts
    changed: float
    effects: Floats
    bound: float


class EffectPrices:
    """The best counts of each line at any prices of the effects.

    ``known`` are counts that meet the criterion in each line.
    """

    def __init__(self, problem: JointProblem, known: Counts) -> None:
        self.problem, self.known = problem, known
        self.added, self.limits = problem.per_decision, problem.limits
        weighs = self.added.any(axis=(0, 1))
        lines = np.flatnonzero(problem.compared & weighs)
        self.whole, self.corners = list_candidates(problem, lines, known)
        self.not_wholly = np.searchsorted(lines, self.corners.lines)
        self.alone = np.nonzero(weighs & ~problem.compared & (problem.rows > 0))
        self.fixed = float(abs(known - problem.old)[:, ~weighs].sum())
        self.unit = 1 / np.abs(self.added).max(axis=(1, 2), initial=1e-300)

    def at(self, prices: Floats) -> PricedCounts:
        """The counts that change few decisions and have cheap effects."""
        cost = np.tensordot(prices, self.added, 1)
        least, at, way = self.whole.best(cost)
        counts = self.known.copy()
        counts[:, self.whole.lines] = self.whole.pairs(at, way)
        far = np.where(cost > 1, self.problem.lowest, self.problem.highest)
        best = np.where(abs(cost) <= 1, self.problem.old, far)
        counts[self.alone] = best[self.alone]
        changed = abs(counts - self.problem.old)
        alone = (changed + cost * counts)[self.alone]
        least[self.not_wholly] = self.corners.best(cost)[0]
        allowed = np.maximum(*(self.limits * prices))
        value = self.fixed + least.sum() + alone.sum() - allowed.sum()
        terms = self.fixed + sum(float(abs(part).sum()) for part in (least, alone, allowed))
        effects = np.tensordot(self.added, counts, 2)
        return PricedCounts(
            counts, float(changed.sum()), effects, float(value) - _ROUNDING * terms
        )

    def best(self) -> tuple[Floats, float]:
        """The prices with the largest lower bound, and that bound."""
        from scipy.optimize import linprog  # noqa: PLC0415  # slow to import

        size = len(self.added)
        prices = best = np.zeros(size)
        bound, cuts, limits = 0.0, [], []
        for _ in range(_MOST_CUTS):
            here = self.at(prices * self.unit)
            if here.bound > bound:
                best, bound = prices, here.bound
            # Unknowns: the bound, then prices of upper limits, then of lower ones.
            lower, upper = (self.limits - here.effects) * self.unit
            cuts.append([1.0, *upper, *-lower])
            limits.append(here.changed)
            answer = linprog(
                [-1.0, *np.zeros(2 * size)],
                A_ub=np.array(cuts),
                b_ub=np.array(limits),
                bounds=[(0, None), *[(0, _LARGEST)] * (2 * size)],
            )
            if answer.x is None or answer.x[0] < bound + _CLOSE:
                break
            prices = answer.x[1 : size + 1] - answer.x[size + 1 :]
        return best * self.unit, bound

    def by_doubt(self, prices: Floats) -> Index:
        """The lines whose best counts change first as prices vary, first."""
        here = self.at(prices).counts
        step = np.full(here.shape[1], np.inf)
        ways = [np.ones(len(prices)), *np.eye(len(prices))]
        for share in _STEPS[::-1]:
            for way in ways:
                for sign in (-1, 1):
                    there = self.at(prices * (1 + sign * share * way)).counts
                    step[(there != here).any(axis=0)] = share
        return np.argsort(step, kind="stable")
