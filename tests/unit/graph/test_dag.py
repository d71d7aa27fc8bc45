"""CausalGraph: what it is, what it refuses, what it answers."""

import pytest
from hypothesis import given
from tests.strategies import dags

from evenhand import Knowledge, Question, Tiers
from evenhand.errors import GraphError
from evenhand.graph import CausalGraph, PartialGraph

ADMISSION = CausalGraph.parse("gender -> major -> admission; gender -> admission")
QUESTION = Question(protected="gender", group="F", decision="admission", favorable="yes")


def refusal(text):
    with pytest.raises(GraphError) as caught:
        CausalGraph.parse(text)
    return str(caught.value)


def test_graphs_are_equal_however_they_are_written():
    one = CausalGraph(("b", "a", "c"), frozenset({("a", "b"), ("c", "b")}))
    assert one == CausalGraph.parse("c -> b; a -> b")
    assert hash(one) == hash(CausalGraph.parse("a -> b <- c"))
    assert one != PartialGraph.parse("c -> b; a -> b")


def test_a_graph_cannot_be_changed():
    with pytest.raises(AttributeError):
        ADMISSION.nodes = ()


def test_a_cycle_is_printed_as_its_shortest_path():
    assert "cycle: a -> b -> a." in refusal("a -> b; b -> c -> d -> a; b -> a")
    assert "cycle: c -> d -> e -> c." in refusal("a -> b -> c -> d -> e -> c")


def test_an_edge_without_direction_is_refused():
    assert "a - b has no direction" in refusal("a - b; b -> c")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a -> b; a -> b", "a -> b is there 2 times"),
        ("a -> a", "'a' is joined to itself"),
        ("", "no nodes"),
    ],
)
def test_misdrawn_edges_are_named(text, said):
    assert said in refusal(text)


def test_an_arrow_to_an_unknown_node_says_which_node_it_may_mean():
    with pytest.raises(GraphError, match="Did you mean 'income'"):
        CausalGraph(("income", "sex"), frozenset({("sex", "incom")}))


def test_what_is_no_edge_is_refused():
    with pytest.raises(GraphError, match="an edge is a pair of names"):
        CausalGraph(("a", "b"), ["ab"])


def test_a_graph_may_not_be_boundless():
    with pytest.raises(GraphError, match="too large: 3,000 nodes"):
        CausalGraph(tuple(map(str, range(3000))))


def test_all_problems_are_raised_together():
    with pytest.raises(GraphError) as caught:
        CausalGraph(("a", "b"), [("a", "a"), ("a", "b"), ("a", "b"), ("b", "c")])
    assert len(caught.value.problems) == 3


def test_relations_are_read_off_the_arrows():
    graph = CausalGraph.parse("a -> b -> c; a -> d; e")
    assert graph.parents("c") == {"b"}
    assert graph.children("a") == {"b", "d"}
    assert graph.ancestors("c") == {"a", "b"}
    assert graph.descendants("a") == {"b", "c", "d"}
    assert graph.adjacent("a", "b")
    assert graph.adjacent("b", "a")
    assert not graph.adjacent("a", "c")
    assert graph.without_arrow("a", "b") == CausalGraph.parse("b -> c; a -> d; e")


def test_an_unknown_node_is_answered_with_near_names():
    with pytest.raises(GraphError, match="Did you mean 'major'"):
        ADMISSION.parents("majr")


@given(dags(max_nodes=9))
def test_causes_come_before_effects(graph):
    order = graph.topological_order()
    assert sorted(order) == list(graph.nodes)
    assert all(order.index(cause) < order.index(effect) for cause, effect in graph.arrows)


def test_a_graph_that_fits_passes_the_check():
    ADMISSION.check(
        ["admission", "gender", "major", "unused"],
        QUESTION,
        Tiers(["gender"], ..., ["admission"]),
    )


def test_a_node_that_is_no_column_is_named_with_near_columns():
    with pytest.raises(GraphError, match="'major', but there is no such column.*'majors'"):
        ADMISSION.check(["admission", "gender", "majors"])


def test_an_arrow_against_the_tiers_is_named():
    with pytest.raises(
        GraphError, match="major -> admission .* 'major' stands in a later tier"
    ):
        ADMISSION.check(knowledge=Tiers(["gender"], ["admission"], ["major"]))


def test_a_forbidden_arrow_and_one_whose_opposite_is_required_are_named():
    with pytest.raises(GraphError, match="It is forbidden"):
        ADMISSION.check(knowledge=Knowledge(forbidden=["major -> admission"]))
    with pytest.raises(GraphError, match="The opposite arrow is required"):
        ADMISSION.check(knowledge=Knowledge(required=["major -> gender"]))


def test_a_required_arrow_must_be_there():
    with pytest.raises(
        GraphError, match="required arrow score -> admission is not in the graph"
    ):
        CausalGraph.parse("score; gender -> admission").check(
            knowledge=Knowledge(required=["score -> admission"])
        )


def test_a_decision_that_causes_the_protected_attribute_is_refused_with_the_path():
    graph = CausalGraph.parse("admission -> job -> gender")
    with pytest.raises(GraphError, match="admission -> job -> gender"):
        graph.check(question=QUESTION)
    with pytest.raises(GraphError, match="admission -> job -> gender"):
        graph.check_block_set(QUESTION, set())
    with pytest.raises(GraphError, match="admission -> job -> gender"):
        graph.block_sets(QUESTION)
    with pytest.raises(GraphError, match="admission -> job -> gender"):
        graph.decision_causes(QUESTION)


def test_a_question_about_absent_attributes_is_refused():
    with pytest.raises(GraphError, match="no node 'gender'"):
        CausalGraph.parse("sex -> admission").check(question=QUESTION)


def test_a_graph_describes_itself_in_a_notebook():
    html = CausalGraph.parse('"<b>" -> c')._repr_html_()
    assert "&lt;b&gt;" in html
    assert "graph of 2 attributes" in html
