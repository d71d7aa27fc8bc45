"""Tests that count what they need."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.single_tests import SingleTests

import evenhand as eh
from evenhand import CountTable, Tiers, find_causes
from evenhand.graph import independence_tester
from evenhand.graph.independence_tester import IndependenceTester


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


@pytest.mark.parametrize("test", ["chi-square", "chi-square-adjusted", "g-square"])
def test_counts_on_demand_give_the_same_answers(counts, test):
    whole, parts = (kind(counts, test=test) for kind in (SingleTests, IndependenceTester))
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
    monkeypatch.setattr(independence_tester, "_MOST_CODES", 2**10)
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
    assert parts[3].status == "untestable"
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
