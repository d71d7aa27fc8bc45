"""What the counts say against a graph."""

from itertools import combinations

import numpy as np
import pytest
from tests.single_tests import SingleTests

from evenhand import CountTable, Knowledge, Question, Tiers, datasets
from evenhand.evidence.variations.graph_tests import doubt
from evenhand.graph import CausalGraph, PartialGraph, discover

QUESTION = Question(protected="c", group="0", other="1", decision="e", favorable="1")


def sampled(rows=20_000, seed=1):
    """c -> q -> e <- c, with a lone x, and an effect d of e."""
    generator = np.random.default_rng(seed)
    c, x = generator.integers(0, 2, (2, rows))
    q = (generator.uniform(size=rows) < 0.3 + 0.3 * c).astype(int)
    e = (generator.uniform(size=rows) < 0.2 + 0.3 * q + 0.1 * c).astype(int)
    d = (generator.uniform(size=rows) < 0.2 + 0.5 * e).astype(int)
    columns = {"c": c, "q": q, "x": x, "e": e, "d": d}
    return CountTable.of({name: list(map(str, column)) for name, column in columns.items()})


COUNTS = sampled()
RIGHT = CausalGraph.parse("c -> q; c -> e; q -> e; e -> d; x")


def test_each_cause_has_the_largest_p_over_all_sets_that_its_ends_offer():
    found = {one.cause: one for one in doubt(COUNTS, RIGHT, QUESTION).arrows}
    assert set(found) == {"c", "q"}
    tester = SingleTests(COUNTS)
    pools = (["c", "d"], ["c"])
    sets = {s for pool in pools for k in range(3) for s in combinations(pool, k)}
    tried = {given: tester.test("q", "e", given).p for given in sets}
    assert found["q"].p == pytest.approx(max(tried.values()), rel=1e-9)
    assert tried[found["q"].given] == max(tried.values())
    assert found["q"].tests == len(sets)


def test_knowledge_keeps_effects_out_of_the_sets():
    tiers = Tiers(["c"], ["q", "x"], ["e"], ["d"])
    found = {one.cause: one for one in doubt(COUNTS, RIGHT, QUESTION, knowledge=tiers).arrows}
    assert found["q"].tests == 2
    assert "d" not in found["q"].given


def test_the_weakest_arrow_comes_first():
    p = [one.p for one in doubt(COUNTS, RIGHT, QUESTION).arrows]
    assert p == sorted(p, reverse=True)


def test_an_arrow_that_is_none_has_a_large_p():
    wrong = CausalGraph.parse("c -> q; c -> e; q -> e; e -> d; x -> e")
    weakest = doubt(COUNTS, wrong, QUESTION).arrows[0]
    assert weakest.cause == "x"
    assert weakest.p > 0.05


def test_a_right_graph_is_not_contradicted():
    found = doubt(COUNTS, RIGHT, QUESTION)
    assert [one.name for one in found.implied] == ["x"]
    assert found.implied[0].given == ("c", "q")
    assert not found.contradicted


def test_a_missing_cause_contradicts_the_graph():
    lacking = CausalGraph.parse("c -> q; c -> e; e -> d; x")
    found = doubt(COUNTS, lacking, QUESTION)
    assert [one.name for one in found.contradicted] == ["q"]
    assert found.implied[0].name == "q"
    assert "q should be independent of e given {c}" in str(found)


def test_without_the_direct_arrow_the_protected_attribute_should_be_independent_itself():
    indirect = CausalGraph.parse("c -> q; q -> e; e -> d; x")
    found = doubt(COUNTS, indirect, QUESTION)
    assert [one.name for one in found.contradicted] == ["c"]
    assert found.contradicted[0].given == ("q",)


def test_what_may_be_an_effect_is_not_tested():
    open_ended = PartialGraph.parse("c -> q; c -> e; q -> e; e - d; x")
    assert [one.name for one in doubt(COUNTS, open_ended, QUESTION).implied] == ["x"]


def test_an_edge_of_open_direction_is_marked():
    open_ended = PartialGraph.parse("c -> e; q - e; e -> d; x")
    found = {one.cause: one.certain for one in doubt(COUNTS, open_ended, QUESTION).arrows}
    assert found == {"c": True, "q": False}


def test_no_graph_is_blamed_for_sets_of_causes_that_would_explain_it():
    # If q is a cause, x is independent of e; so it must not be called contradicted.
    open_ended = PartialGraph.parse("c -> q; c -> e; q - e; x")
    tiers = Tiers(["c"], ["q", "x"], ["e"])
    graph = CausalGraph.parse("c -> q; c -> e; q -> e; x")
    p = {one.name: one.p for one in doubt(COUNTS, graph, QUESTION, knowledge=tiers).implied}
    found = doubt(COUNTS, open_ended, QUESTION, knowledge=tiers)
    assert {one.name: one.p for one in found.implied}["x"] >= p["x"]


def test_too_many_sets_are_cut_and_said():
    found = doubt(COUNTS, RIGHT, QUESTION, max_tests=2)
    assert not found.complete
    assert "Not all sets were tried" in str(found)
    assert doubt(COUNTS, RIGHT, QUESTION).complete


def test_a_required_arrow_is_marked():
    known = Knowledge(required=["q -> e"])
    found = {one.cause: one for one in doubt(COUNTS, RIGHT, QUESTION, knowledge=known).arrows}
    assert found["q"].required
    assert not found["c"].required


def test_learned_arrows_are_doubted_by_the_test_they_were_learned_with(paper_adult):
    asked = datasets.question("adult")
    graph = discover(paper_adult, knowledge=asked.knowledge)
    told = doubt(paper_adult, graph, asked.question, knowledge=asked.knowledge)
    assert told.test == graph.record.test
    assert all(one.p <= graph.record.significance for one in told.arrows)
    assert told.arrows[0].cause == "occupation"


def test_the_papers_dutch_graph_lacks_something(dutch):
    asked = datasets.question("dutch")
    graph = discover(dutch, knowledge=asked.knowledge)
    told = doubt(dutch, graph, asked.question, knowledge=asked.knowledge, max_tests=1)
    assert {one.name for one in told.contradicted} == {"country_birth", "citizenship"}


def test_it_becomes_plain_values():
    told = doubt(COUNTS, RIGHT, QUESTION).to_dict()
    assert told["arrows"][0].keys() == {"cause", "given", "p", "tests", "certain", "required"}
    assert told["implied"][0].keys() == {"name", "given", "p", "p_adjusted", "testable"}


def test_a_set_that_determines_an_end_says_nothing_against_an_arrow():
    generator = np.random.default_rng(2)
    q = generator.integers(0, 3, 4000)
    e = (generator.uniform(size=4000) < 0.2 + 0.3 * q).astype(int)
    columns = {"c": generator.integers(0, 2, 4000), "q": q, "e": e}
    columns["finer"] = 10 * q + generator.integers(0, 3, 4000)
    columns["copy"] = 7 - q
    counts = CountTable.of({name: list(map(str, of)) for name, of in columns.items()})
    graph = CausalGraph.parse("c -> e; q -> e; finer -> q; copy -> q")
    arrows = {one.cause: one for one in doubt(counts, graph, QUESTION).arrows}
    assert arrows["q"].tests == 2  # given nothing, and given c
    assert arrows["q"].p < 1e-9
