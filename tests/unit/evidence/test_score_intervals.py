"""Intervals of differences against published ones."""

import numpy as np
import pytest

from evenhand.evidence.score_intervals import newcombe_interval


def columns(*counts):
    return tuple(np.array([n], np.int64) for n in counts)


@pytest.mark.parametrize(
    ("other", "group", "low", "high"),
    # Newcombe 1998, Statistics in Medicine 17:873-890, table II, method 10.
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0000),
    ],
)
def test_intervals_are_newcombes(other, group, low, high):
    ends = newcombe_interval(*columns(*group, *other))
    assert [round(float(end[0]), 4) for end in ends] == pytest.approx([low, high], abs=1e-4)
