"""Separation on the graphs that every textbook has."""

import pytest

from evenhand.errors import GraphError
from evenhand.graph import CausalGraph


@pytest.mark.parametrize(
    ("text", "given", "separated"),
    [
        ("a -> m -> b", "", False),
        ("a -> m -> b", "m", True),
        ("a <- m -> b", "", False),
        ("a <- m -> b", "m", True),
        ("a -> m <- b", "", True),
        ("a -> m <- b", "m", False),
        ("a -> m <- b; m -> d", "d", False),
        ("a -> b; m", "m", False),
        ("a; b", "", True),
    ],
)
@pytest.mark.paper("def:d")
def test_chains_forks_and_colliders(text, given, separated):
    assert CausalGraph.parse(text).separated("a", "b", given) is separated


def test_an_unknown_node_is_refused():
    with pytest.raises(GraphError, match="no node 'z'"):
        CausalGraph.parse("a -> b").separated("a", "b", {"z"})


def test_the_path_shown_is_the_shortest_and_first_by_name():
    bitsets = CausalGraph.parse("a -> x -> b; a -> m -> b; a -> p -> q -> b")._bits
    assert bitsets.open_path("a", "b", 0) == ("a", "m", "b")
    assert bitsets.open_path("a", "b", bitsets.bits("m", "x")) == ("a", "p", "q", "b")
