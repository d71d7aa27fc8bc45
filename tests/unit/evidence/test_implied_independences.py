"""What the counts say against a graph."""

import numpy as np
import pytest
from tests.single_tests import SingleTests

from evenhand import CountTable, Question, Tiers, datasets
from evenhand.evidence.implied_independences import doubt
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


def test_a_right_graph_is_not_contradicted():
    found = doubt(COUNTS, RIGHT, QUESTION)
    assert [one.name for one in found.implied] == ["x"]
    assert found.implied[0].given == ("c", "q")
    single = SingleTests(COUNTS).test("x", "e", ("c", "q"))
    assert found.implied[0].p == pytest.approx(single.p, rel=0.05)  # which is not adjusted
    assert not found.contradicted


def test_a_missing_cause_contradicts_the_graph():
    lacking = CausalGraph.parse("c -> q; c -> e; e -> d; x")
    found = doubt(COUNTS, lacking, QUESTION)
    assert [one.name for one in found.contradicted] == ["q"]
    assert found.implied[0].name == "q"
    assert "q                      c" in str(found)


def test_without_the_direct_arrow_the_protected_attribute_should_be_independent_itself():
    indirect = CausalGraph.parse("c -> q; q -> e; e -> d; x")
    found = doubt(COUNTS, indirect, QUESTION)
    assert [one.name for one in found.contradicted] == ["c"]
    assert found.contradicted[0].given == ("q",)


def test_what_may_be_an_effect_is_not_tested():
    open_ended = PartialGraph.parse("c -> q; c -> e; q -> e; e - d; x")
    assert [one.name for one in doubt(COUNTS, open_ended, QUESTION).implied] == ["x"]


def test_no_graph_is_blamed_for_sets_of_causes_that_would_explain_it():
    # If q is a cause, x is independent of e; so it must not be called contradicted.
    open_ended = PartialGraph.parse("c -> q; c -> e; q - e; x")
    tiers = Tiers(["c"], ["q", "x"], ["e"])
    graph = CausalGraph.parse("c -> q; c -> e; q -> e; x")
    p = {one.name: one.p for one in doubt(COUNTS, graph, QUESTION, knowledge=tiers).implied}
    found = doubt(COUNTS, open_ended, QUESTION, knowledge=tiers)
    assert {one.name: one.p for one in found.implied}["x"] >= p["x"]


def test_the_papers_dutch_graph_lacks_something(dutch):
    asked = datasets.question("dutch")
    graph = discover(dutch, knowledge=asked.knowledge)
    told = doubt(dutch, graph, asked.question, knowledge=asked.knowledge)
    assert {one.name for one in told.contradicted} == {"country_birth", "citizenship"}


def test_it_becomes_plain_values():
    told = doubt(COUNTS, RIGHT, QUESTION).to_dict()
    assert told["implied"][0].keys() == {"name", "given", "p", "p_adjusted", "testable"}
