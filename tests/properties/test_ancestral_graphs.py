"""The graphs among the ancestors, against every way to direct every edge."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.brute_force import descendants
from tests.open_graphs import admitted, questions
from tests.repetitions import repetitions
from tests.strategies import partial_graphs

from evenhand import CausalGraph, Question
from evenhand.graph import PartialGraph
from evenhand.graph.admissible_graphs import ancestral_graphs


def above(arrows, nodes, question):
    """The nodes from which arrows lead to the protected attribute or the decision."""
    ends = {question.protected, question.decision}
    return frozenset(node for node in nodes if descendants(arrows, node) & ends)


def ancestral(arrows, nodes, question):
    names = above(arrows, nodes, question)
    return names, frozenset(arrow for arrow in arrows if arrow[1] in names)


@settings(max_examples=repetitions(150))
@given(partial_graphs())
def test_every_graph_among_the_ancestors_is_there_once(partial):
    for question in questions(partial):
        answers, consistent = admitted(partial, question)
        given_graphs = ancestral_graphs(partial, question)
        assert given_graphs.complete
        assert given_graphs.consistent == consistent
        graphs = [(frozenset(graph.nodes), graph.arrows) for graph in given_graphs.graphs]
        assert len(graphs) == len(set(graphs))
        assert set(graphs) == {ancestral(a, partial.nodes, question) for a in answers}


@settings(max_examples=repetitions(100))
@given(partial_graphs(), st.data())
def test_an_edge_is_named_where_outcomes_differ_and_may_have_both_directions(partial, data):
    for question in questions(partial):
        answers, _ = admitted(partial, question)
        given_graphs = ancestral_graphs(partial, question)
        graphs = [(frozenset(graph.nodes), graph.arrows) for graph in given_graphs.graphs]
        outcome = {graph: data.draw(st.integers(0, 1)) for graph in sorted(graphs, key=str)}
        edges = given_graphs.deciding_edges([outcome[graph] for graph in graphs])
        assert bool(edges) == (len(set(outcome.values())) > 1)
        by_direction = {
            arrow: {
                outcome[ancestral(arrows, partial.nodes, question)]
                for arrows in answers
                if arrow in arrows
            }
            for edge in edges
            for arrow in (edge, edge[::-1])
        }
        assert all(by_direction.values())


@given(partial_graphs(), st.data())
def test_neither_the_names_nor_their_order_matter(partial, data):
    names = dict(zip(partial.nodes, data.draw(st.permutations(partial.nodes)), strict=True))

    def renamed(arrows):
        return frozenset((names[a], names[b]) for a, b in arrows)

    other = PartialGraph(partial.nodes, renamed(partial.arrows), renamed(partial.undirected))
    plain = PartialGraph(partial.nodes, partial.arrows, partial.undirected)
    for question in questions(partial):
        swapped = Question(
            protected=names[question.protected],
            group="0",
            decision=names[question.decision],
            favorable="1",
        )
        graphs = {renamed(graph.arrows) for graph in ancestral_graphs(plain, question).graphs}
        assert {graph.arrows for graph in ancestral_graphs(other, swapped).graphs} == graphs


@given(partial_graphs())
def test_a_causal_graph_stands_for_itself(partial):
    graph = CausalGraph(partial.nodes, partial.arrows)
    for question in questions(graph):
        (alone,) = ancestral_graphs(graph, question).graphs
        names, arrows = ancestral(graph.arrows, graph.nodes, question)
        assert (frozenset(alone.nodes), alone.arrows) == (names, arrows)
