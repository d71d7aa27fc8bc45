from fractions import Fraction

import numpy as np
import pytest
from tests.networks import network

from evenhand import CountTable
from evenhand.errors import ColumnError, InputError, ResourceError, ValuesError
from evenhand.graph import CausalGraph
from evenhand.graph.conditional_tables import ConditionalTable, Factor, Network, eliminate


@pytest.fixture
def hiring():
    """Degree and sex cause hiring; no man without a degree is there."""
    return CountTable.of(
        {
            "sex": ["f", "f", "f", "f", "m", "m"],
            "degree": ["no", "no", "yes", "yes", "yes", "yes"],
            "hired": ["no", "yes", "no", "yes", "no", "yes"],
        },
        counts=[2, 1, 1, 2, 1, 3],
    )


@pytest.fixture
def graph():
    return CausalGraph.parse("sex -> hired; degree -> hired")


def test_a_table_keeps_the_counts_behind_its_shares(hiring):
    table = ConditionalTable.estimate(hiring, "hired", ["sex", "degree"])
    assert table.names == ("sex", "degree", "hired")
    assert table.counts.tolist() == [[[2, 1], [1, 2]], [[0, 0], [1, 3]]]
    assert table.share("yes", sex="m", degree="yes") == Fraction(3, 4)
    assert table.shares[1, 1, 1] == 0.75


def test_the_share_of_an_unseen_assignment_is_none(hiring):
    table = ConditionalTable.estimate(hiring, "hired", ["sex", "degree"])
    assert table.share("yes", sex="m", degree="no") is None
    assert table.unseen == (("m", "no"),)


def test_overall_shares_stand_in_where_the_parents_are_unseen(hiring):
    table = ConditionalTable.estimate(hiring, "hired", ["sex", "degree"])
    assert table.exact_shares[1, 0].tolist() == [Fraction(4, 10), Fraction(6, 10)]
    assert np.isfinite(table.shares).all()


def test_the_joint_is_the_product_of_the_tables(hiring, graph):
    fitted = Network.estimate(hiring, graph)
    expected = Fraction(4, 10) * Fraction(7, 10) * Fraction(3, 4)
    assert fitted.probability(sex="m", degree="yes", hired="yes") == expected
    names = ("hired", "sex", "degree")
    assert fitted.exact_joint(names).table[1, 1, 1] == expected
    assert fitted.joint(names).table[1, 1, 1] == pytest.approx(float(expected))


def test_the_probability_of_nothing_in_particular_is_one(hiring, graph):
    assert Network.estimate(hiring, graph).probability() == 1


def test_nodes_come_causes_first(hiring, graph):
    assert Network.estimate(hiring, graph).nodes[-1] == "hired"


def test_a_sample_has_the_rows_asked_for_and_repeats_with_its_seed(hiring, graph):
    fitted = Network.estimate(hiring, graph)
    sample = fitted.sample(1_000, 7)
    assert sample.rows == 1_000
    assert set(sample.names) == {"sex", "degree", "hired"}
    assert sample == fitted.sample(1_000, np.random.default_rng(7))
    assert sample != fitted.sample(1_000, 8)


def test_a_sample_follows_the_joint(hiring, graph):
    fitted = Network.estimate(hiring, graph)
    names = ("sex", "degree", "hired")
    rows = 200_000
    expected = rows * fitted.joint(names).table
    found = fitted.sample(rows, 3).cube(names)
    statistic = ((found - expected) ** 2 / expected).sum()
    assert statistic < 24.3  # the upper 0.1 % of chi-square with 7 degrees of freedom


def test_no_rows_can_be_sampled(hiring, graph):
    assert Network.estimate(hiring, graph).sample(0, 1).rows == 0


def test_a_table_from_no_rows_is_refused():
    empty = CountTable.of({"sex": [], "hired": []})
    with pytest.raises(InputError, match="no rows"):
        ConditionalTable.estimate(empty, "hired", ["sex"])


def test_a_node_that_is_no_column_is_named(hiring):
    with pytest.raises(ColumnError, match="Did you mean 'hired'"):
        Network.estimate(hiring, CausalGraph.parse("sex -> hierd"))


def test_a_value_or_column_that_is_not_there_is_named(hiring, graph):
    fitted = Network.estimate(hiring, graph)
    with pytest.raises(ValuesError, match="'maybe'"):
        fitted.probability(hired="maybe")
    with pytest.raises(ColumnError, match="'age'"):
        fitted.probability(age="9")
    with pytest.raises(ColumnError, match="'degree'"):
        fitted.tables["hired"].share("yes", sex="f")


def test_eliminating_keeps_only_what_is_there():
    with pytest.raises(ColumnError, match="'y'"):
        eliminate([Factor(("x",), np.ones(2))], ["y"])


def test_a_factor_of_ones_keeps_a_variable_that_no_table_has():
    kept = eliminate(
        [Factor(("x",), np.array([1, 3])), Factor(("y",), np.ones(2, np.int64))], ["y", "x"]
    )
    assert kept.table.tolist() == [[1, 3], [1, 3]]


def test_a_joint_too_large_is_refused_but_its_parts_are_not():
    alarm = network("alarm")
    counts = alarm.sample(2_000, 1)
    fitted = Network.estimate(counts, CausalGraph(alarm.nodes, alarm.arrows))
    with pytest.raises(ResourceError, match="cells"):
        fitted.joint()
    pair = fitted.joint(["BP", "HISTORY"]).table
    assert pair.sum() == pytest.approx(1)
    shares = [counts.values("HISTORY")[value] / 2_000 for value in ("TRUE", "FALSE")]
    histories = dict(zip(counts.attribute("HISTORY").values, pair.sum(axis=0), strict=True))
    exact = fitted.exact_joint(["HISTORY"]).table
    assert [histories["TRUE"], histories["FALSE"]] == pytest.approx(list(map(float, exact)))
    assert shares == pytest.approx(list(map(float, exact)), abs=0.01)
