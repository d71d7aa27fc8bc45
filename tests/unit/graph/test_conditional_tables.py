import numpy as np
import pytest
from tests.networks import network

from evenhand import CountTable
from evenhand.errors import ColumnError, InputError, ResourceError
from evenhand.graph import CausalGraph
from evenhand.graph.conditional_tables import (
    ConditionalTable,
    Factor,
    eliminate,
    fitted_tables,
    gradients,
)


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


def test_overall_shares_stand_in_where_the_parents_are_unseen(hiring):
    table = ConditionalTable.estimate(hiring, "hired", ["sex", "degree"])
    assert table.shares[1, 0].tolist() == [0.4, 0.6]


def test_a_table_from_no_rows_is_refused():
    empty = CountTable.of({"sex": [], "hired": []})
    with pytest.raises(InputError, match="no rows"):
        ConditionalTable.estimate(empty, "hired", ["sex"])


def test_a_node_that_is_no_column_is_named(hiring):
    with pytest.raises(ColumnError, match="Did you mean 'hired'"):
        fitted_tables(hiring, CausalGraph.parse("sex -> hierd"))


def test_eliminating_keeps_only_what_is_there():
    with pytest.raises(ColumnError, match="'y'"):
        eliminate([Factor(("x",), np.ones(2))], ["y"])


def test_a_joint_too_large_is_refused_but_its_parts_are_not():
    alarm = network("alarm")
    counts = alarm.sample(2_000, 1)
    fitted = fitted_tables(counts, CausalGraph(alarm.nodes, alarm.arrows))
    factors = [Factor(table.names, table.shares) for table in fitted.values()]
    with pytest.raises(ResourceError, match="cells"):
        eliminate(factors, [*fitted])
    pair = eliminate(factors, ["BP", "HISTORY"]).table
    assert pair.sum() == pytest.approx(1)
    histories = [counts.values("HISTORY")[v] for v in counts.attribute("HISTORY").values]
    assert pair.sum(axis=0) == pytest.approx(np.array(histories) / 2_000, abs=0.01)


def test_a_table_above_the_limit_is_refused():
    factors = [Factor(("x",), np.ones(4)), Factor(("y",), np.ones(4))]
    with pytest.raises(ResourceError, match="16 cells"):
        eliminate(factors, ["x", "y"], most_cells=15)


def test_gradients_are_what_is_left_without_one_factor():
    generator = np.random.default_rng(1)
    factors = [
        Factor(("a",), generator.random(2)),
        Factor(("b", "a"), generator.random((3, 2))),
        Factor(("c", "b"), generator.random((2, 3))),
        Factor(("a", "c"), generator.random((2, 2))),
    ]
    total, slopes = gradients(factors)
    assert total == pytest.approx(float(eliminate(factors, []).table))
    for at, factor in enumerate(factors):
        rest = factors[:at] + factors[at + 1 :]
        assert slopes[at] == pytest.approx(eliminate(rest, factor.names).table)
