"""Which attributes are drawn, and in which columns."""

from tests.report_pages import sketch

import evenhand as eh
from evenhand.report.pictures.graph_selection import select_for_drawing, select_without_question


def test_columns_follow_the_tiers_and_the_decision_stands_between_causes_and_consequences():
    arrows = [("c", "e"), ("a", "x"), ("x", "e"), ("e", "y"), ("a", "u")]
    chosen = sketch(arrows, eh.Tiers(["a", "c"], ...))
    column = {node.name: node.column for node in chosen.nodes}
    assert column == {"a": 0, "c": 0, "x": 1, "e": 2, "u": 2, "y": 3}
    assert [text for text, _, _ in chosen.headings] == ["First", "Last"]


def test_without_tiers_nothing_points_back():
    chosen = sketch([("r", "c"), ("c", "m"), ("m", "e"), ("c", "e"), ("e", "y"), ("r", "y")])
    column = {node.name: node.column for node in chosen.nodes}
    assert all(column[a] <= column[b] for a, b, _, _ in chosen.links)
    assert chosen.headings == ()


def test_of_many_attributes_those_without_a_part_are_left_out_and_counted():
    arrows = [("c", "e"), ("x", "e"), *((f"n{at:02}", f"n{at + 1:02}") for at in range(20))]
    chosen = sketch(arrows)
    assert {node.name for node in chosen.nodes} == {"c", "e", "x"}
    assert chosen.left_out == 21


def test_without_a_question_every_link_leads_to_a_later_column():
    graph = eh.PartialGraph.parse("a -> b -> d; a -> d; c - b; c - d; e - f; g")
    chosen = select_without_question(graph)
    column = {node.name: node.column for node in chosen.nodes}
    assert column == {"a": 0, "c": 0, "e": 0, "g": 0, "f": 1, "b": 1, "d": 2}
    assert {(a, b, directed) for a, b, _, directed in chosen.links} == {
        *((*arrow, True) for arrow in graph.arrows),
        *((*edge, False) for edge in graph.undirected),
    }
    assert chosen.left_out == 0


def test_of_a_dense_graph_as_many_attributes_are_drawn_as_have_few_links():
    names = tuple(f"n{at:02}" for at in range(30))
    arrows = frozenset((a, b) for a in names for b in names if a < b)
    chosen = select_without_question(eh.CausalGraph(names, arrows))
    assert (len(chosen.nodes), len(chosen.links), chosen.left_out) == (13, 78, 17)


def test_of_many_attributes_those_asked_about_are_drawn():
    names = [f"x{at:02}" for at in range(20)]
    columns = {name: ["0", "0", "1", "1"] for name in ("c", *names)} | {"e": [*"0101"]}
    graph = eh.CausalGraph(("c", *names, "e"), frozenset({("c", "e"), ("c", "x07")}))
    asked = eh.Question(
        protected="c", group="0", decision="e", favorable="0", redlining=["x07"]
    )
    certificate = eh.certify(eh.CountTable.of(columns, [20] * 4), graph, asked)
    drawn = select_for_drawing(certificate, eh.Knowledge(), str)
    assert {node.name: node.asked for node in drawn.nodes} == {
        "c": False,
        "x07": True,
        "e": False,
    }
