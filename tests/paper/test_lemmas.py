"""The paper's lemmas hold exactly: on rational networks both sides are equal with ``==``.

Every network is drawn with its conditional tables in fractions; block sets are found by trying
every set of attributes, with the d-separation of networkx.
"""

from fractions import Fraction
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.strategies import dags

from evenhand.graph.conditional_tables import Factor, eliminate


@st.composite
def rational_networks(draw):
    """A network with positive tables, of which one arrow leads from protected to decision."""
    graph = draw(dags(min_nodes=3, max_nodes=5))
    assume(graph.arrows)
    protected, decision = draw(st.sampled_from(sorted(graph.arrows)))
    cards = {
        name: 2 if name in (protected, decision) else draw(st.integers(2, 3))
        for name in graph.nodes
    }
    factors = []
    for node in graph.topological_order():
        parents = sorted(graph.parents(node))
        shape = [cards[name] for name in (*parents, node)]
        size = int(np.prod(shape))
        weights = draw(st.lists(st.integers(1, 9), min_size=size, max_size=size))
        table = np.array([Fraction(weight) for weight in weights]).reshape(shape)
        factors.append(Factor((*parents, node), table / table.sum(axis=-1, keepdims=True)))
    return Population(graph, eliminate(factors, graph.nodes), protected, decision)


class Population:
    """A joint distribution asked by value assignments, which are dictionaries of codes."""

    def __init__(self, graph, joint, protected, decision):
        self.graph = nx.DiGraph(graph.arrows)
        self.graph.add_nodes_from(graph.nodes)
        self.names, self.protected, self.decision = joint.names, protected, decision
        self.joint = joint
        self.causes = frozenset(graph.parents(decision)) - {protected}

    def probability(self, **codes):
        index = tuple(codes.get(name, slice(None)) for name in self.names)
        return Fraction(np.sum(self.joint.table[index]))

    def assignments(self, names):
        names = sorted(names)
        cards = [self.joint.table.shape[self.names.index(name)] for name in names]
        return [dict(zip(names, codes, strict=True)) for codes in product(*map(range, cards))]

    def rate(self, group, given):
        of_group = given | {self.protected: group}
        favorable = of_group | {self.decision: 1}
        return self.probability(**favorable) / self.probability(**of_group)

    def difference(self, given):
        return self.rate(1, given) - self.rate(0, given)

    def is_block_set(self, names):
        without = self.graph.copy()
        without.remove_edge(self.protected, self.decision)
        return not names & nx.descendants(self.graph, self.decision) and nx.is_d_separator(
            without, {self.protected}, {self.decision}, set(names)
        )

    @property
    def block_sets(self):
        others = set(self.names) - {self.protected, self.decision}
        every = (set(c) for size in range(len(others) + 1) for c in combinations(others, size))
        return [names for names in every if self.is_block_set(names)]

    def mean(self, names):
        return sum(self.probability(**b) * self.difference(b) for b in self.assignments(names))

    def variance(self, names):
        mean = self.mean(names)
        return sum(
            self.probability(**b) * (self.difference(b) - mean) ** 2
            for b in self.assignments(names)
        )


@pytest.mark.paper("thm:qd")
@given(rational_networks())
def test_a_difference_is_the_mean_of_the_differences_among_the_decision_causes(population):
    for block_set in population.block_sets:
        rest = population.causes - block_set
        for b in population.assignments(block_set):
            mean = sum(
                population.probability(**b, **q)
                / population.probability(**b)
                * population.difference({name: (b | q)[name] for name in population.causes})
                for q in population.assignments(rest)
            )
            assert population.difference(b) == mean


@pytest.mark.paper("thm:q")
@given(rational_networks())
def test_the_decision_causes_are_a_block_set(population):
    assert population.is_block_set(population.causes)


@pytest.mark.paper("thm:snd")
@given(rational_networks())
def test_no_block_set_has_a_larger_difference_than_the_decision_causes(population):
    largest = max(
        abs(population.difference(q)) for q in population.assignments(population.causes)
    )
    for block_set in population.block_sets:
        for b in population.assignments(block_set):
            assert abs(population.difference(b)) <= largest


@pytest.mark.paper("thm:mu")
@given(rational_networks())
def test_every_block_set_has_the_mean_difference_of_the_decision_causes(population):
    means = {population.mean(names) for names in population.block_sets}
    assert means == {population.mean(population.causes)}


@pytest.mark.paper("thm:sigma")
@given(rational_networks())
def test_no_block_set_has_a_larger_variance_than_the_decision_causes(population):
    largest = population.variance(population.causes)
    assert all(population.variance(names) <= largest for names in population.block_sets)
