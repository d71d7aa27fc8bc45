"""Logistic regression on counts: how likely a favorable decision looks for each person."""

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.errors import ResourceError

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
