"""Adult with five races, alone and crossed with sex: figures that no change may move."""

import pytest

from evenhand import CausalGraph, Question, certify, datasets
from evenhand.removal import ModifyData, plan_removal


@pytest.fixture(scope="module")
def five():
    return datasets.adult(race="five")


def asked(**changes):
    fields = {"protected": "race", "decision": "income", "favorable": ">50K"}
    return Question(**(fields | changes))


def certified(counts, question):
    """Every other attribute is a cause of the decision."""
    arrows = [f"{name} -> income" for name in counts.names if name != "income"]
    return certify(counts, CausalGraph.parse("; ".join(arrows)), question, min_coverage=0)


def figures(found):
    numbers = found.partition.numbers
    reaching = numbers["above"] + numbers["below"]
    return (
        numbers["occupied"],
        numbers["measured"],
        numbers["violating"],
        numbers["comparisons"],
        reaching,
    )


def test_five_races_in_pairs(five):
    found = certified(five, asked())
    assert five.row_count == 48_842
    assert figures(found) == (356, 289, 211, 1_426, 776)
    assert not found.partition.statistics.any_shown
    assert plan_removal(found).changed_rows == 4_912
    assert plan_removal(found, method=ModifyData(policy="raise")).changed_rows == 15_882
    assert round(float(min(found.partition.coverage.groups)), 3) == 0.991
    assert round(float(min(found.partition.pair_coverage)), 2) == 0.38


@pytest.mark.parametrize(("min_rows", "changed"), [(1, 4_912), (5, 421), (10, 134), (20, 56)])
def test_small_groups_drag_everybody_to_their_rates(five, min_rows, changed):
    plan = plan_removal(certified(five, asked(min_rows=min_rows)))
    assert plan.changed_rows == changed
    assert plan.reaches_criterion
    if min_rows == 5:
        assert round(float(min(plan.partition.coverage.groups)), 2) == 0.5


def test_every_race_against_white(five):
    plan = plan_removal(certified(five, asked(other="White")))
    assert plan.changed_rows == 4_526
    assert plan.reaches_criterion


def test_sex_crossed_with_five_races(five):
    found = certified(five, asked(protected=("sex", "race")))
    assert len(found.partition.groups) == 10
    assert figures(found) == (207, 176, 144, 3_129, 1_697)
    assert not found.partition.statistics.shown.any()
    assert plan_removal(found).changed_rows == 6_346


@pytest.mark.parametrize(("min_rows", "changed"), [(1, 1_512), (5, 512), (10, 353), (20, 276)])
def test_sex_crossed_with_race_in_two_classes(min_rows, changed):
    question = asked(protected=("sex", "race"), min_rows=min_rows)
    assert plan_removal(certified(datasets.adult(), question)).changed_rows == changed
