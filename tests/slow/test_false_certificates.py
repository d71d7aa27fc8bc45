"""No false certificate: every small table, and ten million large ones, against Fraction.

    pytest tests/slow/test_false_certificates.py -m slow

The oracle compares |Δ| with the threshold as Python's rationals; it shares no code with the
verdict module. docs/decisions/0002-exact-verdicts.md keeps the result of the last campaign.
"""

from fractions import Fraction
from math import gcd

import numpy as np
import pytest

from evenhand.verdict import sides

THRESHOLDS = [Fraction(1, 40), Fraction(1, 20), Fraction(3, 40), Fraction(1, 10)]
LARGEST = 30
RANDOM_TABLES = 10_000_000
BATCH = 500_000


def by_fractions(group_yes, group, other_yes, other, threshold):
    if not group or not other:
        return 0
    difference = Fraction(other_yes, other) - Fraction(group_yes, group)
    return 0 if abs(difference) < threshold else 1 if difference > 0 else -1


@pytest.mark.slow
@pytest.mark.parametrize("threshold", THRESHOLDS, ids=str)
def test_every_table_up_to_30_by_30(threshold):
    cells = np.array(
        [
            (a, n, b, m)
            for n in range(LARGEST + 1)
            for m in range(LARGEST + 1)
            for a in range(n + 1)
            for b in range(m + 1)
        ],
        np.int64,
    )
    a, n, b, m = cells.T
    found = sides(group_yes=a, group=n, other_yes=b, other=m, threshold=threshold)
    # A rate occurs in many tables: each pair of reduced rates is compared once.
    known = {}
    for (yes, group, other_yes, other), side in zip(
        cells.tolist(), found.tolist(), strict=True
    ):
        key = (*reduced(yes, group), *reduced(other_yes, other))
        if key not in known:
            known[key] = by_fractions(*key, threshold)
        assert side == known[key], (yes, group, other_yes, other)


def reduced(yes, total):
    common = gcd(yes, total) or 1
    return yes // common, total // common


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(RANDOM_TABLES // BATCH))
def test_random_tables_near_the_threshold(seed):
    generator = np.random.default_rng(seed)
    threshold = THRESHOLDS[seed % len(THRESHOLDS)]
    size = int(10 ** generator.uniform(1, 12))
    group, other = generator.integers(1, size, (2, BATCH), endpoint=True)
    group_yes = (generator.random(BATCH) * (group + 1)).astype(np.int64)
    # Half of the tables are put within a row or two of the threshold, where verdicts turn.
    turn = generator.choice([-1, 1], BATCH) * float(threshold)
    near = np.rint((group_yes / group + turn) * other).astype(np.int64)
    near += generator.integers(-1, 1, BATCH, endpoint=True)
    anywhere = (generator.random(BATCH) * (other + 1)).astype(np.int64)
    is_near = generator.random(BATCH) < 0.5
    other_yes = np.clip(np.where(is_near, near, anywhere), 0, other)
    columns = (group_yes, group, other_yes, other)
    names = ("group_yes", "group", "other_yes", "other")
    found = sides(**dict(zip(names, columns, strict=True)), threshold=threshold)
    lists = (column.tolist() for column in columns)
    for *cells, side in zip(*lists, found.tolist(), strict=True):
        assert side == by_fractions(*cells, threshold), cells
