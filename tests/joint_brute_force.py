"""Every pair of counts of a few lines, and the loan table, for tests of joint removal."""

from fractions import Fraction
from itertools import product

import numpy as np
from tests import loans

from evenhand.removal.effect_limits import JointProblem, LinearEffect

# Groups b and w; lines are zip × income: 1lo, 1hi, 2lo, 2hi.
LOAN_ROWS, LOAN_FAVORABLE = np.array([*loans.CELLS.values()]).T.reshape(2, 2, 4)


def meets(problem, counts):
    """Whether counts meet everything, in fractions, one by one."""
    lines = range(problem.rows.shape[1])
    rates = [
        [Fraction(int(k), int(n)) if n else Fraction(0) for k, n in zip(*pair, strict=True)]
        for pair in zip(counts, problem.rows, strict=True)
    ]
    return all(
        abs(rates[1][line] - rates[0][line]) < problem.threshold
        for line in lines
        if problem.compared[line]
    ) and all(
        effect.lower
        < sum(
            effect.weights[group, line] * rates[group][line]
            for group in (0, 1)
            for line in lines
        )
        < effect.upper
        for effect in problem.effects
    )


def fewest_changes(problem):
    """The fewest changes of all allowed counts; None if no counts meet the problem."""
    ends = zip(problem.lowest.ravel().tolist(), problem.highest.ravel().tolist(), strict=True)
    every = product(*(range(low, high + 1) for low, high in ends))
    old = problem.favorable.ravel().tolist()
    ordered = sorted(
        every, key=lambda new: sum(abs(a - b) for a, b in zip(new, old, strict=True))
    )
    for new in ordered:
        if meets(problem, np.reshape(new, problem.favorable.shape)):
            return sum(abs(a - b) for a, b in zip(new, old, strict=True))
    return None


def random_problem(rng, *, lines=3, most_rows=4, only_raise=False, may_change=None):
    """Few enough rows for exhaustive search; weights sum to zero in each group."""
    rows = rng.integers(0, most_rows, (2, lines))
    favorable = rng.integers(0, rows + 1)
    effects = []
    for group in (0, 1):
        weights = np.full((2, lines), Fraction(0), object)
        shares = rng.integers(0, 9, (2, lines)) + 1
        for line in range(lines):
            after, before = (Fraction(int(s[line]), int(s.sum())) for s in shares)
            weights[group, line] = after - before
        room = Fraction(int(rng.integers(1, 8)), 40)
        effects.append(LinearEffect(weights=weights, lower=-room, upper=room))
    return JointProblem(
        favorable=favorable,
        rows=rows,
        compared=(rows > 0).all(axis=0),
        threshold=Fraction(int(rng.integers(1, 9)), 20),
        effects=effects,
        only_raise=only_raise,
        may_change=may_change,
    )


def larger_problem(rng, lines, mean, threshold=Fraction(1, 20)):
    """Rates that hang on the line, and weights that hang on the rates."""
    rows = rng.geometric(1 / mean, (2, lines)) * (rng.random((2, lines)) < 0.85)
    rate = np.clip(rng.beta(1, 2, lines) + rng.normal(0, 0.05, (2, lines)), 0, 1)
    lean = (rate[0] > 0.3) + rng.normal(0, 0.3, lines)
    effects = []
    for group, sign in ((0, 1), (1, -1)):
        weights = np.full((2, lines), Fraction(0), object)
        before = rows[group] / rows[group].sum()
        after = before * np.exp(sign * lean)
        moved = np.rint(10**9 * (after / after.sum() - before)).astype(int).tolist()
        weights[group] = [Fraction(one, 10**9) for one in moved]
        effects.append(LinearEffect(weights=weights, lower=-threshold, upper=threshold))
    return JointProblem(
        favorable=rng.binomial(rows, rate),
        rows=rows,
        compared=(rows > 0).all(axis=0),
        threshold=threshold,
        effects=effects,
    )


def loan_effects(threshold, *, direct=False):
    """Effects through zip, or averages of direct differences, in both directions.

    race causes zip, income and loan, zip causes income: brute force over zip and income.
    """
    by_zip = LOAN_ROWS.reshape(2, 2, 2)

    def share(zip_of, income_of):
        """The distribution of zip and income if these read the value of these groups."""
        zips = [
            Fraction(int(by_zip[zip_of, z].sum()), int(by_zip[zip_of].sum())) for z in (0, 1)
        ]
        return [
            zips[z] * Fraction(int(by_zip[income_of, z, i]), int(by_zip[income_of, z].sum()))
            for z, i in product((0, 1), repeat=2)
        ]

    effects = []
    for group, other in ((0, 1), (1, 0)):
        weights = np.full((2, 4), Fraction(0), object)
        before, after = share(group, group), share(other, group)
        if direct:
            weights[group] = [-x for x in before]
            weights[other] = before
        else:
            weights[group] = [x - y for x, y in zip(after, before, strict=True)]
        effects.append(LinearEffect(weights=weights, lower=-threshold, upper=threshold))
    return effects
