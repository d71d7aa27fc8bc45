from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.repetitions import repetitions

from evenhand.report.pictures.graph_layout import Item, Link, arrange


@st.composite
def layouts(draw):
    layers = draw(st.integers(1, 4))
    sizes = st.sampled_from([1.0, 40.0, 60.0])
    items = [
        Item(layer=layer, size=draw(sizes), margin=10.0)
        for layer in range(layers)
        for _ in range(draw(st.integers(1, 5)))
    ]
    pairs = [
        (a, b)
        for a, one in enumerate(items)
        for b, other in enumerate(items)
        if a < b and other.layer - one.layer in (0, 1)
    ]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return items, [Link(a, b, draw(st.sampled_from([1.0, 8.0, 14.0]))) for a, b in chosen]


@settings(max_examples=repetitions(60), deadline=None)
@given(layouts())
def test_items_of_a_layer_keep_their_distance(layout):
    items, links = layout
    centre = arrange(items, links)
    for layer in {item.layer for item in items}:
        members = sorted(
            (c, i)
            for c, i in zip(centre, range(len(items)), strict=True)
            if items[i].layer == layer
        )
        for (above, a), (below, b) in pairwise(members):
            room = (items[a].size + items[b].size) / 2 + 10.0
            assert below - above >= room - 1e-6


@settings(max_examples=repetitions(30), deadline=None)
@given(layouts())
def test_the_topmost_item_begins_at_zero(layout):
    items, links = layout
    tops = [c - item.size / 2 for c, item in zip(arrange(items, links), items, strict=True)]
    assert abs(min(tops)) < 1e-9


def test_a_crossing_that_can_be_avoided_is_avoided():
    items = [Item(layer=layer, size=40, margin=10) for layer in (0, 0, 1, 1)]
    centre = arrange(items, [Link(0, 3, 1.0), Link(1, 2, 1.0)])
    assert (centre[0] < centre[1]) == (centre[3] < centre[2])


def test_a_pinned_item_stays_first():
    items = [Item(layer=0, size=40, margin=10, pinned=at == 2) for at in range(3)]
    centre = arrange(items, [])
    assert centre[2] == min(centre)
