"""Score intervals of a rate, and of the difference of two rates."""

import numpy as np

from evenhand.evidence.binomial_tails import Counts, Floats

# The 97.5 % point of the standard normal distribution: intervals have 95 %.
Z = 1.959963984540054


def wilson_interval(yes: Counts, total: Counts) -> tuple[Floats, Floats]:
    """The 95 % score interval of a rate."""
    rate = yes / total
    weight = Z**2 / total
    middle = (rate + weight / 2) / (1 + weight)
    half = np.sqrt(weight * (rate * (1 - rate) + weight / 4)) / (1 + weight)
    return np.minimum(middle - half, rate), np.maximum(middle + half, rate)


def newcombe_interval(
    group_yes: Counts, group: Counts, other_yes: Counts, other: Counts
) -> tuple[Floats, Floats]:
    """The 95 % hybrid score interval of the difference of rates, other minus group."""
    group_rate, other_rate = group_yes / group, other_yes / other
    group_low, group_high = wilson_interval(group_yes, group)
    other_low, other_high = wilson_interval(other_yes, other)
    difference = other_rate - group_rate
    low = difference - np.hypot(other_rate - other_low, group_high - group_rate)
    high = difference + np.hypot(other_high - other_rate, group_rate - group_low)
    return low, high
