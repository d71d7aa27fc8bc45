"""Sides, worlds, witnesses and the effects in one graph."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.certificate_records import compared
from tests.loans import INCOME_FIRST, QUESTION, asking
from tests.recorded_paths import asked, record_of, worlds_of

import evenhand as eh
from evenhand import CausalGraph, CountTable
from evenhand.checker.path_claims import (
    PathQuestion,
    RecordedPaths,
    WitnessBounds,
    decimals,
    judge_effect,
    read_tables,
    right_graph,
)
from evenhand.checker.record_fields import read_share


def paths(text, **fields):
    graph = CausalGraph.parse(text)
    order = graph.topological_order()
    return RecordedPaths(
        [(*sorted(graph.parents(node)), node) for node in order], asked(asking(**fields))
    )


def test_a_child_that_only_makes_what_is_chosen_is_on_its_side():
    sides = paths("race -> school -> zip -> loan; race -> income -> loan").sides
    assert sides == {"school": "through", "income": "explained"}


@pytest.mark.parametrize(
    ("explained", "income", "work"),
    [((), "explained", "explained"), (["income"], "explained", "not judged")],
)
def test_of_named_explanations_others_are_not_judged(explained, income, work):
    text = "race -> zip -> loan; race -> income -> loan; race -> work -> loan; work -> income"
    sides = paths(text, explained=explained).sides
    assert (sides["income"], sides["work"]) == (income, work)
    text = "race -> zip -> loan; race -> income -> loan; race -> work -> income"
    assert paths(text, explained=explained).sides["work"] == "explained"


def test_what_is_chosen_and_on_no_path_is_not_in_use():
    whole = paths("zip -> loan; race -> income -> loan")
    assert (whole.in_use, whole.witnesses) == (frozenset(), [])
    assert whole.sides == {"income": "explained"}


@pytest.mark.parametrize(
    "tables",
    [
        [("race",), ("race", "zip", "loan"), ("race", "zip")],  # loan before its cause
        [("race",), ("race", "zip"), ("zip", "race", "loan")],  # causes not in order
        [("race",), ("race", "race", "loan")],
        [("race",), ("loan",), ("loan",)],
        [("race",)],
    ],
)
def test_tables_of_no_graph_are_refused(tables):
    with pytest.raises(ValueError, match=r"indirect\.graphs"):
        RecordedPaths(tables, asked())


@pytest.mark.parametrize(
    "fields",
    [
        {"redlining": []},
        {"redlining": ["zip", "zip"]},
        {"redlining": ["race"]},
        {"redlining": ["zip", "loan"]},
        {"explained": ["zip"]},
        {"redlining_threshold": "1/1"},
        {"redlining_threshold": "0"},
        {"redlining_threshold": "1"},
        {"redlining_threshold": "3/2"},
        {"redlining_threshold": "2/40"},
    ],
)
def test_questions_that_nobody_can_ask_are_refused(fields):
    question = {**QUESTION.to_dict(), "other": "w", "groups": ["b", "w"]}
    question |= {"decisions": ["yes", "no"], "min_coverage": "9/10"}
    with pytest.raises(ValueError, match="question|written"):
        PathQuestion.of({**question, **fields}, compared(**question))


NESTED = CausalGraph.parse(
    "race -> home; race -> school; home -> zip; zip -> school; home -> school; "
    "school -> club; home -> loan; school -> loan; zip -> loan; club -> loan"
)


def proofs(entry, at="forward"):
    return [[[*map(read_share, line)] for line in kind] for kind in entry["potentials"][at]]


def asked_people(*, seen=True):
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
    return worlds_of(NESTED, counts=asked_people(**options), redlining=["zip", "club"])


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


def people(seed):
    """Random people; some of what could be is not there, but for the last seed."""
    numbers = np.random.default_rng(seed)
    names = ("town", "race", "home", "zip", "school", "loan")
    some = 1 if seed == 2 else 0.7
    lines = [line for line in product(range(2), repeat=6) if numbers.random() < some]
    labels = zip(*lines, strict=True)
    columns = {name: [*map(str, column)] for name, column in zip(names, labels, strict=True)}
    columns["race"] = ["bw"[int(one)] for one in columns["race"]]
    columns["loan"] = [("no", "yes")[int(one)] for one in columns["loan"]]
    return eh.CountTable.of(columns, numbers.integers(1, 20, len(lines)))


CONFOUNDED = "town -> race; town -> loan; race -> zip; race -> loan; zip -> loan; home -> loan"
GRAPHS = {
    "identified": f"{CONFOUNDED}; race -> home; town -> home",
    "without a direct arrow": "town -> race; town -> zip; race -> zip -> loan",
    "witness": f"{CONFOUNDED}; race -> home; home -> zip; town -> home",
    "witnesses": f"{CONFOUNDED}; race -> home; home -> zip; home -> school; school -> zip; "
    "school -> loan",
    "nested": f"{CONFOUNDED}; race -> home; home -> zip; zip -> school; race -> school; "
    "school -> club; school -> loan; club -> loan",
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("basis", ["group", "all"])
def test_a_graph_is_as_it_was_recorded(seed, name, basis):
    counts = people(seed)
    graph = eh.CausalGraph.parse(GRAPHS[name])
    if name == "nested":
        counts = with_clubs(counts)
    fields = {"basis": basis, "redlining": ["zip", "club"] if name == "nested" else ["zip"]}
    written = record_of(graph, counts, **fields)["indirect"]
    question = asked(asking(**fields))
    values, tables = read_tables(written, question.ends)
    (entry,) = written["graphs"]
    assert bool(entry["witnesses"]) is (name in ("witness", "witnesses", "nested"))
    assert right_graph(question, entry, values, tables) == entry


def with_clubs(counts):
    lines = [
        (*labels, club, n) for labels, n in counts for club in "xyz" if (n + ord(club)) % 5
    ]
    *columns, numbers = zip(*lines, strict=True)
    return eh.CountTable.of(dict(zip((*counts.names, "club"), columns, strict=True)), numbers)


@pytest.mark.parametrize(
    ("both", "verdict"),
    [
        ([("-1/21", "1/21"), ("0", "0")], "certified"),
        ([("-1/21", "1/20"), ("0", "0")], "cannot decide"),
        ([("-1/20", "1/21"), ("0", "0")], "cannot decide"),
        ([("0", "0"), ("1/20", "1/2")], "not certified"),
        ([("-1", "1"), ("-1/2", "-1/20")], "not certified"),
        ([("-1", "1"), ("-1/2", "-1/21")], "cannot decide"),
    ],
)
def test_the_threshold_itself_is_beyond(both, verdict):
    ends = [(Fraction(low), Fraction(high)) for low, high in both]
    assert judge_effect(ends, Fraction(1, 20)) == verdict


def test_decimals_are_rounded_outward():
    assert decimals((Fraction(-1, 3), Fraction(-1, 3))) == [
        "-0.333333333334",
        "-0.333333333333",
    ]
    assert decimals((Fraction(0), Fraction(3, 2))) == ["0.000000000000", "1.500000000000"]
    tiny = Fraction(1, 10**20)
    assert decimals((-tiny, tiny)) == ["-0.000000000001", "0.000000000001"]
