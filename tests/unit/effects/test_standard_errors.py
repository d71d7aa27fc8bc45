from dataclasses import replace

import numpy as np
import pytest
from tests.loans import INCOME_FIRST, asking, loans

from evenhand import CountTable, Question
from evenhand.counts import examined_counts
from evenhand.effects.effects import GraphEffects, with_errors
from evenhand.effects.worlds import ModelTables, compared_counts
from evenhand.graph import CausalGraph


def effects_of(graph, question, counts):
    examined = examined_counts(counts, question)
    return GraphEffects.of(compared_counts(examined).cube, graph, examined.question)


def test_bounds_have_no_error_of_their_own():
    errors = with_errors(effects_of(INCOME_FIRST, asking(), loans()).forward)
    assert errors["through"].standard_error is errors["combination"].standard_error is None
    assert errors["through"].end_errors is None
    assert errors["direct"].standard_error > 0


@pytest.mark.parametrize("basis", ["group", "all"])
def test_the_error_is_that_of_numeric_derivatives(basis):
    """Move a little weight in each row of each table, and see how far each effect goes."""
    graph = CausalGraph.parse(
        "zip -> race; zip -> income; zip -> loan; race -> income; race -> loan; income -> loan"
    )
    question = asking(redlining=["income"], basis=basis)
    effects = effects_of(graph, question, loans()).forward
    tables = replace(effects.tables, exact=False)
    step = 1e-6

    def value(name, node, place):
        moved = {key: share.copy() for key, share in tables.shares.items()}
        if node:
            moved[node][place] += step
        own = ModelTables(
            protected="race",
            decision="loan",
            parents=tables.parents,
            counts=tables.counts,
            exact=False,
        )
        own.__dict__["shares"] = moved
        shares = type(effects.shares)(own)
        return float(shares.value(effects.expressions[name]))

    for name in ("direct", "through", "spurious"):
        variance = 0.0
        for node, counts in tables.counts.items():
            slope = np.zeros(counts.shape)
            for place in np.ndindex(counts.shape):
                slope[place] = (value(name, node, place) - value(name, None, None)) / step
            share = tables.shares[node]
            spread = (share * slope**2).sum(axis=-1) - ((share * slope).sum(axis=-1)) ** 2
            variance += (spread / counts.sum(axis=-1)).sum()
        assert with_errors(effects)[name].standard_error == pytest.approx(
            variance**0.5, rel=1e-4
        )


def redlined(cells):
    """The effects of a table of r, z and d by their counts; r causes z, and both cause d."""
    *columns, counts = zip(*((*key.split(), rows) for key, rows in cells.items()), strict=True)
    table = CountTable.of(dict(zip("rzd", columns, strict=True)), counts)
    asked = Question(
        protected="r", group="a", other="b", decision="d", favorable="y", redlining=["z"]
    )
    return effects_of(CausalGraph.parse("r -> z -> d; r -> d"), asked, table)


def test_each_end_has_the_error_of_its_own_shares():
    """Nobody of group a has z = 1: from a to b a share of b's is unseen, one row of 30."""
    effects = redlined({"a 0 n": 999, "a 0 y": 1, "b 0 n": 28, "b 0 y": 1, "b 1 n": 1}).forward
    # By hand: with p = P(z=1 | b) and t = P(y | a, z=0), the ends are -pt and p(1 - t).
    p, t = 1 / 30, 1 / 1000
    vary = {"p": p * (1 - p) / 30, "t": t * (1 - t) / 1000}
    # All of a have z = 0: as if one of 1,002 had not, and nobody's decision is known there.
    vary["q"] = (1001 / 1002) * (1 / 1002) / 1000
    lower, upper = with_errors(effects)["through"].end_errors
    assert lower == pytest.approx(
        (t**2 * vary["p"] + p**2 * vary["t"] + (1 - t) ** 2 * vary["q"]) ** 0.5
    )
    assert upper == pytest.approx(
        ((1 - t) ** 2 * vary["p"] + p**2 * vary["t"] + t**2 * vary["q"]) ** 0.5
    )
    assert with_errors(effects)["through"].standard_error == pytest.approx(
        (t**2 * vary["p"] + p**2 * vary["t"]) ** 0.5
    )


def test_rows_of_one_value_are_no_proof_that_all_have_it():
    errors = with_errors(redlined({"a 0 n": 2, "a 1 n": 2, "b 0 n": 2, "b 1 y": 6}).forward)
    assert errors["through"].standard_error == 0
    # Two of two are (2 + 1) / (2 + 2); the share of z moves by a quarter between the groups.
    assert errors["through"].end_errors == pytest.approx(((2 * (3 / 16) / 2) ** 0.5 / 4,) * 2)


def test_what_does_not_move_at_all_has_no_error():
    """As many of z in both groups, and one decision: no first derivative tells anything."""
    errors = with_errors(
        redlined(
            {"a 0 n": 2, "a 1 n": 2, "b 0 n": 2, "b 1 n": 2, "b 0 y": 1, "b 1 y": 1}
        ).forward
    )
    assert (errors["through"].standard_error, errors["through"].end_errors) == (0, None)
    assert (errors["spurious"].standard_error, errors["spurious"].end_errors) == (0, (0, 0))
