"""Block sets against the definition, on all small graphs and on random larger ones."""

from itertools import islice, pairwise, permutations

import pytest
from hypothesis import given, settings
from tests.brute_force import all_dags, block_sets, descendants, subsets
from tests.repetitions import repetitions
from tests.strategies import asked_dags

from evenhand import Question
from evenhand.graph import CausalGraph


def ask(protected, decision):
    return Question(protected=protected, group="0", decision=decision, favorable="1")


def minimal(sets):
    return {one for one in sets if not any(other < one for other in sets)}


def disagreements(names, every=1):
    for arrows in islice(all_dags(names), 0, None, every):
        graph = CausalGraph(tuple(names), arrows)
        for protected, decision in permutations(names, 2):
            if protected in descendants(arrows, decision):
                continue
            true = block_sets(arrows, names, protected, decision)
            found = [*graph.block_sets(ask(protected, decision))]
            fewest = [*graph.block_sets(ask(protected, decision), minimal=True)]
            if len(found) != len(true) or set(found) != true:
                yield arrows, protected, decision, found
            if len(fewest) != len(minimal(true)) or set(fewest) != minimal(true):
                yield arrows, protected, decision, fewest


@pytest.mark.paper("thm:dce")
@pytest.mark.parametrize(
    ("names", "every"), [("ab", 1), ("abc", 1), ("abcd", 1), ("abcde", 97)]
)
def test_the_block_sets_of_all_small_graphs_are_those_of_the_definition(names, every):
    assert not [*disagreements(names, every)]


@pytest.mark.slow
@pytest.mark.paper("thm:dce")
def test_the_block_sets_of_all_29281_graphs_are_those_of_the_definition():
    assert not [*disagreements("abcde")]


@settings(max_examples=repetitions(40))
@given(asked_dags(min_nodes=6, max_nodes=8))
def test_on_larger_graphs_each_block_set_is_found_once_and_passes_the_check(asked):
    graph, question = asked
    found = [*graph.block_sets(question)]
    allowed = {*graph.nodes} - {question.protected, question.decision}
    checked = {names for names in subsets(allowed) if graph.check_block_set(question, names)}
    assert len(found) == len(checked)
    assert set(found) == checked
    assert set(graph.block_sets(question, minimal=True)) == minimal(checked)


@pytest.mark.paper("thm:q")
@given(asked_dags(max_nodes=8))
def test_the_causes_of_the_decision_are_always_a_block_set(asked):
    graph, question = asked
    assert graph.check_block_set(question, graph.decision_causes(question)).holds


@pytest.mark.paper("thm:q")
@given(asked_dags(min_nodes=4, max_nodes=7))
def test_more_attributes_beside_the_causes_still_block_unless_the_decision_causes_them(asked):
    graph, question = asked
    causes = frozenset(graph.decision_causes(question))
    ends = {question.protected, question.decision}
    others = {*graph.nodes} - causes - ends - graph.descendants(question.decision)
    assert all(graph.check_block_set(question, causes | more) for more in subsets(others))


@given(asked_dags(min_nodes=4, max_nodes=7))
def test_the_remedy_of_a_refused_set_makes_it_a_block_set(asked):
    graph, question = asked
    for names in subsets({*graph.nodes} - {question.protected, question.decision}):
        check = graph.check_block_set(question, names)
        mended = names.difference(check.consequences).union(check.missing)
        assert graph.check_block_set(question, mended)
        assert check.holds == (mended == names)


def layered(layers, width):
    """Protected, layers of nodes each joined to the whole next layer, decision."""
    rows = [["c"], *([f"n{i:02}{j}" for j in range(width)] for i in range(layers)), ["e"]]
    arrows = [(a, b) for row, below in pairwise(rows) for a in row for b in below]
    return CausalGraph(tuple(name for row in rows for name in row), frozenset(arrows))


@pytest.mark.parametrize("least", [False, True])
def test_the_first_block_sets_of_sixty_nodes_need_not_wait_for_all(least):
    """All of them are more than could ever be listed."""
    graph = layered(15, 4)
    found = [*islice(graph.block_sets(ask("c", "e"), minimal=least), 50)]
    assert len(set(found)) == (15 if least else 50)
