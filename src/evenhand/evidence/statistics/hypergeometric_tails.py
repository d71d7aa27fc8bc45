"""Tails of the hypergeometric distribution: a table of two by two with its margins fixed.

A table has the cells a, b (the group: favorable, unfavorable) and c, d (the others). Arrays of
floats of equal length, one place for each table.
"""

from math import lgamma, log

import numpy as np

from evenhand.evidence.statistics.binomial_tails import Floats, divergence

# A tail leads away from the mode: a term without weight is followed by lesser ones.
_NO_WEIGHT = 1e-17
_STEPS = 4
# log x! - x log x + x of small numbers.
_FEW = np.array([0.0] + [lgamma(x + 1) - x * log(x) + x for x in range(1, 16)])


def point_probability(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """The probability of a table among those with its margins, accurate at any size.

    Logarithms of factorials of billions would cancel and leave no digit. So log x! is split
    into x log x - x, which adds up to the distance from the expected table, and a small rest.
    """
    rows = a + b + c + d
    logarithm = -_factorial_rest(rows)
    for margin in (a + b, c + d, a + c, b + d):
        logarithm += _factorial_rest(margin)
    for cell, row, column in ((a, b, c), (b, a, d), (c, d, a), (d, c, b)):
        expected = (cell + row) * ((cell + column) / rows)
        logarithm -= _factorial_rest(cell) + divergence(cell, expected)
    return np.exp(logarithm)


def _factorial_rest(x: Floats) -> Floats:
    """Return log x! - x log x + x of whole numbers, from a table or Stirling's series."""
    some = np.maximum(x, 1.0)
    square = some**2
    rest: Floats = np.log(2 * np.pi * some) / 2 + (
        1 - (1 - (2 - 1.5 / square) / (7 * square)) / (30 * square)
    ) / (12 * some)
    few = np.flatnonzero(x < len(_FEW))
    rest[few] = _FEW[x[few].astype(np.intp)]
    return rest


def probability_below(a: Floats, b: Floats, c: Floats, d: Floats, point: Floats) -> Floats:
    """The probability that the group has fewer favorable decisions than in the table.

    ``point`` is the probability of the table itself: the terms below follow from it.
    """
    below, at = np.zeros(len(a)), np.arange(len(a))
    left, right, down, up = a.copy(), d.copy(), b + 1, c + 1
    chance, tail = point.copy(), np.zeros(len(a))
    # Whether a sum is complete is looked up now and then: most of the time goes into the steps.
    for _ in range(int(a.max(initial=0)) // _STEPS + 1):
        for _ in range(_STEPS):
            chance *= left * right / (down * up)
            tail += chance
            left -= 1
            right -= 1
            down += 1
            up += 1
        going = chance > _NO_WEIGHT * (tail + point[at])
        if 2 * np.count_nonzero(going) <= len(going):
            below[at] = tail
            at = at[going]
            left, right, down, up, chance, tail = (
                column[going] for column in (left, right, down, up, chance, tail)
            )
        if not len(at):
            break
    below[at] = tail
    return below
