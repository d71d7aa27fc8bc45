"""CausalGraph: what it is, what it refuses, what it answers."""

import pytest
from hypothesis import given
from tests.strategies import dags

from evenhand import Question
from evenhand.errors import GraphError
from evenhand.graph import CausalGraph

ADMISSION = CausalGraph.parse("gender -> major -> admission; gender -> admission")
QUESTION = Question(protected="gender", group="F", decision="admission", favorable="yes")


def refusal(text):
    with pytest.raises(GraphError) as caught:
        CausalGraph.parse(text)
    return str(caught.value)


def test_an_edge_without_direction_is_refused():
    assert "a - b has no direction" in refusal("a - b; b -> c")


@given(dags(max_nodes=9))
def test_causes_come_before_effects(graph):
    order = graph.topological_order()
    assert sorted(order) == list(graph.nodes)
    assert all(order.index(cause) < order.index(effect) for cause, effect in graph.arrows)


def test_a_decision_that_causes_the_protected_attribute_is_refused_with_the_path():
    graph = CausalGraph.parse("admission -> job -> gender")
    with pytest.raises(GraphError, match="admission -> job -> gender"):
        graph.check(question=QUESTION)
    with pytest.raises(GraphError, match="admission -> job -> gender"):
        graph.check_block_set(QUESTION, set())
    with pytest.raises(GraphError, match="admission -> job -> gender"):
        graph.block_sets(QUESTION)
    with pytest.raises(GraphError, match="admission -> job -> gender"):
        graph.decision_causes(QUESTION)
