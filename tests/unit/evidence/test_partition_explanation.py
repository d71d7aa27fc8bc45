"""Which partitions are meaningful, in all graphs that open edges allow or in some."""

from itertools import combinations

import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION

from evenhand import CountTable, PartialGraph, Question, datasets
from evenhand.errors import GraphError, ResourceError
from evenhand.evidence import certify, explain_partition
from evenhand.evidence.partition_explanation import are_meaningful, explain_everybody
from evenhand.graph import CausalGraph


def test_a_partition_may_hold_a_consequence_and_is_then_refused():
    graph = CausalGraph.parse("gender -> admission; major -> admission -> test_score")
    told = explain_partition(datasets.admissions(1), graph, QUESTION, ["major", "test_score"])
    assert not told.is_meaningful
    assert told.to_dict()["consequences"] == ["test_score"]


@pytest.mark.parametrize("names", [["gender"], ["major", "admission"]])
def test_what_is_compared_cannot_be_held_equal(names):
    with pytest.raises(GraphError, match="what is compared"):
        explain_partition(datasets.admissions(1), GRAPH, QUESTION, names)


def income(other):
    """Counts, an open edge between the other attribute and income, and the question."""
    columns = {"sex": ["f", "f", "m", "m"], other: [*"abab"], "income": ["lo", "hi"] * 2}
    return (
        CountTable.of(columns, [3, 4, 5, 6]),
        PartialGraph.parse(f"sex -> income; sex -> {other}; {other} - income"),
        Question(protected="sex", group="f", decision="income", favorable="hi"),
    )


@pytest.mark.parametrize("other", ["age", "zage"])
@pytest.mark.parametrize("held", [True, False])
def test_an_open_edge_is_named_and_not_guessed(other, held):
    """{} is a block set exactly if income causes age, {age} exactly if age causes income."""
    told = explain_partition(*income(other), [other] * held)
    assert told.is_meaningful is None
    assert told.deciding_edges == ((other, "income"),)
    document = told.to_dict()
    assert document["is_meaningful"] is None
    assert document["deciding_edges"] == [[other, "income"]]
    assert f"it hangs on  {other} - income" in str(told)
    assert "evidence only in the graphs in which it is one" in str(told)


def test_what_every_admissible_graph_says_is_said():
    counts, question = datasets.admissions(1), QUESTION
    graph = PartialGraph.parse(
        "gender -> admission; gender - major; major -> admission; test_score -> admission"
    )
    assert explain_partition(counts, graph, question, ["major"]).is_meaningful is True
    told = explain_partition(counts, graph, question, ["test_score"])
    assert told.is_meaningful is False
    assert told.deciding_edges == ()


def test_a_graph_that_contradicts_itself_explains_nothing():
    edges = {("admission", "major"), ("gender", "major"), ("gender", "test_score")}
    graph = PartialGraph(GRAPH.nodes, (), {*edges, ("admission", "test_score")})
    with pytest.raises(GraphError, match="contradicts itself") as raised:
        explain_partition(datasets.admissions(1), graph, QUESTION, [])
    (problem,) = raised.value.problems
    assert [one.argument for one in problem.remedies] == ["tiers", "required", "graph"]


def test_too_many_graphs_are_refused_with_a_remedy():
    names = [f"n{number}" for number in range(7)]
    columns = dict.fromkeys(names, ["x"] * 4) | {"s": [*"ffmm"], "d": [*"ynyn"]}
    clique = frozenset(combinations(names, 2))
    graph = PartialGraph((*columns,), {("s", "d"), *(("d", n) for n in names)}, clique)
    question = Question(protected="s", group="f", decision="d", favorable="y")
    with pytest.raises(ResourceError, match="more than 1,000 ways.*Give tiers"):
        explain_partition(CountTable.of(columns, [1, 2, 3, 4]), graph, question, [])


def test_examined_partitions_are_meaningful_in_every_graph_or_perhaps():
    def certified(graph, **options):
        return certify(datasets.admissions(2), graph, QUESTION, **options)

    assert are_meaningful(certified(GRAPH, scope="all")) == [True, True]
    assert are_meaningful(certified(OPEN_GRAPH, scope="all")) == [None, None]
    assert explain_everybody(certified(GRAPH)).is_meaningful is False
    alone = CausalGraph(GRAPH.nodes, frozenset({("gender", "admission")}))
    assert explain_everybody(certified(alone)) is None
    circle = {("admission", "major"), ("gender", "major"), ("gender", "test_score")}
    graph = PartialGraph(GRAPH.nodes, frozenset(), {*circle, ("admission", "test_score")})
    assert {*are_meaningful(certified(graph))} == {None}
    assert explain_everybody(certified(graph)) is None
