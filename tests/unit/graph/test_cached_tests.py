"""Tests of named attributes, in batches and on demand, give what tests one at a time give."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.single_tests import SingleTests

import evenhand as eh
from evenhand import CountTable, Tiers, find_causes
from evenhand.display import ProgressReporter
from evenhand.graph import cached_tests
from evenhand.graph.cached_tests import IndependenceTester
from evenhand.graph.local_discovery import CachedTests, LocalSearch, Neighborhood
from evenhand.question import Knowledge

ADULT, ASKED = eh.datasets.adult(), eh.datasets.question("adult")


def table(seed, rows=2000):
    """Attributes of two to four values, each following some of those before it."""
    random = np.random.default_rng(seed)
    columns = {}
    for at in range(7):
        values = int(random.integers(2, 5))
        chosen = random.permutation([*columns])[: int(random.integers(0, 3))]
        told = sum((columns[name] for name in chosen), np.zeros(rows, int))
        noise = random.integers(0, values, rows)
        columns[f"v{at}"] = np.where(random.random(rows) < 0.5, told % values, noise)
    columns["copy"] = columns["v1"]  # a set with it leaves nothing of v1 to test
    return eh.CountTable.of({name: list(map(str, x)) for name, x in columns.items()})


def searched(counts, decision, knowledge, tester):
    """A search that looks at the results of a tester; and how often it reported."""
    told = []
    order = Knowledge.of(knowledge).about(counts.names)
    tests = CachedTests(tester, ProgressReporter(told.append))
    search = LocalSearch(decision, order, tests, max_given=6, max_given_peers=3)
    plain = search.causes().to_dict()
    p = {
        (kind, name): plain[kind][name].pop("p")
        for kind in ("separated", "strength")
        for name in plain[kind]
    }
    return plain, p, [*tests.results]


@pytest.mark.parametrize("seed", [None, *range(6)])
def test_a_search_in_batches_is_the_search_one_test_at_a_time(seed):
    counts = ADULT if seed is None else table(seed)
    decision = "income" if seed is None else "v6"
    knowledge = ASKED.knowledge if seed is None else (None, eh.Tiers(..., ["v6"]))[seed % 2]
    batched, p, order = searched(counts, decision, knowledge, IndependenceTester(counts))
    single, right, one_by_one = searched(counts, decision, knowledge, SingleTests(counts))
    assert batched == single  # the number of tests among it
    assert order == one_by_one  # the same tests, looked at in the same order
    assert p == pytest.approx(right, rel=1e-6, abs=1e-300)


def test_results_that_nobody_looked_at_do_not_count():
    tests = CachedTests(IndependenceTester(ADULT))
    others = [name for name in ADULT.names if name not in ("age", "native_country")]
    around = Neighborhood("age", frozenset(), frozenset(others), 4, tests)
    separation = around.separation("native_country", others)
    assert [*tests.results][-1] == (("age", "native_country"), separation.given)


class Asked:
    """Counts that remember what was asked of them."""

    drops_rows = False

    def __init__(self, counts):
        self.counts, self.names, self.asked = counts, counts.names, []

    def marginal(self, names):
        self.asked.append(set(names))
        return self.counts.marginal(names)


def chains(blocks=6, length=4, rows=4000, *, seed=0):
    """Chains of attributes; the decision follows the first of each of three chains."""
    generator = np.random.default_rng(seed)
    columns = {}
    for block in range(blocks):
        code = generator.integers(0, 3, rows)
        for at in range(length):
            columns[f"x{block}{at}"] = code
            stays = generator.random(rows) < 0.8
            code = np.where(stays, code, generator.integers(0, 3, rows))
    rate = 0.2 + 0.1 * columns["x00"] + 0.1 * columns["x10"] + 0.1 * columns["x20"]
    columns["e"] = (generator.random(rows) < rate).astype(int)
    return {name: [f"v{code}" for code in codes] for name, codes in columns.items()}


@pytest.fixture(scope="module")
def counts():
    return CountTable.of(chains())


PAIRS = [(name, "e", ()) for name in ("x00", "x10", "x20")]


def test_tests_of_a_small_table_share_it(counts):
    source = Asked(counts)
    tester = IndependenceTester(source)
    tester.test("x00", "e")  # tells how many rows there are
    tester.test_all(PAIRS)
    assert source.asked == [{"x00", "e"}, {"x00", "x10", "x20", "e"}]
    tester.test("x00", "x20", ["e", "x10"])
    assert len(source.asked) == 2


def test_no_table_is_large(counts, monkeypatch):
    monkeypatch.setattr(cached_tests, "_MOST_CODES", 2**10)
    source = Asked(counts)
    tester = IndependenceTester(source)
    together = tester.test_all(PAIRS)
    assert source.asked == [{name, "e"} for name, _, _ in PAIRS]
    # Now the values are known: attributes of few values may share a table.
    tester.test_all([("x00", "e", ("x10",)), ("x00", "e", ("x20",))])
    assert source.asked[-1] == {"x00", "x10", "x20", "e"}
    assert together == IndependenceTester(counts).test_all(PAIRS)


def test_rows_that_lack_a_value_are_left_out_of_tests_of_that_column_alone():
    table = chains(rows=500) | {"y": ["a", None] * 250}
    rows = eh.read(pa.table(table), missing="drop")
    parts = IndependenceTester(rows).test_all([*PAIRS, ("y", "e", ()), ("x00", "e", ("y",))])
    whole = IndependenceTester(CountTable.of(chains(rows=500)))
    assert [one.p for one in parts[:3]] == pytest.approx(
        [one.p for one in whole.test_all(PAIRS)], rel=1e-9
    )
    halved = CountTable.of({name: column[::2] for name, column in table.items()})
    assert not parts[3].is_testable
    assert parts[4].p == pytest.approx(IndependenceTester(halved).test("x00", "e").p, rel=1e-9)


def test_the_causes_found_on_demand_are_those_found_on_all_counts(counts, tmp_path):
    path = tmp_path / "wide.parquet"
    pq.write_table(pa.table(chains()), path)
    tiers = Tiers(..., ["e"])
    found = find_causes(eh.read(path), "e", knowledge=tiers)
    whole = find_causes(counts, "e", knowledge=tiers)
    assert found.parents == whole.parents == ("x00", "x10", "x20")
    assert found.tests == whole.tests
    assert found.separated.keys() == whole.separated.keys()


def test_columns_that_knowledge_rules_out_are_never_counted(counts):
    source = Asked(counts)
    later = {name for name in counts.names if name.startswith(("x4", "x5"))}
    find_causes(source, "e", knowledge=Tiers(..., ["e"], sorted(later)))
    assert source.asked
    assert not later & set().union(*source.asked)
