"""Local discovery with an oracle instead of data finds the truth, and only the truth."""

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.brute_force import equivalent
from tests.repetitions import repetitions
from tests.strategies import dags, known_dags, tiered_dags

from evenhand import Knowledge, Tiers
from evenhand.graph import CausalGraph
from evenhand.graph.independence_tests import Independence
from evenhand.graph.local_discovery import CachedTests, LocalSearch


class Oracle:
    """Answers by d-separation in the true graph, as networkx sees it."""

    def __init__(self, graph):
        self.graph = nx.DiGraph(graph.arrows)
        self.graph.add_nodes_from(graph.nodes)
        self.asked = []

    def test(self, x, y, given):
        self.asked.append((x, y, tuple(given)))
        apart = nx.is_d_separator(self.graph, {x}, {y}, set(given))
        return Independence(float(not apart), 1, float(apart), independent=apart)

    def parts(self, tests):
        return ([self.test(*one)] for one in tests)


def searched(graph, knowledge, decision, cap=99):
    search = LocalSearch(
        decision,
        Knowledge.of(knowledge).about(graph.nodes),
        CachedTests(Oracle(graph)),
        max_given=cap,
        max_given_peers=cap,
    )
    return search.causes()


def truth(graph, knowledge, decision):
    """The decision's place in every graph that the data and knowledge leave possible."""
    order = Knowledge.of(knowledge).about(graph.nodes)
    graphs = equivalent(graph.arrows, order.may_cause)
    parents = [frozenset(a for a, b in arrows if b == decision) for arrows in graphs]
    children = [frozenset(b for a, b in arrows if a == decision) for arrows in graphs]
    return (
        frozenset.intersection(*parents),
        frozenset.intersection(*children),
        frozenset.union(*parents) - frozenset.intersection(*parents),
        set(parents),
    )


def assert_true(graph, knowledge, decision):
    found = searched(graph, knowledge, decision)
    parents, children, ambiguous, sets = truth(graph, knowledge, decision)
    assert set(found.parents) == parents
    assert set(found.ambiguous) == ambiguous
    assert set(found.possible_parents) == sets
    # What cannot come before the decision is not searched, so neither are such effects.
    assert set(found.children) == children & possible_ancestors(graph, knowledge, decision)


def possible_ancestors(graph, knowledge, decision):
    order = Knowledge.of(knowledge).about(graph.nodes)
    allowed = nx.DiGraph(
        (a, b) for a in graph.nodes for b in graph.nodes if a != b and order.may_cause(a, b)
    )
    allowed.add_nodes_from(graph.nodes)
    return nx.ancestors(allowed, decision)


@st.composite
def partly_known_dags(draw, **limits):
    """A graph with knowledge in which tiers leave nodes out and absent edges are forbidden."""
    graph, knowledge = draw(known_dags(**limits))
    tiers = knowledge.tiers
    if tiers:
        kept = draw(st.sets(st.sampled_from(graph.nodes)))
        tiers = Tiers(*([name for name in tier if name in kept] for tier in tiers.tiers))
    absent = [
        (a, b) for a in graph.nodes for b in graph.nodes if a != b and not graph.adjacent(a, b)
    ]
    both = draw(st.sets(st.sampled_from(absent), max_size=2)) if absent else set()
    forbidden = {*knowledge.forbidden, *both, *((b, a) for a, b in both)}
    return graph, Knowledge(tiers=tiers, required=knowledge.required, forbidden=forbidden)


@given(tiered_dags(min_nodes=2, max_nodes=6), st.data())
def test_with_tiers_local_discovery_finds_what_the_whole_graph_would_tell(tiered, data):
    graph, tiers = tiered
    assert_true(graph, tiers, data.draw(st.sampled_from(graph.nodes)))


@given(dags(min_nodes=2, max_nodes=6), st.data())
def test_without_knowledge_local_discovery_finds_what_the_whole_graph_would_tell(graph, data):
    assert_true(graph, None, data.draw(st.sampled_from(graph.nodes)))


@settings(max_examples=repetitions(150))
@given(partly_known_dags(min_nodes=3, max_nodes=6), st.data())
def test_with_any_true_knowledge_it_finds_what_the_whole_graph_would_tell(known, data):
    graph, knowledge = known
    assert_true(graph, knowledge, data.draw(st.sampled_from(graph.nodes)))


@given(tiered_dags(min_nodes=3, max_nodes=7), st.data())
def test_a_decision_alone_in_the_last_tier_is_the_only_node_searched(tiered, data):
    graph, _ = tiered
    sinks = [node for node in graph.nodes if not graph.children(node)]
    decision = data.draw(st.sampled_from(sinks))
    found = searched(graph, Tiers(..., [decision]), decision)
    assert found.expanded == (decision,)
    assert set(found.parents) == graph.parents(decision)


def test_more_ambiguous_edges_than_can_be_combined_are_still_named():
    star = CausalGraph.parse("; ".join(f"a -> {effect}" for effect in "bcdefghijklmnop"))
    found = searched(star, None, "a", cap=1)
    assert set(found.ambiguous) == set("bcdefghijklmnop")
    assert found.possible_parents == ()
    assert any("15 edges at 'a' have no direction" in note for note in found.notes)


@given(known_dags(min_nodes=3, max_nodes=6), st.data())
def test_no_question_is_asked_twice(known, data):
    graph, knowledge = known
    decision = data.draw(st.sampled_from(graph.nodes))
    oracle = Oracle(graph)
    order = Knowledge.of(knowledge).about(graph.nodes)
    search = LocalSearch(decision, order, CachedTests(oracle), max_given=9, max_given_peers=9)
    assert search.causes().tests == len(oracle.asked) == len(set(oracle.asked))


@given(known_dags(min_nodes=3, max_nodes=6), st.data())
def test_names_and_their_order_do_not_matter(known, data):
    graph, knowledge = known
    decision = data.draw(st.sampled_from(graph.nodes))
    shuffled = data.draw(st.permutations(graph.nodes))
    new = dict(zip(graph.nodes, shuffled, strict=True))

    def renamed(arrows):
        return [(new[a], new[b]) for a, b in arrows]

    other = CausalGraph(tuple(shuffled), frozenset(renamed(graph.arrows)))
    tiers = knowledge.tiers and Tiers(*([new[n] for n in t] for t in knowledge.tiers.tiers))
    told = Knowledge(
        tiers=tiers,
        required=renamed(knowledge.required),
        forbidden=renamed(knowledge.forbidden),
    )
    before = searched(graph, knowledge, decision)
    after = searched(other, told, new[decision])
    assert {new[name] for name in before.parents} == set(after.parents)
    assert {new[name] for name in before.children} == set(after.children)
    assert {new[name] for name in before.ambiguous} == set(after.ambiguous)
