"""Conditional tables and elimination against sums over every assignment, in fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import dags

from evenhand import CountTable
from evenhand.graph import CausalGraph
from evenhand.graph.conditional_tables import Factor, Network, eliminate


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


@given(counted_graphs())
@pytest.mark.paper("eq:ff")
def test_the_joint_is_the_product_of_shares_given_the_parents(drawn):
    graph, counts, rows = drawn
    joint = Network.estimate(counts, graph).exact_joint(counts.names).table
    for codes, values in every_assignment(counts):
        expected = Fraction(1)
        for node in graph.nodes:
            parents = {parent: values[parent] for parent in graph.parents(node)}
            expected *= share(rows, node, values[node], parents)
        assert joint[codes] == expected


@given(counted_graphs())
@pytest.mark.paper("eq:ff")
def test_on_a_complete_graph_the_joint_is_the_table_itself(drawn):
    graph, counts, rows = drawn
    names = graph.nodes
    arrows = frozenset((a, b) for i, a in enumerate(names) for b in names[i + 1 :])
    joint = Network.estimate(counts, CausalGraph(names, arrows)).exact_joint(counts.names)
    shares = counts.cube(counts.names).astype(object) * Fraction(1, len(rows))
    assert (joint.table == shares).all()


@given(counted_graphs())
def test_the_joint_sums_to_one_and_floats_agree_with_fractions(drawn):
    graph, counts, _ = drawn
    fitted = Network.estimate(counts, graph)
    exact = fitted.exact_joint().table
    assert exact.sum() == 1
    assert np.allclose(fitted.joint().table, exact.astype(float), atol=1e-12)


@given(counted_graphs(), st.data())
def test_the_probability_of_a_part_is_the_sum_over_the_rest(drawn, data):
    graph, counts, _ = drawn
    fitted = Network.estimate(counts, graph)
    chosen = data.draw(st.sets(st.sampled_from(counts.names)))
    values = {n: data.draw(st.sampled_from(counts.attribute(n).values)) for n in chosen}
    joint = fitted.exact_joint(counts.names).table
    expected = sum(
        joint[codes]
        for codes, labels in every_assignment(counts)
        if all(labels[n] == v for n, v in values.items())
    )
    assert fitted.probability(**values) == expected


@given(counted_graphs(), st.integers(0, 2**32))
def test_a_sample_holds_only_what_is_possible(drawn, seed):
    graph, counts, _ = drawn
    fitted = Network.estimate(counts, graph)
    sample = fitted.sample(50, seed)
    possible = fitted.exact_joint(sample.names).table > 0
    assert sample.rows == 50
    assert possible[tuple(sample.codes)].all()


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
