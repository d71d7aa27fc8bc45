"""Block sets and verdicts where edges are open, against all graphs that there may be."""

from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.brute_force import block_sets, subsets
from tests.open_graphs import (
    NO,
    OPEN,
    YES,
    admissible,
    agreed,
    all_open_graphs,
    check_against_all_graphs,
    contested,
    families,
    judge,
    questions,
)
from tests.repetitions import ALL, repetitions
from tests.strategies import partial_graphs

from evenhand import CountTable, certify, explain_partition
from evenhand.graph.admissible_graphs import admissible_graphs

STEP = 41 if ALL else 123


@settings(max_examples=repetitions(60))
@given(partial_graphs(max_nodes=4))
def test_the_variants_have_the_block_sets_of_all_admissible_graphs(partial):
    for question in questions(partial):
        found = admissible_graphs(partial, question)
        assert found.complete
        assert {
            (frozenset(one.decision_causes(question)), frozenset(one.block_sets(question)))
            for one in found.graphs
        } == families(partial, question)


@settings(max_examples=repetitions(60))
@given(partial_graphs(max_nodes=4))
def test_an_edge_that_decides_alone_settles_the_outcome(partial):
    for question in questions(partial):
        found = admissible_graphs(partial, question)
        names, ends = "".join(partial.nodes), (question.protected, question.decision)
        outcomes = [frozenset() in {*graph.block_sets(question)} for graph in found.graphs]
        edges = found.deciding_edges(outcomes)
        assert bool(edges) == (len(set(outcomes)) > 1)
        by_direction = {
            arrow: {
                frozenset() in block_sets(arrows, names, *ends)
                for arrows in admissible(partial, question)
                if arrow in arrows
            }
            for edge in edges
            for arrow in (edge, edge[::-1])
        }
        if len(edges) == 1:
            ((a, b),) = edges
            assert by_direction[a, b] != by_direction[b, a]


@settings(max_examples=repetitions(60))
@given(partial_graphs(max_nodes=4))
def test_a_partition_is_meaningful_in_all_admissible_graphs_in_some_or_in_none(partial):
    lines = [*product("01", repeat=len(partial.nodes))]
    columns = dict(zip(partial.nodes, zip(*lines, strict=True), strict=True))
    table = CountTable.of(columns, [1] * len(lines))
    for question in questions(partial):
        sets = [family for _, family in families(partial, question)]
        if not sets:
            continue
        for names in subsets({*partial.nodes} - {question.protected, question.decision}):
            answers = {names in family for family in sets}
            told = explain_partition(table, partial, question, names)
            assert told.is_meaningful is (answers.pop() if len(answers) == 1 else None)
            assert bool(told.deciding_edges) == (told.is_meaningful is None)


@settings(max_examples=repetitions(60))
@given(partial_graphs(max_nodes=4), st.data())
def test_the_verdict_is_the_one_on_which_all_admissible_graphs_agree(partial, data):
    rows = [
        dict(zip(partial.nodes, v, strict=True))
        for v in product("01", repeat=len(partial.nodes))
    ]
    size = st.integers(0, 3) | st.just(40)
    counts = data.draw(st.lists(size, min_size=len(rows), max_size=len(rows)))
    lines = [(row, count) for row, count in zip(rows, (c + 1 for c in counts), strict=True)]
    table = CountTable.of(
        {name: [row[name] for row, _ in lines] for name in partial.nodes},
        [count for _, count in lines],
    )
    scope = data.draw(st.sampled_from(["minimal", "all"]))
    question = data.draw(st.sampled_from([*questions(partial)] or [None]))
    if question is None:
        return
    certificate = certify(table, partial, question, scope=scope)
    graphs = families(partial, question)
    examined = {frozenset(partition.names) for partition in certificate.partitions}
    if not graphs:
        assert not certificate.complete
        return
    wanted = {causes for causes, _ in graphs}
    for _, sets in graphs:
        minimal = {one for one in sets if not any(other < one for other in sets)}
        wanted |= sets if scope == "all" else minimal
    assert examined == wanted
    assert certificate.complete
    ranks = (YES, OPEN, NO)
    by_graph = {
        max((judge(lines, sorted(one), question) for one in examined & sets), key=ranks.index)
        for _, sets in graphs
    }
    assert str(certificate.verdict) == agreed(by_graph)


@pytest.mark.parametrize("part", range(4))
def test_knowledge_hides_no_contradiction(part):
    """Every 123rd graph, or 41st; tests/slow/test_open_graphs_campaign.py takes all of them."""
    for partial in islice(all_open_graphs(), part * STEP, None, 4 * STEP):
        check_against_all_graphs(partial)


@pytest.mark.parametrize("part", range(4))
def test_knowledge_that_directs_a_contested_edge_leaves_its_triples_in_doubt(part):
    """A collider that the rows do not exclude is not excluded by what is known elsewhere."""
    for partial in islice(all_open_graphs(), part * STEP, None, 4 * STEP):
        check_against_all_graphs(contested(partial))
