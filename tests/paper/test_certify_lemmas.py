"""On integer data that follow a graph exactly, the paper's theorems hold with ``==``."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.brute_force import block_sets

from evenhand import CountTable, Question
from evenhand.evidence import Verdict, certify
from evenhand.graph import CausalGraph

NODES = "cqxyde"
# c protected, e the decision, d below it; q, x and y anywhere between.
SKELETON = [("c", "e"), ("e", "d")]
OPTIONAL = [
    ("c", "q"), ("q", "e"), ("x", "c"), ("x", "q"), ("x", "e"), ("c", "y"), ("y", "e"),
    ("q", "y"), ("x", "y"), ("c", "d"), ("q", "d"),
]  # fmt: skip


@st.composite
def exactly_markov(draw):
    """A graph, and integer counts of all six binary attributes that factorise over it."""
    arrows = [*SKELETON, *draw(st.sets(st.sampled_from(OPTIONAL), min_size=2, max_size=6))]
    graph = CausalGraph(tuple(NODES), frozenset(arrows))
    parents = {node: sorted(graph.parents(node)) for node in NODES}
    # Shares of 1 in quarters: a row weighs the product of four times its probabilities.
    weight = {
        node: {
            given: draw(st.integers(1, 3))
            for given in product((0, 1), repeat=len(parents[node]))
        }
        for node in NODES
    }

    def weight_of(row):
        value = dict(zip(NODES, row, strict=True))
        parts = []
        for node in NODES:
            ones = weight[node][tuple(value[parent] for parent in parents[node])]
            parts.append(ones if value[node] else 4 - ones)
        return prod(parts)

    rows = list(product((0, 1), repeat=len(NODES)))
    columns = {node: [str(row[at]) for row in rows] for at, node in enumerate(NODES)}
    return graph, CountTable.of(columns, [weight_of(row) for row in rows])


def asked(threshold):
    return Question(protected="c", group="0", decision="e", favorable="1", threshold=threshold)


def differences(counts, names):
    """Difference and rows of each assignment, by definition."""
    found = {}
    for labels in product("01", repeat=len(names)):
        where = dict(zip(names, labels, strict=True))
        rates = []
        for group in "01":
            yes = counts.count(**where, c=group, e="1")
            rates.append(Fraction(yes, counts.count(**where, c=group)))
        found[labels] = rates[1] - rates[0], counts.count(**where)
    return found


@pytest.mark.paper("thm:nd")
@pytest.mark.paper("thm:snd")
@given(exactly_markov(), st.sampled_from(["1/20", "1/5", "1/3"]))
def test_the_decision_causes_decide_for_every_block_set(drawn, threshold):
    graph, counts = drawn
    on_causes = certify(counts, graph, asked(threshold)).verdict
    on_all = certify(counts, graph, asked(threshold), scope="all").verdict
    assert on_causes is on_all


@pytest.mark.paper("thm:qd")
@given(exactly_markov())
def test_a_difference_is_a_weighted_mean_of_those_of_the_causes(drawn):
    graph, counts = drawn
    causes = graph.decision_causes(asked("1/20"))
    of_causes = differences(counts, causes)
    for names in map(sorted, block_sets(graph.arrows, NODES, "c", "e")):
        rest = [name for name in causes if name not in names]
        for labels, (difference, rows) in differences(counts, names).items():
            where = dict(zip(names, labels, strict=True))
            mean = Fraction(0)
            for others in product("01", repeat=len(rest)):
                full = where | dict(zip(rest, others, strict=True))
                share = Fraction(counts.count(**full), rows)
                mean += share * of_causes[tuple(full[name] for name in causes)][0]
            assert difference == mean


@pytest.mark.paper("thm:mu")
@pytest.mark.paper("thm:sigma")
@given(exactly_markov())
def test_mean_is_the_same_and_variance_not_larger_on_every_block_set(drawn):
    graph, counts = drawn
    certificate = certify(counts, graph, asked("1/20"), scope="all")
    moments = []
    for partition in certificate.partitions:
        found = differences(counts, partition.names).values()
        mean = sum(d * rows for d, rows in found) / counts.row_count
        moments.append(
            (mean, sum(d * d * rows for d, rows in found) / counts.row_count - mean**2)
        )
    (mean, variance), *others = moments
    assert all(other == mean for other, _ in others)
    assert all(other <= variance for _, other in others)


@pytest.mark.paper("thm:rnd")
@pytest.mark.paper("thm:srnd")
@given(exactly_markov(), st.sampled_from(["1/5", "1/3", "2/3"]))
def test_the_bound_of_the_causes_holds_for_every_block_set(drawn, threshold):
    graph, counts = drawn
    certificate = certify(counts, graph, asked(threshold), scope="all")
    bound = certificate.relaxed().bound
    for partition in certificate.partitions:
        found = differences(counts, partition.names).values()
        under = sum(rows for d, rows in found if abs(d) < Fraction(threshold))
        square = sum(d * d * rows for d, rows in found) / counts.row_count
        assert (
            bound <= 1 - square / Fraction(threshold) ** 2 <= Fraction(under, counts.row_count)
        )


def test_rows_that_do_not_follow_the_graph_can_fail_beyond_the_causes():
    # X is an isolated root: 10 of 20 against 8 of 20 where X is 0, 12 of 20 where it is 1.
    columns = {
        "X": list("00001111"), "c": list("00110011"), "e": list("01010101"),
    }  # fmt: skip
    counts = CountTable.of(columns, [12, 8, 10, 10, 8, 12, 10, 10])
    graph = CausalGraph(("X", "c", "e"), frozenset({("c", "e")}))
    assert certify(counts, graph, asked("1/20")).verdict is Verdict.CERTIFIED
    beyond = certify(counts, graph, asked("1/20"), scope="all")
    assert beyond.verdict is Verdict.NOT_CERTIFIED
    assert [partition.violating for partition in beyond.partitions] == [0, 2]
