"""Which triples are colliders, by a vote of all separating sets or by the first one."""

import numpy as np
import pytest

from evenhand.graph.colliders import classify_by_first_set, classify_by_majority
from evenhand.graph.skeleton import Limits, Skeleton

X, CENTRE, Y = range(3)


def skeleton(independent):
    """The skeleton x - centre - y, where x and y are independent given exactly these sets."""

    def evaluate(batch):
        apart = (batch.x == X) & (batch.y == Y)
        given = [tuple(row) in independent for row in batch.given.tolist()]
        return np.where(apart & given, 0.5, 0.0)

    searched = Skeleton(~np.eye(3, dtype=bool), np.zeros((3, 3), bool), 0.01)
    searched.search(evaluate, Limits())
    return searched, evaluate


@pytest.mark.parametrize(
    ("independent", "colliders"), [({()}, [(X, CENTRE, Y)]), ({(CENTRE,)}, [])]
)
def test_a_triple_is_a_collider_if_its_centre_is_in_no_separating_set(independent, colliders):
    searched, evaluate = skeleton(independent)
    for classified in (
        classify_by_majority(searched, evaluate, Limits()),
        classify_by_first_set(searched),
    ):
        assert classified.colliders == colliders
        assert classified.ambiguous == []


def test_an_even_vote_is_ambiguous():
    searched, evaluate = skeleton({(), (CENTRE,)})
    assert classify_by_majority(searched, evaluate, Limits()).ambiguous == [(X, CENTRE, Y)]


def test_without_room_for_all_votes_no_collider_is_looked_for():
    searched, evaluate = skeleton({()})
    classified = classify_by_majority(searched, evaluate, Limits(max_tests=1))
    assert classified.ambiguous == [(X, CENTRE, Y)]
    assert "No collider was looked for" in classified.stopped
