"""Bounds where witnesses leave an effect open: potentials, the closed form, unseen people."""

from fractions import Fraction

import pytest
from tests.loans import INCOME_FIRST
from tests.recorded_paths import worlds_of

from evenhand import CausalGraph, CountTable
from evenhand.checker.group_comparisons import read_share
from evenhand.checker.path_effects import WitnessBounds

NESTED = CausalGraph.parse(
    "race -> home; race -> school; home -> zip; zip -> school; home -> school; "
    "school -> club; home -> loan; school -> loan; zip -> loan; club -> loan"
)


def proofs(entry, at="forward"):
    return [[[*map(read_share, line)] for line in kind] for kind in entry["potentials"][at]]


def people(*, seen=True):
    """Everybody at the first home gets a loan, nobody at the second; is the group there?"""
    lines = []
    for number in range(64):
        race, home, zip_, school, club, loan = (number >> bit & 1 for bit in range(6))
        is_unseen = not seen and (race, home) == (0, 1)
        if (home + loan) % 2 and not is_unseen:
            labels = ("bw"[race], *map(str, (home, zip_, school, club)), ("no", "yes")[loan])
            lines.append((*labels, 1 + number % 7))
    *columns, counts = zip(*lines, strict=True)
    names = ("race", "home", "zip", "school", "club", "loan")
    return CountTable.of(dict(zip(names, columns, strict=True)), counts)


def nested(**options):
    return worlds_of(NESTED, counts=people(**options), redlining=["zip", "club"])


def test_potentials_prove_the_bounds():
    worlds, entry = worlds_of(INCOME_FIRST)
    bounds = WitnessBounds(worlds, None).bounds(*proofs(entry))
    reference = Fraction(6, 25)
    assert bounds == (reference + Fraction(1, 100), reference + Fraction(1, 60))


def test_other_potentials_prove_no_more():
    worlds, _ = worlds_of(INCOME_FIRST)
    bounds = WitnessBounds(worlds, None)
    best = bounds.bounds(*proofs(worlds_of(INCOME_FIRST)[1]))
    for own in ([Fraction(0), Fraction(0)], [Fraction(5), Fraction(0)], [Fraction(-1, 9), 0]):
        low, high = bounds.bounds([own], [own])
        assert low <= best[0] <= best[1] <= high


@pytest.mark.parametrize(
    ("favorable", "rest"),
    [([], [[0, 0]]), ([[0]], [[0, 0]]), ([[0, 0]], [[0, 0], [0, 0]]), ([[]], [[0, 0]])],
)
def test_potentials_of_other_problems_are_refused(favorable, rest):
    worlds, _ = worlds_of(INCOME_FIRST)
    with pytest.raises(ValueError, match="potentials|shorter|longer"):
        WitnessBounds(worlds, None).bounds(favorable, rest)


@pytest.mark.parametrize(
    ("own", "at", "least", "most"),
    [(0, "forward", "899/1920", "757/960"), (1, "backward", "29/75", "67/96")],
)
def test_a_problem_with_unseen_people_adds_nothing_and_has_no_potentials(own, at, least, most):
    """Age causes income, and nobody of the group is young."""
    lines = [
        ("b", "old", "hi", "1", "yes", 5), ("b", "old", "lo", "2", "no", 7),
        ("b", "old", "lo", "1", "yes", 3), ("w", "old", "hi", "1", "yes", 8),
        ("w", "old", "lo", "2", "yes", 4), ("w", "old", "hi", "2", "no", 2),
        ("w", "young", "hi", "1", "yes", 6), ("w", "young", "lo", "2", "no", 5),
    ]  # fmt: skip
    *columns, counts = zip(*lines, strict=True)
    names = ("race", "age", "income", "zip", "loan")
    table = CountTable.of(dict(zip(names, columns, strict=True)), counts)
    graph = CausalGraph.parse(
        "race -> income; age -> income; income -> zip; race -> zip; zip -> loan; income -> loan"
    )
    worlds, entry = worlds_of(graph, own, counts=table)
    favorable, rest = proofs(entry, at)
    assert [len(own) for own in favorable] == [len(own) for own in rest] == [2, 0]
    low, high = WitnessBounds(worlds, None).bounds(favorable, rest)
    assert (low, high) == (Fraction(least), Fraction(most))  # those of the engine
    assert high - low >= Fraction(11, 40)  # the share of the young
    with pytest.raises(ValueError, match="2 potentials of"):
        WitnessBounds(worlds, None).bounds([favorable[0], [Fraction(9)] * 2], rest)


@pytest.mark.parametrize(("seen", "least"), [(True, 0), (False, 1)])
def test_the_closed_form_takes_the_least_over_homes_that_the_group_has(seen, least):
    worlds, entry = nested(seen=seen)
    bounds = WitnessBounds(worlds, None)
    assert bounds.is_nested
    assert entry["potentials"]["forward"] == [[], []]
    assert bounds.bounds([], []) == (least, 1)


def test_a_row_of_no_witness_is_one_of_all_its_causes():
    worlds, _ = nested()
    bounds, cells = WitnessBounds(worlds, None), worlds.tables["school"].cells
    names = worlds.tables["school"].names
    assert names == ("home", "race", "zip", "school")
    gone = [line for line in cells if line[:3] == (1, 0, 0)]
    for line in gone:
        del cells[line]
    assert gone
    assert all(bounds.can_be({"home": 1, "zip": 0, "school": s}) for s in (0, 1))
    del cells[1, 0, 1, 0]
    assert not bounds.can_be({"home": 1, "zip": 1, "school": 0})


def test_the_closed_form_has_no_potentials():
    worlds, _ = nested()
    with pytest.raises(ValueError, match="no transport problem"):
        WitnessBounds(worlds, None).bounds([[Fraction(0)]], [])


def test_a_witness_can_be_what_it_is_or_what_no_row_tells():
    worlds, _ = nested(seen=False)
    bounds = WitnessBounds(worlds, None)
    first, second = ({"home": home, "school": 0, "zip": 0} for home in (0, 1))
    assert bounds.can_be(first)
    assert not bounds.can_be(second)  # of the group nobody is at the second home
    worlds.tables["home"].cells.clear()
    assert bounds.can_be(second)
