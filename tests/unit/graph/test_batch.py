"""The plan of a batch: each set of attributes once."""

import numpy as np
import pytest

from evenhand.graph.kernels import batch as batches
from evenhand.graph.kernels.batch import Batch, BatchPlan


@pytest.mark.parametrize("largest_key", [0, 2**62])
def test_a_plan_holds_each_set_once_and_every_test(largest_key, monkeypatch):
    monkeypatch.setattr(batches, "_LARGEST_KEY", largest_key)
    generator = np.random.default_rng(2)
    chosen = np.array([generator.permutation(60)[:5] for _ in range(200)])
    ends = np.sort(chosen[:, :2], axis=1)
    batch = Batch(ends[:, 0], ends[:, 1], np.sort(chosen[:, 2:], axis=1))
    plan = BatchPlan.of(batch, 60)
    rows = [tuple(row) for row in plan.members.tolist()]
    assert len(set(rows)) == len(rows)
    assert rows == sorted(rows, reverse=True)
    assert sorted(plan.order.tolist()) == list(range(200))
    for number, members in enumerate(rows):
        for test in range(plan.start[number], plan.start[number + 1]):
            at = plan.order[test]
            ends = [members[plan.x[test]], members[plan.y[test]]]
            assert ends == [batch.x[at], batch.y[at]]
            assert sorted([*ends, *batch.given[at]]) == list(members)
