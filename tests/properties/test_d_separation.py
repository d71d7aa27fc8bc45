"""Separation against the definition, path by path, and against networkx."""

from itertools import combinations, islice

import networkx as nx
import pytest
from hypothesis import given, settings
from tests.brute_force import all_dags, is_blocked, is_separated, subsets
from tests.repetitions import repetitions
from tests.strategies import dags

from evenhand.graph import CausalGraph


def disagreements(names, every=1):
    for arrows in islice(all_dags(names), 0, None, every):
        graph = CausalGraph(tuple(names), arrows)
        other = graph.to_networkx()
        for a, b in combinations(names, 2):
            for held in subsets(set(names) - {a, b}):
                answer = graph.separated(a, b, held)
                if answer != is_separated(arrows, a, b, held):
                    yield arrows, a, b, held
                if answer != nx.is_d_separator(other, {a}, {b}, set(held)):
                    yield arrows, a, b, held


@pytest.mark.paper("def:d")
@pytest.mark.parametrize(
    ("names", "every"), [("ab", 1), ("abc", 1), ("abcd", 1), ("abcde", 211)]
)
def test_separation_is_the_definition_and_what_networkx_says_on_all_small_graphs(names, every):
    assert not [*disagreements(names, every)]


@pytest.mark.slow
@pytest.mark.paper("def:d")
def test_separation_is_the_definition_and_what_networkx_says_on_all_29281_graphs():
    assert not [*disagreements("abcde")]


@given(dags(min_nodes=4, max_nodes=7))
def test_an_open_path_is_shown_exactly_where_there_is_one(graph):
    a, b, *others = graph.nodes
    bitsets = graph._bits
    for held in subsets(others):
        path = bitsets.open_path(a, b, bitsets.bits(*held))
        assert bool(path) != graph.separated(a, b, held)
        if path:
            assert len(set(path)) == len(path)
            assert not is_blocked(graph.arrows, path, held)


@settings(max_examples=repetitions(30))
@given(dags(min_nodes=3, max_nodes=7))
def test_every_node_is_separated_from_other_non_descendants_by_its_parents(graph):
    for node in graph.nodes:
        parents = graph.parents(node)
        for other in set(graph.nodes) - graph.descendants(node) - parents - {node}:
            assert graph.separated(node, other, parents)
