from itertools import combinations

import pytest

import evenhand as eh
from evenhand.evidence import certify
from evenhand.question import Knowledge
from evenhand.report.graph_picture import draw_narrow, draw_wide, wrap_name
from evenhand.report.graph_selection import select_for_drawing

ASKED = eh.Question(protected="c", group="0", decision="e", favorable="0")


def certified(arrows, *, undirected=()):
    names = sorted({name for pair in (*arrows, *undirected) for name in pair})
    columns = {name: ["0", "0", "1", "1"] for name in names}
    columns["e"] = ["0", "1", "0", "1"]
    counts = eh.CountTable.of(columns, [20, 20, 20, 20])
    graph = eh.PartialGraph(tuple(names), frozenset(arrows), frozenset(undirected))
    return certify(counts, graph, ASKED)


def drawings(found, tiers=None):
    plan = select_for_drawing(found, Knowledge(tiers=tiers), str)
    return plan, (draw_wide(plan), draw_narrow(plan))


DENSE = [
    (a, b)
    for a, b in combinations(["a", "b", "c", "d", "f", "g", "e", "h", "i", "j", "k", "l"], 2)
    if (ord(a) + 3 * ord(b)) % 3
] + [("c", "e")]
TIERS = eh.Tiers(["a", "b", "c"], ["d"], ...)


@pytest.mark.parametrize("tiers", [None, TIERS])
def test_no_two_boxes_of_twelve_overlap_and_all_lie_in_the_picture(tiers):
    _, pictures = drawings(certified(sorted(set(DENSE))), tiers)
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
    _, pictures = drawings(certified(sorted(set(DENSE))), TIERS)
    for picture in pictures:
        assert len(picture.arrows) == len(set(DENSE))
        assert picture.arrows[-1].kind == "direct"


def test_columns_follow_the_tiers_and_the_decision_stands_between_causes_and_consequences():
    found = certified([("c", "e"), ("a", "x"), ("x", "e"), ("e", "y"), ("a", "u")])
    plan, _ = drawings(found, eh.Tiers(["a", "c"], ...))
    column = {node.name: node.column for node in plan.nodes}
    assert column == {"a": 0, "c": 0, "x": 1, "e": 2, "u": 2, "y": 3}
    assert [text for text, _, _ in plan.headings] == ["First", "Last"]


def test_without_tiers_nothing_points_back():
    found = certified([("r", "c"), ("c", "m"), ("m", "e"), ("c", "e"), ("e", "y"), ("r", "y")])
    plan, _ = drawings(found)
    column = {node.name: node.column for node in plan.nodes}
    assert all(column[a] <= column[b] for a, b, _, _ in plan.links)
    assert plan.headings == ()


def test_a_link_of_open_direction_has_no_head():
    found = certified([("c", "e")], undirected=[("c", "x")])
    _, pictures = drawings(found)
    for picture in pictures:
        assert sorted(bool(arrow.head) for arrow in picture.arrows) == [False, True]


def test_of_many_attributes_those_without_a_part_are_left_out_and_counted():
    arrows = [("c", "e"), ("x", "e"), *((f"n{at:02}", f"n{at + 1:02}") for at in range(20))]
    plan, _ = drawings(certified(arrows))
    assert {node.name for node in plan.nodes} == {"c", "e", "x"}
    assert plan.left_out == 21


def test_the_same_graph_gives_the_same_picture_whatever_the_order_of_its_nodes():
    found = certified(sorted(set(DENSE)))
    other = certified(sorted(set(DENSE), reverse=True))
    assert drawings(found, TIERS)[1] == drawings(other, TIERS)[1]


def test_a_long_name_is_cut_with_a_sign():
    lines = wrap_name("x" * 200, 18)
    assert len(lines) == 2
    assert max(map(len, lines)) <= 18
    assert lines[1].endswith("…")


def test_two_attributes_make_a_picture():
    _, pictures = drawings(certified([("c", "e")]))
    assert all(len(picture.boxes) == 2 for picture in pictures)
