"""Predictions in the place of a recorded decision, which alone had effects."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand import GraphEdit
from evenhand.graph import CausalGraph, PartialGraph
from evenhand.graph.edits import edited, graph_of_predictions

DATA = CausalGraph.parse("sex -> hired; job -> hired -> pay; job -> pay -> town")
NAMES = [*"abcdef"]


def of_predictions(graph, kept=()):
    return graph_of_predictions(graph, "hired", "said", kept=kept)


def test_predictions_have_the_causes_of_the_decision_and_no_effect():
    assert str(of_predictions(DATA)) == "job -> said; sex -> said"
    assert of_predictions(DATA).unedited is None


@given(st.sets(st.sampled_from([(a, b) for a in NAMES for b in NAMES if a < b])))
def test_all_but_effects_stay_joined_as_networkx_has_them(arrows):
    graph = graph_of_predictions(CausalGraph((*NAMES,), frozenset(arrows)), "c", "said")
    whole = nx.DiGraph([*arrows])
    whole.add_nodes_from(NAMES)
    rest = whole.subgraph({*NAMES} - nx.descendants(whole, "c"))
    right = nx.relabel_nodes(rest, {"c": "said"})
    assert ({*graph.nodes}, {*graph.arrows}) == ({*right.nodes}, {*right.edges})


def test_a_graph_stays_whole_where_it_is_open_what_an_effect_is():
    text = "sex -> {0}; {0} -> pay; job -> {0}; {0} - town; pay - town"
    graph = of_predictions(PartialGraph.parse(text.format("hired")))
    assert graph == PartialGraph.parse(text.format("said"))


def test_an_open_edge_between_two_effects_leaves_nothing_open():
    graph = PartialGraph.parse("sex - job; sex -> hired; hired -> pay - town; hired -> town")
    assert str(of_predictions(graph)) == "sex -> said; job - sex"


def test_a_graph_stays_whole_where_an_effect_is_asked_about():
    graph = of_predictions(DATA, kept={"pay"})
    assert graph.children("said") == {"pay"}


def test_doubts_about_effects_go_with_them_and_others_stay():
    graph = PartialGraph.parse("sex -> hired; job -> hired -> pay; job -> pay; town -> job")
    doubts = frozenset({("job", "hired", "sex"), ("hired", "pay", "job")})
    graph = PartialGraph(graph.nodes, graph.arrows, graph.undirected, doubts=doubts)
    assert of_predictions(graph).doubtful == {("job", "said", "sex")}


def test_edits_of_effects_go_with_them_and_others_stay():
    edits = [
        GraphEdit.parse("remove", "job -> pay: it is not"),
        GraphEdit.parse("add", "sex -> job: it is"),
    ]
    graph = of_predictions(edited(DATA, edits))
    assert str(graph) == "job -> said; sex -> job; sex -> said"
    assert [str(edit) for edit in graph.edits] == [str(edits[1])]
    assert str(graph.unedited) == "job -> said; sex -> said"
    graph = of_predictions(edited(DATA, edits[:1]))
    assert (graph.edits, graph.unedited) == ((), None)


@pytest.mark.parametrize(
    ("before", "edit"),
    [
        ("pay -> hired", ("reverse", "pay -> hired: later")),
        ("pay - hired", ("add", "hired -> pay: later")),
    ],
)
def test_an_edit_that_makes_an_effect_of_a_cause_is_told(before, edit):
    graph = edited(PartialGraph.parse(f"sex -> hired; {before}"), [GraphEdit.parse(*edit)])
    of_model = of_predictions(graph)
    assert str(of_model) == "said -> pay; sex -> said"
    assert len(of_model.edits) == 1
