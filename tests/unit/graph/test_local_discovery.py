"""The causes of one decision, found by tests around it only."""

import json
from itertools import chain, combinations, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.single_tests import SingleTests

from evenhand import CountTable, Knowledge, Tiers, find_causes
from evenhand.errors import ColumnError
from evenhand.graph import discover
from evenhand.graph.cached_tests import IndependenceTester
from evenhand.graph.local_discovery import CachedTests, NamesBefore, Neighborhood
from evenhand.question import KnownOrder

ADULT_TIERS = Tiers(["sex", "age", "native_country", "race"], ["education"], ...)
DUTCH_TIERS = Tiers(["sex", "age", "country_birth"], ["edu_level"], ...)


# a -> b -> c exactly: a and c are independent given b, and nothing else is.
CHAIN = CountTable.of(
    {"a": list("00001111"), "b": list("00110011"), "c": list("01010101")},
    counts=[900, 300, 100, 300, 300, 100, 300, 900],
)


@pytest.fixture
def chain_of_three():
    return CHAIN


@pytest.fixture(scope="module")
def dutch_causes(dutch):
    return find_causes(dutch, "occupation", knowledge=DUTCH_TIERS)


def assert_as_in_the_paper(found):
    assert found.parents == ("age", "edu_level", "sex")
    assert found.children == (
        "cur_eco_activity",
        "economic_status",
        "household_position",
        "household_size",
    )
    assert not found.ambiguous
    assert found.possible_parents == (frozenset(found.parents),)


def test_on_the_dutch_census_the_causes_are_those_of_the_paper(dutch_causes):
    assert_as_in_the_paper(dutch_causes)


@pytest.mark.slow
@pytest.mark.parametrize("max_given_peers", [3, 6])
def test_larger_sets_at_peers_change_no_cause_on_the_dutch_census(dutch, max_given_peers):
    found = find_causes(
        dutch,
        "occupation",
        knowledge=DUTCH_TIERS,
        max_given_peers=max_given_peers,
    )
    assert_as_in_the_paper(found)


def test_on_the_dutch_census_a_third_of_the_tests_of_the_whole_graph_is_enough(
    dutch, dutch_causes
):
    whole = discover(dutch, knowledge=DUTCH_TIERS)
    assert set(dutch_causes.parents) == whole.parents("occupation")
    assert set(dutch_causes.children) == whole.children("occupation")
    assert 3 * dutch_causes.tests < sum(whole.record.tests)


def test_on_the_dutch_census_the_edge_that_thin_strata_hold_is_named(dutch_causes):
    thin = [note for note in dutch_causes.notes if "Thin strata" in note]
    assert len(thin) == 1
    assert "'household_size'" in thin[0]


def test_on_the_papers_adult_all_other_attributes_are_causes(paper_adult):
    found = find_causes(paper_adult, "income", knowledge=ADULT_TIERS)
    assert set(found.parents) == set(paper_adult.names) - {"income"}


def test_the_order_of_columns_does_not_matter(adult):
    turned = adult.marginal(adult.names[::-1])
    first, second = (find_causes(t, "income", knowledge=ADULT_TIERS) for t in (adult, turned))
    assert first == second


def test_an_edge_that_nothing_directs_is_ambiguous_and_both_sets_are_possible(chain_of_three):
    found = find_causes(chain_of_three.marginal("ab"), "b")
    assert set(found.ambiguous) == {"a"}
    assert "either way" in found.ambiguous["a"]
    assert found.possible_parents == (frozenset(), frozenset("a"))
    assert any("No tiers" in note for note in found.notes)


def test_later_tiers_are_not_even_tested(chain_of_three):
    found = find_causes(chain_of_three, "b", knowledge=Tiers(["a"], ["b"], ["c"]))
    assert found.parents == ("a",)
    assert found.tests == 1


def test_what_an_untestable_result_removed_is_weakly_removed():
    """Given b, which copies x, nothing of x is left to test."""
    counts = CountTable.of(
        {"x": ["0", "0", "1", "1"], "b": ["0", "0", "1", "1"], "e": ["0", "1", "0", "1"]},
        counts=[80, 20, 20, 80],
    )
    found = find_causes(counts, "e", knowledge=Tiers(["x", "b"], ["e"]))
    assert len(found.weakly_removed) == 1
    assert set(found.parents) | set(found.weakly_removed) == {"x", "b"}


def test_the_strength_of_an_edge_is_the_largest_p_of_its_tests(adult):
    last = Tiers(..., ["income"])
    small = adult.marginal(["sex", "age", "education", "hours", "income"])
    found = find_causes(small, "income", knowledge=last)
    tester = SingleTests(small)
    for parent in found.parents:
        others = set(found.parents) - {parent}
        sets = chain.from_iterable(combinations(others, size) for size in range(4))
        largest = max(tester.test(parent, "income", given).p for given in sets)
        assert found.strength[parent].p >= largest * (1 - 1e-9)
        assert found.strength[parent].p <= 0.01
        attained = tester.test(parent, "income", found.strength[parent].given)
        assert attained.p == pytest.approx(found.strength[parent].p, rel=1e-9, abs=1e-300)


