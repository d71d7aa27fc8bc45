"""Tests that count what they need."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import evenhand as eh
from evenhand import CountTable, Tiers, find_causes
from evenhand.graph.independence_tests import Tester
from evenhand.graph.wide_table_tests import TesterOnDemand


class Asked:
    """Counts that remember what was asked of them."""

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


@pytest.mark.parametrize("test", ["chi-square", "chi-square-adjusted", "g-square"])
def test_counts_on_demand_give_the_same_answers(counts, test):
    whole, parts = (kind(counts, test=test) for kind in (Tester, TesterOnDemand))
    for x, y, given in (
        ("x00", "e", ()),
        ("x01", "e", ("x00",)),
        ("x11", "e", ("x00", "x10")),
        ("x01", "e", ("x00", "x10")),
        ("x53", "x50", ("x51",)),
    ):
        one, other = whole.test(x, y, given), parts.test(x, y, given)
        assert one.p == pytest.approx(other.p, rel=1e-9, abs=1e-300)
        assert one.degrees_of_freedom == other.degrees_of_freedom


def test_pairs_are_counted_alone(counts):
    source = Asked(counts)
    tester = TesterOnDemand(source)
    for name in ("x00", "x10", "x20"):
        tester.test(name, "e")
    assert source.asked == [{"x00", "e"}, {"x10", "e"}, {"x20", "e"}]


def test_what_was_asked_for_lately_is_counted_along(counts):
    source = Asked(counts)
    tester = TesterOnDemand(source)
    tester.test("x00", "e", ["x10"])
    tester.test("x20", "e", ["x10"])
    assert source.asked[-1] == {"x00", "x10", "x20", "e"}
    before = len(source.asked)
    tester.test("x00", "x20", ["e", "x10"])
    assert len(source.asked) == before


def test_tables_that_are_counted_ahead_stay_small(counts):
    source = Asked(counts)
    tester = TesterOnDemand(source)
    for name in counts.names[:-1]:
        tester.test(name, "e")
    for a in counts.names[:20]:
        tester.test(a, "e", ["x53"] if a != "x53" else ["x00"])
    for asked in source.asked:
        cells = np.prod([len(counts.attribute(name)) for name in asked], dtype=object)
        assert cells <= 2**16


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
