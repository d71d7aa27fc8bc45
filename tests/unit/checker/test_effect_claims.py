"""Effects in one graph: the loan table by hand, in both directions."""

from fractions import Fraction
from functools import partial
from itertools import product
from math import prod

import numpy as np
import pytest
from tests.loans import APART, INCOME_FIRST, ZIP_FIRST, asking
from tests.recorded_paths import asked, record_of, worlds_of

import evenhand as eh
from evenhand.checker.group_comparisons import read_share
from evenhand.checker.path_effects import decimals, judge_effect, path_effects, right_graph
from evenhand.checker.path_tables import read_tables

NAMES = ("direct", "through", "explained", "combination", "total")
BY_HAND = {
    (ZIP_FIRST, 0): "11/100 1/150 13/125 59/1500 13/50",
    (ZIP_FIRST, 1): "-19/125 -1/20 -2/15 113/1500 -13/50",
    (APART, 0): "23/200 2/125 84/625 -13/5000 657/2500",
}


@pytest.mark.parametrize(("graph", "own"), BY_HAND)
def test_the_loan_table_by_hand(graph, own):
    worlds, _ = worlds_of(graph, own)
    effects = path_effects(worlds, [[], []])
    exact = [Fraction(text) for text in BY_HAND[graph, own].split()]
    assert [effects[name] for name in NAMES] == [(one, one) for one in exact]
    assert effects["spurious"] == (0, 0)


@pytest.mark.parametrize(
    ("own", "at", "low", "high"),
    [(0, "forward", "1/100", "1/60"), (1, "backward", "-9/250", "-13/375")],
)
def test_bounds_of_the_loan_table_by_hand(own, at, low, high):
    worlds, entry = worlds_of(INCOME_FIRST, own)
    proofs = [[[*map(read_share, line)] for line in kind] for kind in entry["potentials"][at]]
    effects = path_effects(worlds, proofs)
    assert effects["through"] == (Fraction(low), Fraction(high))
    total, direct = effects["total"][0], effects["direct"][0]
    assert effects["combination"] == (
        total - direct - Fraction(high),
        total - direct - Fraction(low),
    )


def test_what_nobody_named_has_an_effect_of_its_own():
    worlds, _ = worlds_of(APART, explained=["income"])
    assert path_effects(worlds, [[], []])["not judged"] == (0, 0)


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


def brute_share(tables, asked, reads, own, rows):
    """The share of each kind of decision, by adding up over all assignments."""
    (protected, decision), names = asked.ends, {table[-1]: table for table in tables}
    relevant, ahead = set(), [decision] if rows is None else [decision, protected]
    while ahead:
        for cause in names[ahead.pop()][:-1]:
            if cause not in relevant and cause != protected:
                relevant.add(cause)
                ahead.append(cause)
    nodes = [*relevant, decision]

    def share(node, at):
        table = tables[names[node]]
        line = tuple(at[name] for name in names[node])
        row = sum(n for codes, n in table.items() if codes[:-1] == line[:-1])
        return Fraction(table[line], row) if row else Fraction(0)

    def group_share(group):
        above = [node for node in names if _leads(names, node, protected)]
        lines = product(range(2), repeat=len(above))
        worlds = [{**dict(zip(above, line, strict=True)), protected: group} for line in lines]
        return sum(prod(share(node, at) for node in (*above, protected)) for at in worlds)

    kinds = [Fraction(0), Fraction(0)]
    for line in product(range(2), repeat=len(nodes)):
        at = dict(zip(nodes, line, strict=True))
        weight = prod(
            share(node, {**at, protected: 1 - own if node in reads else own}) for node in nodes
        )
        if rows is not None:
            weight *= share(protected, {**at, protected: rows}) / (1 - group_share(1 - rows))
        kinds[at[decision]] += weight
    return kinds[0], 1 - kinds[1]


def _leads(names, node, to):
    return any(cause == node or _leads(names, node, cause) for cause in names[to][:-1])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("own", [0, 1])
@pytest.mark.parametrize("basis", ["group", "all"])
def test_effects_are_differences_of_shares_by_brute_force(seed, own, basis):
    fields = {"basis": basis}
    graph = eh.CausalGraph.parse(GRAPHS["identified"])
    written = record_of(graph, people(seed), **fields)["indirect"]
    question = asked(asking(**fields))
    _, tables = read_tables(written, question.ends)
    effects = path_effects(worlds_of(graph, own, people(seed), **fields)[0], [[], []])
    rows = own if basis == "group" else None
    share = partial(brute_share, tables, question, own=own)
    low, high = share(reads=(), rows=rows)
    everybody = ("zip", "home", "loan")
    reads = {"direct": ["loan"], "through": ["zip"], "explained": ["home"], "total": everybody}
    ends = {name: share(reads=one, rows=rows) for name, one in reads.items()}
    for name in reads:
        assert effects[name] == (ends[name][0] - high, ends[name][1] - low)
    others, group = share(reads=everybody, rows=1 - own), share(reads=(), rows=own)
    total = ends["total"]
    if basis == "group":  # the group as it is cancels
        assert effects["spurious"] == (others[0] - total[1], others[1] - total[0])
    else:
        least = others[0] - group[1] - total[1] + low
        assert effects["spurious"] == (least, others[1] - group[0] - total[0] + high)


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
