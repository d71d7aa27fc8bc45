"""Conditional tables and elimination against sums over every assignment."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import dags

from evenhand import CountTable
from evenhand.graph import CausalGraph
from evenhand.graph.conditional_tables import Factor, eliminate, fitted_tables


@st.composite
def counted_graphs(draw):
    """A graph and rows over its nodes, among them assignments that never occur."""
    graph = draw(dags(min_nodes=1, max_nodes=4))
    rows = draw(
        st.lists(
            st.tuples(*(st.sampled_from("012") for _ in graph.nodes)), min_size=1, max_size=12
        )
    )
    columns = dict(zip(graph.nodes, map(list, zip(*rows, strict=True)), strict=True))
    return graph, CountTable.of(columns), [dict(zip(graph.nodes, r, strict=True)) for r in rows]


def share(rows, name, value, given_values):
    """The share of a value among matching rows, or among all where none matches."""
    matching = [r for r in rows if all(r[n] == v for n, v in given_values.items())] or rows
    return Fraction(sum(r[name] == value for r in matching), len(matching))


def every_assignment(counts):
    for codes in product(*(range(card) for card in counts.cards)):
        yield (
            codes,
            {a.name: a.values[c] for a, c in zip(counts.attributes, codes, strict=True)},
        )


def joint(counts, graph):
    """The product of the tables that are estimated along the graph."""
    tables = fitted_tables(counts, graph).values()
    return eliminate([Factor(table.names, table.shares) for table in tables], counts.names)


@given(counted_graphs())
@pytest.mark.paper("eq:ff")
def test_the_joint_is_the_product_of_shares_given_the_parents(drawn):
    graph, counts, rows = drawn
    table = joint(counts, graph).table
    assert table.sum() == pytest.approx(1)
    for codes, values in every_assignment(counts):
        expected = Fraction(1)
        for node in graph.nodes:
            parents = {parent: values[parent] for parent in graph.parents(node)}
            expected *= share(rows, node, values[node], parents)
        assert table[codes] == pytest.approx(float(expected), abs=1e-12)


@given(counted_graphs())
@pytest.mark.paper("eq:ff")
def test_on_a_complete_graph_the_joint_is_the_table_itself(drawn):
    graph, counts, rows = drawn
    names = graph.nodes
    arrows = frozenset((a, b) for i, a in enumerate(names) for b in names[i + 1 :])
    shares = counts.cube(counts.names) / len(rows)
    assert np.allclose(joint(counts, CausalGraph(names, arrows)).table, shares, atol=1e-12)


@st.composite
def factor_lists(draw):
    """Factors of whole numbers over up to six variables, and an order of some to keep."""
    cards = {name: draw(st.integers(1, 3)) for name in "uvwxyz"}
    scopes = draw(
        st.lists(st.lists(st.sampled_from("uvwxyz"), unique=True, max_size=3), min_size=1)
    )
    factors = []
    for scope in scopes[:6]:
        shape = [cards[name] for name in scope]
        size = int(np.prod(shape))
        numbers = draw(st.lists(st.integers(-3, 3), min_size=size, max_size=size))
        factors.append(Factor(tuple(scope), np.array(numbers, np.int64).reshape(shape)))
    present = sorted({name for factor in factors for name in factor.names})
    keep = draw(st.lists(st.sampled_from(present), unique=True)) if present else []
    return factors, keep, {name: cards[name] for name in present}


@given(factor_lists())
def test_elimination_is_the_sum_of_products_over_all_assignments(drawn):
    factors, keep, cards = drawn
    expected = np.zeros([cards[name] for name in keep], np.int64)
    for codes in product(*map(range, cards.values())):
        values = dict(zip(cards, codes, strict=True))
        term = 1
        for factor in factors:
            term *= factor.table[tuple(values[name] for name in factor.names)]
        expected[tuple(values[name] for name in keep)] += term
    found = eliminate(factors, keep)
    assert found.names == tuple(keep)
    assert np.array_equal(found.table, expected)
