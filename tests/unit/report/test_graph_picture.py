from itertools import combinations

import pytest
from tests.report_pages import sketch

import evenhand as eh
from evenhand.report.pictures.graph_picture import draw_narrow, draw_wide, wrap_name


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
