"""The paper's block sets, and those of graphs whose answers are known."""

import pytest

from evenhand import Question
from evenhand.graph import CausalGraph

FIGURE_1 = "gender -> major -> admission; gender -> admission; test_score -> admission"
ASIA = (
    "asia -> tub -> either; smoke -> lung -> either; smoke -> bronc -> dysp; "
    "either -> xray; either -> dysp; smoke -> dysp"
)


def ask(protected="C", decision="E"):
    return Question(protected=protected, group="0", decision=decision, favorable="1")


def sets(*names):
    return {frozenset(one.split()) for one in names}


@pytest.mark.paper("fig:toy")
def test_the_admission_graph_has_the_two_block_sets_of_the_paper():
    graph, question = CausalGraph.parse(FIGURE_1), ask("gender", "admission")
    assert set(graph.block_sets(question)) == sets("major", "major test_score")
    assert set(graph.block_sets(question, minimal=True)) == sets("major")


@pytest.mark.paper("fig:toy")
def test_an_arrow_from_major_to_test_score_leaves_the_two_block_sets():
    graph = CausalGraph.parse(FIGURE_1 + "; major -> test_score")
    found = graph.block_sets(ask("gender", "admission"))
    assert set(found) == sets("major", "major test_score")


@pytest.mark.paper("fig:toy")
def test_test_score_alone_is_no_block_set_and_the_reader_is_told_why():
    graph, question = CausalGraph.parse(FIGURE_1), ask("gender", "admission")
    check = graph.check_block_set(question, {"test_score"})
    assert not check
    assert check.open_path == ("gender", "major", "admission")
    assert str(check).splitlines() == [
        "{test_score} is not a block set for gender and admission.",
        "  The path gender -> major -> admission stays open: 'major' is not held equal.",
        "  To get a block set, add 'major'.",
    ]


@pytest.mark.paper("thm:dce")
@pytest.mark.parametrize(
    ("text", "all_sets", "minimal"),
    [
        ("C -> E; U -> C; U -> E", sets("U"), sets("U")),
        ("C -> E; C -> M -> E; E -> D; M -> D", sets("M"), sets("M")),
        (
            "C -> E; A -> C; A -> M; B -> M; B -> E",
            sets("", "A", "B", "A B", "A M", "B M", "A B M"),
            sets(""),
        ),
        (
            "C -> E; A -> C; A -> M; B -> M; B -> E; M -> C; M -> E",
            sets("A M", "B M", "A B M"),
            sets("A M", "B M"),
        ),
        ("C -> E; C -> M1 -> M2 -> E", sets("M1", "M2", "M1 M2"), sets("M1", "M2")),
        ("C -> E; C -> Q -> E; C -> K; E -> K", sets("Q"), sets("Q")),
    ],
    ids=["confounder", "descendant", "M-bias", "butterfly", "chain", "common child"],
)
def test_known_graphs_have_their_known_block_sets(text, all_sets, minimal):
    graph = CausalGraph.parse(text)
    assert set(graph.block_sets(ask())) == all_sets
    assert set(graph.block_sets(ask(), minimal=True)) == minimal


@pytest.mark.paper("thm:dce")
def test_two_parallel_chains_have_nine_block_sets():
    graph = CausalGraph.parse("C -> E; C -> A1 -> A2 -> E; C -> B1 -> B2 -> E")
    assert len({*graph.block_sets(ask())}) == 9
    minimal = sets("A1 B1", "A1 B2", "A2 B1", "A2 B2")
    assert set(graph.block_sets(ask(), minimal=True)) == minimal


@pytest.mark.paper("thm:dce")
def test_asia_has_24_block_sets():
    graph, question = CausalGraph.parse(ASIA), ask("smoke", "dysp")
    assert len({*graph.block_sets(question)}) == 24
    assert set(graph.block_sets(question, minimal=True)) == sets("bronc lung", "bronc either")


@pytest.mark.paper("thm:snd")
def test_the_causes_of_the_decision_are_its_parents_but_for_the_protected_attribute():
    graph = CausalGraph.parse(FIGURE_1)
    assert graph.decision_causes(ask("gender", "admission")) == ("major", "test_score")
