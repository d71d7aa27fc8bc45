"""What of a causal graph is drawn, in which columns, and where."""

from itertools import combinations

import pytest
from tests.report_pages import sketch

import evenhand as eh
from evenhand.report.pictures.graph_picture import (
    draw_narrow,
    draw_wide,
    select_for_drawing,
    select_without_question,
    wrap_name,
)


def drawings(arrows, tiers=None, **edges):
    chosen = sketch(arrows, tiers, **edges)
    return draw_wide(chosen), draw_narrow(chosen)


DENSE = [
    (a, b)
    for a, b in combinations(["a", "b", "c", "d", "f", "g", "e", "h", "i", "j", "k", "l"], 2)
    if (ord(a) + 3 * ord(b)) % 3
] + [("c", "e")]
TIERS = eh.Tiers(["a", "b", "c"], ["d"], ...)


@pytest.mark.parametrize("tiers", [None, TIERS])
def test_no_two_boxes_of_twelve_overlap_and_all_lie_in_the_picture(tiers):
    pictures = drawings(sorted(set(DENSE)), tiers)
    for picture in pictures:
        assert len(picture.boxes) == 12
        for one, other in combinations(picture.boxes, 2):
            apart = (
                one.x + one.width <= other.x
                or other.x + other.width <= one.x
                or one.y + one.height <= other.y
                or other.y + other.height <= one.y
            )
            assert apart, (one.name, other.name)
        for box in picture.boxes:
            assert picture.left <= box.x
            assert box.x + box.width <= picture.left + picture.width
            assert picture.top <= box.y
            assert box.y + box.height <= picture.top + picture.height


def test_every_link_is_drawn_once_and_the_one_in_question_on_top():
    pictures = drawings(sorted(set(DENSE)), TIERS)
    for picture in pictures:
        assert len(picture.arrows) == len(set(DENSE))
        assert picture.arrows[-1].kind == "direct"


def test_a_link_of_open_direction_has_no_head():
    for picture in drawings([("c", "e")], undirected=[("c", "x")]):
        assert sorted(bool(arrow.head) for arrow in picture.arrows) == [False, True]


def test_the_same_graph_gives_the_same_picture_whatever_the_order_of_its_nodes():
    arrows = sorted(set(DENSE))
    assert drawings(arrows, TIERS) == drawings(arrows[::-1], TIERS)


def test_a_long_name_is_cut_with_a_sign():
    lines = wrap_name("x" * 200, 18)
    assert len(lines) == 2
    assert max(map(len, lines)) <= 18
    assert lines[1].endswith("…")


def test_two_attributes_make_a_picture():
    assert all(len(picture.boxes) == 2 for picture in drawings([("c", "e")]))


def test_sixteen_causes_fit_on_a_page():
    arrows = [("c", "e"), *((f"x{at:02}", "e") for at in range(16))]
    wide, _ = drawings(arrows)
    assert len(wide.boxes) == 18
    assert wide.height < 700
    assert len({box.layer for box in wide.boxes}) == 4


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
