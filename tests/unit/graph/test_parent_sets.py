"""What may be the parents of a node whose edges have no direction."""

import pytest

from evenhand.errors import ResourceError
from evenhand.graph import DiscoveryRecord, PartialGraph


def sets(text, node="e", ambiguous=()):
    graph = PartialGraph.parse(text)
    record = DiscoveryRecord(
        algorithm="PC", test="chi-square", significance=0.01, ambiguous=ambiguous
    )
    graph = PartialGraph(graph.nodes, graph.arrows, graph.undirected, record)
    return {"".join(sorted(one)) for one in graph.possible_parents(node)}


def test_a_lone_undirected_edge_leaves_two_sets():
    assert sets("a - e") == {"", "a"}


def test_two_that_are_not_joined_cannot_both_be_parents_unseen():
    assert sets("a - e; b - e") == {"", "a", "b"}


def test_two_that_are_joined_can():
    assert sets("a - e; b - e; a - b") == {"", "a", "b", "ab"}


def test_a_triple_in_doubt_may_be_a_collider():
    assert sets("a - e; b - e", ambiguous=[("a", "e", "b")]) == {"", "a", "b", "ab"}


def test_a_sure_parent_that_is_not_joined_to_the_other_excludes_it():
    assert sets("a -> e; b - e") == {"a"}


def test_an_edge_that_would_close_a_cycle_has_one_direction():
    assert sets("a -> b -> e; a - e") == {"ab"}


def test_a_far_arrow_can_decide():
    assert sets("x -> a; a - b; b - e", node="e") == {"b"}


def test_sure_and_open_parents_are_told_apart():
    found = PartialGraph.parse("a -> e; a -> b; b - e").parent_sets("e")
    assert found.definite == {"a"}
    assert found.ambiguous == {"b"}
    assert "2 possible sets of parents of e" in str(found)


def test_small_sets_come_first():
    found = PartialGraph.parse("a - e; b - e; a - b").possible_parents("e")
    assert [len(one) for one in found] == [0, 1, 1, 2]


def test_too_many_open_edges_are_refused_with_a_remedy():
    spokes = "; ".join(f"n{i} - e" for i in range(13))
    with pytest.raises(ResourceError, match="13 edges at 'e' have no direction.*Give tiers"):
        PartialGraph.parse(spokes).possible_parents("e")
