"""Bounds where rows were never seen, and what is refused where too much is left open."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand import CountTable, Question, Verdict
from evenhand.effects.indirect import measure_paths
from evenhand.effects.model_tables import ModelTables
from evenhand.effects.path_sides import PathSides
from evenhand.effects.witness_bounds import TwoWorlds
from evenhand.effects.world_shares import WorldShares
from evenhand.graph import CausalGraph

GRAPH = CausalGraph.parse(
    "group -> home; group -> school; home -> zip; zip -> school; home -> school; "
    "school -> club; home -> loan; school -> loan; zip -> loan; club -> loan"
)
SIDES = PathSides(graph=GRAPH, protected="group", decision="loan", chosen=("zip", "club"))
WIDE = CausalGraph.parse("c -> w; w -> r; w -> e; r -> e; c -> e")
QUESTION = Question(protected="c", group="0", decision="e", favorable="1", redlining=["r"])


def tables():
    """Random counts, but for the group's school at the second home: nobody was seen there."""
    numbers = np.random.default_rng(5)
    counts = {
        node: numbers.integers(1, 30, size=(2,) * (len(GRAPH.parents(node)) + 1))
        for node in GRAPH.topological_order()
    }
    parents = {node: tuple(sorted(GRAPH.parents(node))) for node in counts}
    assert parents["school"] == ("group", "home", "zip")
    counts["school"][0, 1] = 0
    # At the second home nobody gets a loan, and everybody at the first.
    at = parents["loan"].index("home")
    loans = np.moveaxis(counts["loan"], at, 0)
    loans[0, ..., 1], loans[1, ..., 0] = 0, 0
    return ModelTables(protected="group", decision="loan", parents=parents, counts=counts)


def bounds(model):
    worlds = TwoWorlds(shares=WorldShares(model), sides=SIDES, rows=None)
    assert worlds.is_nested
    return worlds.bounds(worlds.solve())


@pytest.mark.parametrize("people", [(1, 0), (0, 1), (1, 1)])
def test_the_bounds_hold_whatever_the_unseen_people_are_like(people):
    model = tables()
    wide = bounds(model)
    school = model.counts["school"].copy()
    school[0, 1] = people
    narrow = bounds(replace(model, counts={**model.counts, "school": school}))
    assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper


@pytest.mark.parametrize("values", [9, 1025])
def test_bounds_of_a_witness_with_more_than_1024_values_are_not_computed(values):
    lines = [
        (str(c), f"w{w:04}", str((c + w) % 2), str((c + w // 2) % 2))
        for c in range(2)
        for w in range(values)
    ]
    counts = CountTable.of(dict(zip("cwre", zip(*lines, strict=True), strict=True)), None)
    measured = measure_paths(counts, WIDE, QUESTION)
    assert measured.witnesses == ("w",)
    refused = [reason for reason in measured.reasons if "1,024" in str(reason)]
    assert bool(refused) == (values > 1024)
    if refused:
        assert "1,025 values together" in str(refused[0])
        assert measured.verdict is Verdict.CANNOT_DECIDE
        reference = measured.graphs[0].forward.reference
        effect = measured.forward["through"]
        assert effect.lower <= -reference.upper
        assert effect.upper >= 1 - reference.lower
