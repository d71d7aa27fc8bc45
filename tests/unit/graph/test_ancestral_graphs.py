"""What a partial graph may stand for among the ancestors of decision and group."""

from itertools import combinations

import pytest

from evenhand import CausalGraph, Question
from evenhand.errors import GraphError
from evenhand.graph import PartialGraph
from evenhand.graph.admissible_graphs import ancestral_graphs

QUESTION = Question(protected="c", group="0", decision="e", favorable="1")


def test_a_decision_that_comes_first_is_refused():
    with pytest.raises(GraphError, match="causes"):
        ancestral_graphs(CausalGraph.parse("e -> c"), QUESTION)


@pytest.mark.parametrize("pairs", [12, 13])
def test_up_to_4096_orientations_are_given(pairs):
    text = "; ".join(f"x{i} - y{i}; x{i} -> e; y{i} -> e" for i in range(pairs))
    ways = ancestral_graphs(PartialGraph.parse(text + "; c -> e"), QUESTION)
    assert ways.complete == (pairs == 12)
    assert len(ways.graphs) == (4096 if ways.complete else 0)
    assert ways.consistent


def test_hundreds_of_open_edges_that_do_not_matter_are_not_tried():
    clique = "; ".join(f"x{a:02} - x{b:02}" for a, b in combinations(range(25), 2))
    far = ancestral_graphs(PartialGraph.parse(f"c -> e; e -> x00; {clique}"), QUESTION)
    assert [str(graph) for graph in far.graphs] == ["c -> e"]


def test_a_long_open_chain_above_the_decision_is_tried_at_each_node():
    chain = "; ".join(f"x{i:03} - x{i + 1:03}" for i in range(100))
    ways = ancestral_graphs(PartialGraph.parse(f"c; x000 - e; {chain}"), QUESTION)
    assert ways.complete
    assert len(ways.graphs) == 102
