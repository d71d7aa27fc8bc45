"""Orientation: each rule once, and each kind of conflict."""

import pytest

from evenhand import Knowledge
from evenhand.errors import KnowledgeError
from evenhand.graph import Conflict, orient
from evenhand.graph.orientation import triple_of


def oriented(edges, colliders=(), ambiguous=(), support=None, **known):
    pairs = [tuple(sorted(edge)) for edge in edges.split()]
    nodes = sorted({name for pair in pairs for name in pair})
    order = Knowledge(**known).about(nodes)
    return orient(
        nodes,
        pairs,
        colliders=[triple_of(*one) for one in colliders],
        ambiguous=[triple_of(*one) for one in ambiguous],
        support=support and {triple_of(*one): p for one, p in support.items()},
        order=order,
    )


def arrows(found):
    return {"".join(arrow) for arrow in found.arrows}


def test_rule_4_avoids_a_cycle_or_a_new_collider():
    found = oriented("ab ac ad dc cb", required=["d->c", "c->b"])
    assert "ab" in arrows(found)
    assert ("a", "d") in found.undirected


def test_no_rule_draws_on_a_triple_in_doubt():
    assert arrows(oriented("ab bc", ambiguous=["abc"], required=["a->b"])) == {"ab"}
    assert arrows(oriented("ab ac ad cb db", ["cbd"], ["cad"])) == {"cb", "db"}
    found = oriented("ab ac ad dc cb", ambiguous=["bad"], required=["d->c", "c->b"])
    assert ("a", "b") in found.undirected


def test_colliders_that_claim_an_edge_both_ways_leave_it_and_keep_their_other_arrows():
    found = oriented("xa ab by", ["xab", "aby"])
    assert arrows(found) == {"xa", "yb"}
    assert found.undirected == {("a", "b")}
    assert found.conflicts == (
        Conflict(("a", "b"), "both ways", (("a", "b", "y"), ("b", "a", "x"))),
    )
    assert str(found.conflicts[0]) == (
        "a - b is claimed in both directions (read from a - b - y, b - a - x)"
    )


def test_rules_that_claim_an_edge_both_ways_leave_it():
    found = oriented("xa ab by", required=["x->a", "y->b"])
    assert found.undirected == {("a", "b")}
    assert [conflict.reason for conflict in found.conflicts] == ["both ways"]


@pytest.mark.parametrize(("left", "right", "arrow"), [(0.5, 0.1, "ab"), (0.1, 0.5, "ba")])
def test_of_two_rules_the_better_supported_is_followed_and_the_other_logged(left, right, arrow):
    found = oriented("xa ab by", required=["x->a", "y->b"], support={"xab": left, "aby": right})
    assert arrow in arrows(found)
    assert [conflict.reason for conflict in found.conflicts] == ["outweighed"]


def test_support_does_not_decide_between_colliders():
    found = oriented("xa ab by", ["xab", "aby"], support={"xab": 0.5, "aby": 0.1})
    assert found.undirected == {("a", "b")}


def test_a_rule_does_not_hold_up_what_would_otherwise_be_a_cycle():
    found = oriented("cb ba ac xa", required=["x->a", "c->b", "b->a"])
    assert "ca" in arrows(found)


def test_a_collider_against_knowledge_is_refused_whole():
    found = oriented("am bm", ["amb"], required=["m->a"])
    assert arrows(found) == {"ma"}
    assert found.undirected == {("b", "m")}
    assert [conflict.reason for conflict in found.conflicts] == ["against knowledge"]


def test_colliders_that_close_a_cycle_leave_all_its_edges_undirected():
    found = oriented("ab bc ac xb yc za", ["abx", "bcy", "caz"])
    assert found.undirected == {("a", "b"), ("b", "c"), ("a", "c")}
    assert {conflict.reason for conflict in found.conflicts} == {"cycle"}
    assert arrows(found) == {"xb", "yc", "za"}


def test_forbidding_one_direction_gives_the_other():
    assert arrows(oriented("ab", forbidden=["a->b"])) == {"ba"}


def test_an_edge_that_may_have_no_direction_is_refused():
    with pytest.raises(KnowledgeError, match="'a' and 'b' are joined, but neither may cause"):
        oriented("ab", forbidden=["a->b", "b->a"])


def test_knowledge_that_forces_a_cycle_is_refused_with_the_path():
    with pytest.raises(KnowledgeError, match="a -> c -> b -> a"):
        oriented("ab bc ac", forbidden=["a->b", "b->c", "c->a"])
