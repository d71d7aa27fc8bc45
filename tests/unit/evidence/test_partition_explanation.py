"""Partitions that are not meaningful are refused."""

import pytest
from tests.admission import GRAPH, QUESTION

from evenhand import datasets
from evenhand.errors import GraphError
from evenhand.evidence import explain_partition
from evenhand.graph.causal_graph import CausalGraph


def test_a_partition_may_hold_a_consequence_and_is_then_refused():
    graph = CausalGraph.parse("gender -> admission; major -> admission -> test_score")
    told = explain_partition(datasets.admissions(1), graph, QUESTION, ["major", "test_score"])
    assert not told.is_meaningful
    assert told.to_dict()["consequences"] == ["test_score"]


@pytest.mark.parametrize("names", [["gender"], ["major", "admission"]])
def test_what_is_compared_cannot_be_held_equal(names):
    with pytest.raises(GraphError, match="what is compared"):
        explain_partition(datasets.admissions(1), GRAPH, QUESTION, names)