def test_a_bound_that_bites_is_reported(adult):
    found = find_causes(adult, "income", knowledge=Tiers(..., ["income"]), max_given=1)
    assert any("Larger sets were not tried at 'income'" in note for note in found.notes)


def test_edges_that_only_thin_strata_hold_are_named():
    """Four rows a stratum: chi-square of each is 4/3 times what it should be."""
    strata = [str(stratum) for stratum in range(60) for _ in range(4)]
    x, e = ["0", "0", "1", "1"] * 60, ["0", "1", "0", "1"] * 36 + ["0", "0", "1", "1"] * 24
    counts = CountTable.of({"s": strata, "x": x, "e": e})
    knowledge = Knowledge(tiers=Tiers(["s"], ["x"], ["e"]), required=["s -> e"])
    plain = find_causes(counts, "e", knowledge=knowledge)
    adjusted = find_causes(counts, "e", knowledge=knowledge, test="chi-square-adjusted")
    assert "x" in plain.parents
    assert any("Thin strata hold" in note and "'x'" in note for note in plain.notes)
    assert "x" not in adjusted.parents


def test_progress_is_told_every_test(chain_of_three):
    heard = []
    found = find_causes(chain_of_three, "c", progress=heard.append)
    assert [one.done for one in heard] == list(range(1, found.tests + 1))


def test_a_decision_that_nothing_is_joined_to_has_no_causes():
    counts = CountTable.of({"x": ["0", "0", "1", "1"], "e": ["0", "1", "0", "1"]})
    found = find_causes(counts, "e")
    assert (found.parents, found.children, found.ambiguous) == ((), (), {})
    assert found.possible_parents == (frozenset(),)
    assert "none" in str(found)


def test_unknown_names_are_refused(chain_of_three):
    with pytest.raises(ColumnError, match="'incme'"):
        find_causes(chain_of_three, "incme")


def test_on_few_rows_the_whole_graph_can_have_other_causes_and_that_is_said():
    """The whole graph tries what surrounds the cause, too, and there the edge falls."""
    drawn, rows = np.random.default_rng(12), 150
    a = drawn.integers(0, 2, rows)
    b = (drawn.random(rows) < 0.3 + 0.4 * a).astype(int)
    c = (drawn.random(rows) < 0.3 + 0.3 * b).astype(int)
    d = drawn.integers(0, 2, rows)
    e = (drawn.random(rows) < 0.2 + 0.3 * b + 0.3 * d).astype(int)
    columns = {"a": a, "b": b, "c": c, "d": d, "e": e}
    counts = CountTable.of({k: v.astype(str).tolist() for k, v in columns.items()}, [1] * rows)
    tiers = Tiers(..., ["e"])
    found = find_causes(counts, "e", knowledge=tiers)
    assert found.parents == ("b",)
    assert not discover(counts, knowledge=tiers).parents("e")
    assert "on few rows it can differ in an edge" in str(found)


@given(st.data())
def test_what_may_come_before_is_what_allowed_arrows_reach(data):
    names = tuple("abcde")
    tier = {name: data.draw(st.sampled_from([None, 0, 1, 2])) for name in names}
    pairs = st.lists(st.sampled_from(list(permutations(names, 2))), max_size=6)
    order = KnownOrder(names, tier, frozenset(data.draw(pairs)), frozenset(data.draw(pairs)))
    allowed = nx.DiGraph()
    allowed.add_nodes_from(names)
    allowed.add_edges_from(pair for pair in permutations(names, 2) if order.may_cause(*pair))
    before = NamesBefore(order)
    for name in names:
        assert before[name] == nx.ancestors(allowed, name)


def test_a_result_says_itself_in_text_html_and_json():
    counts = CountTable.of({"a": list("0011"), "b": list("0101")}, counts=[40, 10, 10, 40])
    found = find_causes(counts, "b", knowledge=Tiers(["a"], ["b"]))
    assert str(found).startswith("Causes of b: a\n")
    assert "<table" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["parents"] == ["a"]


def test_a_set_that_leaves_something_to_test_is_preferred():
    """Given k, which copies a, nothing of a is left to test."""
    copied = CHAIN.codes[CHAIN.names.index("a")].astype(str).tolist()
    columns = {
        name: codes.astype(str).tolist() for name, codes in zip("abc", CHAIN.codes, strict=True)
    }
    counts = CountTable.of(columns | {"k": copied}, CHAIN.counts.tolist())
    tests = CachedTests(IndependenceTester(counts))
    around = Neighborhood("a", frozenset(), frozenset("kb"), 1, tests)
    assert around.separation("c", "kb").given == {"b"}
