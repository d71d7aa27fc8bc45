"""The neighborhood of one node, and the cache of the tests around it."""

import pytest

from evenhand import CountTable
from evenhand.display import ProgressReporter
from evenhand.graph.independence_tester import IndependenceTester
from evenhand.graph.neighborhood import CachedTests, SearchScope, find_neighborhood

# a -> b -> c exactly: a and c are independent given b, and nothing else is.
CHAIN = CountTable.of(
    {"a": list("00001111"), "b": list("00110011"), "c": list("01010101")},
    counts=[900, 300, 100, 300, 300, 100, 300, 900],
)


def scope(max_given=2, joined=()):
    others = frozenset("ab")
    return SearchScope("c", others, frozenset(joined), others, max_given)


@pytest.mark.parametrize("method", ["hiton", "pc-select", "union"])
def test_what_a_member_separates_is_no_member(method):
    around = find_neighborhood(scope(), CachedTests(IndependenceTester(CHAIN)), method)
    assert around.members == ("b",)
    assert around.separated["a"].given == {"b"}
    assert around.separating_sets("a", CachedTests(IndependenceTester(CHAIN))) == {
        frozenset("b")
    }


def test_what_is_known_to_be_joined_stays():
    around = find_neighborhood(
        scope(joined="a"), CachedTests(IndependenceTester(CHAIN)), "hiton"
    )
    assert set(around.members) == {"a", "b"}


def test_a_bound_on_the_sets_is_remembered():
    around = find_neighborhood(
        scope(max_given=0), CachedTests(IndependenceTester(CHAIN)), "hiton"
    )
    assert set(around.members) == {"a", "b"}
    assert around.capped


def test_a_test_is_run_once_and_told_to_the_callback():
    told = []
    tests = CachedTests(IndependenceTester(CHAIN), ProgressReporter(told.append))
    assert tests.test("c", "a") is tests.test("a", "c")
    assert tests.test("a", "c", frozenset("b")).independent
    assert [progress.done for progress in told] == [1, 2]
    assert tests.weakest["a", "c"].given == {"b"}


def test_a_set_that_leaves_something_to_test_is_preferred():
    """Given k, which copies x, nothing of x is left to test."""
    counts = CountTable.of(
        {"x": list("0011"), "k": list("0011"), "m": list("0000"), "y": list("0101")},
        counts=[25, 25, 25, 25],
    )
    separation = CachedTests(IndependenceTester(counts)).find_separation(
        "x", "y", "km", sizes=[1]
    )
    assert separation.given == {"m"}
