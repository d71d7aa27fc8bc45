"""A plan for a new table: what it promises, and the tables that it is generated from."""

import numpy as np
import pytest
from tests.admission import GRAPH, QUESTION

from evenhand import datasets
from evenhand.evidence import certify
from evenhand.removal import ModifyGraph, plan_removal


def planned(**options):
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION)
    return plan_removal(certificate, method=ModifyGraph(**options))


@pytest.mark.parametrize(
    ("options", "promises"), [({"generate": True}, True), ({"sample": True}, False)]
)
def test_only_quotas_promise_to_meet_the_criterion(options, promises):
    plan = planned(**options)
    assert plan.reaches_criterion is promises
    assert ("nothing promises" in str(plan)) is not promises
    assert plan.to_dict()["changed_rows"] == plan.row_count == 2200


def test_only_the_decisions_table_is_modified():
    plan = planned(generate=True)
    for node, parents, shares in plan.tables:
        table = plan.network.tables[node.name]
        assert parents == table.names[:-1]
        assert np.array_equal(shares, table.shares) is (node.name != "admission")
